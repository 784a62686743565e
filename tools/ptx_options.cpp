#include "tools/ptx_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>

#include "semantics/base/diagnostic.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

namespace {

std::expected<std::uint64_t, std::string> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return std::unexpected(fmt::format("'{}' is not a number from {} to {}", shortened(text), least, most));
  }
  return number;
}

/// X, X,Y or X,Y,Z.
std::expected<ptx_machine::Dim3, std::string> parse_dim3(std::string_view text) {
  std::array<std::uint32_t, 3> numbers = {1, 1, 1};
  for (std::size_t k = 0;; ++k) {
    const auto comma = text.find(',');
    const auto number = parse_count(text.substr(0, comma), 1, 0x7fffffff);
    if (!number) {
      return std::unexpected(number.error());
    }
    if (k == 3) {
      return std::unexpected("there are three dimensions, X,Y,Z");
    }
    numbers.at(k) = static_cast<std::uint32_t>(*number);
    if (comma == std::string_view::npos) {
      return ptx_machine::Dim3{numbers[0], numbers[1], numbers[2]};
    }
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> set_schedule(ptx_machine::LaunchOptions& options, const std::string& text) {
  using ptx_machine::Schedule;
  if (text == "lowest-pc" || text == "stack" || text == "fair" || text == "random") {
    options.schedule = text == "stack"    ? Schedule::Stack
                       : text == "fair"   ? Schedule::Fair
                       : text == "random" ? Schedule::Random
                                          : Schedule::LowestPc;
    return std::nullopt;
  }
  if (!text.starts_with("random:")) {
    return fmt::format("--schedule: '{}' is not one of lowest-pc, stack, fair and random:SEED", shortened(text));
  }
  const auto seed = parse_count(std::string_view(text).substr(7), 0, ~std::uint64_t{0});
  options.schedule = Schedule::Random;
  options.seed = seed.value_or(0);
  return seed ? std::nullopt : std::optional("--schedule: the seed " + seed.error());
}

}  // namespace

void add_ptx_options(CLI::App& command, PtxFlags& flags) {
  command.add_option("--grid", flags.grid, "blocks of the grid: X, X,Y or X,Y,Z")
      ->group(ptx_group)
      ->capture_default_str()
      ->type_name("DIM");
  command.add_option("--block", flags.block, "threads of a block: X, X,Y or X,Y,Z; at most 1024")
      ->group(ptx_group)
      ->capture_default_str()
      ->type_name("DIM");
}

std::optional<std::string> misplaced_ptx_option(const CLI::App& command, const std::string& file) {
  if (const CLI::Option* option =
          foreign_option(command, ptx_group,
                         {"--kernel", "--arg", "--out", "--schedule", "--max-depth", "--frame-memory", "--shared", "--races", "--strict"},
                         {"--threads", "--wg-size", "--check-rules"})) {
    const std::string name = option->get_name();
    return fmt::format("{}: {} is PTX, which has no such option{}", name, file,
                       name == "--groups" || name == "--wg-size" ? "; it has --grid and --block" : "");
  }
  return std::nullopt;
}

std::expected<ptx_machine::LaunchOptions, std::string> ptx_launch_options(const PtxFlags& flags, const MachineFlags& machine,
                                                                          const LaunchFlags& given, bool races, bool strict) {
  ptx_machine::LaunchOptions launch;
  const auto grid = parse_dim3(flags.grid);
  if (!grid) {
    return std::unexpected("--grid: " + grid.error());
  }
  const auto block = parse_dim3(flags.block);
  if (!block) {
    return std::unexpected("--block: " + block.error());
  }
  launch.geometry = {*grid, *block};
  if (machine.shared.size() > 1) {
    return std::unexpected("--shared: it is given twice");
  }
  if (!machine.shared.empty()) {
    const auto bytes = parse_bytes(machine.shared[0]);
    if (!bytes) {
      return std::unexpected("--shared: " + bytes.error());
    }
    launch.shared_bytes = *bytes;
  }
  if (const auto problem = set_schedule(launch, given.schedule)) {
    return std::unexpected(*problem);
  }
  const auto frame = parse_bytes(given.frame_memory);
  if (!frame) {
    return std::unexpected("--frame-memory: " + frame.error());
  }
  launch.frame_memory = *frame;
  const auto memory = parse_bytes(machine.memory_limit);
  if (!memory) {
    return std::unexpected("--memory-limit: " + memory.error());
  }
  launch.memory_limit = *memory;
  launch.max_steps = machine.max_steps.value_or(launch.max_steps);
  launch.max_depth = std::min<std::size_t>(given.max_depth, launch.max_depth);
  launch.races = races;
  launch.strict = strict;
  return launch;
}

std::expected<const ptx::resolved::Function*, std::string> find_ptx_kernel(const ptx::resolved::Module& module, const std::string& wanted) {
  std::vector<std::string> names;
  const ptx::resolved::Function* found = nullptr;
  for (const ptx::resolved::Function& function : module.functions) {
    if (function.entry && function.defined) {
      names.push_back(shortened(function.name));
      found = wanted.empty() || function.name == wanted ? &function : found;
    }
  }
  if (names.empty()) {
    return std::unexpected("the module has no kernel");
  }
  if (wanted.empty() && names.size() > 1) {
    return std::unexpected(fmt::format("--kernel: the module has several kernels: {}", fmt::join(names, ", ")));
  }
  if (found == nullptr) {
    return std::unexpected(fmt::format("--kernel: the module has no kernel '{}'; it has: {}", shortened(wanted), fmt::join(names, ", ")));
  }
  return found;
}

}  // namespace lockstep::tools
