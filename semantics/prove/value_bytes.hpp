#pragma once
// Numbers as bytes (semantics/memory/bytes.hpp), in terms. A byte is known as byte k of a number for as long as can be, so that a number
// that is stored and loaded again is the same term.

#include <cstdint>
#include <span>

#include "semantics/memory/bytes.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

struct Terms {
  using Truth = prove::Truth;
  struct Byte {
    Value of;
    unsigned number = 0;  ///< which of its bytes; 0 is the least significant one
  };
  using Word = Value;
  using Offset = Number<std::int64_t>;

  static Byte byte(ScalarType, const Value& word, unsigned k) { return {word, k}; }
  static Value number(ScalarType type, std::span<const Byte> bytes);
};

/// As a uchar.
Value value_of(const Terms::Byte& byte);
Terms::Byte choose(const Truth& c, const Terms::Byte& a, const Terms::Byte& b);

}  // namespace lockstep::prove
