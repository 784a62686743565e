#pragma once
// What an action reads and writes, whichever it is.

#include <vector>

#include "interpreter/ptx/code.hpp"

namespace lockstep::ptx_machine {

/// Every member of an action that is a source, but not an address's, and every one that is a destination.
struct Operands {
  std::vector<Source> sources;
  std::vector<Destination> destinations;
};

Operands operands_of(const Action& action);

/// The address that is accessed; null if it is no access.
const Place* place_of(const Action& action);

}  // namespace lockstep::ptx_machine
