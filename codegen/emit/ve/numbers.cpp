// Numbers as C: polynomials, comparisons, literals.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/c/literals.hpp"
#include "codegen/emit/ve/bits.hpp"
#include "codegen/emit/ve/writer.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// Terms up to this are computed as std::int64_t, of which a polynomial has at most 256.
constexpr std::int64_t large = std::int64_t{1} << 53;

std::uint64_t magnitude_of(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

struct Comparing {
  std::string_view text;
  std::string_view name;      ///< as intrinsics have it
  std::string_view mirrored;  ///< with the sides exchanged
};

Comparing comparing(Op op) {
  switch (op) {
    case Op::Lt:
      return {"<", "lt", "gt"};
    case Op::Le:
      return {"<=", "le", "ge"};
    case Op::Gt:
      return {">", "gt", "lt"};
    case Op::Ge:
      return {">=", "ge", "le"};
    case Op::Eq:
      return {"==", "eq", "eq"};
    case Op::Ne:
      return {"!=", "ne", "ne"};
    default:
      throw InternalError("a mask compares by something that is no comparison");
  }
}

}  // namespace

std::string Writer::factor(Symbol symbol, bool is_wide, const At& at) const {
  const auto widened = [&](const std::string& text) {
    const std::string whole = in_parentheses(text);
    return is_wide && text != "0" ? "(uint64_t)" + whole : whole;
  };
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      return widened(at.wi);
    case Symbol::Kind::Element:
      return widened(at.ix);
    case Symbol::Kind::Group:
      return !is_rows() && plan_.shape.wg_pack > 1 ? fmt::format("(first_group + {})", at.p) : "first_group";
    case Symbol::Kind::Value:
      break;
  }
  // A polynomial's values have layout Pack.
  return widened(operand(symbol.value, At{}).text);
}

/// Without its sign. A wide one is a std::uint64_t, others an std::int64_t.
std::string Writer::term(const Monomial& monomial, bool is_wide, const At& at) const {
  std::string text;
  for (const Symbol symbol : monomial.factors) {
    text += (text.empty() ? "" : " * ") + factor(symbol, is_wide, at);
  }
  const std::uint64_t magnitude = magnitude_of(monomial.coefficient);
  return magnitude == 1 ? text : fmt::format("{} * {}{}", text, magnitude, magnitude > INT32_MAX ? "u" : "");
}

/// In the first lane, which of rows is the first group's first item.
Writer::Number Writer::number(const Polynomial& polynomial, Layout layout, const At& at) const {
  const Polynomial first = is_rows() ? polynomial.without(Symbol::item()) : polynomial;
  Number result;
  const auto append = [&](bool is_negative, const std::string& text) {
    result.text += result.text.empty() ? (is_negative ? "-" : "") : (is_negative ? " - " : " + ");
    result.text += text;
  };
  const auto is_large = [&](const Polynomial& part) {
    const auto range = emit_c::range_of(part, layout, plan_.shape, plan_.ranges);
    return !range || !range->lies_in(-large, large);
  };
  for (const Monomial& one : first.terms()) {
    Polynomial product(1);
    bool is_wide = false;
    for (const Symbol symbol : one.factors) {
      product = product * Polynomial(symbol);
      is_wide = is_wide || is_large(product);
    }
    is_wide = is_wide || is_large(product * Polynomial(one.coefficient));
    result.is_wide = result.is_wide || is_wide;
    append(one.coefficient < 0, term(one, is_wide, at));
  }
  if (first.constant() != 0 || result.text.empty()) {
    const std::uint64_t magnitude = magnitude_of(first.constant());
    const bool is_wide = is_large(Polynomial(first.constant()));
    append(first.constant() < 0, fmt::format("{}{}", magnitude, is_wide ? "u" : ""));
    result.is_wide = result.is_wide || is_wide;
  }
  return result;
}

std::string Writer::signed_number(const Polynomial& polynomial, Layout layout, const At& at) const {
  const Number found = number(polynomial, layout, at);
  return found.is_wide ? fmt::format("(int64_t)({})", found.text) : found.text;
}

std::string Writer::index_within(const Polynomial& polynomial, std::uint64_t count, Layout layout, const At& at) const {
  if (count == 1) {
    return "0";
  }
  const auto range = emit_c::range_of(polynomial, layout, plan_.shape, plan_.ranges);
  const std::string text = signed_number(polynomial, layout, at);
  return range && range->lies_in(0, static_cast<std::int64_t>(count) - 1) ? text : fmt::format("s_within({}, {})", text, count);
}

std::optional<Polynomial> Writer::step_of(const Polynomial& polynomial) const {
  if (is_rows()) {
    return step_of_rows(polynomial);
  }
  const auto slope = polynomial.slope(Symbol::group());
  return slope && !slope->mentions(Symbol::group()) ? std::optional(*slope * Polynomial(plan_.shape.wg_pack)) : std::nullopt;
}

