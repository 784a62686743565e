#pragma once
// μ-SIMD programs as data (CREV paper, Fig. 1, with expressions where it has operands; docs/mus.md).
// A program is a sequence of instructions indexed by pc; labels are names for indices.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/source.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::musimd {

/// Index of an instruction in Program::code (the paper's L). The index just behind the last instruction is a legal
/// label position, but holds no instruction.
using Label = std::uint32_t;

/// Index into Program::variables.
using VarId = std::uint32_t;

/// Θall may have 1 to this many threads.
inline constexpr unsigned max_threads = 1024;
/// Threads of a program without a `.threads` directive: the paper's examples have four.
inline constexpr unsigned default_threads = 4;
/// Parentheses, calls, unary operators and conditionals may nest this deep; the parser refuses more.
inline constexpr unsigned max_expression_depth = 200;

/// An integer constant (rule CT).
struct Constant {
  std::int64_t value = 0;
  SourceSpan span;
};

/// A variable of the thread (rule MV).
struct Variable {
  VarId id = 0;
  SourceSpan span;
};

/// `tid`, the number of the thread (rule MT).
struct ThreadId {
  SourceSpan span;
};

/// An operation on the operands before it (rule BP); the span covers the operation with its operands.
struct Operation {
  Op op = Op::Add;
  SourceSpan span;
};

using ExprNode = std::variant<Constant, Variable, ThreadId, Operation>;

/// An expression in post-order: the operands of an Operation stand before it, the root is the last node. Flat, so that
/// evaluation, printing and destruction need no recursion however long the expression is. Never empty in a parsed program.
struct Expr {
  std::vector<ExprNode> nodes;
  SourceSpan span;
};

/// The target of a branch: an instruction index, written as a label's name or as a number.
struct Target {
  Label pc = 0;
  std::optional<std::uint32_t> label;  ///< index into Program::labels when a name was written
  SourceSpan span;
};

/// `bz e, L`
struct BranchZero {
  Expr condition;
  Target target;
};
/// `jmp L`
struct Jump {
  Target target;
};
/// `jmp_mask e, L`
struct JumpMask {
  Expr thread;
  Target target;
};
/// `v = e`
struct Assign {
  VarId dst = 0;
  Expr value;
};
/// `v = ld e` (the paper's v = ↓ vx)
struct Load {
  VarId dst = 0;
  Expr address;
};
/// `st e = e` (the paper's ↑ vx = v)
struct Store {
  Expr address;
  Expr value;
};
/// `v = shfl(v1, e)`; the source is a Variable or ThreadId
struct Shuffle {
  VarId dst = 0;
  std::variant<Variable, ThreadId> source;
  Expr lane;
};
/// `sync`
struct Sync {};
/// `stop`
struct Stop {};
/// `everywhere`
struct Everywhere {};
/// `end_everywhere`
struct EndEverywhere {};

using Instruction = std::variant<BranchZero, Jump, JumpMask, Assign, Load, Store, Shuffle, Sync, Stop, Everywhere, EndEverywhere>;

/// An instruction with its place in the text (without label and comment).
struct Statement {
  Instruction instruction;
  SourceSpan span;
};

/// `Name:` in front of instruction `pc`. Several labels may name one pc.
struct LabelDefinition {
  std::string name;
  Label pc = 0;
  SourceSpan span;
};

/// `.shared BASE : v v …`: the cells base, base+1, … hold `values` at the start.
struct SharedRange {
  std::int64_t base = 0;  ///< not negative; base + values.size() - 1 fits as well
  std::vector<std::int64_t> values;
  SourceSpan span;
};

/// A whole `.mus` text. Variables are numbered in order of first appearance (reading or writing).
struct Program {
  std::vector<Statement> code;
  std::vector<std::string> variables;
  std::vector<LabelDefinition> labels;  ///< in textual order, hence by ascending pc
  std::optional<unsigned> threads;      ///< `.threads W`, 1 to max_threads
  std::vector<SharedRange> shared;      ///< in textual order; no cell twice
};

/// True if the programs are the same up to source spans: code, targets (also how they are written), names, directives.
bool same(const Program& a, const Program& b);

}  // namespace lockstep::musimd
