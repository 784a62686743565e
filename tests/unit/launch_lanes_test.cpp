// The lane kernels of typed programs, of every instruction set that this processor runs, lane by lane against scalar_reference.hpp.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "interpreter/launch/lane_kernels.hpp"
#include "tests/unit/scalar_reference.hpp"

namespace lockstep::launch {

extern const LaneKernels lane_kernels_baseline;
#ifdef __x86_64__
extern const LaneKernels lane_kernels_v3;
extern const LaneKernels lane_kernels_v4;
#endif

}  // namespace lockstep::launch

using namespace lockstep;
using launch::LaneKernels;
using scalar_reference::Answer;

namespace {

constexpr std::size_t most_lanes = 144;
constexpr std::size_t widths[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129};

/// The sets up to the one that the machine has chosen: what runs the wider instructions runs the others too.
std::vector<const LaneKernels*> sets_of_this_processor() {
  std::vector<const LaneKernels*> sets = {&launch::lane_kernels_baseline};
#ifdef __x86_64__
  for (const LaneKernels* wider : {&launch::lane_kernels_v3, &launch::lane_kernels_v4}) {
    if (sets.back() != &launch::lane_kernels()) {
      sets.push_back(wider);
    }
  }
#endif
  return sets;
}

/// Lanes of any type, aligned as the machine's are.
struct alignas(64) Row {
  std::byte bytes[8 * most_lanes];

