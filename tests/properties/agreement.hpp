#pragma once
// Property 10: the machine and the big-step evaluator take the same rules and end in the same state, whatever the program, the
// thread order, the initial threads, and the errata that are switched back.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/bigstep/bigstep.hpp"
#include "tests/properties/trial.hpp"

namespace lockstep::test {

/// What an evaluation of a program depends on besides the text.
struct Setting {
  std::vector<unsigned> active;
  std::vector<unsigned> order;
  std::vector<musimd::Erratum> printed;
  std::uint64_t limit = max_steps;
};

inline Setting random_setting(generate::Choices& choices, unsigned threads) {
  Setting setting;
  if (choices(3) == 2) {
    setting.active = random_threads(choices, threads);
  }
  if (choices(3) == 2) {
    setting.order = random_order(choices, threads);
  }
  if (choices(3) == 2) {
    for (unsigned count = 1 + choices(2); count > 0; --count) {
      setting.printed.push_back(static_cast<musimd::Erratum>(choices(musimd::erratum_names.size())));
    }
  }
  if (choices(8) == 7) {
    setting.limit = choices(60);
  }
  return setting;
}

inline bigstep::Threads threads_in(const LaneSet& set) {
  bigstep::Threads result;
  set.for_each([&](unsigned t) { result.insert(t); });
  return result;
}

inline bigstep::Value value_of(const Cell& cell) {
  switch (cell.state) {
    case CellState::Uninitialised:
      return {bigstep::Value::Uninitialised, 0};
    case CellState::Poison:
      return {bigstep::Value::Poison, 0};
    case CellState::Number:
      break;
  }
  return {bigstep::Value::Number, cell.number};
}

/// The entries of Π from `first` up to `last`, as the evaluator writes them.
inline std::vector<bigstep::SyncEntry> entries(const Machine::State& s, std::size_t first, std::size_t last) {
  std::vector<bigstep::SyncEntry> result;
  for (std::size_t k = first; k < last; ++k) {
    result.push_back({s.sync[k].branch_pc, threads_in(s.sync[k].done), s.sync[k].resume_at, threads_in(s.sync[k].todo)});
  }
  return result;
}

inline std::vector<bigstep::ContextEntry> contexts(const Machine::State& s) {
  std::vector<bigstep::ContextEntry> result;
  for (std::size_t k = 0; k < s.context.size(); ++k) {
    const std::size_t last = k + 1 < s.context.size() ? s.context[k + 1].sync_base : s.frame_base;
    result.push_back({threads_in(s.context[k].mask), entries(s, s.context[k].sync_base, last)});
  }
  return result;
}

/// Where the machine's state is not the evaluator's.
inline Verdict state_difference(const Machine& m, const bigstep::Result& expected) {
  const Machine::State& s = m.state();
  if (m.steps() != expected.steps || s.pc != expected.pc) {
    return fmt::format("{} steps to pc {}, expected {} steps to pc {}", m.steps(), s.pc, expected.steps, expected.pc);
  }
  if (threads_in(s.active) != expected.active) {
    return "other threads are active";
  }
  if (entries(s, s.frame_base, s.sync.size()) != expected.sync) {
    return "the sync stack differs";
  }
  if (contexts(s) != expected.context) {
    return "the context stack differs";
  }
  std::size_t known = 0;
  for (musimd::VarId v = 0; v < m.program().variables.size(); ++v) {
    const auto row = expected.locals.find(m.program().variables[v]);
    known += row != expected.locals.end() ? 1U : 0U;
    for (unsigned t = 0; t < m.threads(); ++t) {
      const bigstep::Value right = row == expected.locals.end() ? bigstep::Value{} : row->second[t];
      if (value_of(s.bank.read(v, t)) != right) {
        return fmt::format("{} differs in thread {}", m.program().variables[v], t);
      }
    }
  }
  if (known != expected.locals.size()) {
    return "a variable is missing";
  }
  std::map<std::int64_t, bigstep::Value> cells;
  s.shared.for_each([&](std::int64_t address, Cell cell) { cells[address] = value_of(cell); });
  if (cells != expected.shared) {
    return "shared memory differs";
  }
  return std::nullopt;
}

inline std::string_view ending_word(bigstep::Ending ending) {
  static constexpr std::string_view words[] = {"halted", "stuck", "error", "limit"};
  return words[static_cast<std::size_t>(ending)];
}

/// Collects the rules that run.
class RuleSequence : public Observer {
 public:
  void after_step(const Machine&, const StepEvent& event) override { rules.push_back(rule_text(event.fired)); }

