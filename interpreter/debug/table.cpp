#include "interpreter/debug/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {

namespace {

constexpr unsigned table_columns = 16;  // side by side

/// Width on a terminal: one column a code point, which holds for every character that we print.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, columns(text)), ' ') + std::string(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, columns(text)), ' ');
}

}  // namespace

std::string change_text(std::string_view name, const std::string& from, const std::string& to) {
  if (from == to) {
    return {};
  }
  const bool is_long = columns(from) + columns(to) > 90;
  return fmt::format("  {} {}{}→ {}\n", name, from, is_long ? "\n    " : " ", to);
}

std::string table_text(std::string_view heading, unsigned count, const std::function<bool(unsigned)>& active,
                       const std::vector<TableRow>& rows, unsigned first) {
  std::size_t name_width = 8;
  for (const TableRow& row : rows) {
    name_width = std::max(name_width, columns(row.name));
  }
  std::string out;
  for (unsigned begin = 0; begin < count; begin += table_columns) {
    const unsigned end = std::min(count, begin + table_columns);
    std::vector<std::vector<std::string>> texts(rows.size());
    std::size_t width = 4;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (unsigned t = begin; t < end; ++t) {
        texts[r].push_back(rows[r].text(t));
        width = std::max(width, columns(texts[r].back()) + 1);
      }
    }
    std::string numbers = padded_right(heading, name_width);
    std::string marks = padded_right("Θ", name_width);
    for (unsigned t = begin; t < end; ++t) {
      numbers += padded_left(std::to_string(first + t), width);
      marks += padded_left(active(t) ? "✓" : "•", width);
    }
    out.append(numbers).append("\n").append(marks).append("\n");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      out += padded_right(rows[r].name, name_width);
      for (const std::string& text : texts[r]) {
        out += padded_left(text, width);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace lockstep
