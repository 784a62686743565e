// The references themselves, against laws that they do not know: products of their factors, residuals, numbers worked out by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <tuple>

#include "tests/kernels/compare.hpp"
#include "tests/reference/algorithms.hpp"
#include "tests/reference/borg.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep::reference;
using lockstep::test::difference;

namespace {

constexpr unsigned n = 12;
constexpr std::size_t batch = 5;

/// L D U x of one packed factor, in long double.
std::vector<long double> times(const double* factor, const std::vector<long double>& x) {
  std::vector<long double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = x[i];
    for (std::size_t j = i + 1; j < n; ++j) {
      y[i] += static_cast<long double>(factor[i * n + j]) * x[j];
    }
    y[i] *= static_cast<long double>(factor[i * n + i]);
  }
  std::vector<long double> z = y;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      z[i] += static_cast<long double>(factor[i * n + j]) * y[j];
    }
  }
  return z;
}

}  // namespace

TEST_CASE("references: L D U is A, and trsv solves it", "[references]") {
  for (const bool contract : {false, true}) {
    Random random(1);
    const auto a = dominant_matrices<double>(random, n, batch);
    const auto factors = ldus(n, a, contract);
    const auto b = numbers<double>(random, n * batch, Numbers::Tame);
    const auto x = trsv(n, factors, b, contract);
    for (std::size_t item = 0; item < batch; ++item) {
      const double* const factor = factors.data() + item * n * n;
      for (std::size_t column = 0; column < n; ++column) {
        std::vector<long double> unit(n, 0);
        unit[column] = 1;
        const auto image = times(factor, unit);
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(std::fabs(static_cast<double>(image[i]) - a[item * n * n + i * n + column]) < 1e-13);
        }
      }
      std::vector<long double> solution(n);
      std::copy_n(x.data() + item * n, n, solution.begin());
      const auto image = times(factor, solution);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(std::fabs(static_cast<double>(image[i]) - b[item * n + i]) < 1e-13);
      }
    }
  }
}

TEST_CASE("references: gemm against long double, and contraction is seen", "[references]") {
  Random random(2);
  const auto a = numbers<double>(random, n * n, Numbers::Tame);
  const auto b = numbers<double>(random, n * n, Numbers::Tame);
  const auto fused = gemm(n, a, b, true);
  const auto plain = gemm(n, a, b, false);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += static_cast<long double>(a[i * n + k]) * static_cast<long double>(b[k * n + j]);
      }
      CHECK(std::fabs(fused[i * n + j] - static_cast<double>(sum)) < 1e-14);
      CHECK(std::fabs(plain[i * n + j] - static_cast<double>(sum)) < 1e-14);
    }
  }
  CHECK(difference(fused, plain) != "");
  // (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60 exactly, and 0 when the square is rounded first.
  const double x = 1 + 0x1p-30;
  const double minus = -(1 + 0x1p-29);
  CHECK(gemm<double>(2, {1, x, 0, 0}, {minus, 0, x, 0}, true)[0] == 0x1p-60);
  CHECK(gemm<double>(2, {1, x, 0, 0}, {minus, 0, x, 0}, false)[0] == 0);
}

TEST_CASE("references: pade is a derivative", "[references]") {
  Random random(3);
  const auto a = numbers<double>(random, 6, Numbers::Tame);
  const auto b = numbers<double>(random, 4, Numbers::Tame);
  const auto x = numbers<double>(random, 50, Numbers::Tame);
  const std::vector<double> upstream(x.size(), 3);
  const auto value = [](const std::vector<double>& p, const std::vector<double>& q, double at) {
    long double numerator = 0;
    long double inner = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      numerator += static_cast<long double>(p[j]) * std::pow(static_cast<long double>(at), static_cast<long double>(j));
    }
    for (std::size_t k = 1; k <= 4; ++k) {
      inner += static_cast<long double>(q[k - 1]) * std::pow(static_cast<long double>(at), static_cast<long double>(k));
    }
    return numerator / (1 + std::fabs(inner));
  };
  const double h = 1e-6;
  const auto slope = [&](auto change) {
    auto up = std::tuple(a, b, 0.0);
    auto down = up;
    return [=](double at) mutable {
      std::get<2>(up) = std::get<2>(down) = at;
      change(up, h);
      change(down, -h);
      const auto of = [&](const auto& t) { return value(std::get<0>(t), std::get<1>(t), std::get<2>(t)); };
      const auto result = static_cast<double>((of(up) - of(down)) / static_cast<long double>(2 * h));
      up = down = std::tuple(a, b, 0.0);
      return result;
    };
  };
  for (const bool contract : {false, true}) {
    const auto gradient = pade(a, b, x, upstream, contract);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(gradient.dx[i] == Approx(3 * slope([](auto& t, double d) { std::get<2>(t) += d; })(x[i])).margin(1e-6));
      for (std::size_t j = 0; j < 6; ++j) {
        CHECK(gradient.da[j * x.size() + i] == Approx(3 * slope([j](auto& t, double d) { std::get<0>(t)[j] += d; })(x[i])).margin(1e-6));
      }
      for (std::size_t k = 0; k < 4; ++k) {
        CHECK(gradient.db[k * x.size() + i] == Approx(3 * slope([k](auto& t, double d) { std::get<1>(t)[k] += d; })(x[i])).margin(1e-6));
      }
    }
  }
}

