#pragma once
// The options that shape a machine, for every subcommand that runs a program.

#include <cstdint>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "tools/grid_options.hpp"
#include "tools/source_kind.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::tools {

/// The headings of --help under which the options stand that not all kinds of programs have.
inline constexpr const char* machine_group = "Untyped programs (.mus)";
inline constexpr const char* kernel_group = "Kernels (.cl) and typed programs (.mus)";
inline constexpr const char* front_end_group = "Kernels (.cl)";
inline constexpr const char* ptx_group = "PTX (.ptx)";
inline constexpr const char* ve_group = "VE (.o, .c)";

/// A sentence about an option that was given but that programs of this kind do not have.
std::optional<std::string> misplaced_option(const CLI::App& command, SourceKind kind, const std::string& file);

/// The first option that was given and that means nothing for programs whose options stand under `own_group`: those of other groups but for
/// `shared`, and `foreign` ones, which stand under no heading.
const CLI::Option* foreign_option(const CLI::App& command, std::string_view own_group, std::initializer_list<std::string_view> shared,
                                  std::initializer_list<std::string_view> foreign);

/// The step limit of a .mus program without --max-steps.
inline constexpr std::uint64_t default_max_steps = 100'000'000;

/// What was given on the command line; make_machine reads the texts. 0 and nothing: not given.
struct MachineFlags {
  unsigned threads = 0;
  GroupFlags group;
  std::string active;
  std::string order = "ascending";
  std::string as_printed;
  std::optional<std::uint64_t> max_steps;
  std::string memory_limit = "4G";
  std::vector<std::string> shared;
  bool check_rules = false;  ///< of `run` only
};

/// Adds --threads, --wg-size, --active, --order, --as-printed, --max-steps, --memory-limit and --shared. `flags` must outlive `command`.
void add_machine_options(CLI::App& command, MachineFlags& flags);

/// The machine that the flags describe, at its start; the error is a sentence that names the option.
std::expected<std::unique_ptr<Machine>, std::string> make_machine(const std::shared_ptr<const musimd::Program>& program,
                                                                  const MachineFlags& flags);

}  // namespace lockstep::tools