  template <class T>
  T get(std::size_t lane) const {
    T value{};
    std::memcpy(&value, bytes + lane * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void set(std::size_t lane, T value) {
    std::memcpy(bytes + lane * sizeof(T), &value, sizeof(T));
  }
  std::uint64_t bits(std::size_t lane, unsigned size) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + lane * size, size);
    return value;
  }
};

template <class T>
Row row(std::mt19937_64& random) {
  Row result;
  for (std::size_t t = 0; t < most_lanes; ++t) {
    result.set(t, scalar_reference::number<T>(random));
  }
  if constexpr (sizeof(T) < 8) {
    std::memset(result.bytes + most_lanes * sizeof(T), 0x5a, sizeof result.bytes - most_lanes * sizeof(T));
  }
  return result;
}

/// How many lanes below `lanes` are not as `expected(t)` says, and 1 more if something behind them has changed.
template <class T, class Expected>
unsigned wrong_lanes(const Row& result, const Row& before, std::size_t lanes, unsigned size, Expected&& expected) {
  unsigned wrong = 0;
  for (std::size_t t = 0; t < lanes; ++t) {
    const std::optional<Answer> answer = expected(t);
    wrong += answer && (answer->size != size || !scalar_reference::is<T>(*answer, result.bits(t, size))) ? 1U : 0U;
  }
  return wrong + (std::memcmp(result.bytes + lanes * size, before.bytes + lanes * size, sizeof result.bytes - lanes * size) != 0 ? 1U : 0U);
}

bool gives_int(Op op) {
  return op == Op::LogicalNot || op == Op::LogicalAnd || op == Op::LogicalOr || op == Op::Lt || op == Op::Le || op == Op::Gt ||
         op == Op::Ge || op == Op::Eq || op == Op::Ne;
}

template <class F>
void for_each_type(F&& f) {
  for (const ScalarInfo& type : scalar_table) {
    with_type(type.type, [&]<class T>(T) { f(type, T{}); });
  }
}

std::vector<OpInfo> operations() {
  std::vector<OpInfo> all(op_table.begin(), op_table.end());
  all.insert(all.end(), function_table.begin(), function_table.end());
  return all;
}

template <class T>
void check_operation(const LaneKernels& set, const OpInfo& op, ScalarType type, std::mt19937_64& random) {
  const launch::OpKernel kernel = set.op[static_cast<std::size_t>(op.op)][static_cast<std::size_t>(type)];
  const std::optional<Answer> some = scalar_reference::operation<T>(op.op, T{1}, T{1}, T{1}, 1);
  REQUIRE((kernel != nullptr) == some.has_value());
  if (kernel == nullptr) {
    return;
  }
  const unsigned size = gives_int(op.op) ? 4 : sizeof(T);
  for (const std::size_t lanes : widths) {
    const Row a = op.op == Op::Select ? row<std::int32_t>(random) : row<T>(random);
    const Row b = row<T>(random);
    const Row c = row<T>(random);
    const Row before = row<T>(random);
    const auto expected = [&](std::size_t t) {
      return scalar_reference::operation<T>(op.op, op.op == Op::Select ? T{} : a.get<T>(t), b.get<T>(t), c.get<T>(t),
                                            op.op == Op::Select ? a.get<std::int32_t>(t) : 0);
    };
    Row result = before;
    kernel(result.bytes, a.bytes, op.arity > 1 ? b.bytes : nullptr, op.arity > 2 ? c.bytes : nullptr, lanes);
    CHECK(wrong_lanes<T>(result, before, lanes, size, expected) == 0);
    if (size == sizeof(T)) {  // in place of an operand
      result = op.arity > 1 ? b : a;
      const Row old = result;
      kernel(result.bytes, op.arity > 1 ? a.bytes : result.bytes, op.arity > 1 ? result.bytes : nullptr, op.arity > 2 ? c.bytes : nullptr,
             lanes);
      CHECK(wrong_lanes<T>(result, old, lanes, size, expected) == 0);
    }
  }
}

template <class From, class To>
void check_conversion(const LaneKernels& set, ScalarType from, ScalarType to, std::mt19937_64& random) {
  const launch::ConvertKernel convert = set.convert[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  const launch::TestKernel misfit = set.misfit[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  const bool to_bool = to == ScalarType::Bool;
  REQUIRE((misfit != nullptr) == (is_float(from) && !is_float(to) && !to_bool));
  for (const std::size_t lanes : widths) {
    const Row a = row<From>(random);
    const Row before = row<To>(random);
    Row result = before;
    convert(result.bytes, a.bytes, lanes);
    const auto expected = [&](std::size_t t) { return scalar_reference::conversion<To>(a.get<From>(t), to_bool); };
    CHECK(wrong_lanes<To>(result, before, lanes, sizeof(To), expected) == 0);
    if (misfit != nullptr) {
      std::uint64_t words[3] = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
      misfit(words, a.bytes, lanes);
      unsigned wrong = 0;
      for (std::size_t t = 0; t < (lanes + 63) / 64 * 64; ++t) {
        wrong += ((words[t / 64] >> (t % 64) & 1U) != 0) != (t < lanes && !expected(t)) ? 1U : 0U;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("typed lane kernels: every operation on every type, in every instruction set", "[lanes]") {
  std::mt19937_64 random(1);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const OpInfo& op : operations()) {
      for_each_type([&]<class T>(const ScalarInfo& type, T) {
        INFO(set->name << ": " << op.name << " of " << type.name);
        check_operation<T>(*set, op, type.type, random);
      });
    }
  }
}

TEST_CASE("typed lane kernels: every conversion, in every instruction set", "[lanes]") {
  std::mt19937_64 random(2);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for_each_type([&]<class From>(const ScalarInfo& from, From) {
      for_each_type([&]<class To>(const ScalarInfo& to, To) {
        INFO(set->name << ": " << from.name << " to " << to.name);
        check_conversion<From, To>(*set, from.type, to.type, random);
      });
    });
  }
}

TEST_CASE("typed lane kernels: undefined divisions and zeros, in every instruction set", "[lanes]") {
  std::mt19937_64 random(3);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for_each_type([&]<class T>(const ScalarInfo& type, T) {
      INFO(set->name << ": " << type.name);
      const launch::TestPairKernel misdivided = set->misdivided[static_cast<std::size_t>(type.type)];
      REQUIRE((misdivided == nullptr) == type.is_float);
      for (const std::size_t lanes : widths) {
        for (const bool harmless : {false, true}) {
          const Row a = row<T>(random);
          Row b = row<T>(random);
          for (std::size_t t = 0; harmless && t < most_lanes; ++t) {
            b.set(t, T{3});
          }
          std::uint64_t zero[3] = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
          std::uint64_t undefined[3] = {0, 0, 0};
          set->zero[static_cast<std::size_t>(type.type)](zero, b.bytes, lanes);
          if (misdivided != nullptr) {
            misdivided(undefined, a.bytes, b.bytes, lanes);
          }
          unsigned wrong = 0;
          for (std::size_t t = 0; t < (lanes + 63) / 64 * 64; ++t) {
            const bool in = t < lanes;
            wrong += ((zero[t / 64] >> (t % 64) & 1U) != 0) != (in && b.get<T>(t) == T{0}) ? 1U : 0U;
            const bool no_quotient =
                in && misdivided != nullptr && !scalar_reference::operation<T>(Op::Div, a.get<T>(t), b.get<T>(t), T{0}, 0);
            wrong += ((undefined[t / 64] >> (t % 64) & 1U) != 0) != no_quotient ? 1U : 0U;
          }
          CHECK(wrong == 0);
        }
      }
    });
  }
}

TEST_CASE("typed lane kernels: indices, in every instruction set", "[lanes]") {
  std::mt19937_64 random(4);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for_each_type([&]<class T>(const ScalarInfo& type, T) {
      INFO(set->name << ": " << type.name);
      const launch::ResolveKernel resolve = set->resolve[static_cast<std::size_t>(type.type)];
      REQUIRE((resolve == nullptr) == type.is_float);
      if (resolve == nullptr) {
        return;
      }
      for (const std::size_t lanes : widths) {
        for (const std::int64_t base : {std::int64_t{0}, std::int64_t{3}, std::int64_t{-3}, std::int64_t{1} << 33}) {
          for (const std::uint32_t limit : {0U, 1U, 100U, 0x7fffffffU}) {
            Row index = row<T>(random);
            for (std::size_t t = 0; t < most_lanes && random() % 2 == 0; ++t) {
              index.set(t, static_cast<T>(random() % 90 + 3));
            }
            std::vector<std::uint32_t> out(lanes + 1, 77);
            const bool all = resolve(out.data(), index.bytes, base, limit, lanes);
            bool expected_all = true;
            unsigned wrong = out[lanes] != 77 ? 1U : 0U;
            for (std::size_t t = 0; t < lanes; ++t) {
              const auto element = static_cast<std::uint64_t>(index.get<T>(t)) + static_cast<std::uint64_t>(base);
              expected_all = expected_all && element < limit;
              wrong += out[t] != (element < limit ? element : 0) ? 1U : 0U;
            }
            CHECK(wrong == 0);
            CHECK(all == expected_all);
          }
        }
      }
    });
  }
}

namespace {

template <class T>
void check_moves(const LaneKernels& set, std::size_t lanes, std::mt19937_64& random) {
  const std::size_t size = launch::size_index(sizeof(T));
  const Row a = row<T>(random);
  const Row before = row<T>(random);
  Row result = before;
  set.splat[size](result.bytes, a.bytes + 2 * sizeof(T), lanes);
  CHECK(wrong_lanes<T>(result, before, lanes, sizeof(T), [&](std::size_t) { return scalar_reference::answer(a.get<T>(2)); }) == 0);

  std::uint64_t words[] = {random(), random(), random()};
  std::vector<std::uint8_t> mask(most_lanes, 0x11);
  set.expand(mask.data(), words, lanes);
  const auto in = [&](std::size_t t) { return (words[t / 64] >> (t % 64) & 1U) != 0; };
  for (std::size_t t = 0; t < most_lanes; ++t) {
    REQUIRE(mask[t] == (t >= lanes ? 0x11 : in(t) ? 0xff : 0));
  }
  result = before;
  set.blend[size](result.bytes, a.bytes, mask.data(), lanes);
  CHECK(wrong_lanes<T>(result, before, lanes, sizeof(T),
                       [&](std::size_t t) { return scalar_reference::answer(in(t) ? a.get<T>(t) : before.get<T>(t)); }) == 0);

  std::vector<T> table(5 * most_lanes);
  std::generate(table.begin(), table.end(), [&] { return static_cast<T>(random()); });
  std::vector<std::uint32_t> index(most_lanes);
  std::generate(index.begin(), index.end(), [&] { return static_cast<std::uint32_t>(random() % table.size()); });
  result = before;
  set.gather[size](result.bytes, table.data(), index.data(), lanes);
  CHECK(wrong_lanes<T>(result, before, lanes, sizeof(T), [&](std::size_t t) { return scalar_reference::answer(table[index[t]]); }) == 0);
  std::generate(index.begin(), index.end(), [&] { return static_cast<std::uint32_t>(random() % 5); });
  result = before;
  set.gather_rows[size](result.bytes, table.data(), index.data(), most_lanes, lanes);
  CHECK(wrong_lanes<T>(result, before, lanes, sizeof(T),
                       [&](std::size_t t) { return scalar_reference::answer(table[index[t] * most_lanes + t]); }) == 0);
}

}  // namespace

TEST_CASE("typed lane kernels: copies, masks and gathers of every size, in every instruction set", "[lanes]") {
  std::mt19937_64 random(5);
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const std::size_t lanes : widths) {
      INFO(set->name << " at " << lanes);
      check_moves<std::uint8_t>(*set, lanes, random);
      check_moves<std::uint16_t>(*set, lanes, random);
      check_moves<std::uint32_t>(*set, lanes, random);
      check_moves<std::uint64_t>(*set, lanes, random);
    }
  }
}

