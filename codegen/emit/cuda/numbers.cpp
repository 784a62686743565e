// Numbers as C++: polynomials, comparisons, literals.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/c/literals.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// Terms up to this are computed as int, of which a polynomial has at most 256.
constexpr std::int64_t small = std::int64_t{1} << 22;

std::string_view text_of(Op op) {
  switch (op) {
    case Op::Lt:
      return "<";
    case Op::Le:
      return "<=";
    case Op::Gt:
      return ">";
    case Op::Ge:
      return ">=";
    case Op::Eq:
      return "==";
    case Op::Ne:
      return "!=";
    default:
      throw InternalError("a mask compares by something that is no comparison");
  }
}

/// Where it is more than a word.
std::string in_parentheses(const std::string& text) {
  const bool is_word = text.find(' ') == std::string::npos;
  return is_word ? text : "(" + text + ")";
}

std::string float_literal(Element element, std::uint64_t bits) {
  return is_usual(element, bits) ? emit_c::float_constant(element.scalar, bits)
                                 : fmt::format("v::bits_as<{}>(uint{}_t({:#x}u))", c_type(element), 8 * size_of(element.scalar), bits);
}

}  // namespace

std::string Writer::factor(Symbol symbol, bool is_wide, const At& at) const {
  const auto widened = [&](const std::string& text) { return is_wide ? fmt::format("uint64_t({})", text) : text; };
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      return widened(at.wi);
    case Symbol::Kind::Element:
      return is_wide ? widened(at.ix) : in_parentheses(at.ix);
    case Symbol::Kind::Group:
      return plan_.geometry.shape.wg_pack > 1 ? fmt::format("(first_group + {})", at.p) : "first_group";
    case Symbol::Kind::Value:
      break;
  }
  // A polynomial's values have layout Pack.
  const bool is_int = plan_.ranges.contains(symbol.value);
  return widened(is_int ? name(symbol.value) : value(symbol.value, At{}));
}

/// Without its sign. A wide one is a std::uint64_t, others an int.
std::string Writer::term(const Monomial& monomial, bool is_wide, const At& at) const {
  std::string text;
  for (const Symbol symbol : monomial.factors) {
    text += (text.empty() ? "" : " * ") + factor(symbol, is_wide, at);
  }
  const std::uint64_t magnitude = emit_c::magnitude_of(monomial.coefficient);
  return magnitude == 1 ? text : fmt::format("{} * {}{}", text, magnitude, is_wide && magnitude > small ? "ull" : "");
}

Writer::Number Writer::number(const Polynomial& polynomial, Layout layout, const At& at) const {
  const auto is_int = [&](const auto& part) {
    const auto range = emit_c::range_of(part, layout, padded(), plan_.ranges);
    return range && range->lies_in(-small, small);
  };
  Number result{"", is_int(polynomial)};
  const auto append = [&](bool is_negative, const std::string& text) {
    result.text += result.text.empty() ? (is_negative ? "-" : "") + text : (is_negative ? " - " : " + ") + text;
  };
  for (const Monomial& one : polynomial.terms()) {
    const bool is_small = is_int(Monomial{1, one.factors}) && is_int(one);
    result.is_small = result.is_small && is_small;
    append(one.coefficient < 0, term(one, !is_small, at));
  }
  if (polynomial.constant() != 0 || result.text.empty()) {
    const std::uint64_t magnitude = emit_c::magnitude_of(polynomial.constant());
    const bool is_small = magnitude <= small;
    append(polynomial.constant() < 0, fmt::format("{}{}", magnitude, is_small ? "" : "ull"));
    result.is_small = result.is_small && is_small;
  }
  return result;
}

std::string Writer::index_within(const Polynomial& polynomial, std::uint64_t count, Layout layout, const At& at) const {
  if (count == 1) {
    return "0";
  }
  const Number found = number(polynomial, layout, at);
  const auto range = emit_c::range_of(polynomial, layout, padded(), plan_.ranges);
  if (range && range->lies_in(0, static_cast<std::int64_t>(count) - 1)) {
    return found.text;
  }
  return fmt::format("v::within({}, {})", found.is_small ? found.text : "int64_t(" + found.text + ")", count);
}

std::string Writer::comparison(const Mask::Comparison& one, Layout layout, const At& at) const {
  const Number left = number(one.left, layout, at);
  const Number right = number(one.right, layout, at);
  const bool is_small = left.is_small && right.is_small;
  const auto side = [&](const Number& number) { return is_small ? number.text : "int64_t(" + number.text + ")"; };
  return fmt::format("{} {} {}", side(left), text_of(one.op), side(right));
}

bool is_usual(Element element, std::uint64_t bits) {
  return element.is_pointer || !is_float(element.scalar) || emit_c::is_finite(element.scalar, bits);
}

std::string constant(Element element, std::uint64_t bits) {
  return is_usual(element, bits) ? literal(element, bits) : emit_c::float_constant(element.scalar, bits);
}

std::string literal(Element element, std::uint64_t bits) {
  if (element.is_pointer) {
    return "uint64_t(0)";
  }
  switch (element.scalar) {
    case ScalarType::Bool:
      return bits != 0 ? "true" : "false";
    case ScalarType::Float:
    case ScalarType::Double:
      return float_literal(element, bits);
    case ScalarType::Int:
      return static_cast<std::int32_t>(bits) == INT32_MIN ? "int32_t(-2147483647 - 1)" : fmt::format("{}", static_cast<std::int32_t>(bits));
    case ScalarType::UInt:
      return fmt::format("{}u", static_cast<std::uint32_t>(bits));
    case ScalarType::ULong:
      return fmt::format("uint64_t({}u)", bits);
    case ScalarType::Long:
      return static_cast<std::int64_t>(bits) == INT64_MIN ? "int64_t(-9223372036854775807 - 1)"
                                                          : fmt::format("int64_t({})", static_cast<std::int64_t>(bits));
    default:
      return fmt::format("{}({})", c_type(element), static_cast<std::int64_t>(bits));
  }
}

}  // namespace lockstep::emit_cuda
