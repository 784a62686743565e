#include "tools/machine_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <string_view>

#include "interpreter/launch/launch.hpp"
#include "tools/number_option.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

namespace {

/// "an untyped program"
std::string_view text_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::Untyped:
      return "an untyped program";
    case SourceKind::Typed:
      return "a typed program";
    case SourceKind::Kernels:
      break;
  }
  return "a file of kernels";
}

/// Whether programs of this kind have the options under a heading of --help; all have those under no heading of ours.
bool has_group(SourceKind kind, const std::string& group) {
  return group == machine_group     ? kind == SourceKind::Untyped
         : group == kernel_group    ? kind != SourceKind::Untyped
         : group == front_end_group ? kind == SourceKind::Kernels
                                    : group != ptx_group && group != ve_group;
}

}  // namespace

std::optional<std::string> misplaced_option(const CLI::App& command, SourceKind kind, const std::string& file) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && !has_group(kind, option->get_group())) {
      return fmt::format("{}: {} is {}, which has no such option", option->get_name(), file, text_of(kind));
    }
  }
  return std::nullopt;
}

const CLI::Option* foreign_option(const CLI::App& command, std::string_view own_group, std::initializer_list<std::string_view> shared,
                                  std::initializer_list<std::string_view> foreign) {
  constexpr std::string_view groups[] = {machine_group, kernel_group, front_end_group, ptx_group, ve_group};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const std::string group = option->get_group();
    const bool others = group != own_group && std::ranges::find(groups, group) != std::end(groups);
    if (option->count() > 0 &&
        (std::ranges::find(foreign, name) != foreign.end() || (others && std::ranges::find(shared, name) == shared.end()))) {
      return option;
    }
  }
  return nullptr;
}

void add_machine_options(CLI::App& command, MachineFlags& flags) {
  add_number(command, "--threads", flags.threads, 1, musimd::max_threads,
             "number of threads, 1 to 1024 (default: the program's .threads, else 4); for kernels host threads (default: all cores)");
  add_group_size_option(
      command, flags.group, LaneSet::max_width,
      "the same as --threads; for kernels WG_SIZE, 1 to 1048576, in up to three dimensions (default: what the kernel requires, else 32)");
  command.add_option("--active", flags.active, "the threads that are active at the start, such as 0,2-3 (default: all)")
      ->group(machine_group)
      ->type_name("LIST");
  command.add_option("--order", flags.order, "thread order of rule TL: ascending, descending, random:SEED, or all threads as a list")
      ->group(machine_group)
      ->capture_default_str()
      ->type_name("ORDER");
  command.add_option("--as-printed", flags.as_printed, "errata switched back to the printed reading, such as E1,E3 (docs/errata.md)")
      ->group(machine_group)
      ->type_name("LIST");
  add_number(command, "--max-steps", flags.max_steps, 0, std::numeric_limits<std::int64_t>::max(),
             fmt::format("go no further than this many steps (run: status 3; default: {}; for kernels {} of each warp)", default_max_steps,
                         launch::LaunchOptions().max_steps));
  command
      .add_option("--memory-limit", flags.memory_limit,
                  "bytes that the shared memory, or all buffers of a kernel, may take; K, M and G may stand behind the number")
      ->capture_default_str()
      ->type_name("BYTES");
  command
      .add_option("--shared", flags.shared,
                  "of PTX, bytes of dynamic shared memory; else cells at the start, over those of .shared: BASE:@FILE (a cell a byte; a "
                  ".npy file: a cell an element), BASE:[1,2,3] or "
                  "BASE:LEN:zeros|iota|const:V|random[:SEED]")
      ->group(machine_group)
      ->allow_extra_args(false)
      ->type_name("CELLS");
}

std::expected<std::unique_ptr<Machine>, std::string> make_machine(const std::shared_ptr<const musimd::Program>& program,
                                                                  const MachineFlags& flags) {
  MachineOptions options;
  options.checking = flags.check_rules;
  if (flags.threads != 0 && flags.group.items != 0) {
    return std::unexpected("--threads and --wg-size both give the number of threads of a .mus program; give one of them");
  }
  if (flags.group.items > musimd::max_threads || flags.group.dimensions > 1) {
    return std::unexpected(fmt::format("--wg-size: a .mus program has 1 to {} threads, in one dimension", musimd::max_threads));
  }
  const unsigned asked = std::max(flags.threads, flags.group.items);
  options.threads = asked != 0 ? asked : program->threads.value_or(musimd::default_threads);
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
