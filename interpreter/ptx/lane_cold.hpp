#pragma once
// The loops that are compiled once. Each function of forms.def finds its own for a key.

#include "interpreter/ptx/lane_loops.hpp"

namespace lockstep::ptx_machine {

namespace cold {
#define HOT(function)
#define COLD(function) LaneLoop function(const LaneKey& key);
#define BOTH(function) COLD(function)
#include "interpreter/ptx/lane_functions.def"
}  // namespace cold

namespace {  // NOLINT(google-build-namespaces): local to each file that includes it

/// pick.operator()<flags…>() for flags that are known only here.
template <bool... known, class Pick>
LaneFunction with_flags(Pick pick) {
  return pick.template operator()<known...>();
}
template <bool... known, class Pick, class... Rest>
LaneFunction with_flags(Pick pick, bool first, Rest... rest) {
  return first ? with_flags<known..., true>(pick, rest...) : with_flags<known..., false>(pick, rest...);
}

/// pick.operator()<rounding>() for .rn, .rz, .rm and .rp.
template <class Pick>
LaneFunction with_rounding(Rounding rounding, Pick pick) {
  switch (rounding) {
    case Rounding::Nearest:
      return pick.template operator()<Rounding::Nearest>();
    case Rounding::TowardZero:
      return pick.template operator()<Rounding::TowardZero>();
    case Rounding::Down:
      return pick.template operator()<Rounding::Down>();
    case Rounding::Up:
      return pick.template operator()<Rounding::Up>();
    case Rounding::NearestAway:
      break;
  }
  return nullptr;
}

}  // namespace
}  // namespace lockstep::ptx_machine
