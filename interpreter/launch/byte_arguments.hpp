#pragma once
// Arguments that are given by their bytes, in the order of memory: `hex:0000803f` is 1.0F.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::launch {

/// Whether a text is of this form.
bool is_hex(std::string_view text);

/// Its bytes, at most `left`. The error is a sentence.
std::expected<std::vector<std::byte>, std::string> bytes_of_hex(std::string_view text, std::size_t left);

/// The text of bytes.
std::string hex_of(const std::byte* bytes, std::size_t count);

}  // namespace lockstep::launch