TEST_CASE("references: enumeration by hand", "[references]") {
  std::vector<std::int32_t> d(80, 0);
  std::fill_n(d.begin(), 10, 1);  // at most b[0] variables are 1
  const std::vector<double> c = {5, 1, 9, 0, 9, 2, -1, 0, 3, 7};
  // Three items: two variables, none at all, and a bound that nothing satisfies.
  std::vector<double> b(8 * 3, 0);
  b[0] = 2;
  b[1] = 0.5;
  b[2] = -1;
  const auto result = enumerate(d, c, b, true);
  CHECK(result.best == std::vector<double>{18, 0, -std::numeric_limits<double>::infinity()});
  CHECK(result.arg == std::vector<std::int32_t>{(1 << 2) | (1 << 4), 0, -1});
}

TEST_CASE("references: frcg goes down towards (a, a^2)", "[references]") {
  Random random(4);
  const auto a = numbers<double>(random, 200, Numbers::Tame);
  auto b = numbers<double>(random, a.size(), Numbers::Tame);
  for (double& steepness : b) {
    steepness = 3 + 2 * steepness;
  }
  const Points<double> start{numbers<double>(random, a.size(), Numbers::Tame), numbers<double>(random, a.size(), Numbers::Tame)};
  for (const bool contract : {false, true}) {
    const auto end = frcg(a, b, start, contract);
    std::size_t close = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto value = [&](double x, double y) { return (a[i] - x) * (a[i] - x) + b[i] * (y - x * x) * (y - x * x); };
      CHECK(value(end.x[i], end.y[i]) <= value(start.x[i], start.y[i]) * (1 + 1e-12));
      close += std::fabs(end.x[i] - a[i]) + std::fabs(end.y[i] - a[i] * a[i]) < 0.1 ? 1U : 0U;
    }
    CHECK(close > a.size() * 3 / 4);
  }
}

TEST_CASE("references: shortest paths are paths, and no edge shortens them", "[references]") {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    Graph graph = random_graph(random, 50, 0.05);
    add_weights(random, graph, 100, round % 2 == 0);
    const auto distance = shortest_paths(graph, 0);
    // Along tight edges the source reaches everything that it reaches at all.
    std::vector<bool> reached(graph.nodes(), false);
    std::vector<bool> tight(graph.nodes(), false);
    const auto flood = [&](std::vector<bool>& seen, bool only_tight) {
      std::vector<std::uint32_t> todo = {0};
      seen[0] = true;
      while (!todo.empty()) {
        const std::uint32_t u = todo.back();
        todo.pop_back();
        for (std::uint32_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
          const std::uint32_t v = graph.target[e];
          if (!seen[v] && (!only_tight || distance[u] + graph.weight[e] == distance[v])) {
            seen[v] = true;
            todo.push_back(v);
          }
        }
      }
    };
    flood(reached, false);
    flood(tight, true);
    CHECK(distance[0] == 0);
    CHECK(reached == tight);
    for (std::uint32_t u = 0; u < graph.nodes(); ++u) {
      CHECK((distance[u] == unreached) == !reached[u]);
      for (std::uint32_t e = graph.first[u]; reached[u] && e < graph.first[u + 1]; ++e) {
        CHECK(distance[graph.target[e]] <= distance[u] + graph.weight[e]);
      }
    }
  }
}

TEST_CASE("references: small graphs and texts by hand", "[references]") {
  // 0 -> 1 -> 3, 0 -> 2, and 4 -> 3; 3 -> 0 closes a cycle.
  const Graph graph = graph_of(5, {{0, 2}, {0, 1}, {1, 3}, {3, 0}, {4, 3}});
  const Search search = depth_first_search(graph);
  CHECK(search.number == std::vector<std::int32_t>{0, 1, 3, 2, 4});
  CHECK(search.parent == std::vector<std::uint32_t>{0, 0, 0, 1, 4});

  CHECK(leaders(graph_of(6, {{5, 1}, {1, 5}, {3, 5}, {5, 3}, {4, 2}, {2, 4}})) == std::vector<std::int32_t>{0, 1, 2, 1, 2, 1});
  CHECK(complete_tree(8, 2, false).nodes() == 73);
  CHECK(complete_tree(8, 2, true).target.size() == 144);

  const std::vector<std::uint8_t> text = {'a', 'b', 'a', 'b', 'a', '\n', '\n', 'b', 'a'};
  CHECK(line_starts(text) == std::vector<std::uint32_t>{0, 6, 7, 9});
  CHECK(occurrences(text, "aba") == std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0, 0, 0, 0});
  CHECK(filter_book(text, "ba") == std::vector<std::uint8_t>{'a', 'b', 'a', 'b', 'a', '\n', 0, 'b', 'a'});
  CHECK(filter_book(text, "bab") == std::vector<std::uint8_t>{'a', 'b', 'a', 'b', 'a', '\n', 0, 0, 0});

  CHECK(collatz(1) == 0);
  CHECK(collatz(27) == 111);
}
