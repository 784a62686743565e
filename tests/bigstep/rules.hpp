#pragma once
// What the files of the big-step evaluator share: the world around a configuration, and the judgements of Figs. 4 and 5.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/bigstep/bigstep.hpp"
#include "tests/bigstep/program.hpp"

namespace bigstep {

inline constexpr Value poison = {Value::Poison, 0};

inline Value number(std::int64_t n) { return {Value::Number, n}; }

/// What stays the same during an evaluation.
struct World {
  Program program;
  Threads all;                  ///< Θall
  std::vector<unsigned> order;  ///< in which the threads of TL write
  std::set<std::string> as_printed;

  bool printed(const std::string& erratum) const { return as_printed.contains(erratum); }
  const Instruction& at(unsigned pc) const { return program.code[pc]; }
};

/// Thrown where the instruction at pc has undefined behaviour.
struct Undefined {
  std::string reason;
};

[[noreturn]] inline void undefined(const std::string& what) { throw Undefined{what}; }
[[noreturn]] inline void undefined(unsigned t, const std::string& what) { undefined("thread " + std::to_string(t) + ": " + what); }

/// A rule's answer: it ran (under a name), or a premise failed.
struct Answer {
  bool applies = false;
  std::string text;  ///< the rule's name, or the premise
};

inline Answer applied(const std::string& rule) { return {true, rule}; }
inline Answer premise_fails(const std::string& premise) { return {false, premise}; }

/// E7: an operand for which the printed rules have no case where they ask for a variable.
inline bool bare_constant(const Expression& e) { return e.kind == Expression::Kind::Constant; }

/// The judgement t, β ⊢ e = c: MT, MV, constants, and BP's operands and result. Never Uninitialised; throws Undefined.
Value evaluate(const Config& m, unsigned t, const Expression& e);

/// A rule of Fig. 4 other than IT. `apply` changes the configuration only if it answers that the rule applies.
struct Rule {
  std::string name;
  Instruction::Kind instruction;
  Answer (*apply)(const World&, Config&);
};

/// Fig. 4 without IT, in the order in which rules are tried (this matters for BD under E1 only).
const std::vector<Rule>& control_flow_rules();

/// Rule IT with TL and the rules of Fig. 5; adds to `races` the cells that got different values in this step.
Answer it(const World& w, Config& m, std::uint64_t& races);

}  // namespace bigstep
