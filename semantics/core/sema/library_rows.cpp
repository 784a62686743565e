#include "semantics/core/sema/library_rows.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::core::sema {
namespace {

struct Short {
  std::string_view name;
  Domain domain;
  std::string_view definition;
};

constexpr auto short_ones = std::to_array<Short>({
#define LIBRARY(name, domain, definition) {name, Domain::domain, definition},
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

/// The row of a function whose head begins at `head` of the definition.
LibraryRow row_of(std::string_view name, Domain domain, std::string_view definition, std::size_t head) {
  LibraryRow row{.name = name, .domain = domain, .definition = definition};
  std::string_view line = definition.substr(head);
  row.result = line.substr(0, line.find(' '));
  line = line.substr(0, line.find(')'));
  line.remove_prefix(line.find('(') + 1);
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find(", "), line.size());
    const std::string_view parameter = line.substr(0, comma);
    if (row.deciding == row.parameters.size() && parameter.starts_with("T ") && !parameter.contains('*')) {
      ++row.deciding;
    }
    row.parameters.push_back(parameter);
    line.remove_prefix(std::min(comma + 2, line.size()));
  }
  return row;
}

/// The function of this text, whose head begins at `head` of it.
LibraryRow function_of(std::string_view prelude, std::string_view text, std::size_t head) {
  const std::size_t begin = text.find(' ', head) + 1;
  const std::size_t end = text.find('(', head);
  static std::deque<std::string> definitions;
  std::string& definition = definitions.emplace_back(prelude);
  definition += text.substr(0, begin);
  definition += "NAME";
  definition += text.substr(end);
  return row_of(text.substr(begin, end - begin), Domain::Floats, definition, prelude.size() + head);
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
      rows.push_back(function_of(*prelude, text.substr(*item, end - *item), head - *item));
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
      all.push_back(row_of(row.name, row.domain, row.definition, 0));
    }
    for (const std::string& text : texts()) {
      read(text, all);
    }
    return all;
  }();
  return rows;
}

}  // namespace lockstep::core::sema
