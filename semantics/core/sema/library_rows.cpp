#include "semantics/core/sema/library_rows.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "semantics/core/sema/conversion_rows.hpp"

namespace lockstep::core::sema {
namespace {

struct Short {
  Domain domain;
  std::string_view text;
};

constexpr auto short_ones = std::to_array<Short>({
#define LIBRARY(domain, text) {Domain::domain, text},
#include "semantics/core/sema/library.def"
#undef LIBRARY
});

/// The texts of mathematics/, each in pieces.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = [] {
    const auto joined = [](std::initializer_list<std::string_view> pieces) {
      std::string text;
      for (const std::string_view piece : pieces) {
        text += piece;
      }
      return text;
    };
    return std::vector<std::string>{
        joined({
#include <exponential.cl.inc>
        }),
        joined({
#include <trigonometric.cl.inc>
        }),
        joined({
#include <special.cl.inc>
        }),
        joined({
#include <parts.cl.inc>
        }),
    };
  }();
  return all;
}

bool begins_item(std::string_view line) {
  return !line.empty() && ((line[0] >= 'A' && line[0] <= 'Z') || (line[0] >= 'a' && line[0] <= 'z') || line[0] == '_');
}

/// The row of a function, whose head begins at `head` of its text.
LibraryRow row_of(Domain domain, std::string_view prelude, std::string_view text, std::size_t head) {
  const std::size_t begin = text.find(' ', head) + 1;
  const std::size_t open = text.find('(', head);
  LibraryRow row{.name = text.substr(begin, open - begin), .domain = domain, .prelude = prelude, .text = text};
  row.result = text.substr(head, begin - 1 - head);
  std::string_view list = text.substr(open + 1, text.find(')', head) - open - 1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    const std::string_view parameter = list.substr(0, comma);
    if (row.deciding == row.parameters.size() && parameter.starts_with("T ") && !parameter.contains('*')) {
      ++row.deciding;
    }
    row.parameters.push_back(parameter);
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return row;
}

void read(std::string_view text, std::vector<LibraryRow>& rows) {
  std::optional<std::string_view> prelude;
  std::optional<std::size_t> item;  // where the present one begins
  std::size_t head = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (begins_item(line)) {
      prelude = prelude.value_or(text.substr(0, at));
      item = item.value_or(at);
      head = at;
    }
    if (item && line.ends_with('}') && (line == "}" || begins_item(line))) {
      rows.push_back(row_of(Domain::Floats, *prelude, text.substr(*item, end - *item), head - *item));
      item.reset();
    }
    at = end + 1;
  }
}

}  // namespace

bool has(Domain domain, ScalarType type) {
  switch (domain) {
    case Domain::Floats:
      return is_float(type);
    case Domain::Integers:
      return is_integer(type);
    case Domain::Signed:
      return is_integer(type) && is_signed(type);
    case Domain::Unsigned:
      return is_integer(type) && !is_signed(type);
    case Domain::Narrow:
      return is_integer(type) && bits_of(type) <= 32;
    case Domain::UInt:
      return type == ScalarType::UInt;
    case Domain::ULong:
      return type == ScalarType::ULong;
    case Domain::Any:
      break;
  }
  return true;
}

std::span<const LibraryRow> library_rows() {
  static const std::vector<LibraryRow> rows = [] {
    std::vector<LibraryRow> all;
    for (const Short& row : short_ones) {
      all.push_back(row_of(row.domain, {}, row.text, 0));
    }
    static const std::vector<ConversionText> conversions = conversion_texts();
    for (const ConversionText& row : conversions) {
      all.push_back(row_of(row.domain, {}, row.text, 0));
    }
    for (const std::string& text : texts()) {
      read(text, all);
    }
    return all;
  }();
  return rows;
}

}  // namespace lockstep::core::sema
