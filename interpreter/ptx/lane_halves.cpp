// Loops of .f16 and .bf16 instructions. Of .f16x2 and .bf16x2, both halves are lanes of their own.

#include "interpreter/ptx/lane_cold.hpp"
#include "semantics/ptx/operations/approximations.hpp"

/// A function of semantics/ptx/operations as a value.
#define OPERATION(...) [](auto... x) { return ptx::operations::__VA_ARGS__(x...); }

namespace lockstep::ptx_machine {
namespace {

/// numbers[0] lanes for each of the rows'.
template <class F, class... A>
void run_half_loop(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  run_loop<F, Half, A...>(rows, numbers, lanes * static_cast<std::size_t>(numbers[0]));
}
template <class... A, class F>
LaneFunction half_loop(F /*f*/) {
  return run_half_loop<F, A...>;
}

/// pick.operator()<Format>()
template <class Pick>
LaneLoop of_format(const LaneKey& key, Pick pick) {
  const bool is_f16 = key.types[0] == Type::F16 || key.types[0] == Type::F16x2;
  const LaneFunction function = is_f16 ? pick.template operator()<F16>() : pick.template operator()<BF16>();
  return {function, {ptx::bits_of(key.types[0]) / 16, 0, 0, 0, 0, 0}};
}

template <bool maximum>
LaneLoop extreme(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags(
        []<bool ftz, bool nan, bool abs, bool xorsign>() -> LaneFunction {
          return half_loop<Half, Half>(OPERATION(extreme_half<F, maximum, ftz, nan, abs, xorsign>));
        },
        key.ftz, key.nan, key.abs, key.xorsign);
  });
}

}  // namespace

namespace cold {

LaneLoop add_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz, bool sat>() -> LaneFunction { return half_loop<Half, Half>(OPERATION(add_half<F, ftz, sat>)); }, key.ftz,
                      key.sat);
  });
}
LaneLoop sub_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz, bool sat>() -> LaneFunction { return half_loop<Half, Half>(OPERATION(sub_half<F, ftz, sat>)); }, key.ftz,
                      key.sat);
  });
}
LaneLoop mul_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz, bool sat>() -> LaneFunction { return half_loop<Half, Half>(OPERATION(mul_half<F, ftz, sat>)); }, key.ftz,
                      key.sat);
  });
}
LaneLoop fma_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags(
        []<bool ftz, bool sat, bool relu>() -> LaneFunction { return half_loop<Half, Half, Half>(OPERATION(fma_half<F, ftz, sat, relu>)); },
        key.ftz, key.sat, key.relu);
  });
}
LaneLoop neg_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz>() -> LaneFunction { return half_loop<Half>(OPERATION(neg_half<F, ftz>)); }, key.ftz);
  });
}
LaneLoop abs_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz>() -> LaneFunction { return half_loop<Half>(OPERATION(abs_half<F, ftz>)); }, key.ftz);
  });
}
LaneLoop min_half(const LaneKey& key) { return extreme<false>(key); }
LaneLoop max_half(const LaneKey& key) { return extreme<true>(key); }

LaneLoop tanh_half(const LaneKey& key) {
  return of_format(key, []<class F>() -> LaneFunction { return half_loop<Half>(OPERATION(approximate_half<F, Function::Tanh, false>)); });
}
LaneLoop ex2_half(const LaneKey& key) {
  return of_format(key, [&]<class F>() -> LaneFunction {
    return with_flags([]<bool ftz>() -> LaneFunction { return half_loop<Half>(OPERATION(approximate_half<F, Function::Exp2, ftz>)); },
                      key.ftz);
  });
}

}  // namespace cold
}  // namespace lockstep::ptx_machine
