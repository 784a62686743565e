// Loads, stores, gathers and scatters: what they bring and leave, and that they touch nothing else, neither bytes of the page nor pages
// that cannot be touched.
#include "tests/avx512/support.hpp"

namespace lockstep::avx512_checks {

namespace {

/// f.template operator()<V, M>() for every Vec and every type of elements in memory.
template <class F>
void for_each_vec_and_element(F f) {
  for_each_vec([&]<class V>() {
    using T = v::Element<V>;
    f.template operator()<V, T>();
    if constexpr (std::is_same_v<T, std::int32_t>) {
      f.template operator()<V, std::int8_t>();
      f.template operator()<V, std::int16_t>();
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      f.template operator()<V, std::uint8_t>();
      f.template operator()<V, std::uint16_t>();
    }
  });
}

template <class V>
v::MaskOf<V> mask(std::uint64_t bits) {
  return static_cast<v::MaskOf<V>>(bits);
}
template <class V, class M>
std::string name(const char* what) {
  return vec_name<V>() + " " + what + " of " + type_name<M>();
}

/// The page as it should be after a store: the elements of lanes whose bits are set, from the lowest to the highest.
template <class M, class V, class At>
void write(std::vector<std::byte>& page, std::byte* begin, const V& value, std::uint64_t bits, At at) {
  v::Element<V> numbers[v::width<V>];
  to_memory(numbers, value);
  for (std::size_t i = 0; i < v::width<V>; ++i) {
    if ((bits >> i & 1U) != 0) {
      const M element = static_cast<M>(numbers[i]);
      std::memcpy(page.data() + (at(i) - begin), &element, sizeof element);
    }
  }
}

void expect_page(Outcome& outcome, const Guarded& memory, const std::vector<std::byte>& wanted, const std::string& what) {
  expect(outcome, std::memcmp(memory.begin(), wanted.data(), wanted.size()) == 0, true, [&] { return what; });
}

/// Lanes that should hold the elements at(i), or 0 where the bit is not set.
template <class M, class V, class At>
void expect_lanes(Outcome& outcome, const V& got, std::uint64_t bits, At at, const std::string& what) {
  using T = v::Element<V>;
  T numbers[v::width<V>];
  to_memory(numbers, got);
  for (std::size_t i = 0; i < v::width<V>; ++i) {
    const T wanted = (bits >> i & 1U) != 0 ? static_cast<T>(element_at<M>(at(i))) : T{0};
    expect(outcome, numbers[i], wanted, [&] { return what + ", lane " + std::to_string(i); });
  }
}

template <class V>
V random_vec(Random& random) {
  v::Element<V> numbers[v::width<V>];
  for (v::Element<V>& number : numbers) {
    number = random_number<v::Element<V>>(random);
  }
  return from_memory<V>(numbers);
}

/// A masked load and a masked store at p, with these bits.
template <class V, class M>
void check_masked(Outcome& outcome, Guarded& memory, Random& random, std::byte* p, std::uint64_t bits) {
  const auto at = [&](std::size_t i) { return p + i * sizeof(M); };
  M* const elements = reinterpret_cast<M*>(p);
  expect_lanes<M>(outcome, v::load<V>(elements, mask<V>(bits)), bits, at, name<V, M>("masked load"));
  std::vector<std::byte> wanted = memory.copy();
  const V value = random_vec<V>(random);
  write<M>(wanted, memory.begin(), value, bits, at);
  v::store(elements, value, mask<V>(bits));
  expect_page(outcome, memory, wanted, name<V, M>("masked store"));
}

template <class V, class M>
void check_loads_and_stores(Outcome& outcome) {
  constexpr std::size_t lanes = v::width<V>;
  constexpr std::uint64_t all = (std::uint64_t{1} << lanes) - 1;
  Guarded memory;
  Random random(lanes * sizeof(M));
  memory.fill(random);
  // The first lanes before the end of memory, the others behind it; and the last ones after its start.
  for (std::size_t k = 0; k <= lanes; ++k) {
    const std::uint64_t inside = (std::uint64_t{1} << k) - 1;
    for (std::size_t misaligned = 0; misaligned < sizeof(M); ++misaligned) {
      for (const std::uint64_t pattern : {all, random.bits(), random.bits(), std::uint64_t{0}}) {
        check_masked<V, M>(outcome, memory, random, memory.end() - k * sizeof(M) - misaligned, pattern & inside);
        check_masked<V, M>(outcome, memory, random, memory.begin() - k * sizeof(M) + misaligned, pattern & all & ~inside);
      }
    }
  }
  // Whole.
  for (std::size_t offset = 0; offset < 70; ++offset) {
    for (std::byte* const p : {memory.begin() + offset, memory.end() - lanes * sizeof(M) - offset}) {
      const auto at = [&](std::size_t i) { return p + i * sizeof(M); };
      M* const elements = reinterpret_cast<M*>(p);
      expect_lanes<M>(outcome, v::load<V>(elements), all, at, name<V, M>("load"));
      std::vector<std::byte> wanted = memory.copy();
      const V value = random_vec<V>(random);
      write<M>(wanted, memory.begin(), value, all, at);
      v::store(elements, value);
      expect_page(outcome, memory, wanted, name<V, M>("store"));
    }
  }
  if constexpr (std::is_same_v<M, v::Element<V>>) {
    std::byte* const p = memory.begin() + 1024;
    std::vector<std::byte> wanted = memory.copy();
    const V value = random_vec<V>(random);
    write<M>(wanted, memory.begin(), value, all, [&](std::size_t i) { return p + i * sizeof(M); });
    v::stream(reinterpret_cast<M*>(p), value);
    v::stream_fence();
    expect_page(outcome, memory, wanted, name<V, M>("stream"));
  }
}

/// All masks, on a few elements.
template <class V, class M>
void check_all_masks(Outcome& outcome) {
  constexpr std::size_t lanes = v::width<V>;
  Random random(7 * lanes + sizeof(M));
  M before[lanes];
  for (M& element : before) {
    element = random_number<M>(random);
  }
  const V value = random_vec<V>(random);
  v::Element<V> numbers[lanes];
  to_memory(numbers, value);
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << lanes; ++bits) {
    M after[lanes];
    std::memcpy(after, before, sizeof after);
    v::store(after, value, mask<V>(bits));
    const V loaded = v::load<V>(before, mask<V>(bits));
    v::Element<V> got[lanes];
    to_memory(got, loaded);
    bool right = true;
    for (std::size_t i = 0; i < lanes; ++i) {
      const bool has = (bits >> i & 1U) != 0;
      right = right && same(after[i], has ? static_cast<M>(numbers[i]) : before[i]);
      right = right && same(got[i], has ? static_cast<v::Element<V>>(before[i]) : v::Element<V>{0});
    }
    expect(outcome, right, true, [&] { return name<V, M>("masked memory") + " with mask " + std::to_string(bits); });
  }
}

template <class V, class M, class I>
void check_gathers_and_scatters(Outcome& outcome) {
  using T = v::Element<V>;
  constexpr std::size_t lanes = v::width<V>;
  Guarded memory;
  Random random(lanes * sizeof(M) + sizeof(I));
  memory.fill(random);
  const std::size_t count = memory.size() / sizeof(M) - 1;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t bits = round == 0 ? 0 : round == 1 ? ~std::uint64_t{0} : random.bits();
    // In the middle and misaligned, so that indices may be negative; few places now and then, so that lanes meet.
    std::byte* const base = memory.begin() + memory.size() / 2 + random.below(sizeof(M));
    const std::uint64_t places = round % 3 == 0 ? 5 : count - 1;
    I index[lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto inside = static_cast<I>(static_cast<std::int64_t>(random.below(places)) - static_cast<std::int64_t>(places / 2));
      const std::uint64_t outside = random.below(2) == 0 ? random.bits() : memory.size() / sizeof(M);
      index[i] = (bits >> i & 1U) != 0 ? inside : static_cast<I>(outside);
    }
    const auto at = [&](std::size_t i) { return base + static_cast<std::ptrdiff_t>(index[i]) * static_cast<std::ptrdiff_t>(sizeof(M)); };
    M* const elements = reinterpret_cast<M*>(base);
    const auto indices = from_memory<v::Vec<I, lanes>>(index);
    expect_lanes<M>(outcome, v::gather<V>(elements, indices, mask<V>(bits)), bits, at, name<V, M>("gather"));
    std::vector<std::byte> wanted = memory.copy();
    V value = random_vec<V>(random);
    write<M>(wanted, memory.begin(), value, bits, at);
    v::scatter(elements, indices, value, mask<V>(bits));
    expect_page(outcome, memory, wanted, name<V, M>("scatter"));

    std::uint64_t address[lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(index[i])) * sizeof(M);
      address[i] = reinterpret_cast<std::uintptr_t>(base) + offset;
    }
    const auto addresses = from_memory<v::Vec<std::uint64_t, lanes>>(address);
    expect_lanes<M>(outcome, v::gather_at<V, M>(addresses, mask<V>(bits)), bits, at, name<V, M>("gather_at"));
    value = random_vec<V>(random);
    write<M>(wanted, memory.begin(), value, bits, at);
    v::scatter_at<M>(addresses, value, mask<V>(bits));
    expect_page(outcome, memory, wanted, name<V, M>("scatter_at"));

