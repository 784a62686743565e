#pragma once
// What `run` and `step` of PTX have in common: the options of a launch, and which kernel is meant.

#include <expected>
#include <optional>
#include <string>

#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/resolve.hpp"
#include "tools/kernel_options.hpp"
#include "tools/machine_options.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// The options that only PTX has, as they were given.
struct PtxFlags {
  std::string grid = "1";
  std::string block = "32";
};
void add_ptx_options(CLI::App& command, PtxFlags& flags);

/// A sentence about an option that PTX does not have.
std::optional<std::string> misplaced_ptx_option(const CLI::App& command, const std::string& file);

/// The error is a sentence that begins with an option.
std::expected<ptx_machine::LaunchOptions, std::string> ptx_launch_options(const PtxFlags& flags, const MachineFlags& machine,
                                                                          const LaunchFlags& given, bool races, bool strict);

/// The kernel of that name; without a name the only one.
std::expected<const ptx::resolved::Function*, std::string> find_ptx_kernel(const ptx::resolved::Module& module, const std::string& wanted);

}  // namespace lockstep::tools
