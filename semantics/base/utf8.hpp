#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep {

/// The offset of the first NUL byte or malformed UTF-8 sequence, if there is one.
std::optional<std::size_t> first_bad_byte(std::string_view text);

}  // namespace lockstep
