#pragma once
// Properties 2, 3, 4, 9 and 11, and that printing loses nothing. Properties 1 and 5: invariants.hpp; 10: agreement.hpp.

#include <algorithm>
#include <map>

#include "semantics/musimd/check.hpp"
#include "semantics/musimd/parse.hpp"
#include "tests/properties/trial.hpp"

namespace lockstep::test {

/// Property 2: the checker accepts a program that is well-formed by construction, and the program is not stuck.
inline Verdict progress(const Trial& trial) {
  const Diagnostics findings = musimd::check(*trial.program);
  if (!musimd::well_formed(findings)) {
    return "the checker refuses it: " + findings.front().message;
  }
  const Ending ending = machine_for(trial.program)->run(max_steps);
  if (std::holds_alternative<Stuck>(ending)) {
    return "stuck: " + reason(ending);
  }
  return std::nullopt;
}

/// Property 2 for programs of any kind: what the checker accepts is not stuck.
inline Verdict accepted_is_not_stuck(const Trial& trial) {
  if (!musimd::well_formed(musimd::check(*trial.program))) {
    return std::nullopt;
  }
  const Ending ending = machine_for(trial.program)->run(max_steps);
  return std::holds_alternative<Stuck>(ending) ? Verdict("accepted, but stuck: " + reason(ending)) : std::nullopt;
}

/// Property 3, for programs without shared writes, shuffles and blocks: each thread ends as if it ran alone.
inline Verdict lane_independence(const Trial& trial) {
  const auto all = machine_for(trial.program);
  const Ending together = all->run(max_steps);
  generate::Choices choices = generate::from_seed(trial.salt);
  const unsigned sample = std::min(all->threads(), 8U);
  const unsigned start = choices(all->threads());
  bool all_halt = true;
  for (unsigned k = 0; k < sample; ++k) {
    MachineOptions options;
    options.active = {(start + k) % all->threads()};
    const auto alone = machine_for(trial.program, options);
    const Ending ending = alone->run(max_steps);
    all_halt = all_halt && std::holds_alternative<Halted>(ending);
    if (!std::holds_alternative<Halted>(together)) {
      continue;
    }
    if (!std::holds_alternative<Halted>(ending)) {
      return "all together halt, but a thread alone does not: " + reason(ending);
    }
    for (musimd::VarId v = 0; v < trial.program->variables.size(); ++v) {
      const unsigned t = options.active.front();
      if (all->state().bank.read(v, t) != alone->state().bank.read(v, t)) {
        return trial.program->variables[v] + " of thread " + std::to_string(t) + " is another one when it runs alone";
      }
    }
  }
  if (all_halt && sample == all->threads() && !std::holds_alternative<Halted>(together)) {
    return "each thread alone halts, but all together do not: " + reason(together);
  }
  return std::nullopt;
}

/// Whether two threads stored different values to one cell in one step.
class RaceObserver : public Observer {
 public:
  Interest interest() const override { return {false, true}; }
  void after_step(const Machine&, const StepEvent& event) override {
    std::map<std::int64_t, Cell> stored;
    event.active.for_each([&](unsigned t) {
      const bool poison = event.access->poison != nullptr && event.access->poison->contains(t);
      const Cell value{poison ? CellState::Poison : CellState::Number, poison ? 0 : event.access->values[t]};
      raced = raced || stored.emplace(event.access->addresses[t], value).first->second != value;
    });
  }

