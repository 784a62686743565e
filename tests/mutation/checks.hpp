#pragma once
// The checks that planted faults have to get past. Each is quick and always does the same.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::test {

struct Check {
  std::string name;
  std::vector<std::string> parts;                   ///< whose rows of the table in folders.cpp ask it
  std::function<std::optional<std::string>()> run;  ///< what is wrong, if something is
};

/// Of the rules of μ-SIMD, on untyped programs.
std::vector<Check> rule_checks();
/// The unit tests that this program was linked with, those of a file together. Only to be run in a process that ends soon after.
std::vector<Check> unit_test_checks();

}  // namespace lockstep::test
