#include "tests/kernel_properties/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "semantics/core/front_end.hpp"
#include "semantics/generate/kernel_shrink.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::test {

namespace {

const std::string mark = "//";

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
  return text + comment(mark, message) + "// LOCKSTEP_REPRO=THIS_FILE " + campaign.program + " asks again\n" + run + "\n" + trial.text;
}

Finding report(const KernelCampaign& campaign, const KernelTrial& trial, std::uint64_t seed) {
  const std::string failure = ask(campaign.law, trial).failure;
  Finding finding{failure.empty() ? "fails only sometimes" : failure, trial.text, ""};
  finding.file = write_repro(campaign.property, seed, "cl", file_text(campaign, trial, finding.message));
  return finding;
}

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
  kernel.wg_size = static_cast<unsigned>(number(header(text, mark, "wg_size")));
  kernel.groups = number(header(text, mark, "groups"));
  kernel.contract = number(header(text, mark, "contract")) != 0;
  for (std::size_t at = text.find("// input: "); at != std::string::npos; at = text.find("// input: ", at + 1)) {
    kernel.inputs.push_back(input_of(header(text, mark, "input", at)));
  }
  return kernel;
}

}  // namespace

unsigned kernel_sample(unsigned usual) { return full_run() ? std::max(2000U, 10 * usual) : usual; }

std::optional<Finding> try_kernel(const KernelCampaign& campaign, std::uint64_t seed, Tally& tally) {
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

std::optional<Finding> rerun_kernel(const KernelCampaign& campaign, const std::string& file) {
  const auto text = read_repro(file, mark, campaign.property);
  if (!text) {
    return std::nullopt;
  }
  const generate::Kernel kernel = kernel_of(file, *text);
  const KernelTrial trial = trial_of(kernel, number(header(*text, mark, "salt")));
  const Answer answer = ask(campaign.law, trial);
  return answer.failure.empty() ? std::nullopt : std::optional(Finding{answer.failure, trial.text, file});
}

void hold(const KernelCampaign& campaign, unsigned usual, unsigned floor) {
  Tally tally;
  const bool asked = hold(
      campaign.property, kernel_sample(usual), [&](std::uint64_t seed) { return try_kernel(campaign, seed, tally); },
      [&](const std::string& file) { return rerun_kernel(campaign, file); });
  if (!asked) {
    return;
  }
  fmt::print("{}: {} of {} kernels are compared\n", campaign.property, tally.compared, tally.asked);
  std::fflush(stdout);
  INFO(campaign.property);
  // A sample of kernels of which this share is compared has fewer than four standard deviations below it once in 30,000 runs.
  const double share = floor / 100.0;
  const double deviation = std::sqrt(tally.asked * share * (1 - share));
  CHECK(tally.compared >= tally.asked * share - 4 * deviation);
}

}  // namespace lockstep::test
