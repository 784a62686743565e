// The evaluation. In the paper the last premise of a control flow rule evaluates the next configuration; here that premise
// is the loop in `run`, so that the length of an execution is not bounded by the C++ stack.

#include "tests/bigstep/bigstep.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/bigstep/rules.hpp"

namespace bigstep {
namespace {

using Kind = Instruction::Kind;

bool is_data_instruction(Kind kind) { return kind == Kind::Assign || kind == Kind::Load || kind == Kind::Store || kind == Kind::Shuffle; }

/// Runs the first rule that applies; if none does: the failing premise of each rule for this instruction.
Answer step(const World& w, Config& m, std::uint64_t& races) {
  if (m.pc >= w.program.code.size()) {
    return premise_fails("no instruction");
  }
  const Kind kind = w.at(m.pc).kind;
  if (is_data_instruction(kind)) {
    const Answer answer = it(w, m, races);
    return answer.applies ? answer : premise_fails("IT: " + answer.text);
  }
  std::string reasons;
  for (const Rule& rule : control_flow_rules()) {
    if (rule.instruction != kind) {
      continue;
    }
    const Answer answer = rule.apply(w, m);
    if (answer.applies) {
      return answer;
    }
    reasons += (reasons.empty() ? "" : "; ") + rule.name + ": " + answer.text;
  }
  return premise_fails(reasons);
}

World make_world(std::string_view text, const Options& options) {
  World w{read(text), {}, options.thread_order, options.as_printed};
  const unsigned count = options.threads != 0 ? options.threads : w.program.threads;
  for (unsigned t = 0; t < count; ++t) {
    w.all.insert(t);
  }
  if (w.order.empty()) {
    w.order.assign(w.all.begin(), w.all.end());
  }
  if (w.order.size() != count || Threads(w.order.begin(), w.order.end()) != w.all) {
    throw std::invalid_argument("the thread order is not a permutation of the threads");
  }
  static const std::set<std::string> known = {"E1", "E2", "E3", "E4", "E5", "E7", "E8", "E10"};
  if (!std::includes(known.begin(), known.end(), w.as_printed.begin(), w.as_printed.end())) {
    throw std::invalid_argument("an erratum that cannot be read as printed");
  }
  return w;
}

Config initial(const World& w, const Options& options) {
  Config m;
  m.active = options.initial_active.empty() ? w.all : Threads(options.initial_active.begin(), options.initial_active.end());
  if (!std::includes(w.all.begin(), w.all.end(), m.active.begin(), m.active.end())) {
    throw std::invalid_argument("an active thread does not exist");
  }
  for (const std::string& variable : w.program.variables) {
    m.locals[variable].resize(w.all.size());
  }
  for (const auto& [address, value] : w.program.shared) {
    m.shared[address] = number(value);
  }
  return m;
}

}  // namespace

Result run(std::string_view mus_text, const Options& options) {
  const World w = make_world(mus_text, options);
  Config m = initial(w, options);
  Result result;
  result.ending = Ending::Limit;
  result.failing_rule_or_reason = "step limit";
  try {
    while (result.steps < options.max_steps) {
      if (options.observe) {
        options.observe(m);
      }
      const Answer answer = step(w, m, result.races);
      if (!answer.applies) {
        result.ending = Ending::Stuck;
        result.failing_rule_or_reason = answer.text;
        break;
      }
      result.steps += 1;
      result.rules.push_back(answer.text);
      if (answer.text == "SP") {
        result.ending = Ending::Halted;
        result.failing_rule_or_reason = "";
        break;
      }
    }
  } catch (const Undefined& behaviour) {
    result.ending = Ending::Undefined;
    result.failing_rule_or_reason = behaviour.reason;
  }
  result.active = m.active;
  result.locals = m.locals;
  result.shared = m.shared;
  result.pc = m.pc;
  result.sync = m.sync;
  result.context = m.context;
  return result;
}

}  // namespace bigstep
