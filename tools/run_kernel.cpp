// `lockstep run` of a kernel or typed program.

#include "tools/run_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"
#include "semantics/base/print_format.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"
#include "tools/run_kernel_printing.hpp"
#include "tools/run_kernel_progress.hpp"
#include "tools/run_outputs.hpp"
#include "tools/run_races.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

/// What the options ask for, once they have been understood.
struct KernelRequest {
  launch::LaunchOptions launch;
  std::vector<OutputRequest> outputs;
  std::size_t memory_limit = 0;
};

std::expected<KernelRequest, std::string> read_request(const RunOptions& options) {
  auto launch = launch_options(options.launch, options.machine);
  if (!launch) {
    return std::unexpected(launch.error());
  }
  launch->races = options.races == "on";
  launch->strict = options.strict;
  auto outputs = parse_outputs(options.launch.outputs);
  if (!outputs) {
    return std::unexpected(outputs.error());
  }
  const auto bytes = parse_bytes(options.machine.memory_limit);
  if (!bytes) {
    return std::unexpected("--memory-limit: " + bytes.error());
  }
  return KernelRequest{*launch, std::move(*outputs), *bytes};
}

/// The error is a sentence about an output that names no buffer.
std::expected<std::vector<Output>, std::string> find_outputs(const LoadedKernel& loaded, const std::vector<OutputRequest>& requests) {
  const typed::Program& program = *loaded.program;
  std::vector<Output> outputs;
  for (const OutputRequest& request : requests) {
    const auto index = launch::parameter_named(program, request.parameter);
    if (!index || !program.kernel().registers[*index].type.is_pointer) {
      return std::unexpected(fmt::format("--out {}: the kernel '{}' has no such buffer; its parameters: {}", shortened(request.parameter),
                                         program.kernel().name, launch::parameter_list(program, loaded.writable)));
    }
    outputs.push_back({*index, request.path});
  }
  return outputs;
}

std::vector<std::size_t> shown_parameters(const LoadedKernel& kernel, const std::vector<Argument>& arguments,
                                          const std::vector<Output>& outputs) {
  std::set<std::size_t> shown;
  for (std::size_t i = 0; i < kernel.writable.size(); ++i) {
    if (const auto* buffer = std::get_if<BufferNumber>(&arguments[i]); buffer != nullptr && kernel.writable[i]) {
      shown.insert(owner_of(arguments, buffer->number));
    }
  }
  for (const Output& output : outputs) {
    shown.erase(output.parameter);
  }
  if (const auto printing = print_parameter(*kernel.program)) {
    shown.erase(*printing);
  }
  return {shown.begin(), shown.end()};
}

bool is_limit(launch::FaultKind kind) {
  return kind == launch::FaultKind::StepLimit || kind == launch::FaultKind::MemoryLimit || kind == launch::FaultKind::DepthLimit;
}

std::string status_of(const std::optional<launch::Fault>& fault) {
  if (!fault) {
    return "halted";
  }
  if (fault->kind == launch::FaultKind::Stuck) {
    return "stuck";
  }
  return is_limit(fault->kind) ? "limit" : "error";
}

/// Launches the kernel and tells how it went; the error is a sentence about the command line.
std::expected<int, std::string> launch_kernel(const LoadedKernel& kernel, const KernelRequest& request, const launch::Places& places,
                                              const RunOptions& options) {
  const auto outputs = find_outputs(kernel, request.outputs);
  if (!outputs) {
    return std::unexpected(outputs.error());
  }
  const auto read = [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  };
  auto arguments = launch::parse_arguments(*kernel.program, options.launch.arguments, request.memory_limit, read, kernel.writable,
                                           kernel.restricted, kernel.structures, kernel.written_parameters);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  if (const auto problem = check_files(*outputs, options)) {
    return std::unexpected(*problem);
  }
  const auto outcome = [&] {
    ShownProgress shown(request.launch.groups);
    launch::LaunchOptions watched = request.launch;
    watched.progress = shown.progress();
    return launch::run(kernel.program, *arguments, watched);
  }();
  if (!outcome) {
    return std::unexpected(outcome.error());
  }
  if (const std::string text = print_output(*kernel.program, *arguments); options.json) {
    say(text);
  } else {
    write_text("-", text);
  }
  std::for_each(arguments->buffers.begin(), arguments->buffers.end(), launch::zero_poison);
  const std::optional<launch::Fault>& fault = outcome->fault;
  const KernelReport report{*kernel.program,
                            request.launch,
                            *arguments,
                            *outcome,
                            shown_parameters(kernel, arguments->values, *outputs),
                            status_of(fault),
                            fault ? fault->message : "",
                            places,
                            kernel.structures};
  return tell(report, options, *outputs);
}

}  // namespace

void print_diagnostics(const KernelReport& report) {
  print_races(report.outcome.races, [&](const auto& race) { return launch::render(report.program, race, report.places); });
  if (report.outcome.fault) {
    say(launch::render(report.program, *report.outcome.fault, report.places));
    return;
  }
  for (std::size_t b = 0; b < report.arguments.buffers.size(); ++b) {
    const std::vector<std::uint64_t>& poison = report.arguments.buffers[b].poison;
    if (poison.empty()) {
      continue;
    }
    const std::string& name = launch::parameter_name(report.program, owner_of(report.arguments.values, b));
    say(fmt::format(
        "lockstep: warning: {} of '{}' {} poison, the first one is {}[{}]: what a shuffle gives that finds nothing, or a part of a "
        "vector or structure that had no value when it was copied\n",
        counted(poison.size(), "element"), name, poison.size() == 1 ? "is" : "are", name, poison.front()));
  }
}

int run_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind, RunOptions options) {
  take_lengths(options.launch.arguments, options.front_end);
  options.front_end.dimensions = dimensions_of(options.launch.grid, options.machine.group);
  options.front_end.ragged_items = ragged_items(options.launch.grid);
  auto request = read_request(options);
  if (!request) {
    return refuse(refusal(request.error()), options.json);
  }
  options.front_end.defines.emplace_back(print_macro);
  options.front_end.scattered_copies = options.launch.model == "opencl";
  auto kernel = load_kernel(source, kind, options.front_end, options.machine.group);
  if (!kernel) {
    return refuse(kernel.error(), options.json);
  }
  if (kind == SourceKind::Kernels) {
    options.launch.arguments = with_print_buffer(std::move(options.launch.arguments), *kernel->program);
  }
  if (kind != SourceKind::Kernels) {  // what a text says of its own registers is only a claim
    kernel->program = std::make_shared<const typed::Program>(typed::with_all_watched(*kernel->program));
  }
  const auto grid = grid_of(options.launch.grid, *kernel);
  if (!grid) {
    return refuse(refusal(grid.error()), options.json);
  }
  request->launch.groups = groups_of(*grid);
  request->launch.ragged = ragged_range(options.launch.grid, *kernel, *grid);
  options.launch.arguments = with_grid(std::move(options.launch.arguments), *kernel, *grid);
  const auto status = launch_kernel(*kernel, *request, places_of(*kernel, *grid), options);
  if (!status) {
    return refuse(refusal(status.error()), options.json);
  }
  return *status;
}

}  // namespace lockstep::tools
