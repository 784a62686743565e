#pragma once
// Of many kernels, only those are compiled that look otherwise with the planted fault than without it: what is the same says nothing.

#include <algorithm>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/mutation/tool/planted.hpp"

namespace lockstep::test {

/// How a kernel is emitted, which returns what is wrong, and the text that this leaves.
template <class Trial>
struct Emitter {
  std::function<std::optional<std::string>(Trial&)> emit_into;
  std::function<const std::string&(const Trial&)> text_of;
};

/// Those whose text shows the fault, emitted with it: the shortest ones, `most` of them; without a fault the first ones. An error: the
/// emitter says no, or throws.
template <class Trial>
std::expected<std::vector<Trial>, std::string> suspects(std::vector<Trial> all, std::size_t most, const Emitter<Trial>& emitter) {
  std::vector<Trial> found;
  for (Trial& trial : all) {
    if (auto wrong = emitter.emit_into(trial)) {
      return std::unexpected(*wrong);
    }
    bool differs = found.size() < most;
    if (planted::fault != 0) {
      Trial sound = trial;
      const auto fault = std::exchange(planted::fault, 0);
      emitter.emit_into(sound);
      planted::fault = fault;
      differs = emitter.text_of(sound) != emitter.text_of(trial);
    }
    if (differs) {
      found.push_back(std::move(trial));
    }
  }
  std::ranges::stable_sort(found, {}, [&](const Trial& trial) { return emitter.text_of(trial).size(); });
  found.resize(std::min(found.size(), most));
  return found;
}

/// Handed over so many at a time, since most faults show in the first few kernels, and a file of all would need more memory than a check
/// has. The first thing that is wrong.
template <class Trial>
std::optional<std::string> in_pieces(const std::vector<Trial>& trials, std::size_t of,
                                     const std::function<std::optional<std::string>(std::vector<Trial>)>& try_them) {
  for (std::size_t first = 0; first < trials.size(); first += of) {
    const auto begin = trials.begin() + static_cast<std::ptrdiff_t>(first);
    if (auto wrong = try_them({begin, begin + static_cast<std::ptrdiff_t>(std::min(of, trials.size() - first))})) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::test
