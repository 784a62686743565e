#pragma once
// The checks that planted faults have to get past. Each is quick and always does the same.

#include <span>
#include <string_view>

#include "tests/properties/trial.hpp"

namespace lockstep::test {

struct Check {
  std::string_view name;
  Verdict (*run)();
};

/// In the order in which they are tried.
std::span<const Check> checks();

}  // namespace lockstep::test
