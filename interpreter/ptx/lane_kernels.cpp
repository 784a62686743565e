// Compiled once for each instruction set; LOCKSTEP_LANE_KERNELS names it. Everything but the table is local to the file: an inline function
// shared with other files could be the copy compiled for a processor that the host is not.

#include "interpreter/ptx/lane_kernels.hpp"

#include "interpreter/ptx/lane_loops.hpp"
#include "semantics/ptx/operations/conversions.hpp"
#include "semantics/ptx/operations/integers.hpp"

#define LOCKSTEP_JOIN_(a, b) a##b
#define LOCKSTEP_JOIN(a, b) LOCKSTEP_JOIN_(a, b)
#define LOCKSTEP_STRING_(a) #a
#define LOCKSTEP_STRING(a) LOCKSTEP_STRING_(a)

/// A function of semantics/ptx/operations as a value.
#define OPERATION(...) [](auto... x) { return ptx::operations::__VA_ARGS__(x...); }

namespace lockstep::ptx_machine {
namespace {

namespace hot {

// ---- integers and bits -------------------------------------------------------------------------------------------------
// Where the sign makes no difference, the loop is that of the unsigned type.

#define UNARY(name, of)                                                                               \
  LaneLoop name(const LaneKey& key) {                                                                 \
    return {of(key.types[0], []<class T>() -> LaneFunction { return loop<T, T>(OPERATION(name)); })}; \
  }
#define BINARY(name, of)                                                                                 \
  LaneLoop name(const LaneKey& key) {                                                                    \
    return {of(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>(OPERATION(name)); })}; \
  }
BINARY(add, of_size)
BINARY(sub, of_size)
BINARY(mul_low, of_size)
BINARY(mul_high, of_integer)
BINARY(min_integer, of_integer)
BINARY(max_integer, of_integer)
BINARY(div_integer, of_integer)
BINARY(rem_integer, of_integer)
UNARY(abs_integer, of_integer)
UNARY(neg_integer, of_size)
UNARY(brev, of_size)
#undef UNARY
#undef BINARY

template <class T>
constexpr bool has_twice = sizeof(T) < 8;

LaneLoop mul_wide(const LaneKey& key) {
  return {of_integer(key.types[0], []<class T>() -> LaneFunction {
    if constexpr (has_twice<T>) {
      return loop<TwiceOf<T>, T, T>(OPERATION(mul_wide));
    }
    return nullptr;
  })};
}
LaneLoop mad_low(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, T>(OPERATION(mad_low)); })};
}
LaneLoop mad_wide(const LaneKey& key) {
  return {of_integer(key.types[0], []<class T>() -> LaneFunction {
    if constexpr (has_twice<T>) {
      return loop<TwiceOf<T>, T, T, TwiceOf<T>>([](T a, T b, TwiceOf<T> c) { return ptx::operations::mad_wide(a, b, c); });
    }
    return nullptr;
  })};
}

LaneLoop and_bits(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>([](T a, T b) { return bit_and(a, b); }); })};
}
LaneLoop or_bits(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>([](T a, T b) { return bit_or(a, b); }); })};
}
LaneLoop xor_bits(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>([](T a, T b) { return bit_xor(a, b); }); })};
}
LaneLoop not_bits(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T>([](T a) { return bit_not(a); }); })};
}
using Flag = std::uint8_t;  // 0 or 1
LaneLoop and_pred(const LaneKey& /*key*/) {
  return {loop<Flag, Flag, Flag>([](Flag a, Flag b) { return bit_and(a, b); })};
}
LaneLoop or_pred(const LaneKey& /*key*/) {
  return {loop<Flag, Flag, Flag>([](Flag a, Flag b) { return bit_or(a, b); })};
}
LaneLoop xor_pred(const LaneKey& /*key*/) {
  return {loop<Flag, Flag, Flag>([](Flag a, Flag b) { return bit_xor(a, b); })};
}
LaneLoop not_pred(const LaneKey& /*key*/) {
  return {loop<Flag, Flag>([](Flag a) { return bit_xor(a, Flag{1}); })};
}

