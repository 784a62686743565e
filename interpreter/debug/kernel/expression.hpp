#pragma once
// C expressions over the variables of a kernel's items, for breakpoints, watches and print (docs/step.md).

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/debug/kernel/view.hpp"
#include "interpreter/debug/text.hpp"
#include "interpreter/launch/launch.hpp"

namespace lockstep {

/// Where names are looked up: a function, and a place in its text, since variables may have one name.
struct KernelScope {
  const typed::Program& program;
  typed::FunctionId function = 0;
  std::uint32_t place = 0;  ///< byte offset into Program::source
};

/// The register that `name` is at that place: by its own name, or the variable of that name that was declared last before it.
std::optional<typed::RegisterId> register_named(const KernelScope& scope, std::string_view name);

/// What an expression is evaluated over. `level`: the call, counted from the kernel's, at which the search for a frame begins.
struct KernelMoment {
  KernelView view;
  const std::vector<Argument>& arguments;
  std::uint64_t step = 0;
  std::size_t level = SIZE_MAX;
};

/// C's operators with the types of the language over: numbers as C and typed programs write them; variables, elements of arrays and of what
/// pointers point to; `item`, `group`, the id functions; `pc`, `line`, `step`; `depth(sync)`, `depth(context)`, `depth(calls)`;
/// `active(e)`, `count(active)`, `any(e)`, `all(e)` over the item's group; casts. `in item I` and `in group G` may stand behind it all.
class KernelExpression {
 public:
  static constexpr std::size_t max_nodes = 1000;

  static std::expected<KernelExpression, ConditionError> parse(std::string_view text, const KernelScope& scope);

  /// Whether the value depends on the item: not so for arrays of the program, numbers, and what speaks of a whole group.
  bool per_item() const { return per_item_; }
  /// `in item I`, `in group G`
  const std::optional<unsigned>& item() const { return item_; }
  const std::optional<std::uint64_t>& group() const { return group_; }

  KernelValue value(const KernelMoment& moment, unsigned lane) const;

  /// In each lane of the pack that it speaks of; of a group as a whole, in one of its lanes.
  std::vector<std::pair<unsigned, KernelValue>> values(const KernelMoment& moment) const;

  /// True if the value is a number other than 0 in an active item of those named: of the next fragment alone, or of any.
  bool holds(const KernelMoment& moment, bool next_alone) const;
  /// Whether the lane is one that `in item` and `in group` leave.
  bool speaks_of(const KernelView& view, unsigned lane) const;

  /// Nodes in post-order; the body of a quantifier stands behind its node, up to `end`.
  struct Node {
    enum class Kind : std::uint8_t {
      Number,
      Register,
      Object,
      Parameter,
      Index,
      Query,
      GlobalId,
      GlobalSize,
      Pc,
      Line,
      Step,
      SyncDepth,
      ContextDepth,
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
    typed::Query query = typed::Query::LocalId;
    typed::FunctionId function = 0;
    std::uint32_t id = 0;  ///< of Register, Object and Parameter
    std::uint64_t bits = 0;
    std::size_t end = 0;
  };

 private:
  KernelValue evaluate(const KernelMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const;
  KernelValue quantify(const KernelMoment& moment, unsigned lane, std::size_t begin) const;

  std::vector<Node> nodes_;
  bool per_item_ = false;
  std::optional<unsigned> item_;
  std::optional<std::uint64_t> group_;

  friend class KernelExpressionParser;
  template <class Self, class Expression>
  friend class ValueParser;
};

}  // namespace lockstep
