// Loops of integer instructions that are seldom written.

#include "interpreter/ptx/lane_cold.hpp"
#include "semantics/ptx/operations/integers.hpp"

/// A function of semantics/ptx/operations as a value.
#define OPERATION(...) [](auto... x) { return ptx::operations::__VA_ARGS__(x...); }

namespace lockstep::ptx_machine {
namespace {

/// Sums of operands W, carry in and out: f(operands…, carry) gives a WithCarry.
template <auto f, class W, bool in, bool out, std::size_t... i>
void carry_loop(const LaneRows& rows, std::size_t lanes, std::index_sequence<i...> /*operands*/) {
  W* d = static_cast<W*>(rows.to[0]);
  auto* carry_out = static_cast<std::uint8_t*>(rows.to[1]);
  const auto* carry_in = static_cast<const std::uint8_t*>(rows.from[sizeof...(i)]);
  for (std::size_t t = 0; t < lanes; ++t) {
    const auto result = f(static_cast<const W*>(rows.from[i])[t]..., in ? static_cast<W>(carry_in[t]) : W{0});
    d[t] = result.value;
    if constexpr (out) {
      carry_out[t] = static_cast<std::uint8_t>(result.carry);
    }
  }
}
template <auto f, class W, bool in, bool out, std::size_t operands>
void with_carry(const LaneRows& rows, const LaneNumbers& /*numbers*/, std::size_t lanes) {
  carry_loop<f, W, in, out>(rows, lanes, std::make_index_sequence<operands>());
}

constexpr auto sum = [](auto a, auto b, auto carry) { return add_carry_in_out(a, b, carry); };
constexpr auto difference = [](auto a, auto b, auto carry) { return sub_carry_in_out(a, b, carry); };
constexpr auto first_difference = [](auto a, auto b, auto /*carry*/) { return sub_carry_out(a, b); };
constexpr auto low_product = [](auto a, auto b, auto c, auto carry) { return add_carry_in_out(mul_low(a, b), c, carry); };
template <class Signed>
constexpr auto high_product = [](auto a, auto b, auto c, auto carry) {
  using W = decltype(a);
  return add_carry_in_out(as_word<W>(mul_high(as_word<Signed>(a), as_word<Signed>(b))), c, carry);
};

template <auto f, bool in, bool out, std::size_t operands>
LaneLoop carried(const LaneKey& key) {
  return {of_integer32(key.types[0], []<class T>() -> LaneFunction { return with_carry<f, std::make_unsigned_t<T>, in, out, operands>; })};
}
template <bool in, bool out>
LaneLoop carried_high(const LaneKey& key) {
  return {of_integer32(key.types[0],
                       []<class T>() -> LaneFunction { return with_carry<high_product<T>, std::make_unsigned_t<T>, in, out, 3>; })};
}

/// The same for u32 and s32.
template <class Pick>
LaneFunction of_32(Type type, Pick pick) {
  return type == Type::S32 ? pick.template operator()<std::int32_t>() : pick.template operator()<std::uint32_t>();
}
/// On the halves of 32 bits, as rows of twice as many lanes.
template <class F, class Half>
void run_on_halves(const LaneRows& rows, const LaneNumbers& /*numbers*/, std::size_t lanes) {
  loop_over(2 * lanes, F(), static_cast<Half*>(rows.to[0]), static_cast<const Half*>(rows.from[0]), static_cast<const Half*>(rows.from[1]));
}
template <class Half, class F>
LaneFunction on_halves(F /*f*/) {
  return run_on_halves<F, Half>;
}
template <class F>
LaneLoop packed_loop(const LaneKey& key, F f) {
  return {key.types[0] == Type::S16x2 ? on_halves<std::int16_t>(f) : on_halves<std::uint16_t>(f)};
}

/// pick.operator()<A, B>() for bytes or halves of the two operands, signed or not.
template <class PickSigned>
LaneFunction of_signs(const LaneKey& key, PickSigned pick) {
  return with_flags(pick, key.types[0] == Type::S32, key.types[1] == Type::S32);
}
template <bool is_signed>
using Byte = std::conditional_t<is_signed, std::int8_t, std::uint8_t>;
template <bool is_signed>
using Word16 = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;

}  // namespace

namespace cold {

LaneLoop add_carry_out(const LaneKey& key) { return carried<sum, false, true, 2>(key); }
LaneLoop add_carry_in(const LaneKey& key) { return carried<sum, true, false, 2>(key); }
LaneLoop add_carry_in_out(const LaneKey& key) { return carried<sum, true, true, 2>(key); }
LaneLoop sub_carry_out(const LaneKey& key) { return carried<first_difference, false, true, 2>(key); }
LaneLoop sub_carry_in(const LaneKey& key) { return carried<difference, true, false, 2>(key); }
LaneLoop sub_carry_in_out(const LaneKey& key) { return carried<difference, true, true, 2>(key); }
LaneLoop mad_low_carry_out(const LaneKey& key) { return carried<low_product, false, true, 3>(key); }
LaneLoop mad_low_carry_in(const LaneKey& key) { return carried<low_product, true, false, 3>(key); }
LaneLoop mad_low_carry_in_out(const LaneKey& key) { return carried<low_product, true, true, 3>(key); }
LaneLoop mad_high_carry_out(const LaneKey& key) { return carried_high<false, true>(key); }
LaneLoop mad_high_carry_in(const LaneKey& key) { return carried_high<true, false>(key); }
LaneLoop mad_high_carry_in_out(const LaneKey& key) { return carried_high<true, true>(key); }

using S32 = std::int32_t;
using U32 = std::uint32_t;
LaneLoop add_saturated(const LaneKey& /*key*/) { return {loop<S32, S32, S32>(OPERATION(add_saturated))}; }
LaneLoop sub_saturated(const LaneKey& /*key*/) { return {loop<S32, S32, S32>(OPERATION(sub_saturated))}; }
LaneLoop mad_high_saturated(const LaneKey& /*key*/) { return {loop<S32, S32, S32, S32>(OPERATION(mad_high_saturated))}; }
LaneLoop mad24_high_saturated(const LaneKey& /*key*/) { return {loop<S32, S32, S32, S32>(OPERATION(mad24_high_saturated))}; }
LaneLoop min_relu(const LaneKey& /*key*/) { return {loop<S32, S32, S32>(OPERATION(min_relu))}; }
LaneLoop max_relu(const LaneKey& /*key*/) { return {loop<S32, S32, S32>(OPERATION(max_relu))}; }

LaneLoop add_packed(const LaneKey& key) { return packed_loop(key, OPERATION(add)); }
LaneLoop min_packed(const LaneKey& key) { return packed_loop(key, OPERATION(min_integer)); }
LaneLoop max_packed(const LaneKey& key) { return packed_loop(key, OPERATION(max_integer)); }
LaneLoop min_packed_relu(const LaneKey& /*key*/) { return {on_halves<std::int16_t>(OPERATION(min_relu))}; }
LaneLoop max_packed_relu(const LaneKey& /*key*/) { return {on_halves<std::int16_t>(OPERATION(max_relu))}; }

LaneLoop mad_high(const LaneKey& key) {
  return {of_integer(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, T>(OPERATION(mad_high)); })};
}
LaneLoop mul24_low(const LaneKey& key) {
  return {of_32(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>(OPERATION(mul24_low)); })};
}
LaneLoop mul24_high(const LaneKey& key) {
  return {of_32(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T>(OPERATION(mul24_high)); })};
}
LaneLoop mad24_low(const LaneKey& key) {
  return {of_32(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, T>(OPERATION(mad24_low)); })};
}
LaneLoop mad24_high(const LaneKey& key) {
  return {of_32(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, T>(OPERATION(mad24_high)); })};
}
LaneLoop sad(const LaneKey& key) {
  return {of_integer(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, T>(OPERATION(sad)); })};
}
LaneLoop bfind(const LaneKey& key) {
  return {of_integer32(key.types[0], []<class T>() -> LaneFunction { return loop<U32, T>(OPERATION(bfind)); })};
}
LaneLoop bfind_shift(const LaneKey& key) {
  return {of_integer32(key.types[0], []<class T>() -> LaneFunction { return loop<U32, T>(OPERATION(bfind_shift)); })};
}
LaneLoop fns(const LaneKey& /*key*/) { return {loop<U32, U32, U32, S32>(OPERATION(fns))}; }
LaneLoop szext(const LaneKey& key) {
  return {of_32(key.types[0], [&]<class T>() -> LaneFunction {
    return key.clamp ? loop<T, T, U32>(OPERATION(szext<true>)) : loop<T, T, U32>(OPERATION(szext<false>));
  })};
}
LaneLoop bmsk(const LaneKey& key) {
  return {key.clamp ? loop<U32, U32, U32>(OPERATION(bmsk<true>)) : loop<U32, U32, U32>(OPERATION(bmsk<false>))};
}

