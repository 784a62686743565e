#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "codegen/passes/clean/patterns.hpp"
#include "codegen/passes/clean/rules.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

std::uint64_t all_ones(ScalarType type) {
  const unsigned width = bits_of(type);
  return is_signed(type) || width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::uint64_t float_bits(ScalarType type, double number) {
  return type == ScalarType::Float ? std::bit_cast<std::uint32_t>(static_cast<float>(number)) : std::bit_cast<std::uint64_t>(number);
}

/// The numbers of a value's lanes in a group, or the one that all have.
std::optional<std::vector<std::uint64_t>> numbers(const Facts& facts, ValueId value) {
  if (const auto* constant = facts.as<Constant>(value)) {
    return std::vector{constant->bits};
  }
  const auto* lanes = facts.as<ConstantLanes>(value);
  return lanes != nullptr && lanes->bits.size() <= most_folded_lanes ? std::optional(lanes->bits) : std::nullopt;
}

/// Lane by lane, `one` of the operands' numbers. Nothing if some lane is undefined or a NaN, whose payload is the machine's; poison if the
/// only one is undefined.
template <class F>
Simpler folded(const Facts& facts, std::span<const ValueId> operands, const Type& type, F&& one) {
  std::vector<std::vector<std::uint64_t>> all;
  std::size_t lanes = 1;
  for (const ValueId operand : operands) {
    std::optional<std::vector<std::uint64_t>> list = numbers(facts, operand);
    if (!list) {
      return nothing();
    }
    lanes = std::max(lanes, list->size());
    all.push_back(std::move(*list));
  }
  ConstantLanes result{type, {}};
  std::vector<std::uint64_t> lane(operands.size());
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
      lane[i] = all[i][all[i].size() == 1 ? 0 : k];
    }
    const std::optional<std::uint64_t> bits = one(lane);
    if (!bits) {
      return lanes == 1 ? becomes(Poison{type}) : nothing();
    }
    if (ops::is_nan(type.element.scalar, *bits)) {
      return nothing();
    }
    result.bits.push_back(*bits);
  }
  return lanes == 1 ? becomes(Constant{type, result.bits.front()}) : becomes(std::move(result));
}

/// The rules of one Elementwise.
class Arithmetic {
 public:
  Arithmetic(const Kernel& kernel, const Facts& facts, const Elementwise& node, const Type& type)
      : kernel_(kernel), facts_(facts), node_(node), of_(node.operand_type), type_(type) {}

  Simpler run() const {
    if (std::ranges::any_of(node_.operands, [&](ValueId operand) { return facts_.as<Poison>(operand) != nullptr; })) {
      return becomes(Poison{type_});
    }
    if (Simpler constant =
            folded(facts_, node_.operands, type_, [&](const std::vector<std::uint64_t>& lane) { return ops::apply(node_.op, of_, lane); });
        constant.index() != 0) {
      return constant;
    }
    if (of_ == ScalarType::Bool) {
      return of_truths();
    }
    return is_float(of_) ? of_floats() : of_integers();
  }

 private:
  ValueId operand(std::size_t i) const { return node_.operands[i]; }
  bool is(std::size_t i, std::uint64_t bits) const { return facts_.is_constant(operand(i), bits); }
  bool are_equal() const { return operand(0) == operand(1); }
  Simpler number(std::uint64_t bits) const { return becomes(Constant{type_, bits}); }

  /// `op x, neutral` is x, `op neutral, x` too.
  std::optional<ValueId> other_than(std::uint64_t neutral) const {
    return is(1, neutral) ? std::optional(operand(0)) : is(0, neutral) ? std::optional(operand(1)) : std::nullopt;
  }
  Simpler other_or_nothing(std::uint64_t neutral) const {
    const auto other = other_than(neutral);
    return other ? same_as(*other) : nothing();
  }

  /// `op (op x)` is x.
  Simpler undone() const {
    const auto* inner = facts_.as<Elementwise>(operand(0));
    return inner != nullptr && inner->op == node_.op && inner->operand_type == of_ ? same_as(inner->operands[0]) : nothing();
  }