TEST_CASE("typed lane kernels: ascending indices and equal pointers, in every instruction set", "[lanes]") {
  for (const LaneKernels* set : sets_of_this_processor()) {
    for (const std::size_t lanes : widths) {
      INFO(set->name << " at " << lanes);
      std::vector<std::uint32_t> index(lanes);
      std::iota(index.begin(), index.end(), 40U);
      CHECK(set->ascending(index.data(), lanes));
      std::vector<std::uint64_t> pointers(lanes, std::uint64_t{1} << 50);
      std::vector<std::uint8_t> mask(lanes, 0xff);
      CHECK(set->all_equal(pointers.data(), pointers[0], mask.data(), lanes));
      for (std::size_t t = 0; t < lanes; ++t) {
        index[t] ^= 0x80000000U;
        CHECK(set->ascending(index.data(), lanes) == (lanes == 1));
        index[t] ^= 0x80000000U;
        pointers[t] ^= std::uint64_t{1} << 41;
        CHECK_FALSE(set->all_equal(pointers.data(), std::uint64_t{1} << 50, mask.data(), lanes));
        mask[t] = 0;
        CHECK(set->all_equal(pointers.data(), std::uint64_t{1} << 50, mask.data(), lanes));
        mask[t] = 0xff;
        pointers[t] ^= std::uint64_t{1} << 41;
      }
    }
  }
}
