// From a finding to a small kernel, and to the line at which it goes wrong.

#include "differential/campaign/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "differential/campaign/prove.hpp"
#include "differential/campaign/try.hpp"
#include "differential/compare/interrupts.hpp"
#include "differential/compare/parting.hpp"
#include "semantics/core/print.hpp"
#include "semantics/generate/kernel_probes.hpp"
#include "semantics/generate/kernel_shrink.hpp"

namespace lockstep::differential {

namespace {

constexpr unsigned patience = 30;            ///< seconds for one kernel
constexpr unsigned patience_if_endless = 5;  ///< where each try takes all of it
constexpr unsigned patience_to_compile = 1800;
/// Seconds of shrinking, behind which the kernel is small enough as it is.
constexpr double most_seconds = 300;

/// Places of a change that are tried in a smaller kernel.
constexpr std::size_t most_places = 12;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool is_endless(const FuzzAnswer& answer) { return answer.kind.ends_with("endless"); }

/// Seconds for a kernel of which this was found.
unsigned patience_for(const FuzzPlan& plan, const FuzzAnswer& answer) {
  return plan.subject == FuzzPlan::Subject::Backend ? plan.timeout + patience
         : is_batched(plan)                         ? plan.patience + patience_to_compile
         : plan.subject == FuzzPlan::Subject::Pairs ? patience_to_compile
         : is_endless(answer)                       ? patience_if_endless
                                                    : patience;
}

/// A wrong compiler may make endless loops of kernels that end: with the time that the command takes for the kernel itself in mind, it need
/// not be given all of its time for each smaller one.
FuzzPlan hurried(const FuzzPlan& plan, const FuzzCase& found, const FuzzAnswer& answer) {
  FuzzPlan result = plan;
  if (plan.subject == FuzzPlan::Subject::Backend && is_endless(answer)) {
    result.timeout = std::min(plan.timeout, patience_if_endless);
  } else if (is_batched(plan) && is_endless(answer)) {
    result.patience = std::min(plan.patience, patience_if_endless);
  } else if (plan.subject == FuzzPlan::Subject::Backend) {
    const auto start = Clock::now();
    static_cast<void>(try_apart(plan, found, plan.timeout + patience));
    result.timeout = std::min(plan.timeout, 2 + static_cast<unsigned>(4 * seconds_since(start)));
  }
  return result;
}

/// The line of a text on which `word` stands first, from 1.
unsigned line_with(const std::string& text, const std::string& word) {
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(word)), '\n'));
}

/// Runs the kernel once more for each assignment in it, with a store behind that one which saves the variable: the first whose saved values
/// differ is where the two part, in the order of the text. A variable that is assigned in a loop is saved in its last round.
std::optional<PartingLine> line_of_variable(const FuzzPlan& plan, const Finding& finding) {
  for (std::size_t number = 0; interrupts() == 0; ++number) {
    const auto probed = generate::with_probe(finding.smallest.kernel, number);
    if (!probed) {
      break;
    }
    const FuzzCase asked = with_kernel(finding.smallest, probed->kernel);
    const FuzzAnswer answer = try_apart(plan, asked, patience_for(plan, finding.answer));
    if (std::ranges::find(answer.buffers, generate::probe_name) != answer.buffers.end()) {
      // The store stands on the line behind the assignment; nothing in front of that has moved.
      const unsigned line = line_with(core::print(probed->kernel.unit), std::string(generate::probe_name) + "[") - 1;
      return PartingLine{line, probed->variable, false};
    }
  }
  return std::nullopt;
}

/// The line at which the interpreter writes the first element that differs for the last time.
std::optional<PartingLine> line_of_element(const FuzzPlan& plan, const Finding& finding) {
  if (!finding.answer.first) {
    return std::nullopt;
  }
  const auto interpreted = interpret(finding.smallest, plan.subject == FuzzPlan::Subject::Backend);
  const auto* made = std::get_if<Interpreted>(&interpreted);
  if (made == nullptr) {
    return std::nullopt;
  }
  Mismatch mismatch;
  mismatch.number = finding.answer.first->buffer;
  mismatch.index = finding.answer.first->index;
  const auto writer = last_writer(made->reference(), mismatch);
  if (!writer) {
    return std::nullopt;
  }
  const std::string& name = finding.smallest.kernel.inputs[owner_of(made->before.values, mismatch.number)].name;
  return PartingLine{static_cast<unsigned>(made->read.program.source->place(writer->span.begin).line),
                     fmt::format("{}[{}]", name, mismatch.index), true};
}

