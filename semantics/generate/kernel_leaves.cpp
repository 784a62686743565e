// Leaves of random expressions: literals, variables, elements of arrays, numbers of items.

#include <algorithm>
#include <array>

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

bool is_power_of_two(unsigned n) { return (n & (n - 1)) == 0; }

}  // namespace

/// A number of any size: at the edge of a type, or so many random bits.
std::uint64_t KernelMaker::any_number() {
  const unsigned bits = one_in(3) ? 1 + below(64) : std::array{8U, 16U, 32U, 64U}[below(4)];
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
  switch (below(4)) {
    case 0:
      return largest - below(2);
    case 1:
      return largest / 2 + below(3);  // the signed type's largest, and what is beyond
    case 2:
      return bits == 64 ? below(2) : largest + 1 + below(2);
    default:
      return ((std::uint64_t{below(1U << 16)} << 48) + (std::uint64_t{below(1U << 16)} << 32) + (std::uint64_t{below(1U << 16)} << 16) +
              below(1U << 16)) &
             largest;
  }
}

Typed KernelMaker::integer_literal() {
  syntax::IntegerLiteral literal;
  literal.value = one_in(8) ? any_number() : below(9);
  literal.is_decimal = !one_in(6);
  literal.is_unsigned = one_in(6) || (literal.is_decimal && literal.value > 0x7FFFFFFFFFFFFFFF);
  literal.is_long = one_in(8);
  if (literal.value < 9 && one_in(15)) {
    // Of any value: '\xff' is -1.
    const auto character = static_cast<signed char>(one_in(3) ? below(256) : 'a' + static_cast<unsigned>(literal.value));
    literal = {.value = static_cast<std::uint64_t>(std::int64_t{character}), .is_character = true};
  }
  const ScalarType type = type_of(literal);
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
  if (options_.heads && one_in(6)) {
    ExprPtr e = depth == 0 ? integer(below(extent)) : binary(BinaryOp::Rem, cast(ScalarType::UChar, leaf(false, 0).e), integer(extent));
    return wrapped(std::move(e));
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

ExprPtr KernelMaker::wrapped(ExprPtr e) {
  struct Inverse {
    std::uint64_t factor;
    std::uint64_t inverse;  ///< modulo 2^64; its low half is that modulo 2^32
  };
  static constexpr std::array<Inverse, 3> inverses = {{{3, 0xAAAAAAAAAAAAAAAB}, {5, 0xCCCCCCCCCCCCCCCD}, {7, 0x6DB6DB6DB6DB6DB7}}};
  static_assert(std::ranges::all_of(inverses, [](const Inverse& i) { return i.factor * i.inverse == 1; }));
  const auto number = [](std::uint64_t value, bool is_long) {
    return build::literal({.value = value, .is_decimal = false, .is_unsigned = true, .is_long = is_long});
  };
  const auto [factor, inverse] = inverses[below(inverses.size())];
  const bool is_long = below(2) == 0;
  e = parenthesised(std::move(e));
  switch (below(6)) {
    case 0:  // the factor first, or its inverse
      e = binary(BinaryOp::Mul, std::move(e), number(is_long ? inverse : inverse & 0xFFFFFFFF, is_long));
      return binary(BinaryOp::Mul, parenthesised(std::move(e)), integer(factor));
    case 1:
      e = binary(BinaryOp::Mul, std::move(e), integer(factor));
      return binary(BinaryOp::Mul, parenthesised(std::move(e)), number(is_long ? inverse : inverse & 0xFFFFFFFF, is_long));
    case 2: {
      const std::uint64_t far = is_long ? ~std::uint64_t{0} - below(9) : 0xFFFFFFFF - below(9);
      e = binary(BinaryOp::Add, std::move(e), number(far, is_long));
      return binary(BinaryOp::Sub, std::move(e), number(far, is_long));
    }
    case 3: {
      const unsigned count = (is_long ? 64 : 32) - 8;
      e = cast(is_long ? ScalarType::ULong : ScalarType::UInt, std::move(e));
      return binary(BinaryOp::Shr, parenthesised(binary(BinaryOp::Shl, std::move(e), integer(count))), integer(count));
    }
    case 4: {
      static constexpr std::array narrow = {ScalarType::UChar, ScalarType::UShort, ScalarType::UInt};
      const ScalarType type = narrow[below(narrow.size())];
      return cast(type, parenthesised(binary(BinaryOp::Add, std::move(e), number(std::uint64_t{1} << bits_of(type), true))));
    }
    default:
      return binary(BinaryOp::Sub, number(5, is_long), parenthesised(binary(BinaryOp::Sub, number(5, is_long), std::move(e))));
  }
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
