// Quotients and roots that are not rounded exactly: how far they are from what they should be, against the bounds that lockstep_avx512.h
// states. A sample that changes from day to day; all significands of float with LOCKSTEP_FULL in the environment.
#include <algorithm>
#include <cmath>

#include "tests/avx512/support.hpp"
#include "tests/campaign/run.hpp"

namespace lockstep::avx512_checks {

namespace {

#if __LDBL_MANT_DIG__ >= 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif
/// Holds products of two Ts.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, Quad, double>;

/// In units of the last place.
template <class T>
struct Bounds {
  static constexpr double quotient = sizeof(T) == 8 ? 0.63 : 0.57;
  static constexpr double root = sizeof(T) == 8 ? 0.51 : 0.61;
  static constexpr double below_normal = 0.82;
};

/// The distance of the numbers around a positive one, which is what `number` is rounded to, or would be if exponents had no end.
template <class T>
Wide<T> distance_at(T number) {
  using Limits = std::numeric_limits<T>;
  const int exponent = std::isinf(number) ? Limits::max_exponent : std::max(std::ilogb(number), Limits::min_exponent - 1);
  return Wide<T>(std::ldexp(T{1}, exponent - Limits::digits / 2)) * Wide<T>(std::ldexp(T{1}, Limits::digits / 2 - Limits::digits + 1));
}
template <class T>
Wide<T> amount(Wide<T> x) {
  return x < 0 ? -x : x;
}
/// An infinite result stands for the first number that is too large.
template <class T>
Wide<T> value_of(T x) {
  return std::isinf(x) ? std::copysign(T{2}, x) * Wide<T>(std::ldexp(T{1}, std::numeric_limits<T>::max_exponent - 1)) : Wide<T>(x);
}

/// What is wrong with `got` for a / b; nothing is.
template <class T>
bool is_near_quotient(T got, T a, T b) {
  const T exact = a / b;
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) {
    return same(got, exact);
  }
  const Wide<T> rest = value_of(got) * Wide<T>(b) - Wide<T>(a);
  const Wide<T> exact_rest = value_of(exact) * Wide<T>(b) - Wide<T>(a);
  if (std::isnan(got) || std::signbit(got) != std::signbit(exact) || exact_rest == 0) {
    return same(got, exact);
  }
  const Wide<T> quotient = Wide<T>(a) / Wide<T>(b);
  const T below = std::nextafter(std::fabs(exact), T{0});
  const T binade = Wide<T>(std::fabs(exact)) > amount<T>(quotient) ? below : std::fabs(exact);
  if (std::isinf(exact) && amount<T>(quotient) >= amount<T>(value_of(exact))) {
    return same(got, exact);
  }
  const double bound = amount<T>(quotient) < std::numeric_limits<T>::min() ? Bounds<T>::below_normal : Bounds<T>::quotient;
  return amount<T>(rest) < Wide<T>(bound) * distance_at(binade) * amount<T>(b);
}

template <class T>
bool is_near_root(T got, T a) {
  const T exact = std::sqrt(a);
  if (!std::isfinite(exact) || exact == 0 || Wide<T>(exact) * Wide<T>(exact) == Wide<T>(a)) {
    return same(got, exact);
  }
  const Wide<T> rest = Wide<T>(got) * Wide<T>(got) - Wide<T>(a);
  return got > 0 && amount<T>(rest) < Wide<T>(Bounds<T>::root) * distance_at(exact) * (Wide<T>(exact) + Wide<T>(got));
}

/// Operands, which are tried as soon as there are 16.
template <class T>
class Trials {
 public:
  explicit Trials(Outcome& outcome) : outcome_(outcome) {}

  void quotient(T a, T b) {
    a_[count_] = a;
    b_[count_] = b;
    if (++count_ == 16) {
      count_ = 0;
      all_quotients<v::Vec<T, 16>>();
      all_quotients<v::Vec<T, 8>>();
    }
  }
  void root(T a) {
    a_[count_] = a;
    if (++count_ == 16) {
      count_ = 0;
      all_roots<v::Vec<T, 16>>();
      all_roots<v::Vec<T, 8>>();
    }
  }

 private:
  template <class V>
  void all_quotients() {
    for (int k = 0; k < 16; k += v::width<V>) {
      T quotients[v::width<V>];
      T reciprocals[v::width<V>];
      to_memory(quotients, v::near_div(from_memory<V>(a_ + k), from_memory<V>(b_ + k)));
      to_memory(reciprocals, v::near_rcp(from_memory<V>(b_ + k)));
      for (int i = 0; i < v::width<V>; ++i) {
        expect(quotients[i], is_near_quotient(quotients[i], a_[k + i], b_[k + i]), "near_div", a_[k + i], b_[k + i]);
        expect(reciprocals[i], is_near_quotient(reciprocals[i], T{1}, b_[k + i]), "near_rcp", b_[k + i], T{0});
      }
    }
  }
  template <class V>
  void all_roots() {
    for (int k = 0; k < 16; k += v::width<V>) {
      T roots[v::width<V>];
      to_memory(roots, v::near_sqrt(from_memory<V>(a_ + k)));
      for (int i = 0; i < v::width<V>; ++i) {
        expect(roots[i], is_near_root(roots[i], a_[k + i]), "near_sqrt", a_[k + i], T{0});
      }
    }
  }
  void expect(T got, bool is_near, const char* name, T a, T b) {
    ++outcome_.compared;
    if (!is_near && outcome_.wrong.size() < 20) {
      outcome_.wrong.push_back(std::string(name) + "(" + text(a) + ", " + text(b) + ") of " + type_name<T>() + ": " + text(got));
    }
  }