    M* const one = reinterpret_cast<M*>(memory.begin() + random.below(memory.size() - sizeof(M)));
    expect(outcome, v::scalar(one), element_at<M>(reinterpret_cast<std::byte*>(one)), [] { return std::string("scalar"); });
    const M number = static_cast<M>(random_number<T>(random));
    v::put(one, number);
    expect(outcome, element_at<M>(reinterpret_cast<std::byte*>(one)), number, [] { return std::string("put"); });
  }
}

/// Booleans as B, W lanes.
template <int W, class B>
void check_truths(Outcome& outcome) {
  using Mask = v::Mask<W>;
  constexpr std::size_t lanes = W;
  Guarded memory;
  Random random(W);
  const auto clear = [&] {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory.begin()[i] = static_cast<std::byte>(random.below(2));
    }
  };
  const auto bits_at = [&](const std::byte* p, unsigned active) {
    unsigned result = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      if ((active >> i & 1U) != 0 && p[i] != std::byte{0}) {
        result |= 1U << i;
      }
    }
    return static_cast<Mask>(result);
  };
  const auto check = [&](std::byte* p, Mask active) {
    clear();
    B* const truths = reinterpret_cast<B*>(p);
    expect(outcome, v::load_mask<W>(truths, active), bits_at(p, active), [] { return std::string("masked load_mask"); });
    std::vector<std::byte> wanted = memory.copy();
    const auto value = static_cast<Mask>(random.bits());
    for (unsigned i = 0; i < lanes; ++i) {
      if ((active >> i & 1U) != 0) {
        wanted[static_cast<std::size_t>(p - memory.begin()) + i] = static_cast<std::byte>(value >> i & 1U);
      }
    }
    v::store_mask<W>(truths, value, active);
    expect_page(outcome, memory, wanted, "masked store_mask");
  };
  for (std::size_t k = 0; k <= lanes; ++k) {
    const unsigned inside = (1U << k) - 1U;
    for (const std::uint64_t pattern : {~std::uint64_t{0}, random.bits(), random.bits(), std::uint64_t{0}}) {
      check(memory.end() - k, static_cast<Mask>(pattern & inside));
      check(memory.begin() - k, static_cast<Mask>(pattern & ~inside));
    }
  }
  for (unsigned offset = 0; offset < 70; ++offset) {
    for (std::byte* const p : {memory.begin() + offset, memory.end() - lanes - offset}) {
      clear();
      B* const truths = reinterpret_cast<B*>(p);
      expect(outcome, v::load_mask<W>(truths), bits_at(p, ~0U), [] { return std::string("load_mask"); });
      const auto value = static_cast<Mask>(random.bits());
      std::vector<std::byte> wanted = memory.copy();
      for (unsigned i = 0; i < lanes; ++i) {
        wanted[static_cast<std::size_t>(p - memory.begin()) + i] = static_cast<std::byte>(value >> i & 1U);
      }
      v::store_mask<W>(truths, value);
      expect_page(outcome, memory, wanted, "store_mask");
    }
  }
  for (int round = 0; round < 200; ++round) {
    clear();
    const auto active = static_cast<Mask>(random.bits());
    const auto value = static_cast<Mask>(random.bits());
    std::int64_t index[lanes];
    std::uint64_t address[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      const std::uint64_t place = random.below(round % 2 == 0 ? 4 : memory.size());
      index[i] = static_cast<std::int64_t>((active >> i & 1U) != 0 ? place : memory.size() + place);
      address[i] = reinterpret_cast<std::uintptr_t>(memory.begin()) + static_cast<std::uint64_t>(index[i]);
    }
    const auto indices = from_memory<v::Vec<std::int64_t, W>>(index);
    const auto addresses = from_memory<v::Vec<std::uint64_t, W>>(address);
    B* const truths = reinterpret_cast<B*>(memory.begin());
    unsigned gathered = 0;
    std::vector<std::byte> wanted = memory.copy();
    for (unsigned i = 0; i < lanes; ++i) {
      if ((active >> i & 1U) != 0) {
        gathered |= static_cast<unsigned>(memory.begin()[index[i]]) << i;
        wanted[static_cast<std::size_t>(index[i])] = static_cast<std::byte>(value >> i & 1U);
      }
    }
    expect(outcome, v::gather_mask(truths, indices, active), static_cast<Mask>(gathered), [] { return std::string("gather_mask"); });
    expect(outcome, v::gather_mask_at<W>(addresses, active), static_cast<Mask>(gathered), [] { return std::string("gather_mask_at"); });
    const std::vector<std::byte> before = memory.copy();
    v::scatter_mask(truths, indices, value, active);
    expect_page(outcome, memory, wanted, "scatter_mask");
    std::memcpy(memory.begin(), before.data(), before.size());
    v::scatter_mask_at<W>(addresses, value, active);
    expect_page(outcome, memory, wanted, "scatter_mask_at");
  }
}

