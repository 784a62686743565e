#pragma once
// C expressions over registers and memory of VE, for breakpoints, watches and print (docs/ve.md).

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/debug/text.hpp"
#include "interpreter/debug/ve/view.hpp"

namespace lockstep {

/// What an expression is evaluated over.
struct VeMoment {
  VeView view;
  std::uint64_t step = 0;
};

/// C's operators over numbers; `%s1`, and in each element `%v1` and `%vm1`; `%v1[I]`, `%vm1[I]`; `vl`; `argP[I]`, element I of the buffer
/// at a position; `TYPE[ADDRESS]`; `.TYPE` behind a register or buffer says as what its bits are seen. `element`, `line`, `step`;
/// `active(e)`, `count(active)`, `any(e)`, `all(e)` over the elements that the next instruction works on. `in element E` may stand behind
/// it all.
class VeExpression {
 public:
  static constexpr std::size_t max_nodes = 1000;

  static std::expected<VeExpression, ConditionError> parse(std::string_view text, const VeRun& run);

  /// Whether the value depends on the element.
  bool per_item() const { return per_item_; }
  const std::optional<unsigned>& element() const { return element_; }

  KernelValue value(const VeMoment& moment, unsigned lane) const { return evaluate(moment, lane, 0, nodes_.size()); }
  /// In each element that it speaks of; if it does not depend on that, in one.
  std::vector<std::pair<unsigned, KernelValue>> values(const VeMoment& moment) const;
  /// True if the value is a number other than 0 in an element of those that it speaks of; `next_alone` is of machines with several threads.
  bool holds(const VeMoment& moment, bool next_alone) const;

  /// Nodes in post-order; the body of a quantifier stands behind its node, up to `end`.
  struct Node {
    enum class Kind : std::uint8_t {
      Number,
      Scalar,
      Vector,
      Mask,
      VectorAt,  ///< its element is the operand
      MaskAt,    ///< likewise
      Buffer,    ///< of the argument at a position; its index is the operand
      Access,    ///< its address is the operand
      Length,
      Element,
      Line,
      Step,
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
    const VeType* seen_as = nullptr;
    std::uint32_t id = 0;  ///< of a register, or a position
    std::uint64_t bits = 0;
    std::size_t end = 0;
  };

 private:
  KernelValue evaluate(const VeMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const;
  KernelValue quantify(const VeMoment& moment, std::size_t begin) const;

  std::vector<Node> nodes_;
  bool per_item_ = false;
  std::optional<unsigned> element_;

  friend class VeExpressionParser;
  template <class Self, class Expression>
  friend class ValueParser;
};

}  // namespace lockstep
