// Every function of lockstep_avx512.h for every type, as C++17: what compilers.sh compiles, and nobody runs.
#include "codegen/emit/avx512/support/lockstep_avx512.h"

#if LOCKSTEP_AVX512_NATIVE
#include <immintrin.h>
#endif

namespace v = lockstep_avx512;

namespace {

template <class V, class M>
void memory(M* p, V& a, v::MaskOf<V> k) {
  constexpr int W = v::width<V>;
  const auto wide = v::load<v::Vec<std::int64_t, W>>(reinterpret_cast<const std::int64_t*>(p));
  const auto narrow = v::load<v::Vec<std::int32_t, W>>(reinterpret_cast<const std::int32_t*>(p));
  const auto address = v::convert<v::Vec<std::uint64_t, W>>(wide);
  a = v::load<V>(p);
  a = v::load<V>(p, k);
  v::store(p, a);
  v::store(p, a, k);
  a = v::gather<V>(p, wide, k);
  a = v::gather<V>(p, narrow, k);
  a = v::gather_at<V, M>(address, k);
  v::scatter(p, wide, a, k);
  v::scatter(p, narrow, a, k);
  v::scatter_at<M>(address, a, k);
  v::put(p, v::scalar(p + 1));
}

template <int W, class B>
void truths(B* p, v::Mask<W>& k) {
  const auto index = v::load<v::Vec<std::int64_t, W>>(reinterpret_cast<const std::int64_t*>(p));
  const auto address = v::load<v::Vec<std::uint64_t, W>>(reinterpret_cast<const std::uint64_t*>(p));
  k = v::load_mask<W>(p);
  k = v::load_mask<W>(p, k);
  v::store_mask<W>(p, k);
  v::store_mask<W>(p, k, k);
  k = v::gather_mask(p, index, k);
  k = v::gather_mask_at<W>(address, k);
  v::scatter_mask(p, index, k, k);
  v::scatter_mask_at<W>(address, k, k);
}

/// What vectors and numbers have in common.
template <class V>
void operations(V& a, V b, V c, v::MaskOf<V> k) {
  using T = v::Element<V>;
  a = v::add(v::sub(a, b), v::mul(v::neg(b), c));
  a = v::select(k, v::min(a, b), v::max(a, v::div(a, b)));
  k = v::lt(a, b);
  a = v::select(v::le(a, b), a, v::select(v::gt(a, b), b, v::select(v::ge(a, b), c, v::select(v::eq(a, b), b, a))));
  a = v::add(a, v::from_mask<V>(v::ne(a, b)));
  a = v::select(v::mask_of(a), v::set1<V>(T{2}), v::zero<V>());
  if constexpr (std::is_floating_point_v<T>) {
    a = v::abs(v::fma(a, b, v::fms(a, b, v::fnma(a, b, v::fnms(a, b, v::sqrt(v::add(v::rcp(c), v::rcp14(c))))))));
  } else {
    a = v::rem(v::and_(a, b), v::or_(v::xor_(a, b), v::not_(c)));
    a = v::popcount(v::shl(a, v::shr(b, c)));
    b = v::convert<V>(v::abs(b));
    if constexpr (sizeof(T) == 4) {
      a = v::wrap<std::int8_t>(v::wrap<std::uint8_t>(v::wrap<std::int16_t>(v::wrap<std::uint16_t>(b))));
    }
  }
}

template <class V>
void vectors(v::Element<V>* p, v::MaskOf<V> k) {
  using T = v::Element<V>;
  constexpr int W = v::width<V>;
  V a = v::load<V>(p);
  operations(a, v::load<V>(p + W), v::iota<V>(), k);
  if constexpr (std::is_floating_point_v<T>) {
    a = v::near_div(v::near_rcp(a), v::near_sqrt(a));
  }
  v::stream(p, a);
  p[1] = v::lane(a, 1);
  v::store(p, v::convert<V>(v::convert<v::Vec<double, W>>(a)));
  v::store(p, v::convert<V>(v::convert<v::Vec<float, W>>(a)));
  v::store(p, v::convert<V>(v::convert<v::Vec<std::int64_t, W>>(a)));
  v::store(p, v::convert<V>(v::convert<v::Vec<std::uint64_t, W>>(a)));
  v::store(p, v::convert<V>(v::convert<v::Vec<std::int32_t, W>>(a)));
  v::store(p, v::convert<V>(v::convert<v::Vec<std::uint32_t, W>>(a)));
  memory<V, T>(p, a, v::below<W>(3));
  if constexpr (std::is_same_v<T, std::int32_t>) {
    memory<V, std::int8_t>(reinterpret_cast<std::int8_t*>(p), a, k);
    memory<V, std::int16_t>(reinterpret_cast<std::int16_t*>(p), a, k);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    memory<V, std::uint8_t>(reinterpret_cast<std::uint8_t*>(p), a, k);
    memory<V, std::uint16_t>(reinterpret_cast<std::uint16_t*>(p), a, k);
  }
  if constexpr (W == 16) {
    a = v::join(v::high(a), v::low(a));
  }
  if constexpr (!v::is_pair<V>) {
    V rows[std::size_t{W}];
    for (V& row : rows) {
      row = a;
    }
    v::transpose(rows);
    a = rows[1];
    v::load_groups<V>(p, p + 1, 3, 5);
    v::load_groups<V, true>(p, p + 1, 3, 5, p);
    v::store_groups<V>(p, p + 1, 3, 5);
    v::store_rows<true, 128>(v::rows_or_place<true>(p, p + 128), p);
  }
  v::store(p, a, v::mask_not(k));
}

template <class T>
void numbers(void* memory) {
  T* const p = static_cast<T*>(memory);
  T a = p[0];
  operations(a, p[1], p[2], p[1] == p[2]);
  p[0] = a;
  p[1] = v::convert<T>(v::convert<double>(a));
  p[2] = v::convert<T>(v::convert<float>(a));
  p[3] = v::convert<T>(v::convert<std::uint64_t>(a));
  p[4] = v::convert<T>(v::convert<std::int32_t>(a));
  vectors<v::Vec<T, 8>>(p, static_cast<__mmask8>(5));
  vectors<v::Vec<T, 16>>(p, static_cast<__mmask16>(5));
}

}  // namespace

void everything(void* memory, std::uint64_t* votes, bool* truth, __mmask8 k, __mmask16 l) {
  const v::FloatingPoint guard;
  numbers<double>(memory);
  numbers<float>(memory);
  numbers<std::int64_t>(memory);
  numbers<std::uint64_t>(memory);
  numbers<std::int32_t>(memory);
  numbers<std::uint32_t>(memory);
  truths<8>(truth, k);
  truths<8>(static_cast<std::uint8_t*>(memory), k);
  truths<16>(truth, l);
  truths<16>(static_cast<std::uint8_t*>(memory), l);
  v::count_by_group<0>(votes, k, v::iota<v::I64x8>(), v::iota<v::I64x8>());
  v::count_by_group<1>(votes, l, v::iota<v::I64x16>(), v::iota<v::I64x16>());
  v::count_by_group<2>(votes, l, v::iota<v::I64x16>(), v::iota<v::I64x16>());
  votes[1] = v::bit_count(v::moved(votes[0], 3)) + v::rounds(1, 9, 2) + v::u(-1) + v::address(votes);
  *v::pointer<double>(v::address(memory)) = v::from_bits<double>(1) + v::from_bits<float>(1);
  v::stream_fence();
}
