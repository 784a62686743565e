#pragma once
// Floating-point numbers of any format, by MPFR: every operation is rounded once, with subnormal numbers.

#include <mpfr.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lockstep::ptx_cases {

__extension__ using Wide = __int128;

/// A binary format of IEEE 754.
struct Format {
  unsigned bits;      ///< of a number
  unsigned fraction;  ///< of them behind the point

  int bias() const { return (1 << (bits - fraction - 2)) - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << (bits - 1 - fraction)) - 1) << fraction; }
  /// PTX's NaN: all bits but the sign are 1.
  std::uint64_t nan() const { return sign() - 1; }
  bool is_nan(std::uint64_t x) const { return (x & (sign() - 1)) > infinity(); }
  bool is_subnormal(std::uint64_t x) const { return (x & infinity()) == 0 && (x & (sign() - 1)) != 0; }
};

inline constexpr Format half{16, 10};
inline constexpr Format bfloat{16, 7};
inline constexpr Format single{32, 23};
inline constexpr Format twofold{64, 52};

/// A number that goes with its owner, exact for all formats here.
class Real {
 public:
  Real() { mpfr_init2(value_, 4000); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  void set(const Format& format, std::uint64_t bits);
  void set(Wide integer);

 private:
  mpfr_t value_;
};

/// The bits of what `compute` leaves in its argument, a number of the format's precision, rounded once: it returns MPFR's ternary value.
/// NaNs are PTX's.
std::uint64_t rounded(const Format& format, mpfr_rnd_t rounding, const std::function<int(mpfr_ptr result)>& compute);
/// The same for a number.
std::uint64_t rounded(const Format& format, mpfr_rnd_t rounding, const Real& exact);

/// With .ftz: a subnormal number is a zero with its sign.
std::uint64_t flushed(const Format& format, std::uint64_t bits);

/// Numbers at which operations change what they do.
std::vector<std::uint64_t> float_edges(const Format& format);
std::vector<std::uint64_t> few_float_edges(const Format& format);

}  // namespace lockstep::ptx_cases
