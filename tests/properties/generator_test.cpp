// The generator itself: its programs are not trivial, and what fails is found again, small.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "semantics/generate/shrink.hpp"
#include "tests/properties/laws.hpp"
#include "tests/properties/support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Statistics {
  unsigned programs = 0, halted = 0, undefined = 0, other = 0;
  unsigned diverged = 0, in_block = 0, nested_blocks = 0, calls = 0, shuffled = 0, missed = 0, stored = 0, raced = 0, nested_divergence = 0,
           looped = 0, one_thread = 0, wide = 0;
  std::uint64_t steps = 0, longest = 0, instructions = 0;
};

/// How deep Λ and the present Π get, counting only entries with threads that wait.
class Depths : public Observer {
 public:
  void after_step(const Machine& m, const StepEvent&) override {
    blocks = std::max(blocks, m.state().context.size());
    std::size_t waiting = 0;
    for (std::size_t k = m.state().frame_base; k < m.state().sync.size(); ++k) {
      waiting += m.state().sync[k].todo.empty() && m.state().sync[k].done.empty() ? 0U : 1U;
    }
    divergence = std::max(divergence, waiting);
  }

  std::size_t blocks = 0;
  std::size_t divergence = 0;
};

void count(Statistics& s, const musimd::Program& program) {
  using musimd::RuleId;
  const auto machine = machine_for(std::make_shared<const musimd::Program>(program));
  Depths depths;
  RaceObserver races;
  machine->attach(depths);
  machine->attach(races);
  const Ending ending = machine->run(max_steps);
  const auto fired = [&](RuleId rule) { return machine->rule_counts()[static_cast<std::size_t>(rule)] > 0 ? 1U : 0U; };
  ++s.programs;
  s.halted += std::holds_alternative<Halted>(ending) ? 1U : 0U;
  s.undefined += std::holds_alternative<Undefined>(ending) ? 1U : 0U;
  s.other += ending.index() == 1 || ending.index() == 3 ? 1U : 0U;
  s.diverged += fired(RuleId::BD);
  s.in_block += fired(RuleId::EB);
  s.nested_blocks += depths.blocks >= 2 ? 1U : 0U;
  s.nested_divergence += depths.divergence >= 2 ? 1U : 0U;
  s.calls += fired(RuleId::BA);
  s.shuffled += fired(RuleId::SV);
  s.missed += fired(RuleId::SI_shfl);
  s.stored += fired(RuleId::ST);
  s.raced += races.raced ? 1U : 0U;
  s.looped += machine->steps() > program.code.size() ? 1U : 0U;
  s.one_thread += machine->threads() == 1 ? 1U : 0U;
  s.wide += machine->threads() > 64 ? 1U : 0U;
  s.steps += machine->steps();
  s.longest = std::max(s.longest, machine->steps());
  s.instructions += program.code.size();
}

void print(const Statistics& s) {
  const auto share = [&](unsigned n) { return 100.0 * n / s.programs; };
  fmt::print(
      "{} generated programs: {:.0f} % halt, {:.0f} % are undefined; {:.0f} instructions and {:.0f} steps on average, {} steps at the "
      "most\n",
      s.programs, share(s.halted), share(s.undefined), static_cast<double>(s.instructions) / s.programs,
      static_cast<double>(s.steps) / s.programs, s.longest);
  fmt::print(
      "with divergence {:.0f} %, nested {:.0f} %; blocks {:.0f} %, nested {:.0f} %, calls {:.0f} %; shuffles {:.0f} %, from missing lanes "
      "{:.0f} %\n",
      share(s.diverged), share(s.nested_divergence), share(s.in_block), share(s.nested_blocks), share(s.calls), share(s.shuffled),
      share(s.missed));
  fmt::print("stores {:.0f} %, races {:.0f} %; more steps than instructions {:.0f} %; one thread {:.0f} %, more than 64 {:.0f} %\n",
             share(s.stored), share(s.raced), share(s.looped), share(s.one_thread), share(s.wide));
  std::fflush(stdout);
}

/// Not a law: a program that loads something in a divergent branch "fails".
Verdict planted(const Trial& trial) {
  class Loads : public Observer {
   public:
    void after_step(const Machine& m, const StepEvent& event) override {
      found = found || (event.fired.root == musimd::RuleId::LD && event.active.size() < m.threads());
    }
    bool found = false;
  };
  const auto machine = machine_for(trial.program);
  Loads loads;
  machine->attach(loads);
  machine->run(max_steps);
  return loads.found ? Verdict("a load while some thread waits") : std::nullopt;
}

std::size_t instruction_count(const std::string& text) { return musimd::parse(SourceFile("shrunk.mus", text)).value().code.size(); }

}  // namespace

