#pragma once
// Numbers of binary formats as MPFR's, and results rounded once to a format.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#define MPFR_USE_INTMAX_T  // functions on 64-bit integers; needs <cstdint> in front
#include <mpfr.h>

namespace lockstep::ptx_test {

/// A binary format with a sign.
struct FloatFormat {
  std::string name;
  unsigned width;
  unsigned precision;  ///< bits of the significand, the one that is not stored too

  unsigned fraction() const { return precision - 1; }
  int bias() const { return (1 << (width - precision - 1)) - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (width - 1); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << (width - precision)) - 1) << fraction(); }
  std::uint64_t nan() const { return sign() - 1; }
  std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << fraction(); }
  bool is_nan(std::uint64_t a) const { return (a & nan()) > infinity(); }
  bool is_subnormal(std::uint64_t a) const { return (a & infinity()) == 0; }  ///< or zero
};

inline const FloatFormat f16 = {"f16", 16, 11};
inline const FloatFormat bf16 = {"bf16", 16, 8};
inline const FloatFormat tf32 = {"tf32", 19, 11};
inline const FloatFormat f32 = {"f32", 32, 24};
inline const FloatFormat f64 = {"f64", 64, 53};

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Real(const FloatFormat& format, std::uint64_t bits);
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// Sets the result, rounded so; what it returns is MPFR's ternary value.
using Exactly = std::function<int(mpfr_ptr result, mpfr_rnd_t rounding)>;

/// What `f` computes, rounded once to the format: with its range and its subnormal numbers. MPFR_RNDNA is not for subnormal results.
std::uint64_t rounded(const FloatFormat& format, mpfr_rnd_t rounding, const Exactly& f);

/// The four roundings of PTX, as it writes them and as MPFR does.
struct RoundingMode {
  std::string name;
  mpfr_rnd_t mode;
};
inline const std::vector<RoundingMode> roundings = {{"rn", MPFR_RNDN}, {"rz", MPFR_RNDZ}, {"rm", MPFR_RNDD}, {"rp", MPFR_RNDU}};

/// .ftz and .sat, by the ISA's text.
std::uint64_t flush(const FloatFormat& format, std::uint64_t a);
std::uint64_t saturate(const FloatFormat& format, std::uint64_t a);

/// Numbers at the edges of the format, of both signs: zeros, subnormal ones, around 1 and powers of 2, the largest, infinities, NaNs.
std::vector<std::uint64_t> float_edges(const FloatFormat& format);
/// Any bits; or numbers near 1, as sums and products like them.
std::vector<std::uint64_t> random_floats(const FloatFormat& format, std::size_t count);
/// All combinations of edges of so many operands, and behind them random ones, of which some nearly cancel.
std::vector<std::vector<std::uint64_t>> float_operands(const FloatFormat& format, std::size_t operands, std::size_t random_lanes);

}  // namespace lockstep::ptx_test
