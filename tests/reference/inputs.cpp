#include "tests/reference/inputs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lockstep::reference {

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

}  // namespace

std::vector<std::int32_t> integers(Random& random, std::size_t count, std::uint32_t limit) {
  std::vector<std::int32_t> out(count);
  for (std::int32_t& value : out) {
    value = static_cast<std::int32_t>(random.below(limit));
  }
  return out;
}

Graph graph_of(std::uint32_t nodes, Edges edges) {
  std::sort(edges.begin(), edges.end());
  Graph graph;
  graph.first.assign(std::size_t{nodes} + 1, 0);
  for (const auto& [from, to] : edges) {
    ++graph.first[from + 1];
    graph.target.push_back(to);
  }
  for (std::size_t u = 0; u < nodes; ++u) {
    graph.first[u + 1] += graph.first[u];
  }
  graph.weight.assign(edges.size(), 0);
  return graph;
}

Graph random_graph(Random& random, std::uint32_t nodes, double probability) {
  Edges edges;
  for (std::uint32_t u = 0; u < nodes; ++u) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
      if (u != v && random.chance(probability)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return graph_of(nodes, std::move(edges));
}

Graph random_undirected_graph(Random& random, std::uint32_t nodes, double probability) {
  Edges edges;
  for (std::uint32_t u = 0; u < nodes; ++u) {
    for (std::uint32_t v = u + 1; v < nodes; ++v) {
      if (random.chance(probability)) {
        edges.emplace_back(u, v);
        edges.emplace_back(v, u);
      }
    }
  }
  return graph_of(nodes, std::move(edges));
}

Graph complete_tree(std::uint32_t arity, std::uint32_t depth, bool both) {
  std::uint32_t inner = 0;  // nodes that have children
  std::uint32_t level = 1;
  for (std::uint32_t i = 0; i < depth; ++i) {
    inner += level;
    level *= arity;
  }
  Edges edges;
  for (std::uint32_t u = 0; u < inner; ++u) {
    for (std::uint32_t child = arity * u + 1; child <= arity * u + arity; ++child) {
      edges.emplace_back(u, child);
      if (both) {
        edges.emplace_back(child, u);
      }
    }
  }
  return graph_of(inner + level, std::move(edges));
}

void add_weights(Random& random, Graph& graph, std::int32_t limit, bool negative) {
  // Every node has a height; climbing costs more and descending less, which cancels in a cycle.
  std::vector<std::int32_t> height(graph.nodes(), 0);
  if (negative) {
    height = integers(random, graph.nodes(), static_cast<std::uint32_t>(limit) + 1);
  }
  for (std::uint32_t u = 0; u < graph.nodes(); ++u) {
    for (std::uint32_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
      const auto cost = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(limit)));
      graph.weight[e] = cost / 2 + height[graph.target[e]] - height[u];
    }
  }
}

std::vector<std::uint8_t> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::uint8_t> random_text(Random& random, std::size_t size, unsigned letters) {
  std::vector<std::uint8_t> out(size);
  for (std::uint8_t& c : out) {
    c = random.chance(0.05) ? std::uint8_t{'\n'} : static_cast<std::uint8_t>('a' + random.below(letters));
  }
  return out;
}

std::vector<std::uint32_t> line_starts(const std::vector<std::uint8_t>& text) {
  std::vector<std::uint32_t> out = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || i + 1 == text.size()) {
      out.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return out;
}

}  // namespace lockstep::reference
