// The generator itself: its kernels are not trivial, they meet nothing undefined unless asked to, and what fails is found again, small.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "semantics/core/front_end.hpp"
#include "semantics/musimd/rule_table.hpp"
#include "tests/kernel_properties/laws.hpp"
#include "tests/kernel_properties/support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using generate::Profile;

namespace {

struct Statistics {
  unsigned kernels = 0;
  unsigned limits = 0;
  std::uint64_t steps = 0;
  std::uint64_t characters = 0;
  std::map<std::string, unsigned> faults;                ///< kernels by what they meet
  std::array<unsigned, musimd::rule_count> with_rule{};  ///< kernels that take the rule
  unsigned with_poison = 0;
  unsigned with_races = 0;

  bool at_least(unsigned n, unsigned percent) const { return 100 * n >= percent * kernels; }
  unsigned taking(musimd::RuleId rule) const { return with_rule[static_cast<std::size_t>(rule)]; }
};

Statistics statistics(const generate::KernelOptions& options, unsigned kernels) {
  Statistics s;
  for (unsigned k = 0; k < kernels; ++k) {
    generate::Choices choices = generate::from_seed(run_seed() * 1'000'000 + k);
    const generate::Kernel kernel = generate::random_kernel(choices, options);
    const KernelTrial trial = trial_of(kernel, k);
    const Ran ran = run_machine(make_ready(trial), kernel, plain_options(kernel));
    ++s.kernels;
    s.characters += trial.text.size();
    s.steps += ran.outcome.steps;
    s.limits += met_limit(ran) ? 1U : 0U;
    s.with_races += ran.outcome.race_count > 0 ? 1U : 0U;
    if (ran.outcome.fault) {
      ++s.faults[std::string(launch::name_of(ran.outcome.fault->kind))];
    }
    for (std::size_t rule = 0; rule < musimd::rule_count; ++rule) {
      s.with_rule[rule] += ran.outcome.rule_counts[rule] > 0 ? 1U : 0U;
    }
    s.with_poison +=
        std::any_of(ran.buffers.begin(), ran.buffers.end(), [](const launch::Buffer& b) { return !b.poison.empty(); }) ? 1U : 0U;
  }
  return s;
}

void print(const char* what, const Statistics& s) {
  fmt::print("{} {} kernels: {} characters and {} steps on average; {} meet a limit, {} poison, {} races;", s.kernels, what,
             s.characters / s.kernels, s.steps / s.kernels, s.limits, s.with_poison, s.with_races);
  for (const auto& [word, count] : s.faults) {
    fmt::print(" {} {},", count, word);
  }
  fmt::print(" divergence in {}, calls in {}\n", s.taking(musimd::RuleId::BD), s.taking(musimd::RuleId::CALL));
  std::fflush(stdout);
}

/// Not a law: a kernel that indexes outside "fails".
Verdict planted(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  const evaluator::Result result = run_evaluator(ready, trial.kernel);
  return {result.fault && result.fault->kind == evaluator::FaultKind::OutOfBounds ? text_of(ready, result.fault) : ""};
}

}  // namespace

TEST_CASE("Generated kernels are not trivial, and clean unless asked", "[generator]") {
  using musimd::RuleId;
  const Statistics plain = statistics({.profile = Profile::Plain, .heads = true}, kernel_sample(100));
  const Statistics lockstep = statistics({.profile = Profile::Lockstep, .heads = true}, kernel_sample(100));
  const Statistics crev = statistics({.profile = Profile::Crev, .heads = true}, kernel_sample(100));
  const Statistics undefined = statistics({.profile = Profile::Lockstep, .undefined = true}, kernel_sample(200));
  print("plain", plain);
  print("lockstep", lockstep);
  print("crev", crev);
  print("undefined", undefined);
  for (const Statistics* s : {&plain, &lockstep, &crev}) {
    CHECK(s->faults.empty());
    CHECK(s->limits == 0);
    CHECK(s->at_least(s->taking(RuleId::BD), 40));
    CHECK(s->at_least(s->taking(RuleId::CALL), 15));
  }
  CHECK(plain.with_poison == 0);
  CHECK(plain.with_races == 0);
  CHECK(lockstep.at_least(lockstep.with_poison, 3));
  CHECK(lockstep.at_least(lockstep.taking(RuleId::SVA), 20));
  CHECK(crev.at_least(crev.taking(RuleId::EB), 50));
  CHECK(crev.at_least(crev.taking(RuleId::BA), 50));
  CHECK(crev.at_least(crev.with_races, 5));
  CHECK(undefined.faults.size() >= 3);
  unsigned faults = 0;
  for (const auto& [word, count] : undefined.faults) {
    faults += count;
  }
  CHECK(undefined.at_least(faults, 3));
  CHECK_FALSE(undefined.at_least(faults, 40));
}

