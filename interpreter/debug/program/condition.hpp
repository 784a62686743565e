#pragma once
// Expressions over a machine's state, for breakpoints, watches and print (docs/stepper.md).

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/text.hpp"
#include "interpreter/machine/machine.hpp"
#include "interpreter/store/cells.hpp"

namespace lockstep {

/// A C expression with the operations of ops.def over: integers; `v3` (the variable in the thread that is looked at), `v3[e]`
/// (in thread e), `tid`; `mem[e]`; `pc`, `step`, label names; `depth(sync)`, `depth(context)`; `active(e)`, `count(active)`;
/// `any(e)` and `all(e)` over the active threads. `$name` is always a variable, also where the name has another meaning.
/// What reads an uninitialised variable or cell, poison, a thread or address that does not exist, or divides by zero has no value.
class Condition {
 public:
  static constexpr std::size_t max_nodes = 1000;

  /// Parses `text` for a machine of `threads` threads that runs `program`.
  static std::expected<Condition, ConditionError> parse(std::string_view text, const musimd::Program& program, unsigned threads);

  /// The meaning of a program's own expression.
  static Condition of(const musimd::Expr& e);

  /// Whether the value depends on a thread: a variable without index or `tid` stands outside `any` and `all`.
  bool per_thread() const { return per_thread_; }

  /// The value in `thread` (any, unless per_thread()). A Cell that is no Number means that there is no value, and why.
  Cell value(const Machine& machine, unsigned thread) const;

  /// Why there is no value in `thread`, where more is to be said than that something read is uninitialised or poison: "division by
  /// 0" or "there is no such thread"; else empty.
  std::string_view no_value_reason(const Machine& machine, unsigned thread) const;

  /// True if the value is a number other than 0, for per_thread() in at least one active thread.
  bool holds(const Machine& machine) const;

  /// Whether executing `instruction` may change the value in any thread.
  bool may_change(const musimd::Instruction& instruction) const;

  /// Nodes in post-order; the body of a quantifier stands behind its node, up to `end`.
  struct Node {
    enum class Kind : std::uint8_t {
      Number,
      Variable,
      VariableOf,
      Tid,
      Memory,
      Pc,
      Step,
      SyncDepth,
      ContextDepth,
      Active,
      CountActive,
      Any,
      All,
      Operation
    };
    Kind kind = Kind::Number;
    Op op = Op::Add;
    musimd::VarId variable = 0;
    std::int64_t number = 0;
    std::size_t end = 0;
  };

 private:
  void note_reads();
  Cell evaluate(const Machine& machine, unsigned thread, std::size_t begin, std::size_t end) const;
  Cell quantify(const Machine& machine, std::size_t begin) const;

  std::vector<Node> nodes_;
  std::vector<musimd::VarId> reads_;
  bool per_thread_ = false;
  bool reads_memory_ = false;
  bool reads_control_ = false;  // Θ, Π or Λ
  bool reads_position_ = false;

  friend class ConditionParser;
};

}  // namespace lockstep