TEST_CASE("Generated programs are not trivial", "[generator]") {
  Statistics s;
  const std::uint64_t first = run_seed() * 1'000'000;
  for (unsigned k = 0; k < sample(2000); ++k) {
    generate::Choices choices = generate::from_seed(first + k);
    count(s, generate::emit(generate::random_program(choices, {})));
  }
  print(s);
  const auto at_least = [&](unsigned n, unsigned percent) { return 100 * n >= percent * s.programs; };
  CHECK(at_least(s.halted, 60));
  CHECK(at_least(s.undefined, 3));
  CHECK(s.other == 0);
  CHECK(at_least(s.diverged, 50));
  CHECK(at_least(s.nested_divergence, 20));
  CHECK(at_least(s.in_block, 40));
  CHECK(at_least(s.nested_blocks, 15));
  CHECK(at_least(s.calls, 15));
  CHECK(at_least(s.shuffled, 30));
  CHECK(at_least(s.missed, 10));
  CHECK(at_least(s.stored, 40));
  CHECK(at_least(s.raced, 10));
  CHECK(at_least(s.looped, 30));
  CHECK(s.one_thread > 0);
  CHECK(at_least(s.wide, 3));
}

TEST_CASE("Options leave out what they name", "[generator]") {
  using musimd::RuleId;
  for (std::uint64_t seed = 0; seed < sample(2000); ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    const generate::ProgramOptions options{
        .shared_writes = false, .shuffles = false, .blocks = false, .undefined = false, .max_threads = 5};
    const musimd::Program program = generate::emit(generate::random_program(choices, options));
    const auto machine = machine_for(std::make_shared<const musimd::Program>(program));
    CHECK(machine->threads() <= 5);
    CHECK(std::holds_alternative<Halted>(machine->run(max_steps)));
    for (const RuleId rule : {RuleId::ST, RuleId::SV, RuleId::SI_shfl, RuleId::EB, RuleId::BA, RuleId::BI}) {
      CHECK(machine->rule_counts()[static_cast<std::size_t>(rule)] == 0);
    }
  }
}

TEST_CASE("Programs without races have none", "[generator]") {
  for (std::uint64_t seed = 0; seed < sample(2000); ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    const generate::ProgramOptions options{.races = false, .undefined = false};
    const auto machine = machine_for(std::make_shared<const musimd::Program>(generate::emit(generate::random_program(choices, options))));
    RaceObserver races;
    machine->attach(races);
    CHECK(std::holds_alternative<Halted>(machine->run(max_steps)));
    CHECK_FALSE(races.raced);
  }
}

TEST_CASE("A failing program shrinks to a few lines, in a file that reruns by itself", "[generator]") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("lockstep-repro-{}", run_seed());
  std::filesystem::create_directories(folder);
  const WithEnvironment where("LOCKSTEP_REPRO_DIR", folder.string());
  for (const bool changed_control : {false, true}) {
    const Campaign campaign{"planted", planted, {}, changed_control};
    unsigned found = 0;
    for (std::uint64_t seed = 1; found < 3 && seed < 200; ++seed) {
      const auto finding = try_seed(campaign, seed);
      if (!finding) {
        continue;
      }
      ++found;
      INFO(finding->text);
      CHECK(finding->message == "a load while some thread waits");
      CHECK(instruction_count(finding->text) <= 5);  // a branch, the load, and what is around them
      const auto again = rerun(campaign, finding->file);
      REQUIRE(again);
      CHECK(again->message == finding->message);
      CHECK(again->text == finding->text);
      CHECK_FALSE(rerun({"another", planted, {}}, finding->file));
    }
    CHECK(found == 3);
  }
  CHECK_THROWS_AS(rerun({"planted", planted, {}}, (folder / "missing.mus").string()), std::runtime_error);
  std::filesystem::remove_all(folder);
}

TEST_CASE("Wrong control instructions often leave a program that the checker accepts", "[generator]") {
  // Else property 2 would say little of programs that are not well-formed by construction.
  unsigned accepted = 0;
  unsigned changed = 0;
  for (std::uint64_t seed = 0; seed < sample(2000); ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    const musimd::Program program = generate::emit(generate::random_program(choices, {.undefined = false}));
    const musimd::Program wrong = generate::with_changed_control(program, choices);
    changed += musimd::same(program, wrong) ? 0U : 1U;
    accepted += !musimd::same(program, wrong) && musimd::well_formed(musimd::check(wrong)) ? 1U : 0U;
  }
  CHECK(changed >= sample(2000) * 9 / 10);
  CHECK(accepted >= sample(2000) / 10);
  CHECK(accepted <= sample(2000) / 2);
}

TEST_CASE("Shrinking keeps programs well-formed", "[generator]") {
  for (std::uint64_t seed = 0; seed < sample(100); ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    generate::Skeleton skeleton = generate::random_program(choices, {.max_threads = 8});
    unsigned asked = 0;
    const std::uint64_t size = generate::measure(skeleton);
    generate::shrink(skeleton, [&](const generate::Skeleton& candidate) {
      const musimd::Program program = generate::emit(candidate);
      INFO(musimd::print(program));
      CHECK(musimd::well_formed(musimd::check(program)));
      CHECK(generate::measure(candidate) < size);
      return ++asked % 3 == 0;
    });
    CHECK(asked > 0);
  }
}