  Outcome& outcome_;
  T a_[16];
  T b_[16];
  int count_ = 0;
};

/// Any number from 1 to 2.
template <class T>
T random_significand(Random& random) {
  constexpr int digits = std::numeric_limits<T>::digits;
  return std::ldexp(static_cast<T>(random.bits() >> (65 - digits) | std::uint64_t{1} << (digits - 1)), 1 - digits);
}
template <class T>
T with_random_exponent(T significand, Random& random) {
  using Limits = std::numeric_limits<T>;
  const int least = Limits::min_exponent - Limits::digits;
  const int exponent = least + static_cast<int>(random.below(static_cast<std::uint64_t>(Limits::max_exponent - least)));
  return std::ldexp(random.below(2) == 0 ? significand : -significand, exponent);
}

/// Calls f(significand) for those of float, from 1 to 2: every so many.
template <class F>
void for_each_significand(Random& random, std::uint32_t step, F f) {
  for (std::uint32_t k = step == 1 ? 0 : static_cast<std::uint32_t>(random.below(step)); k < 1U << 23; k += step) {
    f(1.0F + std::ldexp(static_cast<float>(k), -23));
  }
}

}  // namespace

Outcome near_quotients() {
  Outcome outcome;
  Random random(test::run_seed());
  Trials<float> floats(outcome);
  const std::uint32_t step = test::full_run() ? 1 : 127;
  for (const float dividend : {1.0F, 0x1.000002p0F, 0x1.fffffep0F, 1.5F, 0x1.555556p0F, 0x1.7fffp0F, random_significand<float>(random),
                               random_significand<float>(random)}) {
    for_each_significand(random, step, [&](float divisor) { floats.quotient(dividend, divisor); });
    for_each_significand(random, step, [&](float divisor) {
      const float scaled = with_random_exponent(dividend, random);
      floats.quotient(scaled, with_random_exponent(divisor, random));
    });
  }
  const auto others = [&]<class T>(Trials<T> trials) {
    const Operands<T>& all = operands<T>();
    for (std::size_t i = 0; i < all.a.size(); ++i) {
      trials.quotient(all.a[i], all.b[i]);
    }
    for (int i = 0; i < (test::full_run() ? 1 << 21 : 1 << 17); ++i) {
      const T a = random_significand<T>(random);
      const T b = random_significand<T>(random);
      trials.quotient(a, b);
      const T dividend = with_random_exponent(a, random);
      trials.quotient(dividend, with_random_exponent(b, random));
      // As near as a dividend can come to one whose quotient lies half way between two numbers; and one with an exact quotient.
      trials.quotient(static_cast<T>(Wide<T>(b) * (Wide<T>(a) + distance_at(a) / 2)), b);
      const T c = std::ldexp(std::floor(std::ldexp(b, 10)), -10);
      const T d = std::ldexp(std::floor(std::ldexp(a, 12)), -12);
      trials.quotient(c * d, d);
    }
  };
  others(floats);
  others(Trials<double>(outcome));
  return outcome;
}

Outcome near_roots() {
  Outcome outcome;
  Random random(test::run_seed());
  Trials<float> floats(outcome);
  for (const float scale : {1.0F, 2.0F}) {
    for_each_significand(random, test::full_run() ? 1 : 31, [&](float significand) { floats.root(scale * significand); });
  }
  const auto others = [&]<class T>(Trials<T> trials) {
    const Operands<T>& all = operands<T>();
    for (const T number : all.a) {
      trials.root(number);
    }
    for (int i = 0; i < (test::full_run() ? 1 << 21 : 1 << 17); ++i) {
      const T a = random_significand<T>(random) * T(1 + i % 2);
      trials.root(a);
      trials.root(with_random_exponent(a, random));
      const T s = random_significand<T>(random);
      const Wide<T> half_way = Wide<T>(s) + distance_at(s) / 2;
      trials.root(static_cast<T>(half_way * half_way));
      const T c = std::ldexp(std::floor(std::ldexp(a, 10)), static_cast<int>(random.below(60)) - 40);
      trials.root(c * c);
    }
  };
  others(floats);
  others(Trials<double>(outcome));
  return outcome;
}

}  // namespace lockstep::avx512_checks