  std::vector<std::string> rules;
};

/// As printed (E5) a thread may find a lane defined or undefined by what the thread before it wrote. The machine names a shuffle
/// by the state before it, the evaluator by what each thread met; the effects are the same, the names need not be.
inline std::vector<std::string> shuffles_alike(std::vector<std::string> rules) {
  std::replace(rules.begin(), rules.end(), std::string("IT/SI.shfl"), std::string("IT/SV"));
  return rules;
}

inline Verdict compare(const Machine& m, const Ending& ending, const bigstep::Result& expected) {
  if (status_word(ending) != ending_word(expected.ending)) {
    return fmt::format("the machine ends with {} ({}), the evaluator with {} ({})", status_word(ending), reason(ending),
                       ending_word(expected.ending), expected.failing_rule_or_reason);
  }
  return state_difference(m, expected);
}

/// The text with each list of cells in one line: the evaluator's reader knows no continuation lines.
inline std::string without_continuations(std::string text) {
  for (std::size_t at = text.find(" ..\n"); at != std::string::npos; at = text.find(" ..\n", at)) {
    text.replace(at, 4, " ");
  }
  return text;
}

/// Runs both, the machine in its two ways (observed and quiet), and compares.
inline Verdict agree(const Trial& trial, const Setting& setting) {
  bigstep::Options expected_options;
  expected_options.max_steps = setting.limit;
  expected_options.initial_active = setting.active;
  expected_options.thread_order = setting.order;
  MachineOptions options;
  options.active = setting.active;
  options.order = setting.order;
  for (const musimd::Erratum e : setting.printed) {
    expected_options.as_printed.emplace(musimd::erratum_names[static_cast<std::size_t>(e)]);
    options.printed.insert(e);
  }
  bigstep::Result expected = bigstep::run(without_continuations(trial.text), expected_options);

  const auto quiet = machine_for(trial.program, options);
  if (auto wrong = compare(*quiet, quiet->run(setting.limit), expected)) {
    return "without observers: " + *wrong;
  }
  options.checking = true;
  const auto observed = machine_for(trial.program, options);
  RuleSequence sequence;
  observed->attach(sequence);
  const Ending ending = observed->run(setting.limit);
  if (options.printed.contains(musimd::Erratum::E5)) {
    expected.rules = shuffles_alike(std::move(expected.rules));
    sequence.rules = shuffles_alike(std::move(sequence.rules));
  }
  if (sequence.rules != expected.rules) {
    const auto [ours, theirs] = std::mismatch(sequence.rules.begin(), sequence.rules.end(), expected.rules.begin(), expected.rules.end());
    return fmt::format("step {} takes rule {}, expected {}", ours - sequence.rules.begin(), ours == sequence.rules.end() ? "none" : *ours,
                       theirs == expected.rules.end() ? "none" : *theirs);
  }
  if (auto wrong = compare(*observed, ending, expected)) {
    return "with an observer: " + *wrong;
  }
  if (quiet->rule_counts() != observed->rule_counts()) {
    return "the rules are counted differently with and without an observer";
  }
  return std::nullopt;
}

inline std::string describe(const Setting& setting) {
  std::string printed;
  for (const musimd::Erratum e : setting.printed) {
    printed += " " + std::string(musimd::erratum_names[static_cast<std::size_t>(e)]);
  }
  return fmt::format("(active: {}, order: {}, as printed:{}, at most {} steps)", fmt::join(setting.active, " "),
                     fmt::join(setting.order, " "), printed, setting.limit);
}

/// Property 10, in a setting that the salt chooses.
inline Verdict agreement(const Trial& trial) {
  generate::Choices choices = generate::from_seed(trial.salt);
  const Setting setting = random_setting(choices, threads_of(*trial.program));
  auto wrong = agree(trial, setting);
  return wrong ? Verdict(*wrong + " " + describe(setting)) : wrong;
}

/// Property 10 as the rules stand, from all threads in ascending order.
inline Verdict plain_agreement(const Trial& trial) { return agree(trial, {}); }

}  // namespace lockstep::test
