// Loops of the conversions that are seldom written. They go through 64-bit integers and doubles, in which each number is exact: any type to
// any other would be too many.

#include "interpreter/ptx/lane_cold.hpp"
#include "semantics/ptx/operations/conversions.hpp"

namespace lockstep::ptx_machine {
namespace {

std::uint64_t mask_of(Type type) { return ~std::uint64_t{0} >> (64 - ptx::bits_of(type)); }
std::uint64_t sign_of(Type type) { return ptx::is_signed(type) ? std::uint64_t{1} << (ptx::bits_of(type) - 1) : 0; }

/// The smallest and the largest number of an integer type, extended to 64 bits.
std::uint64_t least_of(Type type) { return ptx::is_signed(type) ? ~std::uint64_t{0} << (ptx::bits_of(type) - 1) : 0; }
std::uint64_t most_of(Type type) { return mask_of(type) >> (ptx::is_signed(type) ? 1 : 0); }

__extension__ typedef unsigned __int128 Widest;  // NOLINT(modernize-use-using): a using-declaration takes no __extension__

/// pick.operator()<R>() for a register of so many bytes; integers may lie in one that is wider than any of them.
template <class Pick>
LaneFunction of_register(std::uint32_t bytes, Pick pick) {
  return bytes == sizeof(Widest) ? pick.template operator()<Widest>() : of_width(bytes, pick);
}

/// to[0][t] := f(from[0][t] of type A extended as mask and sign say, numbers) for 64 bits.
template <class A, class R, auto f>
void integer_loop(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const A*>(rows.from[0]);
  auto* d = static_cast<R*>(rows.to[0]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] = static_cast<R>(f(extended(static_cast<std::uint64_t>(a[t]), numbers[0], numbers[1]), numbers));
  }
}
template <class R, auto f>
LaneFunction from_width(std::uint32_t bytes) {
  return of_register(bytes, []<class A>() -> LaneFunction { return integer_loop<A, R, f>; });
}

// ---- to integers -------------------------------------------------------------------------------------------------------

// numbers: mask and sign of the source's type; 2 and 3, the smallest and largest result.
constexpr auto saturate_signed = [](std::uint64_t a, const LaneNumbers& numbers) {
  return clamped(static_cast<std::int64_t>(a), static_cast<std::int64_t>(numbers[2]), static_cast<std::int64_t>(numbers[3]));
};
constexpr auto saturate_unsigned = [](std::uint64_t a, const LaneNumbers& numbers) { return ops::Min(a, numbers[3]); };

// numbers: mask and sign of the source's type; 2 and 3, of the result's.
constexpr auto wrap_signed = [](std::uint64_t a, const LaneNumbers& numbers) {
  return static_cast<std::int64_t>(extended(a, numbers[2], numbers[3]));
};
constexpr auto wrap_unsigned = [](std::uint64_t a, const LaneNumbers& numbers) { return extended(a, numbers[2], numbers[3]); };

template <bool ftz>
double as_double(float a) {
  return static_cast<double>(flushed<ftz>(a));
}
template <bool ftz>
double as_double(double a) {
  return a;
}
/// A .f16 or .bf16 whose format is to be said.
template <class F>
struct HalfOf {
  Half bits;
};
template <bool ftz, class F>
double as_double(HalfOf<F> a) {
  return static_cast<double>(widened<F>(a.bits));
}

/// Floats of type A to integers of 64 bits, of which the lower ones are stored. numbers: 0 and 1, the smallest and largest; 2, the largest
/// + 1 as a double; 3, what a NaN becomes.
template <class A, Rounding rounding, bool ftz, class Wide, class R>
void to_integers(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const A*>(rows.from[0]);
  auto* d = static_cast<R*>(rows.to[0]);
  const auto least = static_cast<Wide>(numbers[0]);
  const auto most = static_cast<Wide>(numbers[1]);
  const auto bound = float_of<double>(numbers[2]);
  const auto of_nan = static_cast<Wide>(numbers[3]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] = static_cast<R>(
        saturated_integer<Wide>(integral<rounding>(as_double<ftz>(a[t])), static_cast<double>(least), bound, least, most, of_nan));
  }
}
template <class A, Rounding rounding, bool ftz>
LaneFunction to_integers_of(const LaneKey& key) {
  return of_register(key.to_bytes, [&]<class R>() -> LaneFunction {
    return ptx::is_signed(key.types[0]) ? to_integers<A, rounding, ftz, std::int64_t, R> : to_integers<A, rounding, ftz, std::uint64_t, R>;
  });
}

/// pick.operator()<A>() for what holds a float type.
template <class Pick>
LaneFunction of_any_float(Type type, Pick pick) {
  switch (type) {
    case Type::F16:
      return pick.template operator()<HalfOf<F16>>();
    case Type::BF16:
      return pick.template operator()<HalfOf<BF16>>();
    case Type::F32:
      return pick.template operator()<float>();
    case Type::F64:
      return pick.template operator()<double>();
    default:
      return nullptr;
  }
}

