// From a finding to a small kernel, and to the line at which it goes wrong.

#include <algorithm>
#include <chrono>

#include "semantics/core/print.hpp"
#include "semantics/generate/kernel_probes.hpp"
#include "semantics/generate/kernel_shrink.hpp"
#include "tools/fuzz.hpp"

namespace lockstep::tools {

namespace {

constexpr unsigned patience = 30;            ///< seconds for one kernel
constexpr unsigned patience_if_endless = 5;  ///< where each try takes all of it

unsigned patience_for(const FuzzPlan& plan, const FuzzAnswer& answer) {
  return plan.target == FuzzPlan::Target::Backend ? plan.timeout + patience : answer.kind == "endless" ? patience_if_endless : patience;
}

/// A wrong compiler may make endless loops of kernels that end: with the time that the command takes for the kernel itself in mind, it need
/// not be given all of its time for each smaller one.
FuzzPlan hurried(const FuzzPlan& plan, const FuzzCase& found) {
  FuzzPlan result = plan;
  if (plan.target == FuzzPlan::Target::Backend) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(try_apart(plan, found, plan.timeout + patience));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    result.timeout = std::min(plan.timeout, 2 + static_cast<unsigned>(4 * seconds.count()));
  }
  return result;
}

/// The line of a text on which `word` stands first, from 1.
unsigned line_with(const std::string& text, const std::string& word) {
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(word)), '\n'));
}

/// Runs the kernel once more for each assignment in it, with a store behind that one which saves the variable: the first whose saved values
/// differ is where the two part, in the order of the text. A variable that is assigned in a loop is saved in its last round.
void find_line(const FuzzPlan& plan, Finding& finding) {
  for (std::size_t number = 0;; ++number) {
    const auto probed = generate::with_probe(finding.smallest.kernel, number);
    if (!probed) {
      return;
    }
    const FuzzCase asked = with_kernel(finding.smallest, probed->kernel);
    const FuzzAnswer answer = try_apart(plan, asked, patience_for(plan, finding.answer));
    if (std::ranges::find(answer.buffers, generate::probe_name) != answer.buffers.end()) {
      // The store stands on the line behind the assignment; nothing in front of that has moved.
      finding.line = line_with(core::print(probed->kernel.unit), std::string(generate::probe_name) + "[") - 1;
      finding.variable = probed->variable;
      return;
    }
  }
}

}  // namespace

Finding shrink(const FuzzPlan& asked, const FuzzCase& found, const FuzzAnswer& answer) {
  const FuzzPlan plan = hurried(asked, found);
  const unsigned seconds = patience_for(plan, answer);
  const auto still_fails = [&](const generate::Kernel& kernel) {
    const FuzzAnswer again = try_apart(plan, with_kernel(found, kernel), seconds);
    return again.ending == FuzzAnswer::Ending::Finding && again.kind == answer.kind;
  };
  Finding finding{with_kernel(found, generate::shrink(generate::copy(found.kernel), still_fails)), answer, std::nullopt, "", {}, ""};
  for (const unsigned pack : {1U, 2U}) {  // the simplest way to compile it that shows it still
    FuzzCase simpler = with_kernel(finding.smallest, finding.smallest.kernel);
    simpler.wg_pack = pack;
    simpler.chunk_lanes = std::nullopt;
    const FuzzAnswer again = try_apart(plan, simpler, seconds);
    if (pack < finding.smallest.wg_pack && again.kind == answer.kind) {
      finding.smallest = std::move(simpler);
      break;
    }
  }
  FuzzAnswer last = try_apart(plan, finding.smallest, seconds);
  if (last.ending == FuzzAnswer::Ending::Finding) {
    finding.answer = std::move(last);
  }
  find_line(plan, finding);
  return finding;
}

}  // namespace lockstep::tools
