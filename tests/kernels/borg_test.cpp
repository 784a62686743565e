// examples/borg against the scalar references, bit for bit: every group size, pack size, contraction, and element type.
#include "tests/reference/borg.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <type_traits>

#include "tests/kernels/call.hpp"
#include "tests/kernels/compare.hpp"
#include "tests/kernels/sample.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep;
using namespace lockstep::test;
using reference::Numbers;
using reference::Random;

namespace {

struct Case {
  unsigned wg_size = 0;
  unsigned pack = 0;
  bool contract = false;
  bool is_float = false;
};

std::vector<Case> cases_of(const std::vector<unsigned>& wg_sizes) {
  std::vector<Case> cases;
  for (const unsigned wg_size : wg_sizes) {
    for (const unsigned pack : {1U, 2U, 4U}) {
      for (const bool contract : {false, true}) {
        for (const bool is_float : {false, true}) {
          cases.push_back({wg_size, pack, contract, is_float});
        }
      }
    }
  }
  return cases;
}

std::vector<Case> group_wise_cases() { return cases_of({4, 8, 12, 16, 20, 24, 28, 32}); }
std::vector<Case> item_wise_cases() { return cases_of({4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64}); }

/// Calls check(c, T{}) for a sample of the cases, T being the case's element type.
template <class Check>
void for_each(const std::vector<Case>& cases, std::size_t usual, const Check& check) {
  for (const Case& c : sample(cases, usual)) {
    INFO("WG_SIZE " << c.wg_size << ", WG_PACK " << c.pack << ", contraction " << (c.contract ? "on" : "off") << ", "
                    << (c.is_float ? "float" : "double") << ", LOCKSTEP_SEED=" << run_seed());
    if (c.is_float) {
      check(c, float{});
    } else {
      check(c, double{});
    }
  }
}

template <class T>
KernelId kernel(const std::string& name, const Case& c) {
  KernelId id{"borg/" + name + ".cl", name, {}};
  id.options.wg_size = c.wg_size;
  id.options.contract = c.contract;
  id.options.defines = {{"REAL", std::is_same_v<T, float> ? "float" : "double"}};
  return id;
}

launch::LaunchOptions launch_of(const Case& c, std::uint64_t groups) {
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = c.pack;
  return options;
}

/// Odd, so that the last pack is not full.
constexpr std::array<std::uint64_t, 3> group_counts = {1, 3, 7};

constexpr std::array<Numbers, 3> all_kinds = {Numbers::Tame, Numbers::Wide, Numbers::Wild};

/// Of the matrices of one batch some are well-conditioned, some hold anything.
template <class T>
std::vector<T> matrices(Random& random, unsigned n, std::uint64_t batch, Numbers kind) {
  return kind == Numbers::Tame ? reference::dominant_matrices<T>(random, n, batch)
                               : reference::numbers<T>(random, std::size_t{n} * n * batch, kind);
}

}  // namespace

TEST_CASE("borG: gema", "[kernels][borg]") {
  Random random(run_seed());
  for_each(group_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : all_kinds) {
        const auto a = matrices<T>(random, c.wg_size, groups, kind);
        const auto b = matrices<T>(random, c.wg_size, groups, kind);
        std::vector<T> result(a.size(), T(7));
        Call(kernel<T>("gema", c)).input(a).input(b).buffer(result).run(launch_of(c, groups));
        REQUIRE(difference(result, reference::gema(a, b)) == "");
      }
    }
  });
}

TEST_CASE("borG: gemm", "[kernels][borg]") {
  Random random(run_seed());
  for_each(group_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : all_kinds) {
        const auto a = matrices<T>(random, c.wg_size, groups, kind);
        const auto b = matrices<T>(random, c.wg_size, groups, kind);
        std::vector<T> result(a.size(), T(7));
        Call(kernel<T>("gemm", c)).input(a).input(b).buffer(result).run(launch_of(c, groups));
        REQUIRE(difference(result, reference::gemm(c.wg_size, a, b, c.contract)) == "");
      }
    }
  });
}

TEST_CASE("borG: ldus", "[kernels][borg]") {
  Random random(run_seed());
  for_each(group_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : all_kinds) {
        const auto a = matrices<T>(random, c.wg_size, groups, kind);
        std::vector<T> result = a;
        Call(kernel<T>("ldus", c)).buffer(result).run(launch_of(c, groups));
        REQUIRE(difference(result, reference::ldus(c.wg_size, a, c.contract)) == "");
      }
    }
  });
}

