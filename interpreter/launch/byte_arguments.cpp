#include "interpreter/launch/byte_arguments.hpp"

#include <fmt/format.h>

#include "semantics/base/diagnostic.hpp"

namespace lockstep::launch {
namespace {

constexpr std::string_view prefix = "hex:";
constexpr std::string_view digits = "0123456789abcdef";

/// 0 to 15; more where it is no digit.
std::size_t value_of(char digit) { return digits.find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit); }

}  // namespace

bool is_hex(std::string_view text) { return text.starts_with(prefix); }

std::expected<std::vector<std::byte>, std::string> bytes_of_hex(std::string_view text, std::size_t left) {
  text.remove_prefix(prefix.size());
  if (text.size() / 2 > left) {
    return std::unexpected(fmt::format("{} bytes do not fit into the {} bytes that are left of the memory limit", text.size() / 2, left));
  }
  if (text.size() % 2 != 0) {
    return std::unexpected(fmt::format("a byte has two digits, but '{}' has an odd number of them", shortened(text)));
  }
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = value_of(text[2 * i]);
    const std::size_t low = value_of(text[2 * i + 1]);
    if (high >= digits.size() || low >= digits.size()) {
      return std::unexpected(fmt::format("'{}' is no byte; a byte has two digits, 00 to ff", text.substr(2 * i, 2)));
    }
    bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return bytes;
}

std::string hex_of(const std::byte* bytes, std::size_t count) {
  std::string text(prefix);
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[std::to_integer<std::size_t>(bytes[i]) >> 4];
    text += digits[std::to_integer<std::size_t>(bytes[i]) & 15];
  }
  return text;
}

}  // namespace lockstep::launch
