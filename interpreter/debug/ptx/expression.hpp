#pragma once
// C expressions over the registers and the memory of PTX threads, for breakpoints, watches and print (docs/ptx.md).

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/debug/ptx/view.hpp"
#include "interpreter/debug/text.hpp"

namespace lockstep {

/// Where names are looked up: in a function, then in the module, then among the kernel's parameters.
struct PtxScope {
  const PtxRun& run;
  std::uint32_t function = 0;
};

/// What an expression is evaluated over. `level`: the call, counted from the kernel's, at which the search for a frame begins.
struct PtxMoment {
  PtxView view;
  std::uint64_t step = 0;
  std::size_t level = SIZE_MAX;
};

/// C's operators over numbers; registers, `%tid.x` and its like, parameters; `NAME[I]`, element I of a buffer or variable, and
/// `SPACE.TYPE[ADDRESS]`; `.TYPE` behind a register or name says as what its bits are seen. `thread`, `lane`, `warp`, `block`, `pc`,
/// `line`, `step`, `depth(calls)`; `active(e)`, `count(active)`, `any(e)`, `all(e)` over the block. `in thread T`, `in warp W` and `in
/// block B` may stand behind it all.
class PtxExpression {
 public:
  static constexpr std::size_t max_nodes = 1000;

  static std::expected<PtxExpression, ConditionError> parse(std::string_view text, const PtxScope& scope);

  /// Whether the value depends on the thread.
  bool per_item() const { return per_item_; }
  const std::optional<unsigned>& thread() const { return thread_; }  ///< by its number in its block
  const std::optional<unsigned>& warp() const { return warp_; }
  const std::optional<std::uint64_t>& block() const { return block_; }  ///< by its number in the grid

  KernelValue value(const PtxMoment& moment, unsigned lane) const;
  /// In each thread of the block that it speaks of; if it does not depend on the thread, in one.
  std::vector<std::pair<unsigned, KernelValue>> values(const PtxMoment& moment) const;
  /// True if the value is a number other than 0 in a thread of those named: of the next fragment alone, or of any that has not ended.
  bool holds(const PtxMoment& moment, bool next_alone) const;

  /// Nodes in post-order; the body of a quantifier stands behind its node, up to `end`.
  struct Node {
    enum class Kind : std::uint8_t {
      Number,
      Register,
      Special,
      Parameter,  ///< its bytes
      Element,    ///< of a variable; its index is the operand
      Buffer,     ///< an element of the buffer that a parameter points into; its index is the operand
      Access,     ///< its address is the operand
      Thread,
      Lane,
      Warp,
      Block,
      Pc,
      Line,
      Step,
      CallDepth,
      Active,
      CountActive,
      Any,
      All,
      Cast,
      Operation
    };
    Kind kind = Kind::Number;
    Op op = Op::Add;
    ScalarType type = ScalarType::Int;  ///< of Number and Cast
    ptx::Type seen_as = ptx::Type::B32;
    ptx::Space space = ptx::Space::Generic;
    ptx::Special special;
    std::uint32_t function = 0;
    ptx::resolved::VariableRef variable;
    std::uint32_t id = 0;  ///< of a register, or a parameter
    std::uint64_t bits = 0;
    std::size_t end = 0;
  };

 private:
  KernelValue evaluate(const PtxMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const;
  KernelValue quantify(const PtxMoment& moment, std::size_t begin) const;
  bool speaks_of(const PtxView& view, unsigned lane) const;

  std::vector<Node> nodes_;
  bool per_item_ = false;
  std::optional<unsigned> thread_;
  std::optional<unsigned> warp_;
  std::optional<std::uint64_t> block_;

  friend class PtxExpressionParser;
  template <class Self, class Expression>
  friend class ValueParser;
};

}  // namespace lockstep