TEST_CASE("Every type, operator, statement and builtin turns up", "[generator]") {
  std::set<std::string> missing = {"bool ",
                                   "char ",
                                   "uchar ",
                                   "short ",
                                   "ushort ",
                                   "int ",
                                   "uint ",
                                   "long ",
                                   "ulong ",
                                   "float ",
                                   "double ",
                                   " + ",
                                   " - ",
                                   " * ",
                                   " / ",
                                   " % ",
                                   " << ",
                                   " >> ",
                                   " < ",
                                   " <= ",
                                   " > ",
                                   " >= ",
                                   " == ",
                                   " != ",
                                   " & ",
                                   " ^ ",
                                   " | ",
                                   " && ",
                                   " || ",
                                   " ? ",
                                   "!",
                                   "~",
                                   "++",
                                   "--",
                                   " += ",
                                   " -= ",
                                   " *= ",
                                   " /= ",
                                   " %= ",
                                   " &= ",
                                   " |= ",
                                   " ^= ",
                                   " <<= ",
                                   " >>= ",
                                   ", v",
                                   "sizeof",
                                   "if (",
                                   "else",
                                   "for (",
                                   "while (",
                                   "do {",
                                   "switch (",
                                   "case ",
                                   "default:",
                                   "break;",
                                   "continue;",
                                   "return;",
                                   "return ",
                                   "barrier(",
                                   "local ",
                                   "constant",
                                   "shuffle(",
                                   "any(",
                                   "all(",
                                   "ballot(",
                                   "popcount(",
                                   "abs(",
                                   "min(",
                                   "max(",
                                   "fma(",
                                   "sqrt(",
                                   "fabs(",
                                   "rcp(",
                                   "crev ",
                                   "uniform ",
                                   "work_group",
                                   "][",
                                   "sub_group_",
                                   "*q",
                                   "const ",
                                   "'",
                                   "FP_CONTRACT",
                                   "get_group_id",
                                   "get_num_groups",
                                   "get_global_size"};
  for (std::uint64_t seed = 0; seed < 600 && !missing.empty(); ++seed) {
    for (const Profile profile : {Profile::Plain, Profile::Lockstep, Profile::Crev}) {
      generate::Choices choices = generate::from_seed(seed);
      const generate::Kernel kernel = generate::random_kernel(choices, {.profile = profile});
      const std::string text = trial_of(kernel, seed).text;
      std::erase_if(missing, [&](const std::string& word) { return text.find(word) != std::string::npos; });
    }
  }
  for (const std::string& word : missing) {
    FAIL_CHECK("never generated: " << word);
  }
}

TEST_CASE("Plain kernels hold nothing that OpenCL C does not have", "[generator]") {
  for (std::uint64_t seed = 0; seed < kernel_sample(200); ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    const std::string text = trial_of(generate::random_kernel(choices, {.profile = Profile::Plain}), seed).text;
    for (const char* word :
         {"shuffle", "any(", "all(", "ballot", "rcp(", "crev", "uniform", "get_local_id()", "get_global_id()", "depth"}) {
      CHECK(text.find(word) == std::string::npos);
    }
  }
}

TEST_CASE("A kernel depends on nothing but its choices", "[generator]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    generate::Choices one = generate::from_seed(seed);
    generate::Choices other = generate::from_seed(seed);
    const generate::Kernel first = generate::random_kernel(one, {.profile = Profile::Crev});
    const generate::Kernel second = generate::random_kernel(other, {.profile = Profile::Crev});
    CHECK(trial_of(first, 0).text == trial_of(second, 0).text);
    CHECK(trial_of(generate::copy(first), 0).text == trial_of(first, 0).text);
  }
}

TEST_CASE("Any choices make a kernel that the front end takes", "[generator]") {
  // A fuzzer may answer 0, the highest, or always the same.
  for (const Profile profile : {Profile::Plain, Profile::Lockstep, Profile::Crev, Profile::Parity}) {
    for (const unsigned share : {0U, 1U, 2U, 3U}) {
      generate::Choices choices = [share](unsigned n) { return (n - 1) * share / 3; };
      const generate::Kernel kernel = generate::random_kernel(choices, {.profile = profile});
      CHECK_NOTHROW(make_ready(trial_of(kernel, 0)));
    }
  }
}

TEST_CASE("A failing kernel shrinks to a few lines, in a file that reruns by itself", "[generator]") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("lockstep-kernel-repro-{}", run_seed());
  std::filesystem::create_directories(folder);
  const WithEnvironment where("LOCKSTEP_REPRO_DIR", folder.string());
  const KernelCampaign campaign{"planted", planted, {.profile = Profile::Lockstep, .undefined = true}};
  unsigned found = 0;
  Tally tally;
  for (std::uint64_t seed = 1; found < 3 && seed < 300; ++seed) {
    const auto finding = try_kernel(campaign, seed, tally);
    if (!finding) {
      continue;
    }
    ++found;
    INFO(finding->text);
    CHECK(finding->message.starts_with("out-of-bounds"));
    CHECK(std::count(finding->text.begin(), finding->text.end(), '\n') <= 8);
    const auto again = rerun_kernel(campaign, finding->file);
    REQUIRE(again);
    CHECK(again->message == finding->message);
    CHECK(again->text == finding->text);
    CHECK_FALSE(rerun_kernel({"another", planted, {}}, finding->file));
  }
  CHECK(found == 3);
  CHECK_THROWS_AS(rerun_kernel(campaign, (folder / "missing.cl").string()), std::runtime_error);
  std::filesystem::remove_all(folder);
}