LaneLoop dp4a(const LaneKey& key) {
  return {of_signs(key, []<bool a, bool b>() -> LaneFunction { return loop<U32, U32, U32, U32>(OPERATION(dp4a<Byte<a>, Byte<b>>)); })};
}
LaneLoop dp2a(const LaneKey& key) {
  return {of_signs(key, [&]<bool a, bool b>() -> LaneFunction {
    return key.high ? loop<U32, U32, U32, U32>(OPERATION(dp2a<Word16<a>, Byte<b>, true>))
                    : loop<U32, U32, U32, U32>(OPERATION(dp2a<Word16<a>, Byte<b>, false>));
  })};
}

LaneLoop cnot(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T>(OPERATION(cnot)); })};
}
LaneLoop slct_integer(const LaneKey& key) {
  return {of_size(key.types[0], []<class T>() -> LaneFunction { return loop<T, T, T, S32>(OPERATION(slct_integer)); })};
}

LaneLoop prmt(const LaneKey& key) {
  switch (key.permute) {
    case PermuteMode::Index:
      break;
    case PermuteMode::F4e:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::F4e>))};
    case PermuteMode::B4e:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::B4e>))};
    case PermuteMode::Rc8:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::Rc8>))};
    case PermuteMode::Ecl:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::Ecl>))};
    case PermuteMode::Ecr:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::Ecr>))};
    case PermuteMode::Rc16:
      return {loop<U32, U32, U32, U32>(OPERATION(prmt<PermuteMode::Rc16>))};
  }
  return {};
}

namespace {
/// to[0] is lop3 of from[0 … 3]; to[1] is whether that is not 0, combined with the predicate in from[4].
void lop3_with_predicate(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes) {
  const Answer answer = answer_of(numbers);
  const auto row = [&](std::size_t i) { return static_cast<const U32*>(rows.from[i]); };
  const auto* q = static_cast<const std::uint8_t*>(rows.from[4]);
  auto* d = static_cast<U32*>(rows.to[0]);
  auto* p = static_cast<std::uint8_t*>(rows.to[1]);
  for (std::size_t t = 0; t < lanes; ++t) {
    const U32 result = ptx::operations::lop3(row(0)[t], row(1)[t], row(2)[t], row(3)[t]);
    const bool other = (q[t] ^ answer.negated) != 0;
    const bool truth = answer.combined == BoolOperator::And ? result != 0 && other : result != 0 || other;
    if (d != nullptr) {
      d[t] = result;
    }
    if (p != nullptr) {
      p[t] = static_cast<std::uint8_t>(truth);
    }
  }
}
}  // namespace
LaneLoop lop3_bool(const LaneKey& key) { return {lop3_with_predicate, numbers_of(key, 0)}; }

}  // namespace cold
}  // namespace lockstep::ptx_machine
