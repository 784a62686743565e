#include "semantics/musimd/number.hpp"

#include <fmt/format.h>

#include "semantics/musimd/literal.hpp"

namespace lockstep {

namespace {

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::optional<std::int64_t> whole_integer(std::string_view text) {
  text = without_blanks(text);
  const auto literal = musimd::read_integer(text);
  return literal && literal->problem.empty() && literal->length == text.size() ? std::optional(literal->value) : std::nullopt;
}

std::optional<std::int64_t> whole_natural(std::string_view text) {
  const auto value = whole_integer(text);
  return value && *value >= 0 && !without_blanks(text).starts_with('-') ? value : std::nullopt;
}

std::expected<std::uint64_t, std::string> parse_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const bool blank = text.find(' ') != std::string::npos;
  const auto value = blank ? std::nullopt : whole_natural(text);
  if (value && static_cast<std::uint64_t>(*value) >= least && static_cast<std::uint64_t>(*value) <= most) {
    return static_cast<std::uint64_t>(*value);
  }
  constexpr std::size_t widest = 32;
  const std::string shown = text.size() <= widest ? text : text.substr(0, widest) + "…";
  return std::unexpected(fmt::format("{} is not a number from {} to {}", blank || text.empty() ? "'" + shown + "'" : shown, least, most));
}

}  // namespace lockstep