  bool raced = false;
};

/// Property 4: a program without a race gives the same result for every order of the threads.
inline Verdict thread_order(const Trial& trial) {
  const auto ascending = machine_for(trial.program);
  RaceObserver races;
  ascending->attach(races);
  const Ending ending = ascending->run(max_steps);
  if (races.raced) {
    return std::nullopt;
  }
  generate::Choices choices = generate::from_seed(trial.salt);
  for (int round = 0; round < 3; ++round) {
    MachineOptions options;
    options.order = random_order(choices, ascending->threads());
    if (round == 0) {
      std::sort(options.order.rbegin(), options.order.rend());
    }
    const auto other = machine_for(trial.program, options);
    if (other->run(max_steps).index() != ending.index() || other->rule_counts() != ascending->rule_counts()) {
      return "another thread order takes other rules";
    }
    if (auto wrong = difference(*ascending, *other)) {
      return "in another thread order " + *wrong;
    }
  }
  return std::nullopt;
}

/// `program`, whose last instruction is its only `stop`, with `before` inserted in front of instruction `at`, and `after` in front
/// of the stop. Targets in `before` and `after` count from the start of either.
inline musimd::Program surrounded(musimd::Program program, musimd::Label at, std::vector<musimd::Instruction> before,
                                  std::vector<musimd::Instruction> after) {
  const auto shift = [](std::vector<musimd::Instruction>& code, auto&& moved) {
    for (musimd::Instruction& instruction : code) {
      std::visit(
          [&](auto& i) {
            if constexpr (requires { i.target; }) {
              i.target = {moved(i.target.pc), std::nullopt, {}};
            }
          },
          instruction);
    }
  };
  const auto distance = static_cast<musimd::Label>(before.size());
  std::vector<musimd::Instruction> code;
  for (musimd::Statement& s : program.code) {
    code.push_back(std::move(s.instruction));
  }
  code.pop_back();
  shift(code, [&](musimd::Label pc) { return pc >= at ? pc + distance : pc; });
  shift(before, [&](musimd::Label pc) { return pc + at; });
  const auto end = static_cast<musimd::Label>(code.size()) + distance;
  shift(after, [&](musimd::Label pc) { return pc + end; });
  code.insert(code.begin() + at, before.begin(), before.end());
  code.insert(code.end(), after.begin(), after.end());
  code.emplace_back(musimd::Stop{});
  program.code.clear();
  for (musimd::Instruction& i : code) {
    program.code.push_back({std::move(i), {}});
  }
  program.labels.clear();
  return program;
}

/// The number of assignments that a program starts with, up to the first one that something jumps to: after them, as before,
/// all threads are active.
inline musimd::Label straight_start(const musimd::Program& program) {
  musimd::Label first_target = static_cast<musimd::Label>(program.code.size());
  for (const musimd::LabelDefinition& label : program.labels) {
    first_target = std::min(first_target, label.pc);
  }
  musimd::Label count = 0;
  while (count < first_target && std::holds_alternative<musimd::Assign>(program.code[count].instruction)) {
    ++count;
  }
  return count;
}

/// Property 9, for fragments without shfl, jmp_mask and stop: behind the first assignments the program runs once at top level, and
/// in a block; in a block of a branch that only some threads take; and in an r-function (Fig. 8) that only thread 0 calls. It ends
/// in the same way, with the same β and Σ.
inline Verdict parity(const Trial& trial) {
  using namespace musimd;
  const auto plain = machine_for(trial.program);
  const Ending ending = plain->run(max_steps);
  if (std::holds_alternative<LimitReached>(ending)) {
    return std::nullopt;
  }
  const Expr zero{{Constant{0, {}}}, {}};
  const Expr is_first{{ThreadId{}, Constant{0, {}}, Operation{Op::Eq, {}}}, {}};
  const auto to = [](Label pc) { return Target{pc, std::nullopt, {}}; };
  const Label at = straight_start(*trial.program);
  const auto length = static_cast<Label>(trial.program->code.size()) - 1 - at;
  const std::vector<Program> inside = {
      surrounded(*trial.program, at, {Everywhere{}}, {EndEverywhere{}}),
      surrounded(*trial.program, at, {BranchZero{is_first, to(length + 3)}, Everywhere{}}, {EndEverywhere{}, Sync{}}),
      surrounded(*trial.program, at,
                 {BranchZero{is_first, to(length + 7)}, Everywhere{}, JumpMask{zero, to(4)}, Jump{to(length + 6)}, Everywhere{}},
                 {EndEverywhere{}, EndEverywhere{}, Sync{}})};
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const std::string where = "in context " + std::to_string(k + 1) + " ";
    if (!well_formed(check(inside[k]))) {
      return where + "the program is not well-formed";
    }
    const auto machine = machine_for(std::make_shared<const Program>(inside[k]));
    const Ending other = machine->run(max_steps);
    if (other.index() != ending.index()) {
      return where + "it ends with " + std::string(status_word(other)) + ": " + reason(other);
    }
    for (VarId v = 0; v < trial.program->variables.size(); ++v) {
      for (unsigned t = 0; t < plain->threads(); ++t) {
        if (plain->state().bank.read(v, t) != machine->state().bank.read(v, t)) {
          return where + trial.program->variables[v] + " differs in thread " + std::to_string(t);
        }
      }
    }
    bool same = true;
    plain->state().shared.for_each([&](std::int64_t a, Cell cell) { same = same && machine->state().shared.read(a) == cell; });
    machine->state().shared.for_each([&](std::int64_t a, Cell cell) { same = same && plain->state().shared.read(a) == cell; });
    const bool halted = std::holds_alternative<Halted>(ending);
    if (!same || (halted && !(machine->state().active == plain->state().active))) {
      return where + "shared memory or the active threads differ";
    }
  }
  return std::nullopt;
}

