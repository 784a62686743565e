#pragma once
// The checks that planted faults have to get past. Each is quick and always does the same.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::test {

struct Check {
  std::string name;
  std::vector<std::string> parts;                   ///< in whose faults it is tried first: the second column of mutants.def
  std::function<std::optional<std::string>()> run;  ///< what is wrong, if something is
};

/// Of the rules of μ-SIMD, on untyped programs.
std::vector<Check> rule_checks();
/// Of kernels: the laws of tests/kernel_properties on kernels with fixed seeds.
std::vector<Check> kernel_checks();
/// The unit tests that this program was linked with, those of a file together. Only to be run in a process that ends soon after.
std::vector<Check> unit_test_checks();

}  // namespace lockstep::test
