// The lane kernels of every instruction set that this processor runs, not only the best one, which is what all other tests use.
#include "interpreter/machine/lane_kernels.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "semantics/ops/scalar.hpp"

namespace lockstep {

extern const LaneKernels lane_kernels_baseline;
#ifdef __x86_64__
extern const LaneKernels lane_kernels_v3;
extern const LaneKernels lane_kernels_v4;
#endif

}  // namespace lockstep

using namespace lockstep;

namespace {

using I = std::int64_t;

constexpr std::size_t most_lanes = 1024;

/// Every kernel reads and writes such rows.
struct alignas(64) Row {
  std::array<I, most_lanes> lane{};

  I* data() { return lane.data(); }
  const I* data() const { return lane.data(); }
};

/// The sets up to the one that the machine has chosen: what runs the wider instructions runs the others too.
std::vector<const LaneKernels*> sets_of_this_processor() {
  std::vector<const LaneKernels*> sets = {&lane_kernels_baseline};
#ifdef __x86_64__
  for (const LaneKernels* wider : {&lane_kernels_v3, &lane_kernels_v4}) {
    if (sets.back() != &lane_kernels()) {
      sets.push_back(wider);
    }
  }
#endif
  return sets;
}

/// Values at which operations go wrong, and random ones.
Row row(std::mt19937_64& random) {
  static constexpr I extremes[] = {0, 1, -1, 2, 63, 64, -64, std::numeric_limits<I>::min(), std::numeric_limits<I>::max(), I{1} << 32};
  Row result;
  for (I& value : result.lane) {
    value = random() % 3 == 0 ? static_cast<I>(random()) : extremes[random() % std::size(extremes)];
  }
  return result;
}

/// Threads at random, as bits and as the masks that kernels take.
struct Mask {
  explicit Mask(std::mt19937_64& random) {
    for (std::uint64_t& word : words) {
      word = random();
    }
    for (std::size_t t = 0; t < most_lanes; ++t) {
      masks.lane[t] = contains(t) ? -1 : 0;
    }
  }

  bool contains(std::size_t t) const { return (words[t / 64] >> (t % 64) & 1U) != 0; }

  std::array<std::uint64_t, most_lanes / 64> words{};
  Row masks;
};

I scalar(Op op, I a, I b, I c) {
  const auto call = [&](auto f, auto arity) {
    if constexpr (arity() == 1) {
      return f(a);
    } else if constexpr (arity() == 2) {
      return f(a, b);
    } else {
      return f(a, b, c);
    }
  };
  switch (op) {
#define OP(id, text, arity, precedence, undefined, meaning) \
  case Op::id:                                              \
    return call([](auto... w) { return ops::id(w...); }, std::integral_constant<int, arity>());
#include "semantics/ops/ops.def"
#undef OP
    default:
      break;  // the functions of typed programs have no kernels here
  }
  return 0;
}

constexpr std::size_t widths[] = {8, 16, 24, 32, 40, 56, 64, 72, 128, 1000, most_lanes};

}  // namespace