/// Elements of all groups side by side, and back; the last one of the last group lies at the page's end.
template <class V>
void check_groups(Outcome& outcome) {
  using T = v::Element<V>;
  constexpr std::size_t W = v::width<V>;
  Guarded memory;
  Random random(W * sizeof(T));
  for (std::size_t count = 1; count <= 2 * W + 3; ++count) {
    for (const std::size_t stride : {count, count + 1, count + 5}) {
      memory.fill(random);
      T* const first = reinterpret_cast<T*>(memory.end()) - ((W - 1) * stride + count);
      const auto numbers = [&](std::size_t g, std::size_t k) {
        return element_at<T>(reinterpret_cast<std::byte*>(first + g * stride + k));
      };
      std::vector<T> side_by_side(W * count + 1, T{5});
      v::load_groups<V>(side_by_side.data(), first, static_cast<std::int64_t>(stride), static_cast<std::int64_t>(count));
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t g = 0; g < W; ++g) {
          expect(outcome, side_by_side[k * W + g], numbers(g, k), [&] { return vec_name<V>() + " load_groups"; });
        }
      }
      expect(outcome, side_by_side.back(), T{5}, [&] { return vec_name<V>() + " load_groups writes behind the last vector"; });
      // What it asks for need not be there.
      std::vector<T> asking(W * count, T{5});
      v::load_groups<V, true>(asking.data(), first, static_cast<std::int64_t>(stride), static_cast<std::int64_t>(count),
                              reinterpret_cast<const T*>(memory.end()));
      for (std::size_t i = 0; i < asking.size(); ++i) {
        expect(outcome, asking[i], numbers(i % W, i / W), [&] { return vec_name<V>() + " load_groups that asks for more"; });
      }
      std::vector<std::byte> wanted = memory.copy();
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t g = 0; g < W; ++g) {
          side_by_side[k * W + g] = random_number<T>(random);
          std::memcpy(wanted.data() + (reinterpret_cast<std::byte*>(first + g * stride + k) - memory.begin()), &side_by_side[k * W + g],
                      sizeof(T));
        }
      }
      v::store_groups<V>(first, side_by_side.data(), static_cast<std::int64_t>(stride), static_cast<std::int64_t>(count));
      expect_page(outcome, memory, wanted, vec_name<V>() + " store_groups");
    }
  }
}

