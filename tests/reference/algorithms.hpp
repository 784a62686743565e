#pragma once
// What the algorithms of examples/crev and examples/core have to compute, by other means: the standard library, union-find,
// explicit stacks. Plain C++ that shares nothing with the rest of the project.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/reference/inputs.hpp"

namespace lockstep::reference {

/// 1 for each place of the text where the pattern begins, else 0. The pattern is not empty.
std::vector<std::uint8_t> occurrences(const std::vector<std::uint8_t>& text, std::string_view pattern);

/// The lines that contain the pattern, line breaks included, at their places; 0 elsewhere.
std::vector<std::uint8_t> filter_book(const std::vector<std::uint8_t>& book, std::string_view pattern);

inline constexpr std::int32_t unreached = 0x7fffffff;
/// Lengths of shortest paths from `source`, `unreached` where there is none. Bellman and Ford over the list of edges, n - 1 rounds.
std::vector<std::int32_t> shortest_paths(const Graph& graph, std::uint32_t source);

struct Search {
  std::vector<std::int32_t> number;   ///< each node's place in the order of visits
  std::vector<std::uint32_t> parent;  ///< where each node was visited from; roots have themselves
};
/// Depth-first search with roots ascending and neighbours as listed.
Search depth_first_search(const Graph& graph);

/// The smallest node of each node's component; the graph has its edges in both directions.
std::vector<std::int32_t> leaders(const Graph& graph);

/// y = alpha x + y.
std::vector<float> saxpy(float alpha, const std::vector<float>& x, std::vector<float> y, bool contract);

/// How many Collatz steps lead from n to 1.
std::uint32_t collatz(std::uint64_t n);

}  // namespace lockstep::reference
