// Unit tests alone.

#include "tests/mutation/folders.hpp"

namespace lockstep::test {

std::vector<Check> all_checks() { return unit_test_checks(); }

}  // namespace lockstep::test
