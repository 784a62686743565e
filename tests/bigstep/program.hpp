#pragma once
// A μ-SIMD program as the big-step evaluator sees it, and its reader.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bigstep {

/// An operand or an operation on operands.
struct Expression {
  enum class Kind { Constant, Variable, ThreadId, Operation } kind = Kind::Constant;
  std::int64_t constant = 0;         ///< of a Constant
  std::string name;                  ///< of a Variable; of an Operation its sign: "+", "?:", "min" ("-" is told by its arity)
  std::vector<Expression> operands;  ///< of an Operation
};

/// An instruction; only the fields named for its kind are meaningful.
struct Instruction {
  enum class Kind { Stop, Jump, BranchZero, JumpMask, Sync, Everywhere, EndEverywhere, Assign, Load, Store, Shuffle };
  Kind kind = Kind::Stop;
  unsigned target = 0;   ///< Jump, BranchZero, JumpMask
  std::string variable;  ///< what Assign, Load, Shuffle write
  Expression value;      ///< BranchZero: condition; JumpMask: thread; Assign, Store: value; Shuffle: v1
  Expression address;    ///< Load, Store
  Expression lane;       ///< Shuffle
};

struct Program {
  std::vector<Instruction> code;
  std::set<std::string> variables;              ///< all that are read or written somewhere
  unsigned threads = 4;                         ///< the paper's examples have four
  std::map<std::int64_t, std::int64_t> shared;  ///< the cells given by `.shared`
};

/// Reads `.mus` text. Throws std::runtime_error with the line number if it cannot.
Program read(std::string_view text);

}  // namespace bigstep
