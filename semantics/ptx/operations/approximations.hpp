#pragma once
// The functions that PTX only approximates (.approx, of 9.7.3 and 9.7.4). Here they are correctly rounded, so that a run can be repeated
// anywhere; PTX promises less, and whoever compares bits with hardware has to know (Specified::Never).
//
// The host's functions are right to less than a unit in the last place of a double, or a long double. Where the double is far enough from
// the middle between two floats, rounding it is right; else the long double decides. An exact middle does not occur, but for what is exact
// in a double as well: powers and roots of powers of 2.

#include <cmath>

#include "semantics/ptx/operations/halves.hpp"

namespace lockstep::ptx::operations {

enum class Function : std::uint8_t { Sin, Cos, Log2, Exp2, Tanh, Rsqrt };

template <Function function, class T>
T host_value(T a) {
  if constexpr (function == Function::Sin) {
    return std::sin(a);
  } else if constexpr (function == Function::Cos) {
    return std::cos(a);
  } else if constexpr (function == Function::Log2) {
    return std::log2(a);
  } else if constexpr (function == Function::Exp2) {
    return std::exp2(a);
  } else if constexpr (function == Function::Tanh) {
    return std::tanh(a);
  } else {
    return T{1} / std::sqrt(a);
  }
}

/// Whether numbers within 2^-49 of `a`, in parts of it, round differently to the format F.
template <class F>
bool near_middle(double a) {
  const double margin = std::fabs(a) * 0x1p-49;
  return packed<F, Rounding::Nearest>(a - margin) != packed<F, Rounding::Nearest>(a + margin);
}

/// f(a) rounded to nearest in F. `a` is a number of a small format: a double has it exactly, and all that is near it.
template <class F, Function function>
std::uint64_t approximated(float a) {
  const double value = host_value<function>(static_cast<double>(a));
  if (value == 0 || !std::isfinite(value) || !near_middle<F>(value)) {
    return packed<F, Rounding::Nearest>(value);
  }
  const long double better = host_value<function>(static_cast<long double>(a));
  const auto rounded = static_cast<double>(better);
  const auto rest = static_cast<double>(better - static_cast<long double>(rounded));
  return packed<F, Rounding::Nearest>(sum_to_odd(rounded, rest));
}

template <Function function, bool ftz>
float approximate_float(float a) {
  return finished<ftz, false>(float_of<float>(static_cast<std::uint32_t>(approximated<F32, function>(flushed<ftz>(a)))));
}
template <class F, Function function, bool ftz>
Half approximate_half(Half a) {
  return half_flushed<ftz, F>(static_cast<Half>(approximated<F, function>(widened<F>(half_flushed<ftz, F>(a)))));
}

/// rsqrt.approx.f64: 1 / sqrt(a), rounded once. An exact result is found at once; else 1 is compared with a times the square of the middle
/// between the candidate and its neighbour, with 113 bits after two roundings that are too small to matter: such a square has 108.
double rsqrt_double(double a);

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits of their operand and give the upper 32 bits of a result; those
/// below are 0.
double rcp_gross(double a);
double rsqrt_gross(double a);

}  // namespace lockstep::ptx::operations
