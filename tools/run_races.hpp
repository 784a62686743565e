#pragma once
// Races of a run, as diagnostics.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "semantics/base/counted.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

/// Says the first races as `render` writes them, and how many more there are.
template <class Race, class Render>
void print_races(const std::vector<Race>& races, const Render& render) {
  constexpr std::size_t most = 10;
  for (std::size_t k = 0; k < std::min(races.size(), most); ++k) {
    say(render(races[k]));
  }
  if (races.size() > most) {
    say(fmt::format("lockstep: note: {} not shown; --json shows {} of them\n", counted(races.size() - most, "more race"), races.size()));
  }
}

}  // namespace lockstep::tools
