#pragma once
// Numbers as people give them, in the form that `.mus` texts have.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

/// A whole text that is one integer, perhaps with blanks around it.
std::optional<std::int64_t> whole_integer(std::string_view text);

/// A whole text that is one integer from 0 on, not by wrapping.
std::optional<std::int64_t> whole_natural(std::string_view text);

/// A number from `least` to `most` (at most 2^63 - 1), decimal or hexadecimal (0x…), without a sign or blanks. The error is a sentence.
std::expected<std::uint64_t, std::string> parse_number(const std::string& text, std::uint64_t least, std::uint64_t most);

}  // namespace lockstep
