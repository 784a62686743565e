#include "tests/loop_heads/grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace lockstep::test {

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

/// The parts of a text between separators.
std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
    parts.push_back(trimmed(text.substr(from, at - from)));
    from = at + separator.size();
  }
  parts.push_back(trimmed(text.substr(from)));
  return parts;
}

/// A word of a text.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The next word from `from` on, if there is one.
std::optional<Word> next_word(const std::string& text, std::size_t from) {
  const auto begin = static_cast<std::size_t>(
      std::find_if(text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(), is_word) - text.begin());
  if (begin == text.size()) {
    return std::nullopt;
  }
  const auto end =
      static_cast<std::size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_word) - text.begin());
  return Word{begin, end};
}

bool names(const std::string& text, const std::string& name) {
  for (auto word = next_word(text, 0); word; word = next_word(text, word->end)) {
    if (text.compare(word->begin, word->end - word->begin, name) == 0) {
      return true;
    }
  }
  return false;
}

ScalarType type_named(const std::string& name) {
  const auto found = std::ranges::find(scalar_table, name, &ScalarInfo::name);
  if (found == scalar_table.end()) {
    throw std::runtime_error("no type of a loop head: " + name);
  }
  return found->type;
}

/// The largest or smallest number of a type, as C has it.
std::string edge(ScalarType type, bool is_largest) {
  const unsigned bits = bits_of(type);
  if (!is_signed(type)) {
    return is_largest ? fmt::format("{}{}", ~std::uint64_t{0} >> (64 - bits), bits == 64 ? "ul" : bits == 32 ? "u" : "") : "0";
  }
  const std::uint64_t largest = ~std::uint64_t{0} >> (65 - bits);
  const char* suffix = bits == 64 ? "l" : "";
  return is_largest ? fmt::format("{}{}", largest, suffix) : fmt::format("(-{}{} - 1)", largest, suffix);
}

/// A number as a value of the type has it: bits beyond the type's width are lost.
std::uint64_t wrapped(ScalarType type, const std::string& number) {
  return with_type(type, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      throw std::runtime_error("a loop head has integer parameters");
      return std::uint64_t{0};
    } else {
      return static_cast<std::uint64_t>(static_cast<T>(std::stoll(number)));
    }
  });
}

/// "int n = 3, uint m = 4: for …".
Head head_of(const std::string& family, const std::string& text) {
  const std::size_t colon = text.find(": ");
  Head head{family, {}, text.substr(colon + 2)};
  for (const std::string& parameter : split(text.substr(0, colon), ",")) {
    if (parameter.empty()) {
      continue;
    }
    std::istringstream words(parameter);
    std::string type;
    std::string name;
    std::string equals;
    std::string number;
    words >> type >> name >> equals >> number;
    if (names(head.statement, name)) {
      head.scalars.push_back({type_named(type), name, wrapped(type_named(type), number)});
    }
  }
  return head;
}

/// Replaces symbols from the left; each has one meaning in a head.
class Expansion {
 public:
  Expansion(const Grammar& grammar, const std::function<void(const std::string&)>& found) : grammar_(grammar), found_(found) {}

  void expand(const std::string& text, std::size_t from) {
    for (auto word = next_word(text, from); word; word = next_word(text, word->end)) {
      const std::string name = text.substr(word->begin, word->end - word->begin);
      if (!is_capital(name.front())) {
        continue;
      }
      const auto with = [&](const std::string& meaning) {
        expand(text.substr(0, word->begin) + meaning + text.substr(word->end), word->begin);
      };
      if (name == "MAX" || name == "MIN") {
        with(edge(type_named(chosen_.at("T")), name == "MAX"));
      } else if (const auto chosen = chosen_.find(name); chosen != chosen_.end()) {
        with(chosen->second);
      } else {
        const auto symbol = grammar_.symbols.find(name);
        if (symbol == grammar_.symbols.end()) {
          throw std::runtime_error("no symbol of the grammar: " + name);
        }
        for (const std::string& alternative : symbol->second) {
          chosen_[name] = alternative;
          with(alternative);
        }
        chosen_.erase(name);
      }
      return;
    }
    found_(text);
  }

 private:
  const Grammar& grammar_;
  const std::function<void(const std::string&)>& found_;
  std::map<std::string, std::string> chosen_;
};

}  // namespace

Grammar read_grammar(const std::string& page) {
  const std::string fence = "```";
  const std::size_t heading = page.find("\n## The grammar\n");
  const std::size_t open = page.find(fence + "text\n", heading);
  const std::size_t begin = page.find('\n', open) + 1;
  const std::size_t end = page.find(fence, begin);
  if (heading == std::string::npos || open == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("the page has no grammar");
  }
  Grammar grammar;
  std::istringstream lines(page.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      continue;
    }
    const Word word = next_word(line, 0).value_or(Word{});
    const std::string name = line.substr(0, word.end);
    const std::size_t equals = line.find_first_not_of(' ', word.end);
    const std::size_t colon = line.find(": ");
    if (is_capital(name.front()) && equals != std::string::npos && line[equals] == '=') {
      grammar.symbols[name] = split(line.substr(equals + 1), " | ");
    } else if (line[word.end] == '(' && colon != std::string::npos && line[colon - 1] == ')') {
      grammar.families.push_back({name, line.substr(word.end + 1, colon - word.end - 2) + line.substr(colon)});
    } else if (colon == word.end) {
      grammar.families.push_back({name, line.substr(colon)});
    } else {
      throw std::runtime_error("no line of a grammar: " + line);
    }
  }
  return grammar;
}

std::vector<Head> expand(const Grammar& grammar) {
  std::vector<Head> heads;
  std::set<std::string> seen;
  for (const Grammar::Family& family : grammar.families) {
    const std::function<void(const std::string&)> found = [&](const std::string& text) {
      Head head = head_of(family.name, text);
      std::string key = head.statement;
      for (const Scalar& scalar : head.scalars) {
        key += fmt::format("; {} {} = {}", info(scalar.type).name, scalar.name, scalar.bits);
      }
      if (seen.insert(std::move(key)).second) {
        heads.push_back(std::move(head));
      }
    };
    Expansion(grammar, found).expand(family.text, 0);
  }
  return heads;
}

}  // namespace lockstep::test
