#include "semantics/prove/execute.hpp"

#include "semantics/base/internal_error.hpp"
#include "semantics/prove/symbolic.hpp"

namespace lockstep::prove {

namespace {

bool plain(const Truth& truth) {
  const auto known = truth.known();
  if (!known) {
    throw InternalError("a truth value of a run on constants is no constant");
  }
  return *known;
}

std::int64_t plain(const Word& word) {
  const auto known = word.known();
  if (!known) {
    throw InternalError("a word of a run on constants is no constant");
  }
  return *known;
}

musimd::Label plain_label(const Word& word) { return static_cast<musimd::Label>(plain(word)); }

LaneSet plain(const ThreadSet& set, unsigned threads) {
  LaneSet result(threads);
  for (unsigned t = 0; t < threads; ++t) {
    if (plain(set[t])) {
      result.insert(t);
    }
  }
  return result;
}

PlainCell plain(const CellTerm& cell) {
  using Kind = PlainCell::State;
  if (!plain(cell.written)) {
    return {};
  }
  return plain(cell.poison) ? PlainCell{Kind::Poison, 0} : PlainCell{Kind::Number, plain(cell.value)};
}

State initial_state(const Symbolic& d, const musimd::Program& program, const std::vector<unsigned>& active) {
  State s;
  s.active = active.empty() ? d.all() : d.none();
  for (const unsigned t : active) {
    s.active = s.active | d.single(t);
  }
  s.bank.assign(program.variables.size(), std::vector<CellTerm>(d.width()));
  for (const musimd::SharedRange& range : program.shared) {
    for (std::size_t k = 0; k < range.values.size(); ++k) {
      s.shared.write(Truth(true), Word(range.base + static_cast<std::int64_t>(k)), {Word(range.values[k]), Truth(true), Truth(false)});
    }
  }
  return s;
}

/// Why no rule applies: a premise that has to be defined failed, or else the state is stuck.
RunStatus failure(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    if (candidate.failed == musimd::PremiseKind::Defined) {
      return RunStatus::Undefined;
    }
  }
  return RunStatus::Stuck;
}

/// Replaces `s` by the successor that the first applying rule gives; none: no rule applies.
std::optional<musimd::Fired> advance(Symbolic& d, State& s, const Instruction& i) {
  for (Successor& successor : step(d, s, i)) {
    if (plain(successor.condition)) {
      s = std::move(successor.state);
      return successor.rule;
    }
  }
  return std::nullopt;
}

void describe(const State& s, unsigned threads, ConstantRun& run) {
  run.active = plain(s.active, threads);
  run.pc = plain_label(s.pc);
  run.frame_base = s.frame_base;
  for (const auto& entry : s.sync) {
    run.sync.push_back(
        {plain_label(entry.branch_pc), plain(entry.done, threads), plain_label(entry.resume_at), plain(entry.todo, threads)});
  }
  for (const auto& frame : s.context) {
    run.context.push_back({plain(frame.mask, threads), frame.sync_base});
  }
  for (const std::vector<CellTerm>& variable : s.bank) {
    std::vector<PlainCell>& cells = run.locals.emplace_back();
    for (const CellTerm& cell : variable) {
      cells.push_back(plain(cell));
    }
  }
  for (const std::int64_t address : s.shared.known_addresses()) {
    const PlainCell cell = plain(s.shared.read(Word(address)));
    if (cell.state != PlainCell::State::Uninitialised) {
      run.shared.emplace(address, cell);
    }
  }
}

}  // namespace

ConstantRun run_symbolic_on_constants(const musimd::Program& program, const ConstantRunOptions& options) {
  const unsigned threads = options.threads != 0 ? options.threads : program.threads.value_or(musimd::default_threads);
  Symbolic domain(threads, options.printed, options.order);
  std::vector<Instruction> code;
  code.reserve(program.code.size());
  for (const musimd::Statement& statement : program.code) {
    code.push_back(translate(statement.instruction));
  }
  State state = initial_state(domain, program, options.active);
  ConstantRun run;
  while (run.status == RunStatus::StepLimit && run.fired.size() < options.max_steps) {
    const musimd::Label pc = plain_label(state.pc);
    if (pc >= code.size()) {
      run.status = RunStatus::Stuck;
    } else if (const auto fired = advance(domain, state, code[pc])) {
      run.fired.push_back(*fired);
      if (fired->rule == musimd::RuleId::SP) {
        run.status = RunStatus::Halted;
      }
    } else {
      run.status = failure(candidates_of(domain, state, code[pc]));
    }
  }
  describe(state, threads, run);
  return run;
}

}  // namespace lockstep::prove
