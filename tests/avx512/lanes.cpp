// Constants, lanes that move, masks, votes, and the control state of the thread.
#include <cfenv>

#include "tests/avx512/support.hpp"

namespace lockstep::avx512_checks {

namespace {

template <class V>
std::vector<v::Element<V>> numbers_of(const V& value) {
  std::vector<v::Element<V>> result(v::width<V>);
  to_memory(result.data(), value);
  return result;
}

/// Lane i of got should be wanted(i).
template <class V, class Wanted>
void expect_lanes(Outcome& outcome, const V& got, Wanted wanted, const char* what) {
  const auto numbers = numbers_of(got);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    expect(outcome, numbers[i], wanted(i), [&] { return vec_name<V>() + " " + what + ", lane " + std::to_string(i); });
  }
}

template <class V>
void check_lanes(Outcome& outcome) {
  using T = v::Element<V>;
  constexpr int W = v::width<V>;
  const std::vector<T>& numbers = operands<T>().c;
  expect_lanes(outcome, v::zero<V>(), [](std::size_t) { return T{0}; }, "zero");
  expect_lanes(outcome, v::iota<V>(), [](std::size_t i) { return static_cast<T>(i); }, "iota");
  for (const T number : special_numbers<T>()) {
    expect_lanes(outcome, v::set1<V>(number), [&](std::size_t) { return number; }, "set1");
  }
  const V some = from_memory<V>(numbers.data());
  for (int i = -3; i < 40; ++i) {
    expect(outcome, v::lane(some, i), numbers[static_cast<std::size_t>(i & (W - 1))], [&] { return vec_name<V>() + " lane"; });
  }
  expect(outcome, v::lane(some, 0), numbers[0], [&] { return vec_name<V>() + " lane 0"; });
  expect(outcome, v::lane(some, 5), numbers[5], [&] { return vec_name<V>() + " lane 5"; });
  expect(outcome, v::lane(some, W - 1), numbers[W - 1], [&] { return vec_name<V>() + " last lane"; });
  if constexpr (W == 16) {
    const auto low = v::low(some);
    const auto high = v::high(some);
    expect_lanes(outcome, low, [&](std::size_t i) { return numbers[i]; }, "low");
    expect_lanes(outcome, high, [&](std::size_t i) { return numbers[i + 8]; }, "high");
    expect_lanes(outcome, v::join(high, low), [&](std::size_t i) { return numbers[(i + 8) % 16]; }, "join");
  }
  // The bits as each type of the same width, and back.
  for_each_vec([&]<class V2>() {
    using T2 = v::Element<V2>;
    if constexpr (v::width<V2> == W && sizeof(T2) == sizeof(T)) {
      const V2 other = v::bits_as<V2>(some);
      expect(outcome, std::memcmp(&other, &some, sizeof some) == 0, true, [] { return vec_name<V>() + " bits_as " + vec_name<V2>(); });
    }
  });
  for (const T number : special_numbers<T>()) {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const auto word = v::bits_as<Word>(number);
    const T back = v::bits_as<T>(word);
    expect(outcome, std::memcmp(&word, &number, sizeof word) == 0 && std::memcmp(&back, &number, sizeof word) == 0, true,
           [] { return vec_name<V>() + " bits_as of one number"; });
  }
  if constexpr (!v::is_pair<V>) {
    V rows[std::size_t{W}];
    for (std::size_t i = 0; i < W; ++i) {
      rows[i] = from_memory<V>(&numbers[16 * i]);
    }
    v::transpose(rows);
    for (std::size_t i = 0; i < W; ++i) {
      expect_lanes(outcome, rows[i], [&](std::size_t j) { return numbers[16 * j + i]; }, "transpose");
    }
  }
}

template <int W>
void check_masks(Outcome& outcome) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t n : {Limits::min(),    Limits::min() + 1, std::int64_t{-65}, std::int64_t{-1},      std::int64_t{0},
                               std::int64_t{1},  std::int64_t{2},   std::int64_t{7},   std::int64_t{8},       std::int64_t{9},
                               std::int64_t{15}, std::int64_t{16},  std::int64_t{17},  std::int64_t{31},      std::int64_t{32},
                               std::int64_t{33}, std::int64_t{64},  std::int64_t{65},  std::int64_t{1} << 32, (std::int64_t{1} << 32) + 3,
                               Limits::max()}) {
    for (int i = 0; i < W; ++i) {
      expect(outcome, (v::below<W>(n) >> i & 1) != 0, i < n, [&] { return "below " + std::to_string(n); });
    }
    expect(outcome, v::below<W>(n) >> W, 0, [] { return std::string("no bits beyond the lanes"); });
  }
  for (unsigned bits = 0; bits < 1U << W; ++bits) {
    const auto mask = static_cast<v::Mask<W>>(bits);
    expect(outcome, unsigned{v::mask_not(mask)}, bits ^ ((1U << W) - 1U), [] { return std::string("mask_not"); });
    if constexpr (W == 16) {
      expect(outcome, unsigned{v::low(mask)}, bits & 0xFFU, [] { return std::string("low of a mask"); });
      expect(outcome, unsigned{v::high(mask)}, bits >> 8, [] { return std::string("high of a mask"); });
      expect(outcome, v::join(v::low(mask), v::high(mask)), mask, [] { return std::string("join of masks"); });
    }
  }
  expect(outcome, unsigned{v::all_lanes<W>}, (1U << W) - 1U, [] { return std::string("all_lanes"); });
}

