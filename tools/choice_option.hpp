#pragma once
// Options that take one of a few words. Included only by files that add options: CLI11 is slow to compile.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::tools {

/// Adds an option whose value is that of a word; another word is told which there are. `into` must outlive `command`.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& into, const std::vector<std::pair<std::string, T>>& choices,
                        const std::string& help) {
  const auto store = [=, &into](const std::string& text) {
    const auto chosen = std::ranges::find(choices, text, &std::pair<std::string, T>::first);
    if (chosen == choices.end()) {
      std::vector<std::string> words;
      std::ranges::transform(choices, std::back_inserter(words), &std::pair<std::string, T>::first);
      throw CLI::ValidationError(name, fmt::format("there is no '{}'; there are {}", text, fmt::join(words, ", ")));
    }
    into = chosen->second;
  };
  return command.add_option_function<std::string>(name, store, help);
}

}  // namespace lockstep::tools