  /// `ne (and (convert x), (convert y)), 0`, and with or and xor: that of the truth values themselves.
  Simpler of_converted_truths() const {
    const auto* joined = facts_.as<Elementwise>(operand(0));
    const bool joins = joined != nullptr && (joined->op == Op::BitAnd || joined->op == Op::BitOr || joined->op == Op::BitXor);
    if (node_.op != Op::Ne || !is(1, 0) || !joins) {
      return nothing();
    }
    Elementwise result{joined->op, ScalarType::Bool, {}};
    for (const ValueId part : joined->operands) {
      const auto* convert = facts_.as<Convert>(part);
      if (convert == nullptr || kernel_.type_of(convert->source).element != truth) {
        return nothing();
      }
      result.operands.push_back(convert->source);
    }
    return becomes(std::move(result));
  }

  Simpler of_integers() const {
    if (Simpler truths = of_converted_truths(); truths.index() != 0) {
      return truths;
    }
    if (Simpler polynomial = of_polynomials(); polynomial.index() != 0) {
      return polynomial;
    }
    switch (node_.op) {
      case Op::Add:
        return other_or_nothing(0);
      case Op::Sub:
        return are_equal() ? number(0) : is(1, 0) ? same_as(operand(0)) : nothing();
      case Op::Mul:
        return is(0, 0) || is(1, 0) ? number(0) : other_or_nothing(1);
      case Op::Div:
        return is(1, 1) ? same_as(operand(0)) : nothing();
      case Op::Rem:
        return is(1, 1) ? number(0) : nothing();
      case Op::Min:
      case Op::Max:
        return are_equal() ? same_as(operand(0)) : nothing();
      case Op::Neg:
      case Op::BitNot:
        return undone();
      case Op::Shl:
      case Op::Shr: {
        const auto count = facts_.constant(operand(1));
        return is(0, 0) ? number(0) : count && *count % bits_of(of_) == 0 ? same_as(operand(0)) : nothing();
      }
      default:
        break;
    }
    return is_comparison(node_.op) && are_equal() ? number(node_.op == Op::Eq || node_.op == Op::Le || node_.op == Op::Ge ? 1 : 0)
                                                  : of_bits();
  }

  /// What i1 and the other integers have in common.
  Simpler of_bits() const {
    switch (node_.op) {
      case Op::BitAnd:
        return is(0, 0) || is(1, 0) ? number(0) : are_equal() ? same_as(operand(0)) : other_or_nothing(all_ones(of_));
      case Op::BitOr:
        return is(0, all_ones(of_)) || is(1, all_ones(of_)) ? number(all_ones(of_))
               : are_equal()                                ? same_as(operand(0))
                                                            : other_or_nothing(0);
      case Op::BitXor:
        return are_equal() ? number(0) : other_or_nothing(0);
      default:
        return nothing();
    }
  }

  /// Of integers that polynomials give: another polynomial, or a mask.
  Simpler of_polynomials() const {
    if (is_comparison(node_.op)) {
      return compared();
    }
    const bool of_one = node_.op == Op::Neg;
    if (!of_one && node_.op != Op::Add && node_.op != Op::Sub && node_.op != Op::Mul && node_.op != Op::Shl) {
      return nothing();
    }
    const auto left = facts_.polynomial(operand(0));
    const auto right = of_one ? left : facts_.polynomial(operand(1));
    if (!left || !right || !is_handy(*left) || !is_handy(*right)) {
      return nothing();
    }
    if (node_.op == Op::Shl && !right->is_constant()) {
      return nothing();
    }
    const Polynomial result =
        of_one                ? Polynomial(0) - *left
        : node_.op == Op::Add ? *left + *right
        : node_.op == Op::Sub ? *left - *right
        : node_.op == Op::Mul
            ? *left * *right
            : *left *
                  Polynomial(static_cast<std::int64_t>(std::uint64_t{1} << (static_cast<std::uint64_t>(right->constant()) % bits_of(of_))));
    return is_handy(result) ? becomes(Index{type_, result}) : nothing();
  }

