// Rounds, medians, and what results are accepted.
#include <catch2/catch.hpp>
#include <cstring>
#include <ctime>

#include "bench/suite/check.hpp"
#include "bench/suite/measure.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

double& element(const Data& data, std::size_t array, std::uint64_t g, std::size_t k) {
  const Array& a = data.arrays()[array];
  return reinterpret_cast<double*>(a.memory.data())[data.element(a, g, k)];
}

/// Takes so much processor time, which is what counts with one thread: others on this machine make no difference.
Run spin(int microseconds) {
  return [microseconds] {
    const std::clock_t end = std::clock() + microseconds * CLOCKS_PER_SEC / 1'000'000;
    while (std::clock() < end) {
    }
  };
}

}  // namespace

TEST_CASE("bench: medians and means") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(median({4, 1, 3, 100}) == 3.5);
  CHECK(geometric_mean({}) == 0);
  CHECK(geometric_mean({2, 8}) == Approx(4));
}

TEST_CASE("bench: all take turns in every round, on the inputs as they were") {
  Data data({KernelId::Trsv, ScalarType::Double, 4}, 3);
  const double input = element(data, 1, 0, 0);
  std::vector<int> calls(2);
  bool always_restored = true;
  std::vector<std::size_t> order;
  const auto entry = [&](std::size_t k) {
    const auto run = [&, k] {
      calls[k] += 1;
      order.push_back(k);
      always_restored = always_restored && element(data, 1, 0, 0) == input;
      element(data, 1, 0, 0) += 1;
    };
    return Entry{run, &data, true};  // in a few nanoseconds either may look slow beside the other
  };
  unsigned last = 0;
  const auto seconds = measure({entry(0), entry(1)}, {.warm_ups = 2, .rounds = 5}, [&](unsigned done, unsigned all) {
    CHECK(all == 7);
    last = done;
  });
  CHECK(last == 7);
  CHECK(calls == std::vector<int>{7, 7});
  CHECK(always_restored);
  REQUIRE(seconds.size() == 2);
  CHECK(seconds[0].size() == 5);
  for (std::size_t round = 0; round < 7; ++round) {
    CHECK(order[2 * round] != order[2 * round + 1]);
  }
}

TEST_CASE("bench: hot runs are repeated, and putting inputs back is taken off") {
  Data data({KernelId::Ldus, ScalarType::Double, 32}, 64);
  std::uint64_t runs = 0;
  const Entry nothing{[&] { ++runs; }, &data};
  const auto seconds = measure({nothing, Entry{spin(200), &data}}, {.warm_ups = 0, .rounds = 3, .is_hot = true});
  CHECK(runs > 30);
  CHECK(median(seconds[0]) < median(seconds[1]));
  CHECK(median(seconds[1]) > 100e-6);
}

