#pragma once
// The mathematical functions of OpenCL C by MPFR, and how far from them a result is.

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

namespace lockstep::mathematics_test {

/// A number of 128 bits.
class Real {
 public:
  explicit Real(double value = 0) {
    mpfr_init2(value_, 128);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

using OfOne = std::function<void(mpfr_ptr result, mpfr_srcptr x)>;
using OfTwo = std::function<void(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y)>;
using OfInteger = std::function<void(mpfr_ptr result, mpfr_srcptr x, long n)>;

struct Function {
  std::string call;  ///< of x, y, n; p and n are places for second results
  std::variant<OfOne, OfTwo, OfInteger> exact;
  double low = -1;  ///< where most happens: half of the random arguments lie between these
  double high = 1;
  std::optional<double> bound = {};  ///< how far away it may be; if nothing is said here, docs/mathematics.md says it
  bool is_slow = false;              ///< MPFR takes a quarter of a millisecond: a tenth of the random arguments is enough
  bool unit_of_one = false;          ///< distances are in the unit of 1, where that is the larger one
};

/// All that are written in the language.
const std::vector<Function>& functions();

/// The numbers of a format: their bits, and their exponents as std::numeric_limits counts them.
struct Format {
  int digits = 0;
  int least = 0;
  int most = 0;
  bool signs_count = true;  ///< a number with the wrong sign is infinitely far away
};

/// How many units in the last place `got` is away from `exact`. Infinite if one is no number, infinite or zero, and the other is not.
double distance(double got, mpfr_srcptr exact, const Format& format);

}  // namespace lockstep::mathematics_test
