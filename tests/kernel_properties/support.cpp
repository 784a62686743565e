#include "tests/kernel_properties/support.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "semantics/core/front_end.hpp"
#include "semantics/generate/kernel_shrink.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::test {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What came of asking: nothing, or the failure and which kind it is. A kernel that the front end refuses is a failure of its own kind, so
/// that shrinking does not run away into text that it refuses rightly.
struct Answer {
  std::string failure;      ///< empty: the law holds
  std::string refusal;      ///< the front end's message, if that is the failure
  bool is_compared = true;  ///< Verdict::is_compared
};

Answer ask(KernelLaw law, const KernelTrial& trial) {
  try {
    const Verdict verdict = law(trial);
    return {verdict.wrong, "", verdict.is_compared};
  } catch (const Refused& refused) {
    const std::string message = refused.what();
    return {"the front end refuses it: " + message, message.substr(0, message.find('\n'))};
  } catch (const std::exception& error) {
    return {std::string("exception: ") + error.what(), ""};
  }
}

/// The arguments of `lockstep run` that give a parameter its input.
std::string argument_text(const generate::KernelInput& input) {
  std::string values;
  for (const std::uint64_t bits : input.values) {
    values += (values.empty() ? "" : ",") + ops::text_of(input.type, bits);
  }
  return fmt::format(" --arg '{}={}'", input.name, input.is_buffer ? "[" + values + "]" : values);
}

/// As comments in front of the kernel: how to ask again, and how to run it.
std::string file_text(const KernelCampaign& campaign, const KernelTrial& trial, const std::string& message) {
  const generate::Kernel& kernel = trial.kernel;
  std::string text = fmt::format("// property: {}\n// salt: {}\n// wg_size: {}\n// groups: {}\n// contract: {}\n", campaign.property,
                                 trial.salt, kernel.wg_size, kernel.groups, kernel.contract ? 1 : 0);
  std::string run = fmt::format("// lockstep run THIS_FILE --wg-size {} --groups {}{}", kernel.wg_size, kernel.groups,
                                kernel.contract ? "" : " --fp-contract=off");
  for (const generate::KernelInput& input : kernel.inputs) {
    text += fmt::format("// input: {} {} {}", input.name, info(input.type).name, input.is_buffer ? "buffer" : "scalar");
    for (const std::uint64_t bits : input.values) {
      text += fmt::format(" {}", bits);
    }
    text += "\n";
    run += argument_text(input);
  }
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    text += "// " + line + "\n";
  }
  return text + "// LOCKSTEP_REPRO=THIS_FILE " + campaign.program + " asks again\n" + run + "\n" + trial.text;
}

KernelFinding report(const KernelCampaign& campaign, const KernelTrial& trial, std::uint64_t seed) {
  const std::string failure = ask(campaign.law, trial).failure;
  KernelFinding finding{failure.empty() ? "fails only sometimes" : failure, trial.text, ""};
  const std::string folder = environment("LOCKSTEP_REPRO_DIR");
  finding.file = fmt::format("{}/repro-{}-{}.cl", folder.empty() ? "." : folder, campaign.property, seed);
  std::ofstream(finding.file) << file_text(campaign, trial, finding.message);
  return finding;
}

/// The value of `// key: value` in the comments of a file, and what follows it.
std::string header(const std::string& text, const std::string& key, std::size_t from = 0) {
  const std::string start = "// " + key + ": ";
  const std::size_t at = text.find(start, from);
  return at == std::string::npos ? "" : text.substr(at + start.size(), text.find('\n', at) - at - start.size());
}

std::uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

generate::KernelInput input_of(const std::string& line) {
  std::istringstream words(line);
  generate::KernelInput input;
  std::string type;
  std::string kind;
  words >> input.name >> type >> kind;
  for (const ScalarInfo& row : scalar_table) {
    if (row.name == type) {
      input.type = row.type;
    }
  }
  input.is_buffer = kind == "buffer";
  for (std::uint64_t bits = 0; words >> bits;) {
    input.values.push_back(bits);
  }
  return input;
}

