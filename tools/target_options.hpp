#pragma once
// Targets on the command line: their names, and the options that they bring along.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/target.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

/// "NAME, NAME"
std::string names_of(const std::vector<targets::Target>& targets, targets::Use use);
/// "NAME, what it is; NAME, what it is": a line each
std::string meanings_of(const std::vector<targets::Target>& targets, targets::Use use);

/// What is wrong with the name of a target that code is to be made for, and the exit status that it gives; nothing if it is `known`.
struct WrongTarget {
  std::string sentence;
  Status status = bad_input;
};
/// `known`: the targets that the subcommand has, as people read them.
WrongTarget wrong_target(const std::string& name, std::string_view known);

/// Adds all options that the targets have for this use, each under the heading of the targets that have it. What is given goes to
/// `settings`, which must outlive `command`.
void add_target_options(CLI::App& command, const std::vector<targets::Target>& targets, targets::Use use, targets::Settings& settings);

/// `--chunk-lanes`, for all targets.
void add_chunk_lanes_option(CLI::App& command, std::optional<unsigned>& lanes);

/// A sentence about an option that was given and belongs to another target than these, by name.
std::optional<std::string> misplaced_for_targets(const CLI::App& command, const std::vector<targets::Target>& targets, targets::Use use,
                                                 const std::vector<std::string>& chosen);

}  // namespace lockstep::tools
