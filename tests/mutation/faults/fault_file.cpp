// Reading lists of faults.

#include <fmt/format.h>

#include <cctype>
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
      faults.push_back({line.substr(3, colon - 3), line.substr(colon + 2), "", "", "", "", {}});
      is_open = true;
      has_text = has_replacement = false;
    } else if (!is_open || line.empty()) {
      continue;
    } else if (line.starts_with("file: ")) {
      faults.back().file = line.substr(6);
    } else if (line.starts_with("behind: ")) {
      faults.back().behind = line.substr(8);
    } else if (line.starts_with("noticed: ")) {
      std::istringstream names(line.substr(9));
      for (std::string name; std::getline(names >> std::ws, name, ',');) {
        faults.back().noticing.push_back(name);
      }
    } else if (line.starts_with("- ") || line == "-") {
      add_line(faults.back().text, has_text, rest);
    } else if (line.starts_with("+ ") || line == "+") {
      add_line(faults.back().replacement, has_replacement, rest);
    } else {
      return problem("is neither 'file: ', 'behind: ', 'noticed: ', '- ' nor '+ '");
    }
  }
  return is_open && !has_text ? path + ": the last fault has no text" : "";
}

/// Whether each bracket has its partner. Text in which one is missing is neither an expression nor statements.
bool brackets_match(std::string_view text) {
  std::string open;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"' || c == '\'') {
      for (++k; k < text.size() && text[k] != c; ++k) {
        if (text[k] == '\\') {
          ++k;
        }
      }
    } else if (c == '(' || c == '[' || c == '{') {
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c) {
        return false;
      }
      open.pop_back();
    }
  }
  return open.empty();
}

/// Whether the text is the declaration of a variable and nothing else: a fault of it would be a variable that nobody else sees.
bool is_declaration(std::string_view text) {
  static const std::set<std::string, std::less<>> not_types = {"return", "throw", "delete", "else", "case", "goto"};
  const std::string_view head = text.substr(0, text.find_first_of("=(;{"));
  const std::size_t blank = head.find_first_of(" \n");
  const bool one_statement = !text.empty() && text.find(';') == text.size() - 1;
  if (!one_statement || blank == std::string_view::npos || not_types.contains(head.substr(0, blank))) {
    return false;
  }
  const std::size_t name = head.find_first_not_of(" \n&*", blank);
  return name != std::string_view::npos && (std::isalpha(static_cast<unsigned char>(head[name])) != 0 || head[name] == '[');
}

/// A text without blanks, and where its letters were.
struct Letters {
  std::string text;
  std::vector<std::size_t> places;
};
Letters letters_of(const std::string& text) {
  Letters letters;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != ' ' && text[k] != '\n') {
      letters.text += text[k];
      letters.places.push_back(k);
    }
  }
  return letters;
}

}  // namespace

std::expected<Found, std::string> find(const Fault& fault, const std::string& source) {
  const Letters all = letters_of(source);
  const auto once = [&](const std::string& text) -> std::expected<std::size_t, std::string> {
    const std::string wanted = letters_of(text).text;
    const std::size_t at = all.text.find(wanted);
    if (at == std::string::npos || all.text.find(wanted, at + 1) != std::string::npos) {
      return std::unexpected(
          fmt::format("'{}': {} in {}: {}", fault.name, at == std::string::npos ? "not found" : "found more than once", fault.file, text));
    }
    return at;
  };
  const std::string text = letters_of(fault.text).text;
  std::size_t at = 0;
  if (fault.behind.empty()) {
    const auto found = once(fault.text);
    if (!found) {
      return std::unexpected(found.error());
    }
    at = *found;
  } else {
    const auto found = once(fault.behind);
    if (!found) {
      return std::unexpected(found.error());
    }
    at = all.text.find(text, *found + letters_of(fault.behind).text.size());
    if (at == std::string::npos) {
      return std::unexpected(fmt::format("'{}': not found in {} behind {}: {}", fault.name, fault.file, fault.behind, fault.text));
    }
  }
  return Found{all.places[at], all.places[at + text.size() - 1] + 1};
}

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
    if (!brackets_match(fault.text) || !brackets_match(fault.replacement)) {
      return std::unexpected(fmt::format("'{}': brackets that do not match in its text, or in what stands there instead", fault.name));
    }
    if (is_declaration(fault.text)) {
      return std::unexpected(fmt::format("'{}': its text declares a variable; take what the variable is made of", fault.name));
    }
  }
  return faults;
}

}  // namespace lockstep::test
