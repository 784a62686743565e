#pragma once

#include <string>

#include "semantics/base/lane_set.hpp"

namespace lockstep {

/// The set for people: "{}", "{0,3}"; three or more neighbours are a range: "{0-31,40}".
std::string to_text(const LaneSet& set);

}  // namespace lockstep