/// Halves of two vectors, from registers and from the end of memory.
template <class V>
void check_halves(Outcome& outcome) {
  using T = v::Element<V>;
  constexpr std::size_t W = v::width<V>;
  Guarded memory;
  Random random(W);
  memory.fill(random);
  const T* const a = reinterpret_cast<T*>(memory.begin());
  const T* const b = reinterpret_cast<T*>(memory.end()) - W / 2;
  const auto half = [&](std::size_t j) { return reinterpret_cast<const std::byte*>(j < W / 2 ? a + j : b + (j - W / 2)); };
  expect_lanes<T>(outcome, v::halves<V>(a, b), ~std::uint64_t{0}, half, "halves of memory");
  const V x = from_memory<V>(a);
  const V y = from_memory<V>(b - W / 2);
  const auto part = [&](std::size_t j) { return reinterpret_cast<const std::byte*>(j < W / 2 ? a + j : b - W / 2 + (j - W / 2)); };
  expect_lanes<T>(outcome, v::halves(x, y), ~std::uint64_t{0}, part, "halves of vectors");
}

template <class T>
void check_rows(Outcome& outcome) {
  constexpr std::size_t line = 64 / sizeof(T);
  constexpr std::size_t count = 3 * line;
  alignas(64) std::array<T, count> rows{};
  alignas(64) std::array<T, count + 2 * line> memory{};
  T* const place = memory.data() + line;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<T>(i + 1);
  }
  expect(outcome, v::address(v::rows_or_place<true>(rows.data(), place)), v::address(rows.data()),
         [] { return std::string("rows that are staged"); });
  expect(outcome, v::address(v::rows_or_place<false>(rows.data(), place)), v::address(place),
         [] { return std::string("rows that are not"); });
  v::store_rows<false, std::int64_t{count}>(place, rows.data());
  for (const T number : memory) {
    expect(outcome, number, T{}, [] { return std::string("no rows are stored"); });
  }
  v::store_rows<true, std::int64_t{count}>(place, rows.data());
  v::stream_fence();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= line && i < line + count;
    expect(outcome, memory[i], inside ? static_cast<T>(i - line + 1) : T{}, [] { return std::string("rows are stored"); });
  }
}