using Count = std::uint32_t;
LaneLoop shl(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, Count>(OPERATION(shl)); })};
}
LaneLoop shr(const LaneKey& key) {
  return {of_integer(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, Count>(OPERATION(shr)); })};
}
LaneLoop shf_left(const LaneKey& key) {
  return {key.clamp ? loop<Count, Count, Count, Count>(OPERATION(shf_left<true>))
                    : loop<Count, Count, Count, Count>(OPERATION(shf_left<false>))};
}
LaneLoop shf_right(const LaneKey& key) {
  return {key.clamp ? loop<Count, Count, Count, Count>(OPERATION(shf_right<true>))
                    : loop<Count, Count, Count, Count>(OPERATION(shf_right<false>))};
}
LaneLoop bfe(const LaneKey& key) {
  return {of_integer32(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, Count, Count>(OPERATION(bfe)); })};
}
LaneLoop bfi(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, Count, Count>(OPERATION(bfi)); })};
}
LaneLoop prmt(const LaneKey& key) {
  return {key.permute == PermuteMode::Index ? loop<Count, Count, Count, Count>(OPERATION(prmt<PermuteMode::Index>)) : nullptr};
}
LaneLoop lop3(const LaneKey& /*key*/) { return {loop<Count, Count, Count, Count, Count>(OPERATION(lop3))}; }
LaneLoop popc(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<Count, T>(OPERATION(popc)); })};
}
LaneLoop clz(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<Count, T>(OPERATION(clz)); })};
}
LaneLoop selp(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, Flag>(OPERATION(selp)); })};
}

// ---- comparisons -------------------------------------------------------------------------------------------------------

template <Relation relation, bool ftz>
constexpr auto compared = [](auto a, auto b) {
  if constexpr (ftz) {
    return holds<relation>(flushed<true>(a), flushed<true>(b));
  } else {
    return holds<relation>(a, b);
  }
};

LaneLoop setp_integer(const LaneKey& key) {
  const LaneFunction function =
      key.relation == Relation::Equal
          ? of_size(key.types[0], []<class T>() -> LaneFunction { return set_predicates<compared<Relation::Equal, false>, T>; })
          : of_integer(key.types[0], []<class T>() -> LaneFunction { return set_predicates<compared<Relation::Less, false>, T>; });
  return {function, numbers_of(key, 0)};
}
LaneLoop setp_integer_bool(const LaneKey& key) { return setp_integer(key); }

template <Relation relation>
LaneFunction float_predicates(const LaneKey& key) {
  return of_float(key.types[0], key.ftz, []<class T, bool ftz>() -> LaneFunction { return set_predicates<compared<relation, ftz>, T>; });
}
LaneLoop setp_float(const LaneKey& key) {
  const LaneNumbers numbers = numbers_of(key, 0);
  switch (key.relation) {
    case Relation::Equal:
      return {float_predicates<Relation::Equal>(key), numbers};
    case Relation::NotEqual:
      return {float_predicates<Relation::NotEqual>(key), numbers};
    case Relation::Less:
      return {float_predicates<Relation::Less>(key), numbers};
    case Relation::LessEqual:
      return {float_predicates<Relation::LessEqual>(key), numbers};
    case Relation::Ordered:
      return {float_predicates<Relation::Ordered>(key), numbers};
  }
  return {};
}
LaneLoop setp_float_bool(const LaneKey& key) { return setp_float(key); }

// ---- floats, to nearest ------------------------------------------------------------------------------------------------

#define FLOAT(name, operation, ...)                                                                                                \
  LaneLoop name(const LaneKey& key) {                                                                                              \
    if (key.rounding != Rounding::Nearest || key.sat) {                                                                            \
      return {};                                                                                                                   \
    }                                                                                                                              \
    return {of_float(key.types[0], key.ftz, []<class T, bool ftz>() -> LaneFunction { return loop<T, __VA_ARGS__>(operation); })}; \
  }
#define PARAMETERS Rounding::Nearest, ftz
FLOAT(add_float, OPERATION(add_float<PARAMETERS, false>), T, T)
FLOAT(sub_float, OPERATION(sub_float<PARAMETERS, false>), T, T)
FLOAT(mul_float, OPERATION(mul_float<PARAMETERS, false>), T, T)
FLOAT(fma_float, OPERATION(fma_float<PARAMETERS, false>), T, T, T)
FLOAT(div_float, OPERATION(div_float<PARAMETERS>), T, T)
FLOAT(rcp_float, OPERATION(rcp_float<PARAMETERS>), T)
FLOAT(sqrt_float, OPERATION(sqrt_float<PARAMETERS>), T)
FLOAT(abs_float, OPERATION(abs_float<ftz>), T)
FLOAT(neg_float, OPERATION(neg_float<ftz>), T)
#undef PARAMETERS
#undef FLOAT

template <bool maximum>
LaneLoop extreme(const LaneKey& key) {
  if (key.nan || key.abs || key.xorsign) {
    return {};
  }
  return {of_float(key.types[0], key.ftz, []<class T, bool ftz>() -> LaneFunction {
    return loop<T, T, T>([](T a, T b) { return extreme_float<maximum, ftz, false, false, false>(a, b); });
  })};
}
LaneLoop min_float(const LaneKey& key) { return extreme<false>(key); }
LaneLoop max_float(const LaneKey& key) { return extreme<true>(key); }

