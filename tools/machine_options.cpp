#include "tools/machine_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "tools/values.hpp"

namespace lockstep::tools {

namespace {

/// An option whose number parse_number reads. CLI11 would read 010 as octal and let too large numbers pass.
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

}  // namespace

void add_machine_options(CLI::App& command, MachineFlags& flags) {
  add_number(command, "--threads,--wg-size", flags.threads, 1, musimd::max_threads,
             "number of threads, 1 to 1024 (default: the program's .threads, else 4)");
  command.add_option("--active", flags.active, "the threads that are active at the start, such as 0,2-3 (default: all)")->type_name("LIST");
  command.add_option("--order", flags.order, "thread order of rule TL: ascending, descending, random:SEED, or all threads as a list")
      ->capture_default_str()
      ->type_name("ORDER");
  command.add_option("--as-printed", flags.as_printed, "errata switched back to the printed reading, such as E1,E3 (docs/errata.md)")
      ->type_name("LIST");
  add_number(command, "--max-steps", flags.max_steps, 0, std::numeric_limits<std::int64_t>::max(),
             "go no further than this many steps (run: status 3)")
      ->default_str(std::to_string(flags.max_steps));
  command.add_option("--memory-limit", flags.memory_limit, "bytes that the shared memory may take; K, M and G may stand behind the number")
      ->capture_default_str()
      ->type_name("BYTES");
  command
      .add_option("--shared", flags.shared,
                  "cells at the start, over those of .shared: BASE:@FILE (a cell a byte; a .npy file: a cell an element), BASE:[1,2,3] or "
                  "BASE:LEN:zeros|iota|const:V|random[:SEED]")
      ->allow_extra_args(false)
      ->type_name("CELLS");
}

std::expected<std::unique_ptr<Machine>, std::string> make_machine(const std::shared_ptr<const musimd::Program>& program,
                                                                  const MachineFlags& flags) {
  MachineOptions options;
  options.checking = flags.check_rules;
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
