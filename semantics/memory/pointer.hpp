#pragma once
// What a pointer is, for all that execute kernels and for the prover: an object and a byte offset, in one 64-bit number.
//
// The number is 2^40 times the object's number, from 1 on, plus the offset, which lies between -2^39 and 2^39; the null pointer is 0. As
// objects have numbers below 2^23, the pointers into one object are ordered as signed numbers, also in front of it. Adding to the number
// adds to the offset, so that integer arithmetic on pointers does what it should (tests/unit/memory_pointer_test.cpp).

#include <cstdint>
#include <optional>

#include "semantics/base/argument.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::memory {

inline constexpr unsigned offset_bits = 40;
inline constexpr std::int64_t offset_limit = std::int64_t{1} << (offset_bits - 1);  ///< offsets are smaller than this
inline constexpr std::uint32_t max_objects = (1U << (63 - offset_bits)) - 1;
/// The type in whose order pointers into one object are compared.
inline constexpr ScalarType pointer_order = ScalarType::Long;

/// Offsets of whole elements of `size` bytes are smaller than this many elements.
constexpr std::int64_t reach(unsigned size) { return offset_limit / std::int64_t{size}; }

constexpr std::uint64_t pointer_to(std::uint32_t object, std::int64_t offset = 0) {
  return (std::uint64_t{object} << offset_bits) + static_cast<std::uint64_t>(offset);
}
/// What a parameter with elements of that type gets: buffers are the objects from 1 on.
constexpr std::uint64_t pointer_to(const BufferNumber& buffer, ScalarType element) {
  return pointer_to(static_cast<std::uint32_t>(buffer.number) + 1, static_cast<std::int64_t>(buffer.first * size_of(element)));
}
constexpr std::uint32_t object_of(std::uint64_t pointer) {
  return static_cast<std::uint32_t>((pointer + static_cast<std::uint64_t>(offset_limit)) >> offset_bits);
}
constexpr std::int64_t offset_of(std::uint64_t pointer) {
  return static_cast<std::int64_t>(pointer << (64 - offset_bits)) >> (64 - offset_bits);
}
/// The offset in whole elements of `size` bytes.
constexpr std::int64_t element_of(std::uint64_t pointer, unsigned size) { return offset_of(pointer) / std::int64_t{size}; }

/// The pointer `index` elements of `size` bytes further on; empty if its offset is not between the limits, which is undefined.
constexpr std::optional<std::uint64_t> moved(std::uint64_t pointer, std::int64_t index, unsigned size) {
  if (index <= -reach(size) || index >= reach(size)) {
    return std::nullopt;
  }
  const std::int64_t offset = offset_of(pointer) + index * std::int64_t{size};
  return offset > -offset_limit && offset < offset_limit ? std::optional(pointer_to(object_of(pointer), offset)) : std::nullopt;
}

/// How far behind its object's beginning element `index`, of `size` bytes, of what it points to lies; empty beyond 64 bits.
constexpr std::optional<std::int64_t> reached(std::uint64_t pointer, std::int64_t index, unsigned size) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(index, std::int64_t{size}, &bytes) || __builtin_add_overflow(bytes, offset_of(pointer), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

/// p - q in elements of `size` bytes; empty for different objects, which is undefined (C99 6.5.6).
constexpr std::optional<std::int64_t> distance(std::uint64_t p, std::uint64_t q, unsigned size) {
  return object_of(p) == object_of(q) ? std::optional((offset_of(p) - offset_of(q)) / std::int64_t{size}) : std::nullopt;
}

/// True if `op`, a comparison, of these pointers is undefined: different objects have no order (C99 6.5.8), but any two pointers are
/// equal or not.
constexpr bool misordered(Op op, std::uint64_t p, std::uint64_t q) { return is_order(op) && object_of(p) != object_of(q); }

}  // namespace lockstep::memory
