// Leaves of random expressions: literals, variables, elements of arrays, numbers of items.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

bool is_power_of_two(unsigned n) { return (n & (n - 1)) == 0; }

}  // namespace

Typed KernelMaker::integer_literal() {
  syntax::IntegerLiteral literal;
  static constexpr std::array<std::uint64_t, 10> edges = {
      127, 128, 255, 32768, 65535, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFFU, 0x7FFFFFFFFFFFFFFF, 0x100000000};
  literal.value = one_in(8) ? edges[below(edges.size())] : below(9);
  literal.is_decimal = !one_in(6);
  literal.is_unsigned = one_in(6);
  literal.is_long = one_in(8);
  if (literal.value < 9 && one_in(15)) {
    literal = {.value = 'a' + literal.value, .is_character = true};
  }
  const bool is_wide = literal.is_long || literal.value > (literal.is_unsigned || !literal.is_decimal ? 0xFFFFFFFFU : 0x7FFFFFFFU);
  const bool is_unsigned = literal.is_unsigned || (!literal.is_decimal && literal.value > 0x7FFFFFFF && !is_wide);
  const ScalarType type =
      is_wide ? (is_unsigned ? ScalarType::ULong : ScalarType::Long) : (is_unsigned ? ScalarType::UInt : ScalarType::Int);
  ExprPtr e = build::literal(literal);
  return one_in(6) ? Typed{unary(UnaryOp::Minus, std::move(e)), type} : Typed{std::move(e), type};
}

Typed KernelMaker::real_literal(ScalarType type) {
  static constexpr std::array<const char*, 12> digits = {"1.0",   "0.5",  "2.0", "1.5", "0.1",  "3.25",
                                                         "100.0", "1e-3", "7.",  ".25", "1e10", "1.17549435e-38"};
  return {real(digits[below(digits.size())], type == ScalarType::Float), type};
}

ExprPtr KernelMaker::constant(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return build::expression(syntax::BoolLiteral{below(2) == 1});
    case ScalarType::Float:
    case ScalarType::Double:
      return real_literal(type).e;
    default:
      return integer(below(10));
  }
}

std::optional<Typed> KernelMaker::scalar_leaf(bool real) {
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (is_float(s.type) == real && may_read(s.name)) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return std::nullopt;
  }
  const KnownScalar& chosen = *pick(fitting);
  read_.insert(chosen.name);
  return Typed{name(chosen.name), chosen.type};
}

ExprPtr KernelMaker::index(unsigned extent, unsigned depth) {
  if (strikes()) {
    return integer_expression(1).e;
  }
  if (depth == 0 || below(3) == 0) {
    return integer(below(extent));
  }
  ExprPtr e = below(2) == 0 ? item_number().e : integer_expression(depth - 1).e;
  if (is_power_of_two(extent)) {
    return binary(BinaryOp::BitAnd, std::move(e), integer(extent - 1));
  }
  return binary(BinaryOp::Rem, cast(below(2) == 0 ? ScalarType::UInt : ScalarType::ULong, std::move(e)), integer(extent));
}

ExprPtr KernelMaker::row_of(const std::string& who) {
  ExprPtr row = options_.disjoint_calls || options_.profile == Profile::Parity || below(2) == 0
                    ? name(who)
                    : cast(ScalarType::Int, query("get_group_id"));
  if (is_recursive_) {  // depth 1 is level 0, depth 0 is level 1
    row = binary(BinaryOp::Add, conditional(name("depth"), integer(0), integer(rows_before(1))), std::move(row));
  } else if (level_ > 0) {
    row = binary(BinaryOp::Add, integer(rows_before(level_)), std::move(row));
  }
  ExprPtr start = binary(BinaryOp::Mul, std::move(row), cast(ScalarType::Int, query("get_local_size")));
  return binary(BinaryOp::Add, std::move(start), cast(ScalarType::Int, query("get_local_id")));
}

ExprPtr KernelMaker::element_of(const KnownArray& array, unsigned depth) {
  if (array.kind == KnownArray::Kind::Own) {
    if (!array.row.empty()) {
      return element(name(array.name), row_of(array.row));
    }
    const unsigned cells = array.extents.front();
    ExprPtr at = global_id();
    if (cells > 1) {
      at = binary(BinaryOp::Add, binary(BinaryOp::Mul, std::move(at), integer(cells)), index(cells, depth));
    }
    return element(name(array.name), std::move(at));
  }
  if (array.extents.size() == 1 && one_in(8)) {
    return unary(UnaryOp::Dereference, binary(BinaryOp::Add, name(array.name), index(array.extents.front(), depth)));
  }
  ExprPtr e = name(array.name);
  for (const unsigned extent : array.extents) {
    e = element(std::move(e), index(extent, depth));
  }
  return e;
}

std::optional<Typed> KernelMaker::array_leaf(bool real, unsigned depth) {
  std::vector<const KnownArray*> fitting;
  for (const KnownArray& a : scope_.arrays) {
    if (is_float(a.type) == real) {
      fitting.push_back(&a);
    }
  }
  if (fitting.empty()) {
    return std::nullopt;
  }
  const KnownArray chosen = *pick(fitting);
  if (!real && chosen.kind == KnownArray::Kind::Whole && chosen.is_private && chosen.extents.size() == 1 && one_in(12)) {
    ExprPtr there = unary(UnaryOp::AddressOf, element(name(chosen.name), index(chosen.extents.front(), depth)));
    return below(2) == 0 ? Typed{binary(BinaryOp::Sub, std::move(there), name(chosen.name)), ScalarType::Long}
                         : Typed{binary(BinaryOp::Equal, std::move(there), name(chosen.name)), ScalarType::Int};
  }
  return Typed{element_of(chosen, depth), chosen.type};
}

Typed KernelMaker::item_number() {
  static constexpr std::array queries = {"get_local_id", "get_global_id",  "get_local_id",   "get_group_id",
                                         "get_local_id", "get_local_size", "get_num_groups", "get_global_size"};
  ExprPtr e = query(queries[below(queries.size())]);
  return below(2) == 0 ? Typed{cast(ScalarType::Int, std::move(e)), ScalarType::Int} : Typed{std::move(e), ScalarType::ULong};
}

Typed KernelMaker::leaf(bool real, unsigned depth) {
  if (reckless_ && within_ == Within::Kernel && one_in(250)) {
    return {name("u0"), ScalarType::Int};
  }
  const unsigned kind = below(9);
  if (kind < 4) {
    if (auto found = scalar_leaf(real)) {
      return std::move(*found);
    }
  } else if (kind < 6) {
    if (auto found = array_leaf(real, depth)) {
      return std::move(*found);
    }
  } else if (kind <= 7 && !real) {
    return item_number();
  }
  return real ? real_literal(below(2) == 0 ? ScalarType::Float : ScalarType::Double) : integer_literal();
}

}  // namespace lockstep::generate
