#pragma once
// What both steppers show alike: values side by side, and what a step changed.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// A row of a table with one column a thread or item.
struct TableRow {
  std::string name;
  std::function<std::string(unsigned)> text;
};

/// The numbers first to first + count - 1 under `heading`, Θ as ✓ and •, and the rows, which count from 0; 16 columns side by side.
std::string table_text(std::string_view heading, unsigned count, const std::function<bool(unsigned)>& active,
                       const std::vector<TableRow>& rows, unsigned first = 0);

/// "  Π [] → [...]", in two lines where one would be long; nothing if both are the same.
std::string change_text(std::string_view name, const std::string& from, const std::string& to);

}  // namespace lockstep