/// The rounds of a loop, counted. Only for few rounds.
std::uint64_t counted_rounds(std::int64_t begin, std::int64_t end, std::int64_t step) {
  std::uint64_t result = 0;
  __extension__ using Wide = __int128;  // does not overflow here
  for (Wide i = begin; step > 0 ? i < end : i > end; i += step) {
    ++result;
  }
  return result;
}

template <int W>
void check_votes(Outcome& outcome) {
  Random random(W);
  for (int round = 0; round < 200; ++round) {
    std::int64_t group[std::size_t{W}];
    std::int64_t item[std::size_t{W}];
    for (int i = 0; i < W; ++i) {
      group[i] = static_cast<std::int64_t>(random.below(3));
      item[i] = static_cast<std::int64_t>(random.below(80));
    }
    const auto bits = static_cast<v::Mask<W>>(random.bits());
    const auto groups = from_memory<v::Vec<std::int64_t, W>>(group);
    const auto items = from_memory<v::Vec<std::int64_t, W>>(item);
    std::uint64_t any[3] = {};
    std::uint64_t count[3] = {};
    std::uint64_t ballot[3] = {};
    v::count_by_group<0>(any, bits, groups, items);
    v::count_by_group<1>(count, bits, groups, items);
    v::count_by_group<2>(ballot, bits, groups, items);
    for (std::int64_t g = 0; g < 3; ++g) {
      std::uint64_t wanted_count = 0;
      std::uint64_t wanted_ballot = 0;
      for (int i = 0; i < W; ++i) {
        if ((bits >> i & 1) != 0 && group[i] == g) {
          ++wanted_count;
          wanted_ballot |= item[i] < 64 ? std::uint64_t{1} << item[i] : 0;
        }
      }
      expect(outcome, any[g] != 0, wanted_count != 0, [] { return std::string("any by group"); });
      expect(outcome, count[g], wanted_count, [] { return std::string("popcount by group"); });
      expect(outcome, ballot[g], wanted_ballot, [] { return std::string("ballot by group"); });
    }
  }
}

}  // namespace

Outcome lanes() {
  Outcome outcome;
  for_each_vec([&]<class V>() { check_lanes<V>(outcome); });
  check_masks<8>(outcome);
  check_masks<16>(outcome);
  return outcome;
}