/// What is printed is read as the same program, and printed again as the same text.
inline Verdict print_and_parse(const Trial& trial) {
  const SourceFile source("printed.mus", trial.text);
  const auto parsed = musimd::parse(source);
  if (!parsed) {
    return "the text is refused:\n" + render(source, parsed.error());
  }
  if (!musimd::same(*trial.program, *parsed)) {
    return "the text is read as another program";
  }
  return musimd::print(*parsed) == trial.text ? Verdict() : "it is printed differently the second time";
}

/// Property 11: in the threads Θ of a random set, or of a branch in a block, shuffling by tid changes nothing; by a permutation
/// of Θ and then its inverse neither; a broadcast gives all the value of the source lane, and once more the same. The program of
/// the trial says only how many threads there are.
inline Verdict shuffle_laws(const Trial& trial) {
  const unsigned width = threads_of(*trial.program);
  generate::Choices choices = generate::from_seed(trial.salt);
  const std::vector<unsigned> theta = random_threads(choices, width);
  const std::vector<unsigned> order = random_order(choices, static_cast<unsigned>(theta.size()));
  std::vector<std::int64_t> there(width);
  std::vector<std::int64_t> back(width);
  std::vector<std::int64_t> values(width);
  std::vector<std::int64_t> chosen(width);
  for (unsigned t = 0; t < width; ++t) {
    values[t] = static_cast<std::int64_t>(choices(1000)) - 500;
  }
  for (std::size_t k = 0; k < theta.size(); ++k) {
    there[theta[k]] = theta[order[k]];
    back[theta[order[k]]] = theta[k];
    chosen[theta[k]] = 1;
  }
  const unsigned source = theta[choices(static_cast<unsigned>(theta.size()))];
  const unsigned second = theta[choices(static_cast<unsigned>(theta.size()))];
  const std::string n = std::to_string(width);
  std::string text = ".threads " + n + "\n";
  std::int64_t base = 0;
  for (const auto* cells : {&there, &back, &values, &chosen}) {
    text += ".shared " + std::to_string(base) + " :";
    for (const std::int64_t value : *cells) {
      text += " " + std::to_string(value);
    }
    text += "\n";
    base += width;
  }
  const bool in_block = choices(2) == 1;
  text += in_block ? "everywhere\n" : "";
  text += "c = ld 3 * " + n + " + tid\nbz c, Out\n";
  text += "p = ld tid\nq = ld " + n + " + tid\nv = ld 2 * " + n + " + tid\n";
  text += "same = shfl(v, tid)\nonce = shfl(v, p)\ntwice = shfl(once, q)\n";
  text += "cast = shfl(v, " + std::to_string(source) + ")\nagain = shfl(cast, " + std::to_string(second) + ")\n";
  text += "Out: sync\n";
  text += in_block ? "end_everywhere\n" : "";
  const auto parsed = musimd::parse(SourceFile("shuffle.mus", text + "stop\n"));
  const auto machine = machine_for(std::make_shared<const musimd::Program>(parsed.value()));
  if (const Ending ending = machine->run(max_steps); !std::holds_alternative<Halted>(ending)) {
    return "does not halt: " + reason(ending);
  }
  const auto value = [&](std::string_view name, unsigned t) {
    const auto& names = machine->program().variables;
    const auto v = static_cast<musimd::VarId>(std::find(names.begin(), names.end(), name) - names.begin());
    return machine->state().bank.read(v, t);
  };
  const auto is = [](Cell cell, std::int64_t expected) { return cell == Cell{CellState::Number, expected}; };
  for (const unsigned t : theta) {
    const bool right = is(value("same", t), values[t]) && is(value("once", t), values[static_cast<std::size_t>(there[t])]) &&
                       is(value("twice", t), values[t]) && is(value("cast", t), values[source]) && is(value("again", t), values[source]);
    if (!right) {
      return "a law of shuffles fails in thread " + std::to_string(t) + " of\n" + text;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::test
