#include "tests/ptx_rounding/real.hpp"

#include "tests/ptx_operations/numbers.hpp"

namespace lockstep::ptx_test {
namespace {

std::uint64_t bits_of(const FloatFormat& format, mpfr_srcptr value) {
  if (mpfr_nan_p(value) != 0) {
    return format.nan();
  }
  const std::uint64_t sign = mpfr_signbit(value) != 0 ? format.sign() : 0;
  if (mpfr_inf_p(value) != 0) {
    return sign | format.infinity();
  }
  if (mpfr_zero_p(value) != 0) {
    return sign;
  }
  // The number as a multiple of its last place: with it, the lowest exponent of normal numbers has 1 in front of the fraction.
  const int least = 1 - format.bias();
  const int exponent = std::max(static_cast<int>(mpfr_get_exp(value)) - 1, least);
  Real scaled(format.precision);
  mpfr_mul_2si(scaled.get(), value, static_cast<long>(format.fraction()) - exponent, MPFR_RNDN);
  mpfr_abs(scaled.get(), scaled.get(), MPFR_RNDN);
  const std::uint64_t significand = mpfr_get_uj(scaled.get(), MPFR_RNDN);
  return sign | ((static_cast<std::uint64_t>(exponent - least) << format.fraction()) + significand);
}

}  // namespace

Real::Real(const FloatFormat& format, std::uint64_t bits) {
  mpfr_init2(value_, format.precision);
  const int negative = (bits & format.sign()) != 0 ? -1 : 1;
  const std::uint64_t size = bits & format.nan();
  if (size > format.infinity()) {
    mpfr_set_nan(value_);
  } else if (size == format.infinity()) {
    mpfr_set_inf(value_, negative);
  } else if (size == 0) {
    mpfr_set_zero(value_, negative);
  } else {
    const std::uint64_t exponent = size >> format.fraction();
    const std::uint64_t fraction = size & ((std::uint64_t{1} << format.fraction()) - 1);
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction();
    const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - format.bias() - static_cast<int>(format.fraction());
    mpfr_set_uj_2exp(value_, significand, power, MPFR_RNDN);
    if (negative < 0) {
      mpfr_neg(value_, value_, MPFR_RNDN);
    }
  }
}

std::uint64_t rounded(const FloatFormat& format, mpfr_rnd_t rounding, const Exactly& f) {
  // As MPFR's manual has it: the wide range first, then the format's, and what is subnormal rounded from the exact result.
  Real result(format.precision);
  int ternary = f(result.get(), rounding);
  const mpfr_exp_t least = mpfr_get_emin();
  const mpfr_exp_t most = mpfr_get_emax();
  mpfr_set_emin(2 - format.bias() - static_cast<int>(format.precision) + 1);
  mpfr_set_emax(format.bias() + 1);
  ternary = mpfr_check_range(result.get(), ternary, rounding);
  mpfr_subnormalize(result.get(), ternary, rounding);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  return bits_of(format, result.get());
}

std::uint64_t flush(const FloatFormat& format, std::uint64_t a) { return format.is_subnormal(a) ? a & format.sign() : a; }

std::uint64_t saturate(const FloatFormat& format, std::uint64_t a) {
  if (format.is_nan(a) || (a & format.sign()) != 0) {
    return 0;
  }
  return std::min(a, format.one());
}

std::vector<std::uint64_t> float_edges(const FloatFormat& format) {
  const std::uint64_t ulp = 1;
  const std::uint64_t normal = std::uint64_t{1} << format.fraction();
  const std::uint64_t one = format.one();
  std::vector<std::uint64_t> edges = {0,
                                      ulp,
                                      2 * ulp,
                                      3 * ulp,
                                      normal / 2,
                                      normal / 2 + 1,
                                      normal - 1,
                                      normal,
                                      normal + 1,
                                      2 * normal,
                                      2 * normal + 1,
                                      one / 2,
                                      one - 1,
                                      one,
                                      one + 1,
                                      one - normal,
                                      one + normal / 2,
                                      one + normal,
                                      one + normal + 1,
                                      one + (normal * (format.fraction() + 1)),
                                      one + (normal * (format.fraction() + 2)) + 1,
                                      one + one / 2,
                                      format.infinity() - 2 * normal,
                                      format.infinity() - normal,
                                      format.infinity() - 2,
                                      format.infinity() - 1,
                                      format.infinity(),
                                      format.infinity() + 1,
                                      format.infinity() + normal / 2,
                                      format.nan()};
  const std::size_t positive = edges.size();
  for (std::size_t i = 0; i < positive; ++i) {
    edges.push_back(edges[i] | format.sign());
  }
  return edges;
}

std::vector<std::uint64_t> random_floats(const FloatFormat& format, std::size_t count) {
  std::vector<std::uint64_t> numbers(count);
  const std::uint64_t normal = std::uint64_t{1} << format.fraction();
  for (std::uint64_t& number : numbers) {
    number = low_bits(generator()(), format.width);
    if (generator()() % 4 != 0) {
      const std::uint64_t exponent = (static_cast<std::uint64_t>(format.bias()) - 4 + generator()() % 8) * normal;
      number = (number & (format.sign() | (normal - 1))) | exponent;
    }
    if (generator()() % 4 == 0) {  // few bits, so that results are exact or in the middle
      number &= ~(normal - 1) | (normal >> (1 + generator()() % 6));
    }
  }
  return numbers;
}

std::vector<std::vector<std::uint64_t>> float_operands(const FloatFormat& format, std::size_t operands, std::size_t random_lanes) {
  std::vector<Column> lists(operands, float_edges(format));
  if (operands > 2) {
    for (Column& list : lists) {  // every other one, and another half for the last operand
      Column half;
      for (std::size_t i = &list == &lists.back() ? 1 : 0; i < list.size(); i += 2) {
        half.push_back(list[i]);
      }
      list = half;
    }
  }
  std::vector<Column> columns = combinations(lists);
  for (Column& column : columns) {
    const Column random = random_floats(format, random_lanes);
    column.insert(column.end(), random.begin(), random.end());
  }
  if (operands == 2) {
    for (std::size_t t = columns[0].size() - random_lanes / 4; t < columns[0].size(); ++t) {
      columns[1][t] = (columns[0][t] ^ format.sign()) + generator()() % 5 - 2;
    }
  }
  return columns;
}

}  // namespace lockstep::ptx_test
