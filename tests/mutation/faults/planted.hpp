#pragma once
// What copies with planted faults (plant.cpp) ask: which of them is switched on.

#include <cstdint>

namespace lockstep::planted {

extern std::uint64_t fault;  ///< test::number_of its name; 0: none
inline bool is_on(std::uint64_t number) { return fault == number; }

}  // namespace lockstep::planted