/// Simpler ways to compile and run a kernel, the simplest first: packs as small as may be, without anything chosen; then without one
/// choice.
std::vector<FuzzCase> simpler_ways(const FuzzCase& now) {
  std::vector<FuzzCase> ways;
  if (now.overlap) {
    ways.push_back(with_kernel(now, now.kernel));
    ways.back().overlap.reset();
  }
  for (const unsigned pack : {1U, 2U, now.wg_pack}) {
    if (pack < now.wg_pack || (pack == now.wg_pack && (now.chunk_lanes || !now.settings.empty()))) {
      ways.push_back(with_kernel(now, now.kernel));
      ways.back().wg_pack = pack;
      ways.back().chunk_lanes = std::nullopt;
      ways.back().settings.clear();
    }
  }
  for (const auto& [name, value] : now.settings) {
    ways.push_back(with_kernel(now, now.kernel));
    ways.back().settings.erase(name);
  }
  return ways;
}

/// The simplest way to compile and run the kernel that shows it still.
void simplify_compilation(const FuzzPlan& plan, Finding& finding, unsigned seconds) {
  for (bool is_simpler = true; is_simpler;) {
    is_simpler = false;
    for (FuzzCase& way : simpler_ways(finding.smallest)) {
      FuzzAnswer again = try_apart(plan, way, seconds);
      if (again.ending == FuzzAnswer::Ending::Finding && again.kind == finding.answer.kind) {
        finding.smallest = std::move(way);
        finding.answer = std::move(again);
        is_simpler = true;
        break;
      }
    }
  }
}

/// What a smaller kernel may still show: of pairs, with the same kind of change at any place.
std::vector<FuzzCase> cases_of(const FuzzPlan& plan, const FuzzCase& found, const generate::Kernel& kernel) {
  std::vector<FuzzCase> cases;
  const bool is_pair = plan.subject == FuzzPlan::Subject::Pairs;
  const std::size_t places = is_pair ? std::min(generate::places(kernel, found.change.kind), most_places) : 1;
  for (std::size_t place = 0; place < places; ++place) {
    cases.push_back(with_kernel(found, kernel));
    cases.back().change.place = is_pair ? place : found.change.place;
  }
  return cases;
}

}  // namespace

std::string text_of(const PartingLine& line) {
  const std::string what =
      line.is_last ? fmt::format("which is the last to write {}", line.differs) : fmt::format("where '{}' differs", line.differs);
  return fmt::format("kernel.cl:{}, {}", line.number, what);
}

Finding shrink(const FuzzPlan& plan, const FuzzCase& found, const FuzzAnswer& answer) {
  const FuzzPlan quick = hurried(plan, found, answer);
  const unsigned seconds = patience_for(quick, answer);
  const auto start = Clock::now();
  FuzzCase like = with_kernel(found, found.kernel);
  like.proved = answer.kind == proof_finding;
  Finding finding{with_kernel(like, like.kernel), answer, std::nullopt, {}, ""};
  const auto still_fails = [&](const generate::Kernel& kernel) {
    for (FuzzCase& smaller : cases_of(plan, like, kernel)) {
      if (interrupts() > 0 || seconds_since(start) > most_seconds) {
        return false;
      }
      FuzzAnswer again = try_apart(quick, smaller, seconds);
      if (again.ending == FuzzAnswer::Ending::Finding && again.kind == answer.kind) {
        finding.smallest = std::move(smaller);
        finding.answer = std::move(again);
        return true;
      }
    }
    return false;
  };
  static_cast<void>(generate::shrink(generate::copy(found.kernel), still_fails));
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    return finding;
  }
  simplify_compilation(quick, finding, seconds);
  if (is_endless(answer)) {  // with all of its time, it may end
    const FuzzAnswer again = try_apart(plan, finding.smallest, patience_for(plan, FuzzAnswer()));
    if (again.ending != FuzzAnswer::Ending::Stopped && again.kind != answer.kind) {
      return {with_kernel(found, found.kernel), answer, std::nullopt, {}, ""};
    }
  }
  if (like.proved) {  // on the kernel's own inputs nothing differs
    return finding;
  }
  finding.line = line_of_variable(quick, finding);
  if (!finding.line) {
    finding.line = line_of_element(quick, finding);
  }
  return finding;
}

}  // namespace lockstep::differential