TEST_CASE("lane kernels: operations, with and without a mask, in every instruction set", "[lanes]") {
  std::mt19937_64 random(6);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const OpInfo& op : op_table) {
      for (const std::size_t lanes : widths) {
        INFO(set->name << ": " << op.text << " at " << lanes);
        const Row a = row(random);
        const Row b = row(random);
        const Row c = row(random);
        const Mask mask(random);
        const Row old = row(random);
        Row all = old;
        Row some = old;
        set->op[static_cast<std::size_t>(op.op)](all.data(), a.data(), b.data(), c.data(), lanes);
        set->masked[static_cast<std::size_t>(op.op)](some.data(), a.data(), b.data(), c.data(), mask.masks.data(), lanes);
        unsigned wrong = 0;
        for (std::size_t t = 0; t < most_lanes; ++t) {
          const I expected = t < lanes ? scalar(op.op, a.lane[t], b.lane[t], c.lane[t]) : old.lane[t];
          wrong += all.lane[t] != expected;
          wrong += some.lane[t] != (mask.contains(t) ? expected : old.lane[t]);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("lane kernels: copies and masks in every instruction set", "[lanes]") {
  std::mt19937_64 random(7);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const std::size_t lanes : widths) {
      INFO(set->name << " at " << lanes);
      const Row a = row(random);
      const Mask mask(random);
      const Row old = row(random);
      Row all = old;
      Row some = old;
      Row expanded = old;
      const std::size_t shift = lanes < most_lanes ? 3 : 0;  // the source need not be aligned
      set->copy(all.data(), a.data() + shift, nullptr, nullptr, lanes);
      set->masked_copy(some.data(), a.data() + shift, nullptr, nullptr, mask.masks.data(), lanes);
      set->expand(expanded.data(), mask.words.data(), lanes);
      unsigned wrong = 0;
      for (std::size_t t = 0; t < most_lanes; ++t) {
        wrong += all.lane[t] != (t < lanes ? a.lane[t + shift] : old.lane[t]);
        wrong += some.lane[t] != (t < lanes && mask.contains(t) ? a.lane[t + shift] : old.lane[t]);
        wrong += expanded.lane[t] != (t < lanes ? mask.masks.lane[t] : old.lane[t]);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("lane kernels: questions in every instruction set", "[lanes]") {
  std::mt19937_64 random(8);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const std::size_t lanes : widths) {
      for (const I argument : {I{0}, I{1}, I{64}, I{-64}, std::numeric_limits<I>::min()}) {
        INFO(set->name << " at " << lanes << ", argument " << argument);
        const Row a = row(random);
        std::array<std::uint64_t, most_lanes / 64> equal{};
        std::array<std::uint64_t, most_lanes / 64> below{};
        std::array<std::uint64_t, most_lanes / 64> index{};
        set->equal_to(equal.data(), a.data(), argument, lanes);
        set->below(below.data(), a.data(), argument, lanes);
        set->index_below(index.data(), a.data(), argument, lanes);
        const auto bit = [](const auto& words, std::size_t t) { return (words[t / 64] >> (t % 64) & 1U) != 0; };
        unsigned wrong = 0;
        for (std::size_t t = 0; t < lanes; ++t) {
          wrong += bit(equal, t) != (a.lane[t] == argument);
          wrong += bit(below, t) != (a.lane[t] < argument);
          wrong += argument >= 0 && bit(index, t) != (a.lane[t] >= 0 && a.lane[t] < argument);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("lane kernels: ascending values, at every width, in every instruction set", "[lanes]") {
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (std::size_t lanes = 1; lanes <= 70; ++lanes) {
      INFO(set->name << " at " << lanes);
      Row a;
      std::iota(a.lane.begin(), a.lane.end(), I{-3});
      CHECK(set->ascending(a.data(), lanes));
      for (std::size_t t = 1; t < lanes; ++t) {
        a.lane[t] += I{1} << 40;
        CHECK_FALSE(set->ascending(a.data(), lanes));
        a.lane[t] -= I{1} << 40;
      }
      std::fill(a.lane.begin() + static_cast<std::ptrdiff_t>(lanes), a.lane.end(), 0);  // the padding does not count
      CHECK(set->ascending(a.data(), lanes));
    }
  }
}

TEST_CASE("lane kernels: permutations of every size up to 72 lanes, in every instruction set", "[lanes]") {
  std::mt19937_64 random(9);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (std::size_t lanes = lane_padding; lanes <= 72; lanes += lane_padding) {
      for (std::size_t step = 0; step < lanes; ++step) {
        INFO(set->name << " at " << lanes << ", rotated by " << step);
        const Row table = row(random);
        Row index;
        for (std::size_t t = 0; t < lanes; ++t) {
          index.lane[t] = static_cast<I>((t + step) % lanes);
        }
        Row result;
        set->permute(result.data(), table.data(), index.data(), lanes);
        unsigned wrong = 0;
        for (std::size_t t = 0; t < lanes; ++t) {
          wrong += result.lane[t] != table.lane[(t + step) % lanes];
        }
        CHECK(wrong == 0);
      }
    }
  }
}
