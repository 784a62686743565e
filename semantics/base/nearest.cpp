#include "semantics/base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "semantics/base/diagnostic.hpp"

namespace lockstep {
namespace {

constexpr std::size_t longest_suggestion = 64;
constexpr std::size_t most_candidates = 10'000;

/// Insertions, deletions, replacements and swaps of neighbours that make `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > longest_suggestion) {
    return std::nullopt;
  }
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates.first(std::min(candidates.size(), most_candidates))) {
    if (candidate.size() + best > word.size() && candidate.size() < word.size() + best) {
      if (const std::size_t distance = edit_distance(word, candidate); distance < best) {
        best = distance;
        found = candidate;
      }
    }
  }
  return found;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> near = nearest(word, candidates);
  return near ? "; did you mean '" + shortened(*near) + "'?" : "";
}

}  // namespace lockstep
