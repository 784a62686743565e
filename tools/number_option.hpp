#pragma once
// Options that take a number. Included only by files that add options: CLI11 is slow to compile.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "semantics/musimd/number.hpp"

namespace lockstep::tools {

/// Adds an option whose number parse_number reads. CLI11 would read 010 as octal and let too large numbers pass. `into` must outlive
/// `command`.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& into, std::uint64_t least, std::uint64_t most,
                        const std::string& help) {
  const std::string name = names.substr(0, names.find(','));
  const auto store = [=, &into](const std::string& text) {
    const auto number = parse_number(text, least, most);
    if (!number) {
      throw CLI::ValidationError(name, number.error());
    }
    into = static_cast<Number>(*number);
  };
  return command.add_option_function<std::string>(names, store, help)->type_name("N");
}

}  // namespace lockstep::tools