// ---- conversions -------------------------------------------------------------------------------------------------------

template <class From, class To>
void convert_integers(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  using Wider = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
  const auto number = [&](std::size_t i) { return static_cast<Wider>(numbers[i]); };
  const Wider from_mask = number(0);
  const Wider from_sign = number(1);
  const Wider to_mask = number(2);
  const Wider to_sign = number(3);
  loop_over(
      lanes, [&](From a) { return ptx::operations::cvt_integer(static_cast<Wider>(a), from_mask, from_sign, to_mask, to_sign); },
      static_cast<To*>(rows.to[0]), static_cast<const From*>(rows.from[0]));
}
[[gnu::always_inline]] inline std::uint64_t mask_of(Type type) { return ~std::uint64_t{0} >> (64 - ptx::bits_of(type)); }
[[gnu::always_inline]] inline std::uint64_t sign_of(Type type) {
  return ptx::is_signed(type) ? std::uint64_t{1} << (ptx::bits_of(type) - 1) : 0;
}
LaneLoop cvt_integer(const LaneKey& key) {
  if (key.sat) {
    return {};
  }
  const LaneFunction function = of_width(key.from_bytes, [&]<class From>() -> LaneFunction {
    return of_width(key.to_bytes, []<class To>() -> LaneFunction { return convert_integers<From, To>; });
  });
  return {function, {mask_of(key.types[1]), sign_of(key.types[1]), mask_of(key.types[0]), sign_of(key.types[0]), 0, 0}};
}

LaneLoop cvt_integer_to_float(const LaneKey& key) {
  if (key.rounding != Rounding::Nearest || key.sat || ptx::bytes_of(key.types[1]) != key.from_bytes) {
    return {};
  }
  return {of_float(key.types[0], [&]<class T>() -> LaneFunction {
    return of_integer(key.types[1], []<class From>() -> LaneFunction { return loop<T, From>([](From a) { return static_cast<T>(a); }); });
  })};
}

template <class To, class T>
LaneFunction rounded_to_integer(Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest:
      return loop<To, T>(OPERATION(cvt_float_to_integer<To, Rounding::Nearest, false>));
    case Rounding::TowardZero:
      return loop<To, T>(OPERATION(cvt_float_to_integer<To, Rounding::TowardZero, false>));
    case Rounding::Down:
      return loop<To, T>(OPERATION(cvt_float_to_integer<To, Rounding::Down, false>));
    case Rounding::Up:
      return loop<To, T>(OPERATION(cvt_float_to_integer<To, Rounding::Up, false>));
    case Rounding::NearestAway:
      break;
  }
  return nullptr;
}
LaneLoop cvt_float_to_integer(const LaneKey& key) {
  if (key.ftz || ptx::bytes_of(key.types[0]) != key.to_bytes) {
    return {};
  }
  return {of_float(key.types[1], [&]<class T>() -> LaneFunction {
    return of_integer32(key.types[0], [&]<class To>() -> LaneFunction { return rounded_to_integer<To, T>(key.rounding); });
  })};
}

template <class F>
constexpr auto widened_half = [](Half a) { return finished<false, false>(widened<F>(a)); };

LaneLoop cvt_float_widen(const LaneKey& key) {
  if (key.sat) {
    return {};
  }
  if (key.types[1] == Type::F32) {
    return {key.ftz ? loop<double, float>([](float a) { return finished<false, false>(static_cast<double>(flushed<true>(a))); })
                    : loop<double, float>([](float a) { return finished<false, false>(static_cast<double>(a)); })};
  }
  if (key.types[0] == Type::F32 && !key.ftz) {
    return {key.types[1] == Type::F16 ? loop<float, Half>(widened_half<F16>) : loop<float, Half>(widened_half<BF16>)};
  }
  return {};
}
LaneLoop cvt_float_narrow(const LaneKey& key) {
  if (key.types[0] != Type::F32 || key.types[1] != Type::F64 || key.rounding != Rounding::Nearest || key.sat) {
    return {};
  }
  return {key.ftz ? loop<float, double>([](double a) { return finished<true, false>(static_cast<float>(a)); })
                  : loop<float, double>([](double a) { return finished<false, false>(static_cast<float>(a)); })};
}

}  // namespace hot
}  // namespace

extern const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS);
const LaneKernels LOCKSTEP_JOIN(lane_kernels_, LOCKSTEP_LANE_KERNELS) = {
    LOCKSTEP_STRING(LOCKSTEP_LANE_KERNELS),
#define HOT(function) hot::function,
#define BOTH(function) HOT(function)
#define COLD(function)
#include "interpreter/ptx/lane_functions.def"
};

}  // namespace lockstep::ptx_machine
