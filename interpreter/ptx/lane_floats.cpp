// Loops of float and double instructions that are seldom written: directed roundings, .sat, .NaN and their like.

#include "interpreter/ptx/lane_cold.hpp"

/// A function of semantics/ptx/operations as a value.
#define OPERATION(...) [](auto... x) { return ptx::operations::__VA_ARGS__(x...); }

namespace lockstep::ptx_machine {
namespace {

/// pick.operator()<T, rounding, ftz, sat>(); .ftz is float's.
template <class Pick>
LaneFunction rounded(const LaneKey& key, Pick pick) {
  return with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    if (key.types[0] == Type::F64) {
      return key.sat ? pick.template operator()<double, rounding, false, true>()
                     : pick.template operator()<double, rounding, false, false>();
    }
    return with_flags([&]<bool ftz, bool sat>() -> LaneFunction { return pick.template operator()<float, rounding, ftz, sat>(); }, key.ftz,
                      key.sat);
  });
}

/// pick.operator()<ftz, nan, abs, xorsign>(): .xorsign stands with .abs.
template <class Pick>
LaneFunction with_extreme_flags(const LaneKey& key, Pick pick) {
  return with_flags(
      [&]<bool ftz, bool nan, bool abs>() -> LaneFunction {
        return key.xorsign ? pick.template operator()<ftz, nan, abs, true>() : pick.template operator()<ftz, nan, abs, false>();
      },
      key.ftz, key.nan, key.abs);
}
template <bool maximum>
LaneLoop extreme(const LaneKey& key) {
  return {with_extreme_flags(key, [&]<bool ftz, bool nan, bool abs, bool xorsign>() -> LaneFunction {
    if (key.types[0] == Type::F64) {
      return loop<double, double, double>([](double a, double b) { return extreme_float<maximum, false, nan, abs, xorsign>(a, b); });
    }
    return loop<float, float, float>([](float a, float b) { return extreme_float<maximum, ftz, nan, abs, xorsign>(a, b); });
  })};
}
template <bool maximum>
LaneLoop extreme_of_three(const LaneKey& key) {
  return {with_flags(
      []<bool ftz, bool nan, bool abs>() -> LaneFunction {
        return loop<float, float, float, float>([](float a, float b, float c) {
          return extreme_float<maximum, ftz, nan, abs, false>(extreme_float<maximum, ftz, nan, abs, false>(a, b), c);
        });
      },
      key.ftz, key.nan, key.abs)};
}

}  // namespace

namespace cold {

LaneLoop add_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool sat>() -> LaneFunction {
    return loop<T, T, T>(OPERATION(add_float<rounding, ftz, sat>));
  })};
}
LaneLoop sub_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool sat>() -> LaneFunction {
    return loop<T, T, T>(OPERATION(sub_float<rounding, ftz, sat>));
  })};
}
LaneLoop mul_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool sat>() -> LaneFunction {
    return loop<T, T, T>(OPERATION(mul_float<rounding, ftz, sat>));
  })};
}
LaneLoop fma_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool sat>() -> LaneFunction {
    return loop<T, T, T, T>(OPERATION(fma_float<rounding, ftz, sat>));
  })};
}
LaneLoop div_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool /*sat*/>() -> LaneFunction {
    return loop<T, T, T>(OPERATION(div_float<rounding, ftz>));
  })};
}
LaneLoop rcp_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool /*sat*/>() -> LaneFunction {
    return loop<T, T>(OPERATION(rcp_float<rounding, ftz>));
  })};
}
LaneLoop sqrt_float(const LaneKey& key) {
  return {rounded(key, []<class T, Rounding rounding, bool ftz, bool /*sat*/>() -> LaneFunction {
    return loop<T, T>(OPERATION(sqrt_float<rounding, ftz>));
  })};
}

LaneLoop min_float(const LaneKey& key) { return extreme<false>(key); }
LaneLoop max_float(const LaneKey& key) { return extreme<true>(key); }
LaneLoop min3_float(const LaneKey& key) { return extreme_of_three<false>(key); }
LaneLoop max3_float(const LaneKey& key) { return extreme_of_three<true>(key); }

LaneLoop copysign(const LaneKey& key) {
  return {of_float(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>(OPERATION(copysign_float)); })};
}
LaneLoop testp(const LaneKey& key) {
  return {of_float(key.types[0], [&]<class T>() -> LaneFunction {
    switch (key.property) {
      case Property::Finite:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::Finite>));
      case Property::Infinite:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::Infinite>));
      case Property::Number:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::Number>));
      case Property::NotANumber:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::NotANumber>));
      case Property::Normal:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::Normal>));
      case Property::Subnormal:
        return loop<std::uint8_t, T>(OPERATION(testp<Property::Subnormal>));
    }
    return nullptr;
  })};
}
LaneLoop slct_float(const LaneKey& key) {
  return {of_size(key.types[0], [&]<class T>() -> LaneFunction {
    return key.ftz ? loop<T, T, T, float>(OPERATION(slct_float<true>)) : loop<T, T, T, float>(OPERATION(slct_float<false>));
  })};
}

}  // namespace cold
}  // namespace lockstep::ptx_machine
