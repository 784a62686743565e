#pragma once
// Integers that are known as polynomials: what makes indices and conditions comparable without running the kernel.

#include <cstdint>
#include <optional>

#include "semantics/base/scalar_type.hpp"
#include "semantics/infreg/polynomial.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::passes {

/// Wide enough for sums and products of numbers of 64 bits.
__extension__ using Wide = __int128;

/// All integers from lo to hi.
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = 0;

  bool operator==(const Range&) const = default;
};

/// The numbers of an integer type, as far as they are numbers of 64 bits with sign: ULong has no range.
std::optional<Range> range_of(ScalarType type);

/// A number of an integer type. Extended to 64 bits as its type says it is `value` modulo 2^64. Where `range` is set, the number itself,
/// as the type has it, lies in the range.
struct Symbolic {
  infreg::Polynomial value;
  std::optional<Range> range;
};

/// a op b (b is ignored by Neg) in `type`, as a polynomial; empty where it is none, might wrap in a type below 64 bits, or becomes too long
/// to be of use.
std::optional<Symbolic> combine(Op op, ScalarType type, const Symbolic& a, const Symbolic& b);

/// The number after C's conversion; empty if that may change it otherwise than modulo 2^64.
std::optional<Symbolic> convert(ScalarType to, const Symbolic& a);

/// In which range the result of `op` lies, if operands and type tell more than the type alone: for operations that are no polynomials (/,
/// %, &, >>, min, max).
std::optional<Range> range_after(Op op, ScalarType type, const std::optional<Range>& a, const std::optional<Range>& b);

}  // namespace lockstep::passes
