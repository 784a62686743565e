#include "semantics/core/sema/constants.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "semantics/core/sema/types.hpp"
#include "semantics/core/walk.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::core::sema {
namespace {

using Result = std::expected<std::uint64_t, NotConstant>;

std::uint64_t sign_cut(ScalarType type) { return is_float(type) ? (std::uint64_t{1} << (bits_of(type) - 1)) - 1 : ~std::uint64_t{0}; }

/// Nonzero; the sign of a floating zero does not count.
bool is_true(ScalarType type, std::uint64_t bits) { return (bits & sign_cut(type)) != 0; }

class Evaluator {
 public:
  explicit Evaluator(const FunctionContext& context) : context_(context) {}

  Result operator()(ExprId id) const {
    const Expr& expr = context_.function.at(id);
    return std::visit([&](const auto& node) { return value(node, expr); }, expr.node);
  }

 private:
  static Result refuse(const Expr& expr, std::string reason) { return std::unexpected(NotConstant{expr.span, std::move(reason)}); }

  const Expr& at(ExprId id) const { return context_.function.at(id); }

  static Result value(const Literal& literal, const Expr&) { return literal.bits; }

  Result value(const Var& var, const Expr& expr) const {
    if (const std::optional<std::uint64_t> known = context_.known[var.id]) {
      return *known;
    }
    return refuse(expr, quoted(context_.function.variables[var.id].name) + " is not a constant");
  }

  Result value(const GlobalConstant& constant, const Expr& expr) const {
    const std::vector<std::uint64_t>& values = context_.unit.program.constants[constant.id].values;
    return values.size() == 1 && expr.type.is_scalar() ? Result(values.front()) : refuse(expr, "an array is not a constant");
  }

  Result value(const Operate& operate, const Expr& expr) const {
    std::vector<std::uint64_t> operands;
    for (const ExprId operand : operate.operands) {
      const Result result = (*this)(operand);
      if (!result) {
        return result;
      }
      operands.push_back(*result);
    }
    if (!at(operate.operands.front()).type.is_scalar()) {
      return refuse(expr, "an address is not a constant");
    }
    const std::optional<std::uint64_t> result = ops::apply(operate.op, operate.operand_type, operands);
    return result ? Result(*result) : refuse(expr, "the operation is undefined for these numbers");
  }

  Result value(const Convert& conversion, const Expr& expr) const {
    const Result operand = (*this)(conversion.operand);
    if (!operand) {
      return operand;
    }
    const std::optional<std::uint64_t> result = ops::convert(at(conversion.operand).type.scalar, expr.type.scalar, *operand);
    return result ? Result(*result) : refuse(expr, "the number does not fit '" + name_of(expr.type) + "'");
  }

  Result value(const Bitcast& node, const Expr& expr) const {
    const Result operand = (*this)(node.operand);
    return operand ? Result(ops::bits_as(expr.type.scalar, *operand)) : operand;
  }

  Result value(const ShortCircuit& node, const Expr&) const {
    const Result left = (*this)(node.left);
    if (!left || is_true(at(node.left).type.scalar, *left) != node.is_and) {
      return left ? Result(node.is_and ? 0U : 1U) : left;
    }
    const Result right = (*this)(node.right);
    return right ? Result(is_true(at(node.right).type.scalar, *right) ? 1U : 0U) : right;
  }

  Result value(const Conditional& node, const Expr&) const {
    const Result condition = (*this)(node.condition);
    if (!condition) {
      return condition;
    }
    return (*this)(is_true(at(node.condition).type.scalar, *condition) ? node.then : node.otherwise);
  }

  static Result value(const Call&, const Expr& expr) { return refuse(expr, "the result of a call is not a constant"); }
  static Result value(const Ask&, const Expr& expr) { return refuse(expr, "a work item's number is not a constant"); }
  static Result value(const Collective&, const Expr& expr) { return refuse(expr, "what other work items have is not a constant"); }
  static Result value(const Atomic&, const Expr& expr) { return refuse(expr, "what an atomic function returns is not a constant"); }
  static Result value(const Assign&, const Expr& expr) { return refuse(expr, "an assignment is not a constant"); }
  static Result value(const AddressOf&, const Expr& expr) { return refuse(expr, "an address is not a constant"); }
  static Result value(const PointerAdd&, const Expr& expr) { return refuse(expr, "an address is not a constant"); }
  template <class Node>
  static Result value(const Node&, const Expr& expr) {
    return refuse(expr, "this is not a constant");
  }

  const FunctionContext& context_;
};

/// C99 6.6: whether only numbers, operators and casts stand in the expression.
bool is_made_of_numbers(const Function& function, ExprId id) {
  const Expr& expr = function.at(id);
  bool result = std::holds_alternative<Literal>(expr.node) || std::holds_alternative<Operate>(expr.node) ||
                std::holds_alternative<Convert>(expr.node) || std::holds_alternative<ShortCircuit>(expr.node) ||
                std::holds_alternative<Conditional>(expr.node);
  for_each_operand(expr, [&](ExprId operand) { result = result && is_made_of_numbers(function, operand); });
  return result;
}

/// The number, or nothing where it is beyond the type's range. A number too small becomes zero.
template <class T>
std::optional<T> parse(std::string_view digits, std::chars_format format) {
  T value = 0;
  const std::errc code = std::from_chars(digits.data(), digits.data() + digits.size(), value, format).ec;
  if (code == std::errc::result_out_of_range) {
    // from_chars does not say which end was passed; a wider type or, beyond that, the exponent's sign does.
    long double wide = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), wide, format).ec == std::errc{}) {
      return (wide < 1) ? std::optional(T{0}) : std::nullopt;
    }
    return digits.find('-') != std::string_view::npos ? std::optional(T{0}) : std::nullopt;
  }
  return code == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::expected<std::uint64_t, NotConstant> evaluate(const FunctionContext& context, ExprId id) { return Evaluator(context)(id); }

bool is_null_constant(const FunctionContext& context, ExprId id) {
  const Type& type = context.function.at(id).type;
  return type.is_scalar() && is_integer(type.scalar) && is_made_of_numbers(context.function, id) && evaluate(context, id) == 0U;
}

std::optional<std::uint64_t> require_constant(FunctionContext& context, ExprId id, const std::string& what) {
  const std::expected<std::uint64_t, NotConstant> value = evaluate(context, id);
  if (!value) {
    context.unit.reporter.error(value.error().span, what + " is not constant: " + value.error().reason);
    return std::nullopt;
  }
  return value.value();
}

std::optional<std::uint64_t> read_float(const std::string& digits, ScalarType type) {
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  const std::string_view text = std::string_view(digits).substr(is_hex ? 2 : 0);
  const std::chars_format format = is_hex ? std::chars_format::hex : std::chars_format::general;
  if (type == ScalarType::Float) {
    const std::optional<float> value = parse<float>(text, format);
    return value ? std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(*value)) : std::nullopt;
  }
  const std::optional<double> value = parse<double>(text, format);
  return value ? std::optional(std::bit_cast<std::uint64_t>(*value)) : std::nullopt;
}

}  // namespace lockstep::core::sema
