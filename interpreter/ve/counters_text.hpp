#pragma once
// What a run counted, for people and as JSON.

#include <string>

#include "interpreter/ve/launch.hpp"

namespace lockstep::ve_machine {

/// Lines with names in front: steps by class, vectors, memory, and the modelled cycles.
std::string counters_text(const Outcome& outcome);

/// Members of a JSON object, without the braces.
std::string counters_json(const Outcome& outcome);

}  // namespace lockstep::ve_machine
