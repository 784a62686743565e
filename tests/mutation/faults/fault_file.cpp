// Reading lists of faults.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "tests/mutation/faults/fault.hpp"

namespace lockstep::test {

namespace {

/// Adds a line to a text of several.
void add_line(std::string& text, bool& has_lines, std::string_view line) {
  text += (has_lines ? "\n" : "") + std::string(line);
  has_lines = true;
}

/// The faults of one file, added to the others. A sentence if something is wrong.
std::string read_file(const std::string& path, std::vector<Fault>& faults) {
  std::ifstream in(path);
  bool has_text = false;
  bool has_replacement = false;
  bool is_open = false;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view rest = std::string_view(line).substr(std::min<std::size_t>(line.size(), 2));
    const auto problem = [&](const char* what) { return fmt::format("{}:{}: {}", path, number, what); };
    if (line.starts_with("== ")) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) {
        return problem("a fault begins with == NAME: SENTENCE");
      }
      if (is_open && !has_text) {
        return problem("the fault before has no text");
      }
      faults.push_back({line.substr(3, colon - 3), line.substr(colon + 2), "", "", "", {}});
      is_open = true;
      has_text = has_replacement = false;
    } else if (!is_open || line.empty()) {
      continue;
    } else if (line.starts_with("file: ")) {
      faults.back().file = line.substr(6);
    } else if (line.starts_with("noticed: ")) {
      std::istringstream names(line.substr(9));
      for (std::string name; names >> name;) {
        faults.back().noticing.push_back(name);
      }
    } else if (line.starts_with("- ") || line == "-") {
      add_line(faults.back().text, has_text, rest);
    } else if (line.starts_with("+ ") || line == "+") {
      add_line(faults.back().replacement, has_replacement, rest);
    } else {
      return problem("is neither 'file: ', 'noticed: ', '- ' nor '+ '");
    }
  }
  return is_open && !has_text ? path + ": the last fault has no text" : "";
}

}  // namespace

std::expected<std::vector<Fault>, std::string> read_faults(const std::string& folder) {
  std::set<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".faults") {
      paths.insert(entry.path().string());
    }
  }
  if (error || paths.empty()) {
    return std::unexpected(folder + ": there are no lists of faults");
  }
  std::vector<Fault> faults;
  for (const std::string& path : paths) {
    if (auto problem = read_file(path, faults); !problem.empty()) {
      return std::unexpected(problem);
    }
  }
  std::set<std::string> names;
  for (const Fault& fault : faults) {
    if (!names.insert(fault.name).second) {
      return std::unexpected(fmt::format("there are two faults '{}'", fault.name));
    }
  }
  return faults;
}

}  // namespace lockstep::test
