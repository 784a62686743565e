#pragma once
// The options of targets. Their values are texts wherever they come from: a command line, a campaign that chooses them, another program.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::targets {

/// What a target is asked for: code, a run that is compared, or many of these.
enum class Use : std::uint8_t { Emit, Diff, Fuzz };

struct Option {
  std::string name;   ///< "--most-chunks"
  std::string value;  ///< what people read in its value's place: "N"; empty: a flag, whose value is the empty text
  std::string help;
  std::string usual;      ///< the value if it is not given, as --help shows it; may be empty
  std::vector<Use> uses;  ///< whom people may give it to; a campaign may choose others
  bool is_list = false;   ///< words with commas between them, given once or several times
  /// What is wrong with a value: a sentence.
  std::function<std::optional<std::string>(const std::string& value)> problem = nullptr;
};

/// Values by the names of options.
using Settings = std::map<std::string, std::string>;

/// An option and what its value does to a target's own `Options`.
template <class Options>
struct StoredOption {
  Option option;
  std::function<std::optional<std::string>(Options& into, const std::string& value)> store;
};

/// What everybody may know of them.
template <class Options>
std::vector<Option> known(const std::vector<StoredOption<Options>>& table) {
  std::vector<Option> options;
  for (const StoredOption<Options>& row : table) {
    options.push_back(row.option);
    options.back().problem = [store = row.store](const std::string& value) {
      Options ignored;
      return store(ignored, value);
    };
  }
  return options;
}

/// The options that settings describe. Values with a problem, and names that are not the target's, change nothing.
template <class Options>
Options stored(const std::vector<StoredOption<Options>>& table, const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    const auto row = std::ranges::find(table, name, [](const StoredOption<Options>& each) { return each.option.name; });
    if (row != table.end()) {
      static_cast<void>(row->store(options, value));
    }
  }
  return options;
}

// How values are stored; each returns a problem.

std::optional<std::string> store_number(unsigned& into, const std::string& value, unsigned least, unsigned most);

/// One of a few words.
template <class T>
std::optional<std::string> store_choice(T& into, const std::string& value, const std::vector<std::pair<std::string, T>>& choices);

/// "there is no 'x'; there are a, b"
std::string no_such_word(const std::string& value, const std::vector<std::string>& words);

template <class T>
std::optional<std::string> store_choice(T& into, const std::string& value, const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, chosen] : choices) {
    if (word == value) {
      into = chosen;
      return std::nullopt;
    }
    words.push_back(word);
  }
  return no_such_word(value, words);
}

}  // namespace lockstep::targets
