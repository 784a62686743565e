#pragma once
// Integers that are known as polynomials: what makes indices and conditions comparable without running the kernel.

#include <cstdint>
#include <optional>

#include "semantics/base/scalar_type.hpp"
#include "semantics/infreg/exact.hpp"
#include "semantics/infreg/polynomial.hpp"
#include "semantics/ops/interval.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::passes {

/// All integers from lo to hi.
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = 0;

  bool operator==(const Range&) const = default;
};

/// The numbers of an integer type, as far as they are numbers of 64 bits with sign: ULong has no range.
std::optional<Range> range_of(ScalarType type);

/// A number of an integer type. Modulo 2^64 it is `value`, where a symbol is its number, extended to 64 bits as its type says. Nothing more
/// is known without `range`. With it, `value` computed over the integers (without any wrapping: neither coefficients nor sums) is the
/// number itself, as the type has it, and lies in the range. So polynomials of numbers with ranges may be compared as integers.
struct Symbolic {
  infreg::Polynomial value;
  std::optional<Range> range;
};

/// a op b (b is ignored by Neg) in `type`, as a polynomial; empty where it is none, might wrap in a type below 64 bits, or becomes too long
/// to be of use.
std::optional<Symbolic> combine(Op op, ScalarType type, const Symbolic& a, const Symbolic& b);

/// The number after C's conversion; empty if that may change it otherwise than modulo 2^64.
std::optional<Symbolic> convert(ScalarType to, const Symbolic& a);

/// In which range the result of `op` on numbers of `type` lies, if operands and type tell more than the type alone: for operations that are
/// no polynomials (/, %, &, >>, min, max).
std::optional<Range> range_after(Op op, ScalarType type, const std::optional<Range>& a, const std::optional<Range>& b);

}  // namespace lockstep::passes
