// What `lockstep run` says to people about a launch.

#include <fmt/format.h>

#include <algorithm>

#include "semantics/base/counted.hpp"
#include "semantics/ops/apply.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"
#include "tools/run_kernel.hpp"
#include "tools/run_outputs.hpp"

namespace lockstep::tools {

namespace {

constexpr std::size_t most_parameters = 64;

void summarise_races(const KernelReport& report) {
  const std::uint64_t count = report.outcome.race_count;
  fmt::print("races:   {}\n", !report.options.races ? "not looked for" : count == 0 ? "none" : std::to_string(count));
}

void summarise_crev(const launch::Outcome& outcome) {
  if (outcome.crev.empty()) {
    return;
  }
  fmt::print("crev:    at most {}, {} and {} at a time\n", counted(outcome.most_pending, "pending task"),
             counted(outcome.most_frames, "call frame"), counted(outcome.most_contexts, "context"));
  for (const launch::Outcome::Activations& f : outcome.crev) {
    fmt::print("  {}: {}, {}\n", f.function, counted(f.activations, "activation"), counted(f.tasks, "task"));
  }
}

/// "a", or "a + 3"
std::string pointer_text(const std::string& owner, std::uint64_t distance) {
  return distance == 0 ? owner : fmt::format("{} + {}", owner, distance);
}

/// The scalars, the buffers that the kernel may have written, and the parameters that point into another one's buffer.
void print_arguments(const KernelReport& report) {
  const typed::Function& kernel = report.program.kernel();
  std::size_t printed = 0;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < kernel.parameter_count; ++i) {
    const Argument& argument = report.arguments.values[i];
    const auto* buffer = std::get_if<BufferNumber>(&argument);
    const std::size_t owner = buffer != nullptr ? owner_of(report.arguments.values, buffer->number) : i;
    if (buffer != nullptr && owner == i && std::find(report.shown.begin(), report.shown.end(), i) == report.shown.end()) {
      continue;
    }
    if (printed == most_parameters) {
      ++left_out;
      continue;
    }
    fmt::print("{}", printed++ == 0 ? "arguments:\n" : "");
    const std::string name = shortened(launch::parameter_name(report.program, i));
    if (owner != i) {
      const std::uint64_t distance = buffer->first - std::get<BufferNumber>(report.arguments.values[owner]).first;
      fmt::print("  {} = {}\n", name, pointer_text(shortened(launch::parameter_name(report.program, owner)), distance));
    } else if (buffer != nullptr) {
      const launch::Structure* structure = launch::structure_of(report.structures, i);
      print_buffer(name, report.arguments.buffers[buffer->number], structure);
    } else {
      fmt::print("  {} = {}\n", name, ops::text_of(kernel.registers[i].type.scalar, std::get<ScalarBits>(argument).bits));
    }
  }
  if (left_out > 0) {
    fmt::print("  … {}\n", counted(left_out, "more parameter"));
  }
}

/// "3 groups", "2 × 3 groups"
std::string sizes_text(const std::array<std::uint64_t, 3>& sizes, std::string_view what) {
  if (sizes[1] == 1 && sizes[2] == 1) {
    return counted(sizes[0], what);
  }
  return fmt::format("{} × {}{} {}s", sizes[0], sizes[1], sizes[2] == 1 ? "" : fmt::format(" × {}", sizes[2]), what);
}

}  // namespace

void print_summary(const KernelReport& report) {
  fmt::print("{} after {}{}{}\n", report.status, counted(report.outcome.steps, "step"), report.reason.empty() ? "" : ": ", report.reason);
  fmt::print("kernel:  {}, {} of {}\n", shortened(report.program.kernel().name), sizes_text(report.places.groups, "group"),
             sizes_text(report.places.items, "item"));
  fmt::print("rules:   {}\n", rules_text(report.outcome.rule_counts));
  summarise_races(report);
  summarise_crev(report.outcome);
  print_arguments(report);
}

}  // namespace lockstep::tools
