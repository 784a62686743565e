#pragma once
// What values, parameters and objects of a kernel are called in emitted C and C++.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_c {

struct Names {
  std::vector<std::string> parameters;
  std::vector<std::string> counts;  ///< of a pointer parameter: how many elements a host's array has
  std::vector<std::string> objects;
  std::vector<std::string> values;  ///< of a scalar parameter: the parameter's
};

/// In front of a loop's variable or a carried value: where the loop ends, and what the next round gets.
inline constexpr std::string_view end_prefix = "end_of_";
inline constexpr std::string_view next_prefix = "next_";

/// Unique, as near as can be to those of the kernel, and none of the words that the emitter uses itself.
Names names_of(const infreg::Kernel& kernel, const std::unordered_set<std::string>& own_words);

}  // namespace lockstep::emit_c
