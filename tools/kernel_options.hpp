#pragma once
// The options that a kernel's meaning and its launch depend on, for every subcommand that reads kernels.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "semantics/core/options.hpp"
#include "tools/grid_options.hpp"
#include "tools/machine_options.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// What the front end is told, as it was given on the command line. (--wg-size is not here: untyped programs have it too.)
struct FrontEndFlags {
  std::string kernel;
  std::vector<std::string> defines;
  std::vector<std::string> directories;  ///< -I
  std::string contract = "on";
  std::string crev_order = "ascending";
  std::vector<std::string> lengths;                               ///< NAME=local:LENGTH, of --arg
  unsigned dimensions = 1;                                        ///< of the launch, as far as it is known
  std::optional<std::array<std::uint64_t, 3>> ragged_items = {};  ///< of the launch, where its last groups may be smaller
  std::string offset;                                             ///< --offset; empty: not given
  bool scattered_copies = false;                                  ///< core::Options::scattered_copies
};

/// How a kernel is launched, as it was given on the command line.
struct LaunchFlags {
  GridFlags grid;
  std::string pack = "auto";
  std::vector<std::string> arguments;
  std::vector<std::string> outputs;
  unsigned warp_size = 0;
  std::string schedule = "lowest-pc";
  std::string model = "pirch";
  std::string frame_memory = "256M";
  std::uint64_t max_depth = launch::LaunchOptions().max_depth;
  bool equal_races = false;
};

/// Of the texts of --arg, those that say how long the array of a __local parameter is go to the front end.
void take_lengths(std::vector<std::string>& arguments, FrontEndFlags& flags);

/// Adds --arg to a subcommand that launches nothing: for the lengths of __local parameters alone.
void add_length_option(CLI::App& command, FrontEndFlags& flags);

/// Adds -D, -I, --fp-contract and --crev-order. `flags` must outlive `command`.
void add_front_end_options(CLI::App& command, FrontEndFlags& flags);

/// Adds --kernel.
void add_kernel_name_option(CLI::App& command, FrontEndFlags& flags);

/// Adds --wg-pack, with what it means for the subcommand.
void add_pack_option(CLI::App& command, std::string& pack, const std::string& help);

/// Adds --groups, --wg-pack, --arg, --out and what shapes the machine.
void add_launch_options(CLI::App& command, LaunchFlags& flags);

/// The error is a sentence that names the option.
std::expected<core::Options, std::string> front_end_options(const FrontEndFlags& flags, const GroupFlags& group);

/// Likewise, but for the number of groups (grid_of).
std::expected<launch::LaunchOptions, std::string> launch_options(const LaunchFlags& flags, const MachineFlags& machine);

/// "auto" as 0, or a number of groups; the error is a sentence.
std::expected<unsigned, std::string> parse_pack(const std::string& text);

/// A file that `--out NAME=FILE` names.
struct OutputRequest {
  std::string parameter;
  std::string path;
};

/// The texts of --out; the error is a sentence: one is not written NAME=FILE, or a name or file is given twice.
std::expected<std::vector<OutputRequest>, std::string> parse_outputs(const std::vector<std::string>& texts);

/// The files that texts NAME=@FILE of --arg name.
std::vector<std::string> argument_files(const std::vector<std::string>& texts);

}  // namespace lockstep::tools