// ---- to floats ---------------------------------------------------------------------------------------------------------

/// pick.operator()<Format, bits of a register>()
template <class Pick>
LaneFunction of_format(Type type, Pick pick) {
  switch (type) {
    case Type::F16:
      return pick.template operator()<F16, std::uint16_t>();
    case Type::BF16:
      return pick.template operator()<BF16, std::uint16_t>();
    case Type::F32:
      return pick.template operator()<F32, std::uint32_t>();
    case Type::F64:
      return pick.template operator()<F64, std::uint64_t>();
    default:
      return nullptr;
  }
}

// numbers: 0 and 1, mask and sign of the source's type; 2 to 4, .sat, .relu and .satfinite; 5, .ftz of the result
Narrowing narrowing_of(const LaneNumbers& numbers) { return {numbers[2] != 0, numbers[3] != 0, numbers[4] != 0}; }

template <class F, Rounding rounding>
constexpr auto round_integer = [](std::uint64_t a, const LaneNumbers& numbers) {
  const bool negative = numbers[1] != 0 && a >> 63 != 0;
  return narrowed<F>(cvt_integer_to_format<F, rounding>(negative, negative ? 0 - a : a), narrowing_of(numbers));
};

LaneNumbers narrowing_numbers(const LaneKey& key, std::uint64_t mask, std::uint64_t sign) {
  return {mask, sign, key.sat ? 1U : 0U, key.relu ? 1U : 0U, key.satfinite ? 1U : 0U, key.ftz ? 1U : 0U};
}

/// The bits of `a` in the format F, with all that the numbers say.
template <class F, Rounding rounding>
std::uint64_t narrow(double a, const LaneNumbers& numbers) {
  const std::uint64_t result = narrowed<F>(packed<F, rounding>(a), narrowing_of(numbers));
  const bool flushes = F::width == 32 && numbers[5] != 0 && (result & F::infinity) == 0;
  return flushes ? result & F::sign : result;
}
/// to[0][t] := from[0][t] in F, as R.
template <class A, class F, class R, Rounding rounding, bool ftz>
void narrow_loop(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const A*>(rows.from[0]);
  auto* d = static_cast<R*>(rows.to[0]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] = static_cast<R>(narrow<F, rounding>(as_double<ftz>(a[t]), numbers));
  }
}
/// The same of two operands, the first one above.
template <class F, Rounding rounding>
void narrow_pairs(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const float*>(rows.from[0]);
  const auto* b = static_cast<const float*>(rows.from[1]);
  auto* d = static_cast<std::uint32_t*>(rows.to[0]);
  for (std::size_t t = 0; t < lanes; ++t) {
    const std::uint64_t upper = narrow<F, rounding>(static_cast<double>(a[t]), numbers);
    d[t] = static_cast<std::uint32_t>(upper << 16 | narrow<F, rounding>(static_cast<double>(b[t]), numbers));
  }
}
/// A .tf32 is the upper 19 bits of 32.
template <Rounding rounding>
void to_tf32(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const float*>(rows.from[0]);
  auto* d = static_cast<std::uint32_t*>(rows.to[0]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] =
        is_nan(a[t]) ? canonical_nan<float> : static_cast<std::uint32_t>(narrow<TF32, rounding>(static_cast<double>(a[t]), numbers) << 13);
  }
}

/// Integral numbers of the same type: of halves through floats, in which they are exact.
template <class F, Rounding rounding>
void round_halves(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const Half*>(rows.from[0]);
  auto* d = static_cast<Half*>(rows.to[0]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] = static_cast<Half>(narrow<F, Rounding::TowardZero>(static_cast<double>(integral<rounding>(widened<F>(a[t]))), numbers));
  }
}

template <unsigned bits_of_each>
void pack_integers(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const auto* a = static_cast<const std::int32_t*>(rows.from[0]);
  const auto* b = static_cast<const std::int32_t*>(rows.from[1]);
  const auto* c = static_cast<const std::uint32_t*>(rows.from[2]);
  auto* d = static_cast<std::uint32_t*>(rows.to[0]);
  const auto least = static_cast<std::int32_t>(numbers[0]);
  const auto most = static_cast<std::int32_t>(numbers[1]);
  for (std::size_t t = 0; t < lanes; ++t) {
    d[t] = cvt_pack<bits_of_each>(a[t], b[t], least, most, bits_of_each < 16 ? c[t] : 0);
  }
}

}  // namespace

