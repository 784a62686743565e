#pragma once
// Which checks a folder's faults have to get past.

#include <string>
#include <vector>

#include "tests/mutation/checks.hpp"

namespace lockstep::test {

/// All that a program was linked with: language.cpp, compiler.cpp and units.cpp have one each.
std::vector<Check> all_checks();

struct Folder {
  std::vector<Check> checks;   ///< in the order in which they are asked
  double killed_at_least = 0;  ///< share of the faults that are made: what was measured (docs/testing.md), less what chance may do to it
};
/// Of the checks those that the table names for the folder.
Folder folder_named(const std::string& name, std::vector<Check> checks);

}  // namespace lockstep::test