Outcome scalars() {
  Outcome outcome;
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{7}, Limits::max() - 6, Limits::min() + 6}) {
    for (const std::int64_t distance : {-20, -5, -1, 0, 1, 5, 6, 20}) {
      for (const std::int64_t step : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{-1},
                                      std::int64_t{-2}, std::int64_t{-3}, Limits::max(), Limits::min(), Limits::min() + 1}) {
        if ((distance > 0 && begin > Limits::max() - distance) || (distance < 0 && begin < Limits::min() - distance)) {
          continue;
        }
        const std::int64_t end = begin + distance;
        expect(outcome, v::rounds(begin, end, step), counted_rounds(begin, end, step),
               [&] { return "rounds from " + std::to_string(begin) + " to " + std::to_string(end) + " by " + std::to_string(step); });
      }
    }
  }
  expect(outcome, v::rounds(Limits::min(), Limits::max(), 1), ~std::uint64_t{0}, [] { return std::string("most rounds"); });
  expect(outcome, v::rounds(Limits::max(), Limits::min(), -1), ~std::uint64_t{0}, [] { return std::string("most rounds back"); });
  expect(outcome, v::rounds(Limits::min(), Limits::max(), Limits::max()), std::uint64_t{3}, [] { return std::string("three rounds"); });

  Random random(1);
  for (int first = -70; first <= 70; ++first) {
    const std::uint64_t bits = random.bits();
    std::uint64_t wanted = 0;
    for (int i = 0; i < 64; ++i) {
      if (i - first >= 0 && i - first < 64) {
        wanted |= (bits >> (i - first) & 1U) << i;
      }
    }
    expect(outcome, v::moved(bits, first), wanted, [&] { return "bits moved by " + std::to_string(first); });
  }
  expect(outcome, v::moved(1, Limits::min()), std::uint64_t{0}, [] { return std::string("bits moved far down"); });
  expect(outcome, v::moved(1, Limits::max()), std::uint64_t{0}, [] { return std::string("bits moved far up"); });
  expect(outcome, v::bit_count(~std::uint64_t{0}), std::uint64_t{64}, [] { return std::string("bit_count"); });
  expect(outcome, v::bit_count(0x8000000000000101U), std::uint64_t{3}, [] { return std::string("bit_count"); });
  check_votes<8>(outcome);
  check_votes<16>(outcome);

  int object = 5;
  expect(outcome, *v::pointer<int>(v::address(&object)), 5, [] { return std::string("pointer of an address"); });
  expect(outcome, v::from_bits<double>(0x4002000000000000U), 2.25, [] { return std::string("from_bits<double>"); });
  expect(outcome, v::from_bits<float>(0xFF800000U), -std::numeric_limits<float>::infinity(),
         [] { return std::string("from_bits<float>"); });
  expect(outcome, v::u(std::int64_t{-1}), ~std::uint64_t{0}, [] { return std::string("u"); });
  return outcome;
}

Outcome floating_point() {
  Outcome outcome;
  volatile double smallest = std::numeric_limits<double>::min();
  volatile double three = 3;
  const auto half = [&] { return smallest / 2; };
  const auto third = [&] { return 1 / three; };
  const double half_before = half();
  const double third_before = third();
  std::fesetround(FE_UPWARD);
#ifdef __SSE__
  const unsigned before = __builtin_ia32_stmxcsr();
  const unsigned hostile = 0xE040U | 0x0100U;  // towards zero, subnormal numbers are taken and given as zeros, traps of all but denormals
  __builtin_ia32_ldmxcsr(hostile);
#endif
  {
    const v::FloatingPoint guard;
    expect(outcome, half(), half_before, [] { return std::string("a subnormal number"); });
    expect(outcome, third(), third_before, [] { return std::string("rounding to nearest"); });
    volatile double zero = 0;
    volatile double infinite = three / zero;  // does not trap
    expect(outcome, double{infinite}, std::numeric_limits<double>::infinity(), [] { return std::string("division by zero"); });
  }
#ifdef __SSE__
  expect(outcome, __builtin_ia32_stmxcsr(), hostile, [] { return std::string("the state before"); });
  __builtin_ia32_ldmxcsr(before);
#endif
  expect(outcome, std::fegetround(), FE_UPWARD, [] { return std::string("the rounding mode before"); });
  std::fesetround(FE_TONEAREST);
  return outcome;
}

}  // namespace lockstep::avx512_checks
