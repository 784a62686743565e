#pragma once
// Which word somebody probably meant.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// The candidate that `word` was probably meant to be: the nearest one within a third of its length (at least one edit), the first
/// of several. Only a bounded number of candidates is looked at.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'Done'?", or nothing where no candidate is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

/// The same of the names that rows have.
template <class Row>
std::string suggestion(std::string_view word, const std::vector<Row>& rows, std::string Row::* name) {
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const Row& row : rows) {
    names.push_back(row.*name);
  }
  return suggestion(word, names);
}

}  // namespace lockstep
