// Products and sums that a compiler would like to fuse, compiled with -ffp-contract=fast: a product a * b, rounded, minus the same rounded
// product is 0, and the rounding error if they are fused. LOCKSTEP_CONTRACTION is the name of the check.
#include "tests/avx512/support.hpp"

namespace lockstep::avx512_checks {

namespace {

// Not inlined, so that nothing is known of the operands; in loops and straight, with the product as either operand.
template <class V>
__attribute__((noinline)) V sum(V a, V b, V c) {
  return v::add(v::mul(a, b), c);
}
template <class V>
__attribute__((noinline)) V sum_of(V a, V b, V c) {
  return v::add(c, v::mul(a, b));
}
template <class V>
__attribute__((noinline)) V difference(V a, V b, V c) {
  return v::sub(v::mul(a, b), c);
}
template <class V>
__attribute__((noinline)) V difference_of(V a, V b, V c) {
  return v::sub(c, v::mul(a, b));
}
template <class V>
__attribute__((noinline)) V negated(V a, V b, V c) {
  return v::sub(v::neg(v::mul(a, b)), c);
}
template <class V>
__attribute__((noinline)) V accumulated(const V* a, const V* b, V c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    c = v::add(c, v::mul(a[i], b[i]));
  }
  return c;
}

/// Nothing is left of a small c, though the compiler may have been told to find that this is c.
template <class V>
__attribute__((noinline)) V absorbed(V a, V, V c) {
  return v::sub(v::add(c, a), a);
}

template <class V>
void check(Outcome& outcome) {
  using T = v::Element<V>;
  T factor[v::width<V>];
  T product[v::width<V>];
  for (std::size_t i = 0; i < v::width<V>; ++i) {
    factor[i] = T{1} + static_cast<T>(i + 1) * (sizeof(T) == 8 ? T{0x1p-30F} : T{0x1p-13F});
    volatile T rounded = factor[i] * factor[i];
    product[i] = rounded;
  }
  const V a = from_memory<V>(factor);
  const V p = from_memory<V>(product);
  const auto expect_zero = [&](const V& got, const char* what) {
    T numbers[v::width<V>];
    to_memory(numbers, got);
    for (const T number : numbers) {
      expect(outcome, number == T{0}, true, [&] { return vec_name<V>() + " " + what; });
    }
  };
  expect_zero(sum(a, a, v::neg(p)), "a * a + c");
  expect_zero(sum_of(a, a, v::neg(p)), "c + a * a");
  expect_zero(difference(a, a, p), "a * a - c");
  expect_zero(difference_of(a, a, p), "c - a * a");
  expect_zero(negated(a, a, v::neg(p)), "-(a * a) - c");
  expect_zero(accumulated(&a, &a, v::neg(p), 1), "c + a * a in a loop");
  expect_zero(absorbed(a, a, v::mul(a, v::set1<V>(std::numeric_limits<T>::min()))), "(c + a) - a");
  // And the fused operation is fused, so that these numbers tell one from the other.
  T numbers[v::width<V>];
  to_memory(numbers, v::fms(a, a, p));
  expect(outcome, numbers[0] != T{0}, true, [&] { return vec_name<V>() + " fms"; });
}

}  // namespace

Outcome LOCKSTEP_CONTRACTION() {
  Outcome outcome;
  for_each_vec_and_number([&]<class V>() {
    if constexpr (std::is_floating_point_v<v::Element<V>>) {
      check<V>(outcome);
    }
  });
  return outcome;
}

}  // namespace lockstep::avx512_checks
