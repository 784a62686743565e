#include "bench/suite/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::bench {

namespace {

const std::string& shown(const std::string& text) {
  static const std::string nothing = "-";
  return text.empty() ? nothing : text;
}

std::string without_blanks_behind(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string plain_text(const Table& table) {
  if (table.rows.empty()) {
    return "";
  }
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(table.columns[c].name.size());
    for (const auto& row : table.rows) {
      widths[c] = std::max(widths[c], shown(row[c]).size());
    }
  }
  std::string header = " ";
  for (std::size_t c = 0; c < widths.size(); ++c) {
    header += table.columns[c].is_number ? fmt::format(" {:>{}}", table.columns[c].name, widths[c])
                                         : fmt::format(" {:<{}}", table.columns[c].name, widths[c]);
  }
  std::string out = table.title + ":\n" + without_blanks_behind(header) + "\n";
  for (const auto& row : table.rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line +=
          table.columns[c].is_number ? fmt::format(" {:>{}}", shown(row[c]), widths[c]) : fmt::format(" {:<{}}", shown(row[c]), widths[c]);
    }
    out += without_blanks_behind(line) + "\n";
  }
  return out;
}

std::string markdown(const Table& table) {
  if (table.rows.empty()) {
    return "";
  }
  std::string out = table.title + ":\n\n|";
  for (const Table::Column& column : table.columns) {
    out += fmt::format(" {} |", column.name);
  }
  out += "\n|";
  for (const Table::Column& column : table.columns) {
    out += column.is_number ? "---:|" : "---|";
  }
  for (const auto& row : table.rows) {
    out += "\n|";
    for (const std::string& text : row) {
      out += fmt::format(" {} |", text);
    }
  }
  return out + "\n";
}

}  // namespace lockstep::bench
