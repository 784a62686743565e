#pragma once
// The options that shape a machine, for every subcommand that runs a program.

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// What was given on the command line; make_machine reads the texts.
struct MachineFlags {
  unsigned threads = 0;
  std::string active;
  std::string order = "ascending";
  std::string as_printed;
  std::uint64_t max_steps = 100'000'000;
  std::string memory_limit = "4G";
  std::vector<std::string> shared;
  bool check_rules = false;  ///< of `run` only
};

/// Adds --threads, --active, --order, --as-printed, --max-steps, --memory-limit and --shared. `flags` must outlive `command`.
void add_machine_options(CLI::App& command, MachineFlags& flags);

/// The machine that the flags describe, at its start; the error is a sentence that names the option.
std::expected<std::unique_ptr<Machine>, std::string> make_machine(const std::shared_ptr<const musimd::Program>& program,
                                                                  const MachineFlags& flags);

}  // namespace lockstep::tools
