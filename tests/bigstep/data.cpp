// Fig. 5 of the CREV paper: what data instructions do in one thread, and in all of them (TL, IT).

#include <optional>
#include <stdexcept>

#include "tests/bigstep/rules.hpp"

namespace bigstep {
namespace {

using Kind = Instruction::Kind;

/// An address: neither poison nor negative.
std::int64_t evaluate_address(const Config& m, unsigned t, const Expression& e) {
  const Value address = evaluate(m, t, e);
  if (address == poison) {
    undefined(t, "the address is poison");
  }
  if (address.number < 0) {
    undefined(t, "the address is negative: " + std::to_string(address.number));
  }
  return address.number;
}

/// What a data instruction does in one thread: a new value of the instruction's variable, or of a cell.
struct Effect {
  std::string rule;
  Value value;
  std::optional<std::int64_t> cell;
};

/// CT, AS and BP differ in the form of the right-hand side only.
Effect assignment(const Config& m, unsigned t, const Instruction& i) {
  std::string rule = "AS";
  if (i.value.kind == Expression::Kind::Constant) {
    rule = "CT";
  }
  if (i.value.kind == Expression::Kind::Operation) {
    rule = "BP";
  }
  return {rule, evaluate(m, t, i.value), {}};
}

Effect ld(const Config& m, unsigned t, const Instruction& i) {
  const std::int64_t address = evaluate_address(m, t, i.address);
  const auto cell = m.shared.find(address);  // MM
  if (cell == m.shared.end()) {
    undefined(t, "read of uninitialised cell " + std::to_string(address));
  }
  return {"LD", cell->second, {}};
}

Effect st(const Config& m, unsigned t, const Instruction& i) {
  const std::int64_t address = evaluate_address(m, t, i.address);
  return {"ST", evaluate(m, t, i.value), address};
}

/// SV if v1 is a number in a lane of the mask, otherwise SI.
Effect shfl(const World& w, const Config& m, unsigned t, const Threads& mask, const Instruction& i) {
  const Value lane = evaluate(m, t, i.lane);
  if (w.printed("E10")) {
    evaluate(m, t, i.value);
  }
  for (const unsigned source : mask) {
    if (lane != number(source)) {
      continue;
    }
    const bool is_tid = i.value.kind == Expression::Kind::ThreadId;
    const Value value = is_tid ? number(source) : m.locals.at(i.value.name).at(source);
    if (value.kind == Value::Number) {
      return {"SV", value, {}};
    }
  }
  return {"SI.shfl", poison, {}};
}

Effect effect_in(const World& w, const Config& m, unsigned t, const Threads& mask) {
  const Instruction& i = w.at(m.pc);
  switch (i.kind) {
    case Kind::Assign:
      return assignment(m, t, i);
    case Kind::Load:
      return ld(m, t, i);
    case Kind::Store:
      return st(m, t, i);
    case Kind::Shuffle:
      return shfl(w, m, t, mask, i);
    default:
      throw std::logic_error("not a data instruction");
  }
}

struct TlOutcome {
  std::string rule;
  std::uint64_t races = 0;
};

/// Every active thread computes its effect in the configuration before the instruction, then all write.
TlOutcome tl(const World& w, Config& m, const Threads& mask) {
  std::map<unsigned, Effect> effects;
  for (const unsigned t : m.active) {
    effects[t] = effect_in(w, m, t, mask);
  }

  TlOutcome outcome;
  std::map<std::int64_t, std::set<Value>> stored;
  const Instruction& i = w.at(m.pc);
  for (const unsigned t : w.order) {
    if (!m.active.contains(t)) {
      continue;
    }
    // E5: as printed a thread's shuffle reads what the threads before it wrote.
    if (w.printed("E5") && i.kind == Kind::Shuffle) {
      effects[t] = effect_in(w, m, t, mask);
    }
    const Effect& effect = effects[t];
    if (effect.cell) {
      m.shared[*effect.cell] = effect.value;
      stored[*effect.cell].insert(effect.value);
    } else {
      m.locals.at(i.variable).at(t) = effect.value;
    }
    if (outcome.rule != "SV") {
      outcome.rule = effect.rule;  // a shuffle is named SV if it is SV in any thread
    }
  }
  for (const auto& [cell, values] : stored) {
    outcome.races += values.size() > 1 ? 1U : 0U;
  }
  return outcome;
}

}  // namespace

Answer it(const World& w, Config& m, std::uint64_t& races) {
  const Instruction& i = w.at(m.pc);
  if (w.printed("E4") && m.context.empty()) {
    return premise_fails("Λ is empty");
  }
  if (w.printed("E7") && i.kind == Kind::Store && (bare_constant(i.address) || bare_constant(i.value))) {
    return premise_fails("ST has a constant operand");
  }
  if (w.printed("E7") && i.kind == Kind::Shuffle && bare_constant(i.lane)) {
    return premise_fails("the lane is a constant");
  }
  const Threads mask = m.context.empty() ? m.active : m.context.back().mask;
  const TlOutcome outcome = tl(w, m, mask);
  races += outcome.races;
  m.pc += 1;
  return applied("IT/" + outcome.rule);
}

}  // namespace bigstep