TEST_CASE("borG: trsv", "[kernels][borg]") {
  Random random(run_seed());
  for_each(group_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : all_kinds) {
        const auto factors = reference::ldus(c.wg_size, matrices<T>(random, c.wg_size, groups, kind), c.contract);
        const auto b = reference::numbers<T>(random, c.wg_size * groups, kind);
        std::vector<T> result = b;
        Call(kernel<T>("trsv", c)).input(factors).buffer(result).run(launch_of(c, groups));
        REQUIRE(difference(result, reference::trsv(c.wg_size, factors, b, c.contract)) == "");
      }
    }
  });
}

TEST_CASE("borG: pade", "[kernels][borg]") {
  Random random(run_seed());
  for_each(item_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : all_kinds) {
        const std::size_t batch = groups * c.wg_size - random.below(c.wg_size);
        const auto a = reference::numbers<T>(random, 6, kind);
        const auto b = reference::numbers<T>(random, 4, kind);
        auto x = reference::numbers<T>(random, batch, kind);
        const auto g = reference::numbers<T>(random, batch, kind);
        x.front() = -T(0);  // the inner sum is a zero then
        reference::Pade<T> result{std::vector<T>(batch, T(7)), std::vector<T>(6 * batch, T(7)), std::vector<T>(4 * batch, T(7))};
        Call(kernel<T>("pade", c))
            .input(a)
            .input(b)
            .input(x)
            .input(g)
            .buffer(result.dx)
            .buffer(result.da)
            .buffer(result.db)
            .scalar(static_cast<std::uint32_t>(batch))
            .run(launch_of(c, groups));
        const reference::Pade<T> expected = reference::pade(a, b, x, g, c.contract);
        REQUIRE(difference(result.dx, expected.dx) == "");
        REQUIRE(difference(result.da, expected.da) == "");
        REQUIRE(difference(result.db, expected.db) == "");
      }
    }
  });
}

TEST_CASE("borG: enumerate", "[kernels][borg]") {
  Random random(run_seed());
  bool some_feasible = false;
  bool some_not = false;
  for_each(item_wise_cases(), 3, [&]<class T>(const Case& c, T) {
    const std::uint64_t groups = 3;
    const std::size_t batch = groups * c.wg_size - random.below(c.wg_size);
    std::vector<std::int32_t> d = reference::integers(random, 80, 41);
    for (std::int32_t& coefficient : d) {
      coefficient -= 12;
    }
    const auto objective = reference::numbers<T>(random, 10, Numbers::Tame);
    auto b = reference::numbers<T>(random, 8 * batch, Numbers::Tame);
    for (std::size_t i = 0; i < b.size(); ++i) {
      // Most items have something to choose from; some have a negative bound, which excludes even the empty candidate.
      b[i] = b[i] * T(30) + (i % 5 == 0 ? T(20) : T(60));
    }
    reference::Enumeration<T> result{std::vector<T>(batch, T(7)), std::vector<std::int32_t>(batch, 7)};
    Call(kernel<T>("enumerate", c))
        .input(d)
        .input(objective)
        .input(b)
        .buffer(result.best)
        .buffer(result.arg)
        .scalar(static_cast<std::uint32_t>(batch))
        .run(launch_of(c, groups));
    const reference::Enumeration<T> expected = reference::enumerate(d, objective, b, c.contract);
    REQUIRE(difference(result.best, expected.best) == "");
    REQUIRE(difference(result.arg, expected.arg) == "");
    for (const std::int32_t arg : expected.arg) {
      some_feasible = some_feasible || arg > 0;
      some_not = some_not || arg < 0;
    }
  });
  CHECK(some_feasible);
  CHECK(some_not);
}

TEST_CASE("borG: frcg", "[kernels][borg]") {
  Random random(run_seed());
  for_each(item_wise_cases(), 12, [&]<class T>(const Case& c, T) {
    for (const std::uint64_t groups : group_counts) {
      for (const Numbers kind : {Numbers::Tame, Numbers::Wild}) {
        const std::size_t batch = groups * c.wg_size - random.below(c.wg_size);
        const auto a = reference::numbers<T>(random, batch, kind);
        auto b = reference::numbers<T>(random, batch, kind);
        for (T& steepness : b) {
          steepness = kind == Numbers::Tame ? T(5) + T(4) * steepness : steepness;
        }
        const reference::Points<T> start{reference::numbers<T>(random, batch, kind), reference::numbers<T>(random, batch, kind)};
        reference::Points<T> result = start;
        Call(kernel<T>("frcg", c))
            .input(a)
            .input(b)
            .buffer(result.x)
            .buffer(result.y)
            .scalar(static_cast<std::uint32_t>(batch))
            .run(launch_of(c, groups));
        const reference::Points<T> expected = reference::frcg(a, b, start, c.contract);
        REQUIRE(difference(result.x, expected.x) == "");
        REQUIRE(difference(result.y, expected.y) == "");
      }
    }
  });
}