void check_bytes(Outcome& outcome) {
  const auto negative = static_cast<std::uint64_t>(std::int64_t{-8});
  expect(outcome, v::lowest(3U, negative, 5U), negative, [] { return std::string("lowest"); });
  expect(outcome, v::highest(3U, negative, 5U), std::uint64_t{5}, [] { return std::string("highest"); });
  expect(outcome, v::lowest(7U), std::uint64_t{7}, [] { return std::string("lowest of one"); });
  for (std::int64_t distance = -9; distance <= 9; ++distance) {
    for (std::int64_t count = 1; count <= 7; ++count) {
      std::vector<bool> touched(32);
      std::int64_t both = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        touched[static_cast<std::size_t>(12 + i)] = true;
      }
      for (std::int64_t i = 0; i < count; ++i) {
        both += touched[static_cast<std::size_t>(12 + distance + i)] ? 1 : 0;
      }
      expect(outcome, v::far(static_cast<std::uint64_t>(distance), static_cast<std::uint64_t>(count)), both == 0 || both == count,
             [] { return std::string("far"); });
    }
  }
  const Guarded memory;
  for (std::uint64_t begin = 0; begin < 12; ++begin) {
    for (std::uint64_t end = begin + 1; end < 13; ++end) {
      const v::Bytes bytes = v::bytes(memory.begin() + 4, begin - 4, end - 4);
      const bool meets = begin < 8 && end > 5;
      expect(outcome, v::apart(bytes, v::bytes(memory.begin(), 5, 8)), !meets, [] { return std::string("apart"); });
      expect(outcome, v::apart(v::bytes(memory.begin(), 5, 8), bytes), !meets, [] { return std::string("apart, the other way round"); });
    }
  }
  const v::Bytes around = v::bytes(nullptr, ~std::uint64_t{0} - 7, 8);
  expect(outcome, v::apart(around, v::bytes(nullptr, 100, 108)), false, [] { return std::string("apart, behind the last address"); });
}

}  // namespace

Outcome groups() {
  Outcome outcome;
  for_each_vec([&]<class V>() {
    if constexpr (!v::is_pair<V>) {
      check_groups<V>(outcome);
    }
  });
  check_halves<v::F64x8>(outcome);
  check_halves<v::F32x16>(outcome);
  check_rows<double>(outcome);
  check_rows<float>(outcome);
  check_rows<std::int32_t>(outcome);
  check_rows<std::uint64_t>(outcome);
  check_bytes(outcome);
  return outcome;
}

Outcome loads_and_stores() {
  Outcome outcome;
  for_each_vec_and_element([&]<class V, class M>() {
    check_loads_and_stores<V, M>(outcome);
    check_all_masks<V, M>(outcome);
  });
  return outcome;
}

Outcome gathers_and_scatters() {
  Outcome outcome;
  for_each_vec_and_element([&]<class V, class M>() {
    check_gathers_and_scatters<V, M, std::int64_t>(outcome);
    check_gathers_and_scatters<V, M, std::int32_t>(outcome);
  });
  return outcome;
}

Outcome truths_in_memory() {
  Outcome outcome;
  check_truths<8, bool>(outcome);
  check_truths<8, std::uint8_t>(outcome);
  check_truths<16, bool>(outcome);
  check_truths<16, std::uint8_t>(outcome);
  return outcome;
}

}  // namespace lockstep::avx512_checks
