#include "tests/reference/algorithms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lockstep::reference {

std::vector<std::uint8_t> occurrences(const std::vector<std::uint8_t>& text, std::string_view pattern) {
  std::vector<std::uint8_t> found(text.size(), 0);
  const auto same = [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); };
  for (auto at = text.begin(); (at = std::search(at, text.end(), pattern.begin(), pattern.end(), same)) != text.end(); ++at) {
    found[static_cast<std::size_t>(at - text.begin())] = 1;
  }
  return found;
}

std::vector<std::uint8_t> filter_book(const std::vector<std::uint8_t>& book, std::string_view pattern) {
  std::vector<std::uint8_t> out(book.size(), 0);
  const std::vector<std::uint32_t> starts = line_starts(book);
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const std::string_view line(reinterpret_cast<const char*>(book.data()) + starts[k], starts[k + 1] - starts[k]);
    if (line.find(pattern) != std::string_view::npos) {
      std::copy(line.begin(), line.end(), out.begin() + starts[k]);
    }
  }
  return out;
}

std::vector<std::int32_t> shortest_paths(const Graph& graph, std::uint32_t source) {
  constexpr std::int64_t far = std::int64_t{1} << 60;
  std::vector<std::int64_t> distance(graph.nodes(), far);
  distance[source] = 0;
  for (std::uint32_t round = 1; round < graph.nodes(); ++round) {
    for (std::uint32_t u = 0; u < graph.nodes(); ++u) {
      for (std::uint32_t e = graph.first[u]; distance[u] != far && e < graph.first[u + 1]; ++e) {
        std::int64_t& there = distance[graph.target[e]];
        there = std::min(there, distance[u] + graph.weight[e]);
      }
    }
  }
  std::vector<std::int32_t> out;
  for (const std::int64_t d : distance) {
    out.push_back(d == far ? unreached : static_cast<std::int32_t>(d));
  }
  return out;
}

Search depth_first_search(const Graph& graph) {
  Search search{std::vector<std::int32_t>(graph.nodes(), -1), std::vector<std::uint32_t>(graph.nodes(), 0)};
  std::int32_t count = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // a node, and its next edge
  const auto enter = [&](std::uint32_t node, std::uint32_t from) {
    search.number[node] = count++;
    search.parent[node] = from;
    path.emplace_back(node, graph.first[node]);
  };
  for (std::uint32_t root = 0; root < graph.nodes(); ++root) {
    if (search.number[root] < 0) {
      enter(root, root);
    }
    while (!path.empty()) {
      const std::uint32_t node = path.back().first;
      const std::uint32_t edge = path.back().second++;
      if (edge == graph.first[node + 1]) {
        path.pop_back();
      } else if (search.number[graph.target[edge]] < 0) {
        enter(graph.target[edge], node);
      }
    }
  }
  return search;
}

std::vector<std::int32_t> leaders(const Graph& graph) {
  std::vector<std::int32_t> parent(graph.nodes());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t v) {
    while (parent[static_cast<std::size_t>(v)] != v) {
      v = parent[static_cast<std::size_t>(v)];
    }
    return v;
  };
  for (std::uint32_t u = 0; u < graph.nodes(); ++u) {
    for (std::uint32_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
      const std::int32_t a = root(static_cast<std::int32_t>(u));
      const std::int32_t b = root(static_cast<std::int32_t>(graph.target[e]));
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  std::vector<std::int32_t> out;
  for (std::uint32_t v = 0; v < graph.nodes(); ++v) {
    out.push_back(root(static_cast<std::int32_t>(v)));
  }
  return out;
}

std::vector<float> saxpy(float alpha, const std::vector<float>& x, std::vector<float> y, bool contract) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = contract ? std::fma(alpha, x[i], y[i]) : alpha * x[i] + y[i];
  }
  return y;
}

std::uint32_t collatz(std::uint64_t n) { return n == 1 ? 0 : 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1); }

}  // namespace lockstep::reference
