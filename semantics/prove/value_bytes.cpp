#include "semantics/prove/value_bytes.hpp"

#include <z3++.h>

#include <algorithm>

#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"

namespace lockstep::prove {

namespace {

ScalarType unsigned_of(unsigned size) {
  return size == 1 ? ScalarType::UChar : size == 2 ? ScalarType::UShort : size == 4 ? ScalarType::UInt : ScalarType::ULong;
}

/// The bits of a number, as an unsigned one.
Value bits_of(const Value& v) {
  return v.type() == ScalarType::Bool ? convert(ScalarType::UChar, v) : bitcast(unsigned_of(size_of(v.type())), v);
}

/// The number of the type with these bits; a bool is whether there is one.
Value with_bits(ScalarType type, const Value& bits) {
  return type == ScalarType::Bool ? Value::truth(type, nonzero(bits)) : bitcast(type, bits);
}

/// All bytes of one number, in order.
bool is_whole(std::span<const Terms::Byte> bytes) {
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k].number != k || !identical(bytes[k].of, bytes[0].of)) {
      return false;
    }
  }
  return size_of(bytes[0].of.type()) == bytes.size();
}

}  // namespace

Value value_of(const Terms::Byte& byte) {
  if (byte.of.is_any()) {
    return {};
  }
  return by_cases(bits_of(byte.of), [&](const Value& bits) {
    if (const auto known = bits.known()) {
      return Value::number(ScalarType::UChar, *known >> (8 * byte.number) & 0xffU);
    }
    const unsigned low = 8 * byte.number;
    return size_of(bits.type()) == 1 ? bits.as(ScalarType::UChar)
                                     : value_of(ScalarType::UChar, simplified(expression(bits, bits.type()).extract(low + 7, low)));
  });
}

Terms::Byte choose(const Truth& c, const Terms::Byte& a, const Terms::Byte& b) {
  if (c.known() || a.of.is_any() || b.of.is_any()) {
    return c.known() ? (*c.known() ? a : b) : (a.of.is_any() ? b : a);
  }
  if (a.number == b.number && a.of.type() == b.of.type()) {
    return {choose(c, a.of, b.of), a.number};
  }
  return {choose(c, value_of(a), value_of(b)), 0};
}

Value Terms::number(ScalarType type, std::span<const Byte> bytes) {
  if (std::ranges::any_of(bytes, [](const Byte& byte) { return byte.of.is_any(); })) {
    return {};
  }
  if (is_whole(bytes)) {
    const Value& whole = bytes[0].of;
    return whole.type() == type ? whole : with_bits(type, bits_of(whole));
  }
  const ScalarType result = unsigned_of(static_cast<unsigned>(bytes.size()));
  std::uint64_t bits = 0;
  bool all_known = true;
  z3::expr_vector from_above(context());
  for (std::size_t k = bytes.size(); k-- > 0;) {
    const Value byte = value_of(bytes[k]);
    all_known = all_known && byte.known();
    bits = bits << 8U | byte.known().value_or(0);
    from_above.push_back(expression(byte, ScalarType::UChar));
  }
  return with_bits(type, all_known ? Value::number(result, bits) : value_of(result, simplified(z3::concat(from_above))));
}

}  // namespace lockstep::prove