  Simpler compared() const {
    const bool is_order_of_all = of_ == ScalarType::Long || (of_ == ScalarType::ULong && !is_order(node_.op));
    const auto left = is_order_of_all ? facts_.polynomial(operand(0)) : facts_.exact_polynomial(operand(0));
    const auto right = is_order_of_all ? facts_.polynomial(operand(1)) : facts_.exact_polynomial(operand(1));
    return left && right ? becomes(Mask{type_.layout, {{*left, node_.op, *right}}}) : nothing();
  }

  Simpler of_truths() const {
    switch (node_.op) {
      case Op::Eq:
        return are_equal() ? number(1) : is(1, 0) ? negated(operand(0)) : is(0, 0) ? negated(operand(1)) : other_or_nothing(1);
      case Op::Ne:
        return are_equal() ? number(0) : is(1, 1) ? negated(operand(0)) : is(0, 1) ? negated(operand(1)) : other_or_nothing(0);
      case Op::BitAnd:
        if (auto mask = both(facts_, operand(0), operand(1), true)) {
          return becomes(std::move(*mask));
        }
        break;
      default:
        break;
    }
    return of_bits();
  }

  /// The opposite of a truth value, if there is an operation that gives it.
  Simpler negated(ValueId truth) const {
    if (const auto* mask = facts_.as<Mask>(truth); mask != nullptr && mask->all_of.size() == 1) {
      Mask::Comparison comparison = mask->all_of.front();
      comparison.op = opposite(comparison.op);
      return becomes(Mask{mask->layout, {std::move(comparison)}});
    }
    const auto* inner = facts_.as<Elementwise>(truth);
    if (inner == nullptr || !is_comparison(inner->op)) {
      return nothing();
    }
    if (inner->operand_type == ScalarType::Bool) {
      const bool to_false = inner->op == Op::Eq;  // eq (eq x, 0), 0
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (facts_.is_constant(inner->operands[side], to_false ? 0 : 1)) {
          return same_as(inner->operands[1 - side]);
        }
      }
    }
    if (is_float(inner->operand_type) && is_order(inner->op)) {
      return nothing();  // with a NaN both are false
    }
    return becomes(Elementwise{opposite(inner->op), inner->operand_type, inner->operands});
  }

  static Op opposite(Op op) {
    switch (op) {
      case Op::Lt:
        return Op::Ge;
      case Op::Le:
        return Op::Gt;
      case Op::Gt:
        return Op::Le;
      case Op::Ge:
        return Op::Lt;
      case Op::Eq:
        return Op::Ne;
      default:
        return Op::Eq;
    }
  }

  /// Only what is exact for every number, signed zeros included; any NaN stands for any other.
  Simpler of_floats() const {
    const std::uint64_t one = float_bits(of_, 1.0);
    const std::uint64_t zero = float_bits(of_, 0.0);
    const std::uint64_t minus_zero = float_bits(of_, -0.0);
    switch (node_.op) {
      case Op::Add:
        return other_or_nothing(minus_zero);
      case Op::Sub:
        return is(1, zero) ? same_as(operand(0)) : nothing();
      case Op::Mul:
        return other_or_nothing(one);
      case Op::Div:
        return is(1, one) ? same_as(operand(0)) : nothing();
      case Op::Min:
      case Op::Max:
        return are_equal() ? same_as(operand(0)) : nothing();
      case Op::Neg:
        return undone();
      case Op::Fabs: {
        const auto* inner = facts_.as<Elementwise>(operand(0));
        return inner != nullptr && inner->op == Op::Fabs  ? same_as(operand(0))
               : inner != nullptr && inner->op == Op::Neg ? becomes(Elementwise{Op::Fabs, of_, {inner->operands[0]}})
                                                          : nothing();
      }
      case Op::Fma: {
        const auto factor = other_than(one);
        return factor              ? becomes(Elementwise{Op::Add, of_, {*factor, operand(2)}})
               : is(2, minus_zero) ? becomes(Elementwise{Op::Mul, of_, {operand(0), operand(1)}})
                                   : nothing();
      }
      default:
        return nothing();
    }
  }

  const Kernel& kernel_;
  const Facts& facts_;
  const Elementwise& node_;
  ScalarType of_;
  const Type& type_;
};

