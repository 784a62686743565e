#include "semantics/ptx/special.hpp"

#include <charconv>
#include <unordered_map>

namespace lockstep::ptx {
namespace {

const SpecialInfo* row_named(std::string_view text) {
  static const auto by_text = [] {
    std::unordered_map<std::string_view, const SpecialInfo*> rows;
    for (const SpecialInfo& row : special_table) {
      rows.emplace(row.text, &row);
    }
    return rows;
  }();
  const auto found = by_text.find(text);
  return found == by_text.end() ? nullptr : found->second;
}

/// `%pm0` to `%pm7` and `%envreg0` to `%envreg31`; `%pm0_64` is wider and not among them.
std::optional<Special> numbered(std::string_view text) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const SpecialInfo* row = row_named(text.substr(0, digits));
  if (row == nullptr || digits == text.size() || (row->special != SpecialRegister::Envreg && row->special != SpecialRegister::Pm)) {
    return std::nullopt;
  }
  std::uint8_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), number);
  const bool fits = error == std::errc() && number < (row->special == SpecialRegister::Pm ? 8 : 32);
  return fits ? std::optional(Special{row->special, number}) : std::nullopt;
}

}  // namespace

std::optional<Special> special_named(std::string_view text) {
  if (!text.starts_with('%')) {
    return std::nullopt;
  }
  const std::size_t dot = text.find('.');
  const SpecialInfo* row = row_named(text.substr(0, dot));
  if (row == nullptr || row->special == SpecialRegister::Envreg || row->special == SpecialRegister::Pm) {
    return numbered(text);
  }
  if (dot == std::string_view::npos) {
    return row->components == 1 ? std::optional(Special{row->special, 0}) : std::nullopt;
  }
  constexpr std::string_view letters = "xyzw";
  const std::string_view component = text.substr(dot + 1);
  if (row->components == 1 || component.size() != 1 || letters.find(component[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  return Special{row->special, static_cast<std::uint8_t>(letters.find(component[0]))};
}

}  // namespace lockstep::ptx
