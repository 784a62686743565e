#pragma once
// What depends on the order in which items change memory atomically: nobody says which comes first, so that a target may leave other
// numbers there than the interpreter, and be right.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "differential/compare/kernel.hpp"
#include "interpreter/launch/launch.hpp"

namespace lockstep::differential {

/// Elements of one buffer that are not the same in all orders that were tried.
struct OpenElements {
  std::vector<std::uint64_t> indices;  ///< ascending
  bool are_moved = false;              ///< each order leaves the same numbers in them, in other places: tickets
};

/// Of each buffer. The launch is run in a few other orders of items and groups, and once with poison for what depends on their order
/// (launch::Changes); nothing is open where none of them leaves anything else, or where the program has no change whose order matters.
/// `after`: what the defining order leaves. An error where another order is undefined.
std::expected<std::vector<OpenElements>, launch::Fault> open_elements(const LoadedKernel& kernel, const launch::Arguments& before,
                                                                      const launch::Arguments& after, const launch::LaunchOptions& options);

/// "12 of 12 elements of 'out' depend on the order of atomic changes: the same numbers in any place"; a line for each buffer that has such.
std::string text_of(const std::vector<OpenElements>& open, const LoadedKernel& kernel, const launch::Arguments& before);

}  // namespace lockstep::differential