/// Whether `value` is the opposite of the truth value that this gives; none if it is not of that form.
std::optional<ValueId> opposite_of(const Facts& facts, ValueId value) {
  const auto* node = facts.as<Elementwise>(value);
  if (node == nullptr || node->operand_type != ScalarType::Bool || (node->op != Op::Eq && node->op != Op::Ne)) {
    return std::nullopt;
  }
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (facts.is_constant(node->operands[side], node->op == Op::Eq ? 0 : 1)) {
      return node->operands[1 - side];
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// The comparison that holds where both do; none if that is nowhere.
std::optional<Op> both(Op first, Op second) {
  const auto outcomes = [](Op op) -> unsigned {  // less, equal, greater
    switch (op) {
      case Op::Lt:
        return 0b001U;
      case Op::Le:
        return 0b011U;
      case Op::Gt:
        return 0b100U;
      case Op::Ge:
        return 0b110U;
      case Op::Eq:
        return 0b010U;
      default:
        return 0b101U;
    }
  };
  for (const Op op : {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne}) {
    if (outcomes(op) == (outcomes(first) & outcomes(second))) {
      return op;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mask> both(const Facts& facts, ValueId first, ValueId second, bool second_is_asked) {
  constexpr std::size_t most_comparisons = 8;
  const auto* left = facts.as<Mask>(first);
  const auto* right = facts.as<Mask>(second);
  if (left == nullptr || right == nullptr) {
    return std::nullopt;
  }
  const auto is_in_left = [&](ValueId value) {
    return std::ranges::any_of(left->all_of, [&](const Mask::Comparison& comparison) {
      return comparison.left.mentions(Symbol::of(value)) || comparison.right.mentions(Symbol::of(value));
    });
  };
  Mask result = *left;
  bool is_defined = true;
  for (const Mask::Comparison& comparison : right->all_of) {
    for (const Polynomial* side : {&comparison.left, &comparison.right}) {
      side->for_each_value([&](ValueId value) { is_defined = is_defined && (facts.is_defined(value) || is_in_left(value)); });
    }
    const auto known = std::ranges::find_if(
        result.all_of, [&](const Mask::Comparison& other) { return other.left == comparison.left && other.right == comparison.right; });
    if (known == result.all_of.end()) {
      result.all_of.push_back(comparison);
    } else if (const auto op = both(known->op, comparison.op)) {
      known->op = *op;
    } else {
      *known = {0, Op::Lt, 0};  // never
    }
  }
  return (is_defined || second_is_asked) && result.all_of.size() <= most_comparisons ? std::optional(std::move(result)) : std::nullopt;
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Elementwise& node, const Type& type) {
  return Arithmetic(kernel, facts, node, type).run();
}

namespace {

/// What `x < y ? x : y` and its like are: min(a, b) is `b < a ? b : a` and max(a, b) is `a < b ? b : a`, for floats too (DESIGN.md 5). The
/// choice is one instruction then, and does not wait for a mask.
std::optional<Elementwise> lesser_or_greater(const Facts& facts, const Select& node) {
  const auto* order = facts.as<Elementwise>(node.condition);
  if (order == nullptr || (order->op != Op::Lt && order->op != Op::Gt) || order->operand_type == ScalarType::Bool) {
    return std::nullopt;
  }
  const bool as_compared = order->operands[0] == node.then && order->operands[1] == node.otherwise;
  const bool turned = order->operands[1] == node.then && order->operands[0] == node.otherwise;
  if (!as_compared && !turned) {
    return std::nullopt;
  }
  const Op op = (order->op == Op::Lt) == as_compared ? Op::Min : Op::Max;
  // Of equal numbers (zeros of two signs), and with a NaN, the second arm is taken: the first operand.
  return Elementwise{op, order->operand_type, std::vector<ValueId>{node.otherwise, node.then}};
}

}  // namespace

Simpler simpler(const Kernel&, const Facts& facts, const Select& node, const Type& type) {
  if (const auto condition = facts.constant(node.condition)) {
    return same_as(*condition != 0 ? node.then : node.otherwise);
  }
  if (facts.as<Poison>(node.condition) != nullptr) {
    return becomes(Poison{type});
  }
  if (node.then == node.otherwise || facts.as<Poison>(node.otherwise) != nullptr) {
    return same_as(node.then);
  }
  if (facts.as<Poison>(node.then) != nullptr) {
    return same_as(node.otherwise);
  }
  if (const auto condition = opposite_of(facts, node.condition)) {
    return becomes(Select{*condition, node.otherwise, node.then});
  }
  if (auto extreme = lesser_or_greater(facts, node)) {
    return becomes(std::move(*extreme));
  }
  if (type.element == truth) {
    if (facts.is_constant(node.then, 1) && facts.is_constant(node.otherwise, 0)) {
      return same_as(node.condition);
    }
    if (facts.is_constant(node.then, 0) && facts.is_constant(node.otherwise, 1)) {
      return becomes(Elementwise{Op::Eq, ScalarType::Bool, {node.condition, node.then}});
    }
    if (facts.is_constant(node.otherwise, 0)) {
      if (node.then == node.condition) {
        return same_as(node.condition);
      }
      if (auto mask = both(facts, node.condition, node.then, false)) {
        return becomes(std::move(*mask));
      }
    }
  }
  if (const auto first = facts.constant(node.then); first && first == facts.constant(node.otherwise)) {
    return same_as(node.then);
  }
  if (const auto* inner = facts.as<Select>(node.then); inner != nullptr && inner->condition == node.condition) {
    return becomes(Select{node.condition, inner->then, node.otherwise});
  }
  if (const auto* inner = facts.as<Select>(node.otherwise); inner != nullptr && inner->condition == node.condition) {
    return becomes(Select{node.condition, node.then, inner->otherwise});
  }
  return folded(facts, std::array{node.condition, node.then, node.otherwise}, type,
                [](const std::vector<std::uint64_t>& lane) { return std::optional(lane[0] != 0 ? lane[1] : lane[2]); });
}

Simpler simpler(const Kernel& kernel, const Facts& facts, const Convert& node, const Type& type) {
  const ScalarType middle = kernel.type_of(node.source).element.scalar;
  if (middle == node.to) {
    return same_as(node.source);
  }
  if (facts.as<Poison>(node.source) != nullptr) {
    return becomes(Poison{type});
  }
  if (Simpler constant = folded(facts, std::array{node.source}, type,
                                [&](const std::vector<std::uint64_t>& lane) { return ops::convert(middle, node.to, lane[0]); });
      constant.index() != 0) {
    return constant;
  }
  const auto is_plain = [](ScalarType scalar) { return is_integer(scalar) && scalar != ScalarType::Bool; };
  const bool cuts = is_plain(middle) && is_plain(node.to) && bits_of(node.to) <= bits_of(middle);
  if (const auto* inner = facts.as<Convert>(node.source)) {
    const ScalarType from = kernel.type_of(inner->source).element.scalar;
    if (holds_all(middle, from) || (cuts && is_integer(from))) {
      return becomes(Convert{inner->source, node.to});
    }
  }
  if (const auto* index = facts.as<Index>(node.source); index != nullptr && is_plain(node.to) && is_plain(middle)) {
    if (cuts || facts.exact_polynomial(node.source)) {
      return becomes(Index{type, index->value});
    }
  }
  return nothing();
}

}  // namespace lockstep::passes::clean
