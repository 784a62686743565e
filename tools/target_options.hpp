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

/// The sentence about a name that no target has. `known`: those that the subcommand has, as people read them.
std::string no_such_target(const std::string& name, std::string_view known);

/// Adds all options that the targets have for this use, each under the heading of the targets that have it. What is given goes to
/// `settings`, which must outlive `command`.
void add_target_options(CLI::App& command, const std::vector<targets::Target>& targets, targets::Use use, targets::Settings& settings);

/// `--chunk-lanes`, for all targets.
void add_chunk_lanes_option(CLI::App& command, std::optional<unsigned>& lanes);

/// A sentence about an option that was given and belongs to another target than these, by name.
std::optional<std::string> misplaced_for_targets(const CLI::App& command, const std::vector<targets::Target>& targets, targets::Use use,
                                                 const std::vector<std::string>& chosen);

}  // namespace lockstep::tools
