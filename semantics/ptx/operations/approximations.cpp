#include "semantics/ptx/operations/approximations.hpp"

namespace lockstep::ptx::operations {
namespace {

/// The sign of 1 - a m^2, for an `a` in 1 … 4 and an m of 54 bits near 1 / sqrt(a): exactly. m^2 has 108 bits; each half of it times a has
/// no more, and what is near 1 loses nothing when 1 is taken away.
int side_of_inverse_root(double a, Quad m) {
  const Quad square = m * m;
  const auto upper = static_cast<double>(square);
  const Quad lower = square - upper;
  const Quad rest = 1 - a * Quad(upper);
  const Quad of_lower = a * lower;
  return rest > of_lower ? 1 : rest < of_lower ? -1 : 0;
}

/// The upper 32 bits of a double, those below cleared.
double upper_half(double a) { return float_of<double>(bits(a) & 0xffffffff00000000U); }

/// The nearest number that has 20 bits behind the point; subnormal ones flushed.
double rounded_upper_half(double a) { return finished<true, false>(float_of<double>(packed<UpperF64, Rounding::Nearest>(a) << 32)); }

}  // namespace

double rsqrt_double(double a) {
  if (!(a > 0) || a == std::numeric_limits<double>::infinity()) {
    return finished<false, false>(1 / std::sqrt(a));
  }
  int exponent = 0;
  double scaled = 2 * std::frexp(a, &exponent);  // a = scaled * 2^(exponent - 1), and 1 <= scaled < 2
  if ((exponent - 1) % 2 != 0) {
    scaled *= 2;
    --exponent;
  }
  double result = 1 / std::sqrt(scaled);
  // `result` is off by two units at most. Middles between numbers decide: m < 1 / sqrt(a) where a m^2 < 1. None of them is exact.
  for (int step = 0; step < 4; ++step) {
    const double above = next_up(result);
    const double below = next_down(result);
    if (side_of_inverse_root(scaled, (Quad(result) + above) / 2) > 0) {
      result = above;
    } else if (side_of_inverse_root(scaled, (Quad(result) + below) / 2) < 0) {
      result = below;
    }
  }
  return std::ldexp(result, -(exponent - 1) / 2);
}

double rcp_gross(double a) { return rounded_upper_half(1 / upper_half(finished<true, false>(a))); }

double rsqrt_gross(double a) { return rounded_upper_half(1 / std::sqrt(upper_half(finished<true, false>(a)))); }

}  // namespace lockstep::ptx::operations
