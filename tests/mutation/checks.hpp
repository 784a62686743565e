#pragma once
// The checks that planted faults have to get past. Each is quick and always does the same.

#include <functional>
#include <optional>
#include <set>
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
/// The unit tests that this program was linked with, those of a file together. Only to be run in a process that ends soon after.
std::vector<Check> unit_test_checks();

/// What a program of planted faults is about: language.cpp and compiler.cpp have one each.
struct Subject {
  std::set<std::string> parts;  ///< whose faults are planted; "rules": those in the rules of Figs. 4 and 5, and in premises
  std::vector<Check> checks;
  unsigned one_of = 1;    ///< of so many faults one is planted, another one each day (LOCKSTEP_SEED repeats it); all with LOCKSTEP_FULL
  unsigned seconds = 20;  ///< of processor time that all checks together may take; who needs more hangs
};
Subject subject();

}  // namespace lockstep::test
