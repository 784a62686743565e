#pragma once
// Tables of a stepper's commands: finding one by what somebody typed, and the help that they make.

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

/// A command's names and its help. Tables are of structures that derive from it and say what the command does.
struct CommandInfo {
  std::string_view name;
  std::string_view aliases;    ///< separated by blanks
  std::string_view arguments;  ///< as help shows them; empty: it takes none
  std::string_view help;
  std::string_view example;
  bool repeats;  ///< an empty line on a terminal does it again
};

inline bool has_alias(std::string_view aliases, std::string_view word) {
  while (!aliases.empty()) {
    if (take_word(aliases) == word) {
      return true;
    }
  }
  return false;
}

/// The command of that name, alias or unique beginning; the error is a sentence.
template <class Command>
std::expected<const Command*, std::string> find_command(const std::vector<Command>& commands, std::string_view word) {
  std::vector<const Command*> fitting;
  for (const Command& command : commands) {
    if (command.name == word || has_alias(command.aliases, word)) {
      return &command;
    }
    if (command.name.starts_with(word)) {
      fitting.push_back(&command);
    }
  }
  if (fitting.size() == 1) {
    return fitting.front();
  }
  const std::string shown = shortened(word);
  if (!fitting.empty()) {
    std::string names;
    for (const Command* command : fitting) {
      names += (names.empty() ? "" : ", ") + std::string(command->name);
    }
    return std::unexpected(fmt::format("'{}' may be {}", shown, names));
  }
  const std::string_view start = word.substr(0, 40);
  const auto nearest = std::min_element(commands.begin(), commands.end(),
                                        [&](const Command& a, const Command& b) { return edits(start, a.name) < edits(start, b.name); });
  const bool near = may_mean(word, nearest->name);
  return std::unexpected(fmt::format("there is no command '{}'; {}", shown,
                                     near ? fmt::format("did you mean '{}'?", nearest->name) : std::string("'help' lists the commands")));
}

/// The part of `text` around a byte, and a line with a caret under it.
inline std::string pointed_at(std::string_view text, std::size_t column) {
  const std::size_t begin = column > 60 ? column - 60 : 0;
  std::string shown = printable(text.substr(begin, 100));
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return fmt::format("  {}\n  {}^\n", shown, std::string(column - begin, ' '));
}

/// The answer to `help ARGUMENTS`: all commands, or one with an example.
template <class Command>
std::string help_text(const std::vector<Command>& commands, std::string_view arguments) {
  std::string out;
  if (arguments.empty()) {
    for (const Command& command : commands) {
      out += fmt::format("{:<17} {:<5} {}\n", command.name, command.aliases, command.help);
    }
    return out + "'help COMMAND' shows its arguments and an example. A unique beginning of a name will do.\n";
  }
  const auto found = find_command(commands, take_word(arguments));
  if (!found) {
    return fmt::format("error: {}\n", found.error());
  }
  const Command& command = **found;
  out += fmt::format("{}{}{}\n  {}\n", command.name, command.arguments.empty() ? "" : " ", command.arguments, command.help);
  out += command.aliases.empty() ? "" : fmt::format("  short: {}\n", command.aliases);
  return out + fmt::format("  example: {}\n", command.example);
}

}  // namespace lockstep
