#include "tools/machine_options.hpp"

#include "tools/values.hpp"

namespace lockstep::tools {

void add_machine_options(CLI::App& command, MachineFlags& flags) {
  command.add_option("--threads", flags.threads, "number of threads, 1 to 1024 (default: the program's .threads, else 4)")
      ->check(CLI::Range(1U, musimd::max_threads));
  command.add_option("--active", flags.active, "threads that are active at the start, as 0,2-3 (default: all)");
  command.add_option("--order", flags.order, "thread order of rule TL: ascending, descending, random:SEED or a list");
  command.add_option("--as-printed", flags.as_printed, "errata to switch back to the printed rules, as E1,E3");
  command.add_option("--max-steps", flags.max_steps, "go no further than this many steps")->capture_default_str();
  command.add_option("--memory-limit", flags.memory_limit, "bytes of shared memory, with K, M or G")->capture_default_str();
  command.add_option("--shared", flags.shared, "cells before the first step: BASE:@FILE, BASE:[v,…] or BASE:LEN:iota, …")
      ->allow_extra_args(false);
}

std::expected<std::unique_ptr<Machine>, std::string> make_machine(const std::shared_ptr<const musimd::Program>& program,
                                                                  const MachineFlags& flags) {
  MachineOptions options;
  options.threads = flags.threads != 0 ? flags.threads : program->threads.value_or(musimd::default_threads);
  if (!flags.active.empty()) {
    auto active = parse_threads(flags.active);
    if (!active) {
      return std::unexpected("--active: " + active.error());
    }
    options.active = std::move(*active);
  }
  auto order = parse_order(flags.order, options.threads);
  if (!order) {
    return std::unexpected("--order: " + order.error());
  }
  options.order = std::move(*order);
  if (!flags.as_printed.empty()) {
    const auto printed = parse_as_printed(flags.as_printed);
    if (!printed) {
      return std::unexpected("--as-printed: " + printed.error());
    }
    options.printed = *printed;
  }
  const auto bytes = parse_bytes(flags.memory_limit);
  if (!bytes) {
    return std::unexpected("--memory-limit: " + bytes.error());
  }
  options.memory_limit = *bytes;
  auto machine = Machine::make(program, std::move(options));
  for (const std::string& cells : flags.shared) {
    if (!machine) {
      break;
    }
    if (auto problem = fill_shared(**machine, cells)) {
      return std::unexpected(std::move(*problem));
    }
  }
  return machine;
}

}  // namespace lockstep::tools
