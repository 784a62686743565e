#include "semantics/core/sema/types.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "semantics/core/record.hpp"

namespace lockstep::core::sema {
namespace {

constexpr std::uint64_t pointer_size = 8;

bool holds(ScalarType type, std::uint64_t value) {
  const unsigned bits = bits_of(type) - (is_signed(type) ? 1U : 0U);
  return static_cast<unsigned>(std::bit_width(value)) <= bits;
}

}  // namespace

ScalarType promoted(ScalarType type) { return type < ScalarType::Int ? ScalarType::Int : type; }

// Each type of scalar_table converts to any later one: uint to long keeps its values, int to uint and long to ulong is C's rule for
// equal ranks, and an integer meets a float in the float's type.
ScalarType usual_type(ScalarType left, ScalarType right) { return std::max(promoted(left), promoted(right)); }

std::optional<ScalarType> type_of(const syntax::IntegerLiteral& literal) {
  if (literal.is_character) {
    return ScalarType::Int;  // C99 6.4.4.4; the char is signed, so that the value may be negative
  }
  constexpr std::array candidates = {ScalarType::Int, ScalarType::UInt, ScalarType::Long, ScalarType::ULong};
  for (const ScalarType type : candidates) {
    const bool may_be_unsigned = literal.is_unsigned || !literal.is_decimal;
    const bool rank_fits = !literal.is_long || type >= ScalarType::Long;
    const bool sign_fits = is_signed(type) ? !literal.is_unsigned : may_be_unsigned;
    if (rank_fits && sign_fits && holds(type, literal.value)) {
      return type;
    }
  }
  return std::nullopt;
}

std::uint64_t size_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Void:
      return 0;
    case Type::Kind::Pointer:
      return pointer_size;
    case Type::Kind::Scalar:
    case Type::Kind::Array:
      break;
  }
  if (type.record != nullptr) {
    return type.record->size * product(std::span(type.extents).first(type.extents.size() - 1));
  }
  return lockstep::size_of(type.scalar) * element_count(type);
}

std::uint64_t alignment_of(const Type& type) {
  if (type.record != nullptr) {
    return type.record->alignment;
  }
  return lockstep::size_of(type.scalar) * (type.components != 0 ? type.extents.back() : 1);
}

std::uint64_t element_count(const Type& type) {
  if (!type.is_array()) {
    return 1;
  }
  return product(type.extents);
}

Type pointee(const Type& pointer) {
  if (pointer.extents.empty()) {
    return Type::scalar_of(pointer.scalar);
  }
  Type result = pointer;
  result.kind = Type::Kind::Array;
  return result;
}

Type element(const Type& array) {
  if (array.extents.size() == 1) {
    return Type::scalar_of(array.scalar);
  }
  Type result = array;
  result.extents.erase(result.extents.begin());
  return result;
}

Type pointer_to(const Type& type, AddressSpace space, bool is_const) {
  return {Type::Kind::Pointer, type.scalar, space, is_const, type.extents, type.components, type.record};
}

bool pointer_converts(const Type& from, const Type& to) {
  Type promise = from;
  promise.is_const = from.is_const || to.is_const;
  return promise == to;
}

}  // namespace lockstep::core::sema
