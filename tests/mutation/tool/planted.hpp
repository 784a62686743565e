#pragma once
// What copies with planted faults ask: which of them is switched on.

#include <type_traits>

namespace lockstep::planted {

inline unsigned fault = 0;  ///< its number; 0: none

/// No constant has a fault.
[[gnu::always_inline]] constexpr bool is_on(unsigned number) { return !std::is_constant_evaluated() && fault == number; }

}  // namespace lockstep::planted
