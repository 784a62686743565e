#pragma once
// Numbers of things, for people.

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

/// "1 step", "2 steps".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace lockstep
