#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

std::string to_text(const LaneSet& set) {
  std::string out = "{";
  const char* separator = "";
  for (unsigned lane = set.first(); lane < set.width();) {
    unsigned end = lane + 1;
    while (set.contains(end)) {
      ++end;
    }
    if (end - lane >= 3) {
      out += separator + std::to_string(lane) + "-" + std::to_string(end - 1);
      separator = ",";
      lane = end;
    } else {
      out += separator + std::to_string(lane);
      separator = ",";
      ++lane;
    }
    while (lane < set.width() && !set.contains(lane)) {
      ++lane;
    }
  }
  return out + "}";
}

}  // namespace lockstep
