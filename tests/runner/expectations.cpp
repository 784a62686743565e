#include "tests/runner/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::runner {

using namespace musimd;

namespace {

using Unmet = std::optional<std::string>;

std::string text(const ExpectedValue& v) {
  using Kind = ExpectedValue::Kind;
  return v.kind == Kind::Number ? std::to_string(v.number) : v.kind == Kind::Poison ? "?" : "*";
}

ExpectedValue value(const Cell& cell) {
  using Kind = ExpectedValue::Kind;
  return {cell.state == CellState::Number   ? Kind::Number
          : cell.state == CellState::Poison ? Kind::Poison
                                            : Kind::Uninitialised,
          cell.number};
}

std::string ending_text(const Ending& ending) { return fmt::format("the run ends so: {} {}", status_word(ending), reason(ending)); }

/// The premise that each candidate failed.
std::vector<PremiseName> failing(const Stuck& stuck) {
  std::vector<PremiseName> out;
  for (const CandidateReport& candidate : stuck.candidates) {
    for (const AskedPremise& premise : candidate.premises) {
      if (!premise.holds && premise.number != 1) {  // 1 is asked where one instruction has rules by shape
        out.push_back({premise.rule, premise.number});
      }
    }
  }
  return out;
}

struct Check {
  const Finished& run;
  const Expectation& expectation;

  Unmet operator()(const ExpectHalts&) const { return std::holds_alternative<Halted>(run.ending) ? Unmet() : ending_text(run.ending); }

  Unmet operator()(const ExpectStuck& e) const {
    const auto* stuck = std::get_if<Stuck>(&run.ending);
    return stuck != nullptr && failing(*stuck) == e.premises ? at_line() : ending_text(run.ending);
  }

  Unmet operator()(const ExpectUndefined& e) const {
    const auto* undefined = std::get_if<Undefined>(&run.ending);
    const bool met = undefined != nullptr && undefined->premise.rule == e.premise.rule && undefined->premise.number == e.premise.number &&
                     (!e.thread || undefined->thread == *e.thread);
    return met ? at_line() : ending_text(run.ending);
  }

  Unmet operator()(const ExpectLimit& e) const {
    const auto* limit = std::get_if<LimitReached>(&run.ending);
    return limit != nullptr && static_cast<int>(limit->what) == static_cast<int>(e.what) ? at_line() : ending_text(run.ending);
  }

  Unmet operator()(const ExpectCells& e) const {
    std::vector<ExpectedValue> found;
    for (std::size_t k = 0; k < e.values.size(); ++k) {
      found.push_back(value(run.machine.state().shared.read(e.base + static_cast<std::int64_t>(k))));
    }
    return compare(fmt::format("mem[{}..]", e.base), e.values, found);
  }

  Unmet operator()(const ExpectVariable& e) const {
    const Program& program = run.machine.program();
    const auto id = std::find(program.variables.begin(), program.variables.end(), e.name);
    if (id == program.variables.end()) {
      return fmt::format("there is no variable {}", e.name);
    }
    std::vector<ExpectedValue> found;
    for (unsigned t = 0; t < run.machine.threads(); ++t) {
      found.push_back(value(run.machine.state().bank.read(static_cast<VarId>(id - program.variables.begin()), t)));
    }
    return compare(e.name, e.values, found);
  }

  Unmet operator()(const ExpectSteps& e) const { return count("steps", e.count, run.machine.steps()); }

  Unmet operator()(const ExpectRaces& e) const {
    return run.reference ? count("races", e.count, run.reference->races) : Unmet("races are not counted where a limit was met");
  }

  Unmet operator()(const ExpectCovers& e) const {
    for (const RuleId rule : e.rules) {
      const bool fired =
          std::any_of(run.recording.rules.begin(), run.recording.rules.end(), [&](Fired f) { return f.rule == rule || f.root == rule; });
      if (!fired) {
        return fmt::format("rule {} does not fire", name(rule));
      }
    }
    return std::nullopt;
  }

  Unmet operator()(const ExpectRules& e) const {
    const std::optional<Label> pc = instruction();
    if (!pc) {
      return "there is no instruction on this line";
    }
    std::vector<std::string_view> expected;
    std::vector<std::string_view> found;
    std::transform(e.visits.begin(), e.visits.end(), std::back_inserter(expected), [](RuleId id) { return name(id); });
    for (const Recording::Visit& visit : visits(*pc)) {
      found.push_back(name(visit.rule));
    }
    return expected == found ? Unmet() : fmt::format("the rules are {}", fmt::join(found, " "));
  }

  Unmet operator()(const ExpectTaken& e) const {
    const std::optional<Label> pc = instruction();
    if (!pc) {
      return "there is no instruction on this line";
    }
    std::vector<std::string> found;
    for (const Recording::Visit& visit : visits(*pc)) {
      found.push_back(visit.taken);
    }
    return e.visits == found ? Unmet() : fmt::format("taken is {}", fmt::join(found, " | "));
  }

  Unmet operator()(const ExpectTrace&) const { return std::nullopt; }

 private:
  static Unmet count(const char* what, std::uint64_t expected, std::uint64_t found) {
    return expected == found ? Unmet() : fmt::format("{} {} are expected, there are {}", expected, what, found);
  }

  static Unmet compare(const std::string& what, const std::vector<ExpectedValue>& expected, const std::vector<ExpectedValue>& found) {
    std::vector<std::string> want;
    std::vector<std::string> have;
    std::transform(expected.begin(), expected.end(), std::back_inserter(want), [](const ExpectedValue& v) { return text(v); });
    std::transform(found.begin(), found.end(), std::back_inserter(have), [](const ExpectedValue& v) { return text(v); });
    return want == have ? Unmet() : fmt::format("{} is {}", what, fmt::join(have, " "));
  }

  const std::vector<Recording::Visit>& visits(Label pc) const {
    static const std::vector<Recording::Visit> none;
    const auto found = run.recording.visits.find(pc);
    return found == run.recording.visits.end() ? none : found->second;
  }

  std::uint32_t line_of(Label pc) const { return run.source.place(run.machine.program().code[pc].span.begin).line; }

  /// The instruction on the directive's line.
  std::optional<Label> instruction() const {
    for (Label pc = 0; pc < run.machine.program().code.size(); ++pc) {
      if (expectation.line == line_of(pc)) {
        return pc;
      }
    }
    return std::nullopt;
  }

  /// An ending on an instruction's line is one at that instruction.
  Unmet at_line() const {
    const Label pc = run.machine.state().pc;
    if (!expectation.line) {
      return std::nullopt;
    }
    if (pc >= run.machine.program().code.size()) {
      return "the run ends behind the last instruction";
    }
    return line_of(pc) == *expectation.line ? Unmet() : fmt::format("the run ends in line {}", line_of(pc));
  }
};

}  // namespace

std::optional<std::string> unmet(const Finished& run, const Expectation& expectation) {
  return std::visit(Check{run, expectation}, expectation.expected);
}

}  // namespace lockstep::runner
