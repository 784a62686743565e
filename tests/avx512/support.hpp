#pragma once
// Numbers to try, and the comparison of lanes. Inside the checks only.

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/emit/avx512/support/lockstep_avx512.h"
#include "tests/avx512/checks.hpp"

namespace lockstep::avx512_checks {

namespace v = ::lockstep_avx512;

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }

 private:
  std::uint64_t state_;
};

/// Numbers at which an operation may go wrong.
template <class T>
std::vector<T> special_numbers() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> result = {T{0},
                             T{1},
                             T{1.5},
                             T{2},
                             T{3},
                             T{0.1F},
                             T{127.9F},
                             T{1} + Limits::epsilon(),
                             T{1} - Limits::epsilon() / 2,
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::min() - Limits::denorm_min(),
                             Limits::max(),
                             Limits::infinity(),
                             Limits::quiet_NaN()};
    for (const double power : {0x1p31, 0x1p32, 0x1p63, 0x1p64, 0x1p24, 0x1p53}) {
      const T p = static_cast<T>(power);
      result.insert(result.end(), {p, p * (1 - Limits::epsilon() / 2), p * (1 + Limits::epsilon()), p - 1});
    }
    const std::size_t positive = result.size();
    for (std::size_t i = 0; i < positive; ++i) {
      result.push_back(-result[i]);
    }
    return result;
  } else {
    std::vector<T> result;
    for (const T near : {T{0}, Limits::max(), Limits::min(), static_cast<T>(Limits::max() / 2)}) {
      for (const std::uint64_t distance : {0ULL, 1ULL, 2ULL, 3ULL}) {
        result.push_back(static_cast<T>(static_cast<std::uint64_t>(near) + distance));
        result.push_back(static_cast<T>(static_cast<std::uint64_t>(near) - distance));
      }
    }
    for (const std::uint64_t bits : {7ULL, 8ULL, 31ULL, 32ULL, 33ULL, 63ULL, 64ULL, 65ULL, 127ULL, 128ULL, 255ULL, 32768ULL, 65535ULL,
                                     65536ULL, 0x00000000FFFFFFFFULL, 0x0123456789ABCDEFULL, 1ULL << 53, (1ULL << 53) + 1,
                                     // What rounds differently to float and to double first.
                                     (1ULL << 60) + (1ULL << 36) + 1, (1ULL << 60) + (3ULL << 36) - 1}) {
      result.push_back(static_cast<T>(bits));
    }
    return result;
  }
}

/// A special number, a small one, or any bits at all.
template <class T>
T random_number(Random& random) {
  static const std::vector<T> special = special_numbers<T>();
  const std::uint64_t bits = random.bits();
  switch (random.below(4)) {
    case 0:
      return special[bits % special.size()];
    case 1:
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-60);
      } else {
        return static_cast<T>(static_cast<std::int64_t>(bits) >> (bits % 61));
      }
    default: {
      T result;
      std::memcpy(&result, &bits, sizeof result);
      return result;
    }
  }
}

/// Pairs, triples, ..: all pairs of special numbers, then random ones; as many as a multiple of 16.
template <class T>
struct Operands {
  std::vector<T> a;
  std::vector<T> b;
  std::vector<T> c;
};
template <class T>
const Operands<T>& operands() {
  static const Operands<T> result = [] {
    Operands<T> all;
    Random random(sizeof(T) + (std::is_signed_v<T> ? 100 : 0) + (std::is_floating_point_v<T> ? 1000 : 0));
    const std::vector<T> special = special_numbers<T>();
    for (const T x : special) {
      for (const T y : special) {
        all.a.push_back(x);
        all.b.push_back(y);
      }
    }
    while (all.a.size() < 8192 || all.a.size() % 16 != 0) {
      all.a.push_back(random_number<T>(random));
      all.b.push_back(random_number<T>(random));
    }
    for (std::size_t i = 0; i < all.a.size(); ++i) {
      all.c.push_back(random_number<T>(random));
    }
    return all;
  }();
  return result;
}

/// The same bits; any NaN is as good as any other one.
template <class T>
bool same(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x && y != y) {
      return true;
    }
  }
  return std::memcmp(&x, &y, sizeof x) == 0;
}

template <class T>
std::string text(T number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    std::array<char, 40> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%a", static_cast<double>(number));
    return buffer.data();
  } else {
    return std::to_string(number);
  }
}

template <class T>
std::string type_name() {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 8 ? "double" : "float";
  } else {
    return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
  }
}

/// For people: "f64x8".
template <class V>
std::string vec_name() {
  return type_name<v::Element<V>>() + "x" + std::to_string(v::width<V>);
}

/// Records that `got` should have been `wanted`. `what` is called if it is not.
template <class T, class What>
void expect(Outcome& outcome, T got, T wanted, What what) {
  ++outcome.compared;
  if (!same(got, wanted) && outcome.wrong.size() < 20) {
    outcome.wrong.push_back(what() + ": " + text(got) + " instead of " + text(wanted));
  }
}

/// Calls f.template operator()<T>() for every type of lanes.
template <class F>
void for_each_number(F f) {
  f.template operator()<double>();
  f.template operator()<float>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::uint64_t>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::uint32_t>();
}
/// Calls f.template operator()<V>() for every Vec; and for single numbers as well.
template <class F>
void for_each_vec(F f) {
  for_each_number([&]<class T>() {
    f.template operator()<v::Vec<T, 8>>();
    f.template operator()<v::Vec<T, 16>>();
  });
}
template <class F>
void for_each_vec_and_number(F f) {
  for_each_vec(f);
  for_each_number(f);
}

/// The V whose lanes begin at p, through memory.
template <class V>
V from_memory(const v::Element<V>* p) {
  V result;
  std::memcpy(&result, p, sizeof result);
  return result;
}
template <class V>
void to_memory(v::Element<V>* p, const V& value) {
  std::memcpy(p, &value, sizeof value);
}

/// Readable and writable memory between pages that are neither: whoever touches those ends the test.
class Guarded {
 public:
  Guarded() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* const all = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
      throw std::runtime_error("no memory for the pages");
    }
    all_ = static_cast<std::byte*>(all);
    if (mprotect(begin(), page_, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("the page cannot be opened");
    }
  }
  ~Guarded() { munmap(all_, 3 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  std::byte* begin() const { return all_ + page_; }
  std::byte* end() const { return begin() + page_; }
  std::size_t size() const { return page_; }

  /// Random bytes everywhere.
  void fill(Random& random) {
    for (std::size_t i = 0; i < page_; i += 8) {
      const std::uint64_t bits = random.bits();
      std::memcpy(begin() + i, &bits, 8);
    }
  }
  std::vector<std::byte> copy() const { return {begin(), end()}; }

 private:
  std::size_t page_;
  std::byte* all_;
};

/// The element at p, wherever p points.
template <class M>
M element_at(const std::byte* p) {
  M result;
  std::memcpy(&result, p, sizeof result);
  return result;
}

}  // namespace lockstep::avx512_checks
