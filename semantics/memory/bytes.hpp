#pragma once
// Memory as bytes, over a domain: what an access of any type at any offset reads and writes, once for machines and proofs.
//
// An object is a row of bytes. Each byte has a value, and is written or not, poison or not. A number lies in size_of(type) bytes, the
// least significant one first, whatever wrote it: what is read is made of its bytes. It is poison if one of them is, and has been written
// if all of them have.
//
// A domain D has the types
//   Truth    a condition, with !, && and ||, made from bool
//   Byte     the value of a byte
//   Word     a number of any scalar type
//   Offset   64-bit two's complement, with the primitives of semantics/ops/scalar.hpp
// and the operations
//   byte(ScalarType, Word, unsigned k) -> Byte      byte k of the number
//   number(ScalarType, bytes) -> Word               the number of these bytes, of which there are size_of(type); a bool is true if its
//                                                   byte is not 0
// Where objects are only ever met as elements of one type, a cell for each element is a representation of the same: LaneKernels and the
// prover's rows of cells.

#include <array>
#include <cstdint>
#include <span>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::memory {

/// A byte of an object.
template <class D>
struct Byte {
  typename D::Byte value{};
  typename D::Truth poison{false};
  typename D::Truth written{true};
};

/// A number as it lies in memory.
template <class D>
struct Stored {
  typename D::Word value{};
  typename D::Truth poison{false};
  typename D::Truth written{true};
};

/// No scalar has more bytes.
inline constexpr unsigned max_scalar_bytes = 8;

/// What lies in the bytes get(0) … get(size_of(type) - 1).
template <class D, class Get>
Stored<D> load(ScalarType type, Get&& get) {
  using Truth = typename D::Truth;
  std::array<typename D::Byte, max_scalar_bytes> values{};
  Truth poison(false);
  Truth written(true);
  for (unsigned k = 0; k < size_of(type); ++k) {
    const Byte<D> byte = get(k);
    values[k] = byte.value;
    poison = poison || byte.poison;
    written = written && byte.written;
  }
  return {D::number(type, std::span<const typename D::Byte>(values.data(), size_of(type))), poison, written};
}

/// Calls put(k, byte k) for each byte of what is stored.
template <class D, class Put>
void store(ScalarType type, const Stored<D>& stored, Put&& put) {
  for (unsigned k = 0; k < size_of(type); ++k) {
    put(k, Byte<D>{D::byte(type, stored.value, k), stored.poison, stored.written});
  }
}

/// Whether an object of `count` elements has element `index`. Both are unsigned: what lies in front of the object is beyond it.
template <class Index>
auto has_element(const Index& index, const Index& count) {
  return less(index, count);
}

/// Who may do what with an object.
struct Rights {
  bool read = true;
  bool write = true;
};

/// Why an access of an object is undefined; nothing of it, and it is defined.
template <class Truth>
struct Misaccess {
  Truth outside{false};     ///< some byte lies outside of the object
  Truth misaligned{false};  ///< the offset is no multiple of the access's alignment; objects begin at a multiple of every alignment
  Truth forbidden{false};   ///< nobody may read, or write, the object

  Truth any() const { return outside || misaligned || forbidden; }
};

/// An access of `size` bytes at `offset` of an object of `bytes` bytes. `alignment` is a power of two.
template <class Truth, class Offset>
Misaccess<Truth> misaccess(const Offset& offset, unsigned size, unsigned alignment, std::uint64_t bytes, Rights rights, bool writes) {
  const Offset none = like(offset, 0);
  const auto last = static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(size);
  Misaccess<Truth> result;
  result.outside = less(offset, none) || less(like(offset, last), offset);
  result.misaligned = !equal(bit_and(offset, like(offset, static_cast<std::int64_t>(alignment) - 1)), none);
  result.forbidden = Truth(writes ? !rights.write : !rights.read);
  return result;
}

}  // namespace lockstep::memory