std::string Writer::vector_of(const Polynomial& polynomial, Layout layout, const At& at) const {
  if (const auto step = is_rows() ? std::nullopt : step_of(polynomial)) {
    return fmt::format("v_line({}, {}, vl)", number(polynomial, layout, at).text, number(*step, layout, at).text);
  }
  // The sum of its terms, each a number times what lanes differ in.
  const auto lanes = [&](Symbol symbol) {
    return !is_rows()                 ? fmt::format("v_line({}, {}, vl)", factor(Symbol::group(), true, at), plan_.shape.wg_pack)
           : symbol == Symbol::item() ? items()
                                      : fmt::format("_vel_vaddul_vsvl(first_group, {}, vl)", groups());
  };
  std::string sum;
  for (const Monomial& one : polynomial.terms()) {
    Polynomial rest(one.coefficient);
    std::string product;
    for (const Symbol symbol : one.factors) {
      if (!plan_.differs(symbol)) {
        rest = rest * Polynomial(symbol);
      } else {
        product = product.empty() ? lanes(symbol) : fmt::format("_vel_vmulul_vvvl({}, {}, vl)", lanes(symbol), product);
      }
    }
    if (!product.empty()) {
      product = rest == Polynomial(1) ? product : fmt::format("_vel_vmulul_vsvl({}, {}, vl)", signed_number(rest, layout, at), product);
      sum = sum.empty() ? product : fmt::format("_vel_vaddul_vvvl({}, {}, vl)", sum, product);
    }
  }
  const Polynomial alike = alike_part(polynomial);
  const std::string first = signed_number(alike, layout, at);
  return sum.empty()              ? fmt::format("_vel_vbrdl_vsl({}, vl)", first)
         : alike == Polynomial(0) ? sum
                                  : fmt::format("_vel_vaddul_vsvl({}, {}, vl)", first, sum);
}

/// What all lanes have alike.
Polynomial Writer::alike_part(const Polynomial& polynomial) const {
  Polynomial rest = polynomial;
  for (const Symbol symbol : {Symbol::item(), Symbol::group()}) {
    rest = plan_.differs(symbol) ? rest.without(symbol) : rest;
  }
  return rest;
}

std::string Writer::number_comparison(const Mask::Comparison& one, Layout layout, const At& at) const {
  return fmt::format("{} {} {}", signed_number(one.left, layout, at), comparing(one.op).text, signed_number(one.right, layout, at));
}

std::string Writer::mask_comparison(const Mask::Comparison& one, Layout layout, const At& at) const {
  const auto [text, name, mirrored] = comparing(one.op);
  if (!plan_.differs(one.left) && !plan_.differs(one.right)) {
    return fmt::format("v_mask({}, vl)", number_comparison(one, layout, at));
  }
  if (!plan_.differs(one.left)) {
    return fmt::format("_vel_vfmkl{}_mvl(_vel_vcmpsl_vsvl({}, {}, vl), vl)", name, signed_number(one.left, layout, at),
                       vector_of(one.right, layout, at));
  }
  if (!plan_.differs(one.right)) {
    return fmt::format("_vel_vfmkl{}_mvl(_vel_vcmpsl_vsvl({}, {}, vl), vl)", mirrored, signed_number(one.right, layout, at),
                       vector_of(one.left, layout, at));
  }
  return fmt::format("_vel_vfmkl{}_mvl(_vel_vcmpsl_vvvl({}, {}, vl), vl)", name, vector_of(one.left, layout, at),
                     vector_of(one.right, layout, at));
}

std::string_view short_type(Element element) {
  if (element.is_pointer) {
    return "u64";
  }
  static constexpr std::array<std::string_view, 11> names = {"i1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
  return names[static_cast<std::size_t>(element.scalar)];
}

std::uint64_t register_bits(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::Float) {
    return bits << 32U;
  }
  if (is_float(type)) {
    return bits;
  }
  return with_type(type, [&](auto number) {
    if constexpr (std::is_integral_v<decltype(number)>) {
      return static_cast<std::uint64_t>(static_cast<decltype(number)>(bits));  // the sign is extended where there is one
    }
    return std::uint64_t{0};
  });
}

std::string literal(Element element, std::uint64_t bits) {
  if (element.is_pointer) {
    return "UINT64_C(0)";
  }
  switch (element.scalar) {
    case ScalarType::Bool:
      return bits != 0 ? "true" : "false";
    case ScalarType::Float:
    case ScalarType::Double:
      return emit_c::float_constant(element.scalar, bits);
    case ScalarType::Int:
      return static_cast<std::int32_t>(bits) == INT32_MIN ? "INT32_MIN" : fmt::format("{}", static_cast<std::int32_t>(bits));
    case ScalarType::UInt:
      return fmt::format("{}u", static_cast<std::uint32_t>(bits));
    case ScalarType::ULong:
      return fmt::format("UINT64_C({})", bits);
    case ScalarType::Long:
      return static_cast<std::int64_t>(bits) == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", static_cast<std::int64_t>(bits));
    case ScalarType::Char:
      return fmt::format("{}", static_cast<std::int8_t>(bits));
    case ScalarType::UChar:
      return fmt::format("{}", static_cast<std::uint8_t>(bits));
    case ScalarType::Short:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case ScalarType::UShort:
      return fmt::format("{}", static_cast<std::uint16_t>(bits));
  }
  throw InternalError("no scalar type");
}

}  // namespace lockstep::emit_ve