namespace cold {

LaneLoop cvt_integer(const LaneKey& key) {
  const Type to = key.types[0];
  const Type from = key.types[1];
  if (!key.sat) {
    const LaneFunction wraps = of_register(key.to_bytes, [&]<class R>() -> LaneFunction {
      return ptx::is_signed(to) ? from_width<R, wrap_signed>(key.from_bytes) : from_width<R, wrap_unsigned>(key.from_bytes);
    });
    return {wraps, {mask_of(from), sign_of(from), mask_of(to), sign_of(to), 0, 0}};
  }
  const LaneFunction function = of_register(key.to_bytes, [&]<class R>() -> LaneFunction {
    return ptx::is_signed(from) ? from_width<R, saturate_signed>(key.from_bytes) : from_width<R, saturate_unsigned>(key.from_bytes);
  });
  // The largest .u64 is no signed number, but larger than all of them.
  const std::uint64_t most = ptx::is_signed(from) && to == Type::U64 ? most_of(Type::S64) : most_of(to);
  return {function, {mask_of(from), sign_of(from), least_of(to), most, 0, 0}};
}

LaneLoop cvt_float_to_integer(const LaneKey& key) {
  const Type to = key.types[0];
  const LaneFunction function = with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    return of_any_float(key.types[1], [&]<class A>() -> LaneFunction {
      return key.ftz ? to_integers_of<A, rounding, true>(key) : to_integers_of<A, rounding, false>(key);
    });
  });
  const std::uint64_t half_bound = most_of(to) / 2 + 1;
  const double bound = 2 * static_cast<double>(half_bound);
  const std::uint64_t highest = integer_of_nan(8 * bytes_of(key.types[1]), 8 * bytes_of(to));
  const std::uint64_t of_nan = highest != 0 && ptx::is_signed(to) ? least_of(to) : highest;
  return {function, {least_of(to), most_of(to), bits(bound), of_nan, 0, 0}};
}

LaneLoop cvt_integer_to_float(const LaneKey& key) {
  const LaneFunction function = with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    return of_format(key.types[0],
                     [&]<class F, class R>() -> LaneFunction { return from_width<R, round_integer<F, rounding>>(key.from_bytes); });
  });
  return {function, narrowing_numbers(key, mask_of(key.types[1]), sign_of(key.types[1]))};
}

LaneLoop cvt_float_widen(const LaneKey& key) {
  // To a wider format every rounding is exact.
  const LaneFunction function = of_format(key.types[0], [&]<class F, class R>() -> LaneFunction {
    return of_any_float(key.types[1], [&]<class A>() -> LaneFunction {
      return key.ftz ? narrow_loop<A, F, R, Rounding::TowardZero, true> : narrow_loop<A, F, R, Rounding::TowardZero, false>;
    });
  });
  return {function, narrowing_numbers(key, 0, 0)};
}
LaneLoop cvt_float_narrow(const LaneKey& key) {
  const LaneFunction function = with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    return of_format(key.types[0], [&]<class F, class R>() -> LaneFunction {
      return of_any_float(key.types[1], [&]<class A>() -> LaneFunction {
        return key.ftz ? narrow_loop<A, F, R, rounding, true> : narrow_loop<A, F, R, rounding, false>;
      });
    });
  });
  return {function, narrowing_numbers(key, 0, 0)};
}
LaneLoop cvt_float_same(const LaneKey& key) { return cvt_float_widen(key); }

LaneLoop cvt_float_round(const LaneKey& key) {
  const LaneFunction function = with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    switch (key.types[0]) {
      case Type::F16:
        return round_halves<F16, rounding>;
      case Type::BF16:
        return round_halves<BF16, rounding>;
      default:
        return of_float(key.types[0], key.ftz, [&]<class T, bool ftz>() -> LaneFunction {
          return key.sat ? loop<T, T>([](T a) { return finished<ftz, true>(integral<rounding>(flushed<ftz>(a))); })
                         : loop<T, T>([](T a) { return finished<ftz, false>(integral<rounding>(flushed<ftz>(a))); });
        });
    }
  });
  return {function, narrowing_numbers(key, 0, 0)};
}

LaneLoop cvt_pack_float(const LaneKey& key) {
  const LaneFunction function = with_rounding(key.rounding, [&]<Rounding rounding>() -> LaneFunction {
    return key.types[0] == Type::F16x2 ? narrow_pairs<F16, rounding> : narrow_pairs<BF16, rounding>;
  });
  return {function, narrowing_numbers(key, 0, 0)};
}
LaneLoop cvt_tf32(const LaneKey& key) {
  const LaneFunction function = key.rounding == Rounding::NearestAway
                                    ? to_tf32<Rounding::NearestAway>
                                    : with_rounding(key.rounding, []<Rounding rounding>() -> LaneFunction { return to_tf32<rounding>; });
  return {function, narrowing_numbers(key, 0, 0)};
}
LaneLoop cvt_pack_integer(const LaneKey& key) {
  const Type to = key.types[0];
  const LaneNumbers range = {least_of(to), most_of(to), 0, 0, 0, 0};
  switch (ptx::bits_of(to)) {
    case 16:
      return {pack_integers<16>, range};
    case 8:
      return {pack_integers<8>, range};
    case 4:
      return {pack_integers<4>, range};
    default:
      return {};
  }
}
LaneLoop cvt_pack_integer3(const LaneKey& key) { return cvt_pack_integer(key); }

}  // namespace cold
}  // namespace lockstep::ptx_machine