generate::Kernel kernel_of(const std::string& file, const std::string& text) {
  const SourceFile source(file, text);
  auto unit = core::parse(source, {});
  if (!unit) {
    throw std::runtime_error(render(source, unit.error()));
  }
  generate::Kernel kernel;
  kernel.unit = std::move(*unit);
  kernel.wg_size = static_cast<unsigned>(number(header(text, "wg_size")));
  kernel.groups = number(header(text, "groups"));
  kernel.contract = number(header(text, "contract")) != 0;
  for (std::size_t at = text.find("// input: "); at != std::string::npos; at = text.find("// input: ", at + 1)) {
    kernel.inputs.push_back(input_of(header(text, "input", at)));
  }
  return kernel;
}

}  // namespace

unsigned kernel_sample(unsigned usual) { return environment("LOCKSTEP_FULL").empty() ? usual : std::max(2000U, 10 * usual); }

std::uint64_t kernel_run_seed() {
  static const std::uint64_t seed = [] {
    const std::string given = environment("LOCKSTEP_SEED");
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    const std::uint64_t value = given.empty() ? static_cast<std::uint64_t>(day) : number(given);
    std::cout << "LOCKSTEP_SEED=" << value << " repeats this run\n";
    return value;
  }();
  return seed;
}

std::optional<KernelFinding> try_kernel(const KernelCampaign& campaign, std::uint64_t seed, Tally& tally) {
  generate::Choices choices = generate::from_seed(seed);
  generate::Kernel kernel = generate::random_kernel(choices, campaign.options);
  const Answer first = ask(campaign.law, trial_of(kernel, seed));
  ++tally.asked;
  tally.compared += first.is_compared ? 1U : 0U;
  if (first.failure.empty()) {
    return std::nullopt;
  }
  const auto fails = [&](const generate::Kernel& k) {
    const Answer answer = ask(campaign.law, trial_of(k, seed));
    return !answer.failure.empty() && answer.refusal == first.refusal;
  };
  kernel = generate::shrink(std::move(kernel), fails);
  return report(campaign, trial_of(kernel, seed), seed);
}

std::optional<KernelFinding> rerun_kernel(const KernelCampaign& campaign, const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) {
    throw std::runtime_error("cannot read " + file);
  }
  if (header(content.str(), "property") != campaign.property) {
    return std::nullopt;
  }
  const generate::Kernel kernel = kernel_of(file, content.str());
  const KernelTrial trial = trial_of(kernel, number(header(content.str(), "salt")));
  const Answer answer = ask(campaign.law, trial);
  return answer.failure.empty() ? std::nullopt : std::optional(KernelFinding{answer.failure, trial.text, file});
}

void hold(const KernelCampaign& campaign, unsigned usual, unsigned floor) {
  const auto fail_if = [&](const std::optional<KernelFinding>& finding) {
    if (finding) {
      FAIL(campaign.property << ": " << finding->message << "\n" << finding->text << "written to " << finding->file);
    }
  };
  const std::string file = environment("LOCKSTEP_REPRO");
  if (!file.empty()) {
    fail_if(rerun_kernel(campaign, file));
    return;
  }
  rc::detail::TestMetadata metadata;
  metadata.id = campaign.property;
  rc::detail::TestParams params;
  params.seed = kernel_run_seed();
  params.maxSuccess = static_cast<int>(kernel_sample(usual));
  params.disableShrinking = true;  // the seed says nothing of the kernel's size: try_kernel shrinks the kernel itself
  std::optional<KernelFinding> found;
  Tally tally;
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
        found = try_kernel(campaign, seed, tally);
        RC_ASSERT(!found);
      },
      metadata, params);
  fail_if(found);
  REQUIRE(result.template is<rc::detail::SuccessResult>());
  fmt::print("{}: {} of {} kernels are compared\n", campaign.property, tally.compared, tally.asked);
  std::fflush(stdout);
  INFO(campaign.property);
  CHECK(100 * tally.compared >= floor * tally.asked);
}

}  // namespace lockstep::test