TEST_CASE("bench: who is slow sits out, but the machine's limits never do") {
  Data data({KernelId::Gema, ScalarType::Double, 4}, 10);
  Data fewer({KernelId::Gema, ScalarType::Double, 4}, 1);
  // A problem takes 200, 300, 2000, 3000 µs; and less than a microsecond for what only bounds the others.
  const std::vector<Entry> entries = {{spin(2000), &data},  {spin(3000), &data},  {spin(20'000), &data},
                                      {spin(3000), &fewer}, {[] {}, &data, true}, {spin(9000), &fewer, true}};
  const auto rounds_of = [&](unsigned rounds) {
    std::vector<std::size_t> counts;
    for (const auto& seconds : measure(entries, {.warm_ups = 1, .rounds = rounds})) {
      counts.push_back(seconds.size());
    }
    return counts;
  };
  CHECK(rounds_of(8) == std::vector<std::size_t>{8, 8, 3, 3, 8, 8});
  CHECK(rounds_of(2) == std::vector<std::size_t>{2, 2, 2, 2, 2, 2});
}

TEST_CASE("bench: a sample has its problems' numbers in both layouts") {
  for (const Task task : {Task{KernelId::Gemm, ScalarType::Double, 4}, Task{KernelId::Pade, ScalarType::Double, 0}}) {
    const Data data(task, 50);
    const std::vector<std::uint64_t> problems = {0, 7, 49};
    const Data sample = data.sample(problems);
    CHECK(sample.batch() == 3);
    for (std::size_t a = 0; a < data.arrays().size(); ++a) {
      for (std::uint64_t p = 0; p < problems.size(); ++p) {
        for (std::size_t k = 0; k < data.arrays()[a].each; ++k) {
          CHECK(element(sample, a, p, k) == element(data, a, problems[p], k));
        }
      }
    }
  }
}

TEST_CASE("bench: sampled problems are ascending, within the batch, and have both ends") {
  for (const std::uint64_t batch : {1U, 2U, 23U, 24U, 100U, 100'000U}) {
    const auto problems = sampled_problems(batch);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front() == 0);
    CHECK(problems.back() == batch - 1);
    for (std::size_t k = 1; k < problems.size(); ++k) {
      CHECK(problems[k - 1] < problems[k]);
    }
  }
}

TEST_CASE("bench: results are compared bit for bit, or within the bound") {
  const Task task{KernelId::Gemm, ScalarType::Double, 4};
  const Data expected(task, 5);
  const Data results(task, 5);
  element(expected, 2, 3, 6) = element(results, 2, 3, 6) = 100;
  CHECK_FALSE(disagreement(results, expected, Agreement::Bits));
  element(results, 2, 3, 5) = 1e-14;  // a bound of 64 * 4 * 2.2e-16 * 100
  CHECK(disagreement(results, expected, Agreement::Bits));
  CHECK_FALSE(disagreement(results, expected, Agreement::Bound));
  element(results, 2, 3, 5) = 1e-11;
  CHECK(disagreement(results, expected, Agreement::Bound));
  element(results, 2, 3, 5) = 0;
  element(results, 2, 2, 5) = 1e-14;  // all of that problem's numbers are 0
  CHECK(disagreement(results, expected, Agreement::Bound));
  element(results, 2, 2, 5) = std::nan("");
  CHECK(disagreement(results, expected, Agreement::Bound));
  CHECK_FALSE(disagreement(results, expected, Agreement::None));
  element(results, 0, 2, 5) += 1;  // an input does not matter
  element(results, 2, 2, 5) = 0;
  CHECK_FALSE(disagreement(results, expected, Agreement::Bits));
}

TEST_CASE("bench: factorisations of other forms") {
  // L = [1 0; 3 1], D = diag(2, 5), U = [1 7; 0 1] of the first two rows; the rest is the identity.
  const Task task{KernelId::Ldus, ScalarType::Double, 4};
  const Data ldu(task, 1);
  const Data lower(task, 1);
  const Data upper(task, 1);
  for (const Data* data : {&ldu, &lower, &upper}) {
    for (std::size_t k = 0; k < 16; ++k) {
      element(*data, 0, 0, k) = k % 5 == 0 ? 1 : 0;
    }
    element(*data, 0, 0, 0) = 2;
    element(*data, 0, 0, 5) = 5;
    element(*data, 0, 0, 1) = 7;
    element(*data, 0, 0, 4) = 3;
  }
  element(lower, 0, 0, 1) = 14;  // L (D U)
  element(upper, 0, 0, 4) = 6;   // (L D) U
  CHECK_FALSE(disagreement(lower, ldu, Agreement::UnitLower));
  CHECK_FALSE(disagreement(upper, ldu, Agreement::UnitUpper));
  CHECK(disagreement(ldu, ldu, Agreement::UnitLower));
  CHECK(disagreement(lower, ldu, Agreement::UnitUpper));
  CHECK(disagreement(upper, ldu, Agreement::Bound));
}
