#pragma once
// The operations of typed programs on single numbers, given as bits: for constants, conditions and messages. Lanes have kernels of
// their own, made from the same definitions (scalar.hpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::ops {

/// The type of `op`'s result on operands of type `type`: int for comparisons, `!`, && and ||, the unsigned type for Abs, else `type`.
ScalarType result_type(Op op, ScalarType type);

/// True if `op` is defined on operands of `type` at all: no %, ~, shifts or bit operations, Abs, Popcount on floats; no Fma, Sqrt, Fabs,
/// Rcp on integers.
bool takes(Op op, ScalarType type);

/// The result's bits (zero- or sign-extended by its type to 64 bits; a float in the low 32). Empty where the operation is undefined:
/// integer division by zero and the quotient that does not fit.
std::optional<std::uint64_t> apply(Op op, ScalarType type, std::span<const std::uint64_t> operands);

/// What becomes of a number in memory by an atomic change with an operand; `compare` is what CompareExchange asks for. Bits as in apply.
std::uint64_t changed(AtomicOp op, ScalarType type, std::uint64_t old, std::uint64_t compare, std::uint64_t operand);

/// The same for untyped μ-SIMD, whose integers are 64 bits wide: total, because there -2^63 / -1 wraps; a quotient by zero is some number.
std::int64_t apply(Op op, std::span<const std::int64_t> operands);

/// C's conversion. Empty where it is undefined: a float that, truncated, does not fit the integer type, or a NaN to an integer type.
std::optional<std::uint64_t> convert(ScalarType from, ScalarType to, std::uint64_t bits);

/// The shortest text that C reads back as the same number of the type: "-3", "0.1", "inf", "nan", "1" for true.
std::string text_of(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::ops
