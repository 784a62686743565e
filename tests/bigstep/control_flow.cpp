// Figs. 3 and 4 of the CREV paper: each rule is the function that bears its name. Its premises stand first, and it changes
// the configuration in place when all of them hold.

#include <algorithm>
#include <optional>

#include "tests/bigstep/rules.hpp"

namespace bigstep {
namespace {

using Kind = Instruction::Kind;

Threads united(Threads a, const Threads& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Fig. 3: split and push.

struct Split {
  Threads zero, nonzero;
};

Split split(const Config& m, const Expression& e) {
  Split result;
  for (const unsigned t : m.active) {
    const Value condition = evaluate(m, t, e);
    if (condition == poison) {
      undefined(t, "the condition of bz is poison");
    }
    (condition == number(0) ? result.zero : result.nonzero).insert(t);
  }
  return result;
}

const std::string no_push = "push has no clause for a nonempty done set";

/// E2: as printed, every clause of push wants an empty done set in the top entry.
bool push_has_clause(const World& w, const Config& m) { return !w.printed("E2") || m.sync.empty() || m.sync.back().done.empty(); }

void push(Config& m, const Threads& waiting, unsigned at, unsigned resume_at) {
  if (!m.sync.empty() && m.sync.back().branch_pc == at) {
    m.sync.back().todo = united(m.sync.back().todo, waiting);
  } else {
    m.sync.push_back({at, {}, resume_at, waiting});
  }
}

// Fig. 4.

Answer sp(const World& w, Config& m) {
  if (!m.sync.empty()) {
    return premise_fails("Π is not empty");
  }
  if (!m.context.empty() && !w.printed("E8")) {
    return premise_fails("Λ is not empty");
  }
  return applied("SP");
}

Answer jp(const World& w, Config& m) {
  m.pc = w.at(m.pc).target;
  return applied("JP");
}

/// E7: as printed the rules of bz are for a variable only. Asked before the condition is evaluated.
std::optional<std::string> bz_is_blocked(const World& w, const Config& m) {
  if (w.printed("E7") && bare_constant(w.at(m.pc).value)) {
    return "the condition is not a variable";
  }
  return std::nullopt;
}

Answer bt(const World& w, Config& m) {
  if (const auto reason = bz_is_blocked(w, m)) {
    return premise_fails(*reason);
  }
  const Instruction& i = w.at(m.pc);
  if (!split(m, i.value).nonzero.empty()) {
    return premise_fails("the condition is not 0 in every thread");
  }
  if (!push_has_clause(w, m)) {
    return premise_fails(no_push);
  }
  push(m, {}, m.pc, i.target);
  m.pc = i.target;
  return applied("BT");
}

Answer bf(const World& w, Config& m) {
  if (const auto reason = bz_is_blocked(w, m)) {
    return premise_fails(*reason);
  }
  const Instruction& i = w.at(m.pc);
  if (!split(m, i.value).zero.empty()) {
    return premise_fails("the condition is 0 in some thread");
  }
  if (!push_has_clause(w, m)) {
    return premise_fails(no_push);
  }
  push(m, {}, m.pc, i.target);
  m.pc += 1;
  return applied("BF");
}

Answer bd(const World& w, Config& m) {
  if (const auto reason = bz_is_blocked(w, m)) {
    return premise_fails(*reason);
  }
  const Instruction& i = w.at(m.pc);
  const auto [zero, nonzero] = split(m, i.value);
  // E1: as printed there is no such premise, and the two sets change places.
  if (!w.printed("E1") && (zero.empty() || nonzero.empty())) {
    return premise_fails("the condition is the same in all threads");
  }
  if (!push_has_clause(w, m)) {
    return premise_fails(no_push);
  }
  push(m, w.printed("E1") ? nonzero : zero, m.pc, i.target);
  m.active = w.printed("E1") ? zero : nonzero;
  m.pc += 1;
  return applied("BD");
}

/// The operand of jmp_mask, which must be one number for all active threads: is it in the mask on top of Λ?
bool is_in_mask(const Config& m, const Expression& e) {
  std::set<Value> values;
  for (const unsigned t : m.active) {
    values.insert(evaluate(m, t, e));
  }
  if (values.contains(poison)) {
    undefined("the operand of jmp_mask is poison");
  }
  if (values.size() != 1) {
    undefined("the operand of jmp_mask differs between threads");
  }
  const Threads& mask = m.context.back().mask;
  return std::any_of(mask.begin(), mask.end(), [&](unsigned t) { return number(t) == *values.begin(); });
}

Answer ba(const World& w, Config& m) {
  if (m.context.empty()) {
    return premise_fails("Λ is empty");
  }
  if (!is_in_mask(m, w.at(m.pc).value)) {
    return premise_fails("the thread is not in the mask");
  }
  m.pc = w.at(m.pc).target;
  return applied("BA");
}

Answer bi(const World& w, Config& m) {
  if (m.context.empty()) {
    return premise_fails("Λ is empty");
  }
  if (is_in_mask(m, w.at(m.pc).value)) {
    return premise_fails("the thread is in the mask");
  }
  m.pc += 1;
  return applied("BI");
}

Answer ss(const World& w, Config& m) {
  if (m.sync.empty()) {
    return premise_fails("Π is empty");
  }
  SyncEntry& top = m.sync.back();
  if (top.todo.empty()) {
    return premise_fails("the todo set is empty");
  }
  if (w.printed("E2") && !top.done.empty()) {
    return premise_fails("the done set is not empty");
  }
  top.done = united(top.done, m.active);
  m.active = top.todo;
  top.todo = {};
  m.pc = top.resume_at;
  return applied("SS");
}

Answer si_sync(const World&, Config& m) {
  if (m.sync.empty()) {
    return premise_fails("Π is empty");
  }
  if (!m.sync.back().todo.empty()) {
    return premise_fails("the todo set is not empty");
  }
  m.active = united(m.active, m.sync.back().done);
  m.sync.pop_back();
  m.pc += 1;
  return applied("SI.sync");
}

Answer eb(const World& w, Config& m) {
  m.context.push_back({m.active, m.sync});
  m.active = w.all;
  m.sync = {};
  m.pc += 1;
  return applied("EB");
}

Answer ee(const World& w, Config& m) {
  if (m.context.empty()) {
    return premise_fails("Λ is empty");
  }
  if (w.printed("E3") && !m.sync.empty()) {
    return premise_fails("Π is not empty");
  }
  for (const SyncEntry& entry : m.sync) {
    if (!entry.done.empty() || !entry.todo.empty()) {
      return premise_fails("an entry of Π has not converged");
    }
  }
  const ContextEntry outer = m.context.back();
  m.context.pop_back();
  m.active = outer.mask;
  m.sync = outer.sync;
  m.pc += 1;
  return applied("EE");
}

}  // namespace

const std::vector<Rule>& control_flow_rules() {
  static const std::vector<Rule> rules = {{"SP", Kind::Stop, sp},       {"JP", Kind::Jump, jp},         {"BT", Kind::BranchZero, bt},
                                          {"BF", Kind::BranchZero, bf}, {"BD", Kind::BranchZero, bd},   {"BA", Kind::JumpMask, ba},
                                          {"BI", Kind::JumpMask, bi},   {"SS", Kind::Sync, ss},         {"SI.sync", Kind::Sync, si_sync},
                                          {"EB", Kind::Everywhere, eb}, {"EE", Kind::EndEverywhere, ee}};
  return rules;
}

}  // namespace bigstep
