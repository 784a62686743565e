// Reading files of pairs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "tests/proofs/pairs/pair.hpp"

namespace lockstep::test {

namespace {

struct Word {
  std::string_view text;
  Stated stated;
};
constexpr std::array<Word, 6> words = {{{"refines", Stated::Refines},
                                        {"bounded", Stated::Bounded},
                                        {"refuted", Stated::Refuted},
                                        {"undefined", Stated::Undefined},
                                        {"unknown", Stated::Unknown},
                                        {"refused", Stated::Refused}}};

/// `== NAME [OPTION=VALUE…]`: a pair without its second program.
std::optional<Pair> section(const std::string& line, const std::string& file) {
  std::istringstream rest(line.substr(2));
  Pair pair;
  std::string name;
  if (!(rest >> name)) {
    return std::nullopt;
  }
  pair.name = file + "/" + name;
  for (std::string option; rest >> option;) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      return std::nullopt;
    }
    pair.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  return pair;
}

/// `=> VERDICT [(PART OF THE SENTENCE)]: WHY`, said of a pair.
bool state(Pair& pair, const std::string& line) {
  std::string_view rest = std::string_view(line).substr(2);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto* word = std::ranges::find_if(words, [&](const Word& each) { return rest.starts_with(each.text); });
  if (word == words.end()) {
    return false;
  }
  pair.stated = word->stated;
  rest.remove_prefix(word->text.size());
  if (const std::size_t end = rest.find("): "); rest.starts_with(" (") && end != std::string_view::npos) {
    pair.says = rest.substr(2, end - 2);
    rest.remove_prefix(end + 1);
  }
  if (!rest.starts_with(": ")) {
    return false;
  }
  pair.why = rest.substr(2);
  return !pair.why.empty();
}

}  // namespace

std::expected<std::vector<Pair>, std::string> read_pairs(const std::string& path) {
  std::ifstream in(path);
  const std::string file = std::filesystem::path(path).stem().string();
  std::vector<Pair> pairs;
  std::optional<Pair> open;     // the section
  std::string* text = nullptr;  // which a line belongs to
  unsigned programs = 0;        // second ones of the section
  unsigned number = 0;
  std::string line;
  for (; std::getline(in, line); ++number) {
    const auto problem = [&](const char* what) { return std::unexpected(fmt::format("{}:{}: {}", path, number + 1, what)); };
    if (line.starts_with("==")) {
      if (open && programs == 0) {
        return problem("the section before has no second program");
      }
      open = section(line, file);
      if (!open) {
        return problem("a section begins with == NAME [OPTION=VALUE...]");
      }
      text = &open->first;
      programs = 0;
    } else if (line.starts_with("=>")) {
      Pair pair = open.value_or(Pair());
      pair.name += fmt::format(".{}", ++programs);
      if (!open || !state(pair, line)) {
        return problem("a verdict is written => VERDICT [(PART OF THE SENTENCE)]: WHY, in a section");
      }
      text = &pairs.emplace_back(std::move(pair)).second;
    } else if (text != nullptr) {
      *text += line + "\n";
    }
  }
  if (pairs.empty() || programs == 0) {
    return std::unexpected(fmt::format("{}: there are no pairs, or the last section has no second program", path));
  }
  return pairs;
}

std::expected<std::vector<Pair>, std::string> read_all_pairs(const std::string& folder) {
  std::set<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".pairs") {
      paths.insert(entry.path().string());
    }
  }
  if (error || paths.empty()) {
    return std::unexpected(folder + ": there are no files of pairs");
  }
  std::vector<Pair> all;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    auto pairs = read_pairs(path);
    if (!pairs) {
      return pairs;
    }
    for (Pair& pair : *pairs) {
      if (!names.insert(pair.name).second) {
        return std::unexpected(fmt::format("{}: there are two pairs '{}'", path, pair.name));
      }
      all.push_back(std::move(pair));
    }
  }
  return all;
}

}  // namespace lockstep::test
