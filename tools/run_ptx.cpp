// `lockstep run` of a PTX module.

#include "tools/run_ptx.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"
#include "semantics/ptx/parse.hpp"
#include "tools/command.hpp"
#include "tools/ptx_options.hpp"
#include "tools/run.hpp"
#include "tools/run_kernel_progress.hpp"
#include "tools/run_outputs.hpp"
#include "tools/run_races.hpp"

namespace lockstep::tools {

namespace {

namespace resolved = ptx::resolved;

constexpr std::size_t most_open = 3;

/// What the options ask for, once they have been understood.
struct PtxRequest {
  ptx_machine::LaunchOptions launch;
  std::vector<OutputRequest> outputs;
};

std::expected<PtxRequest, std::string> read_ptx_request(const RunOptions& options) {
  const auto launch = ptx_launch_options(options.ptx, options.machine, options.launch, options.races == "on", options.strict);
  if (!launch) {
    return std::unexpected(launch.error());
  }
  auto outputs = parse_outputs(options.launch.outputs);
  if (!outputs) {
    return std::unexpected(outputs.error());
  }
  return PtxRequest{*launch, std::move(*outputs)};
}

std::string status_of(const std::optional<ptx_machine::Fault>& fault) {
  return !fault ? "halted" : ptx_machine::is_limit(fault->kind) ? "limit" : "error";
}

/// Launches the kernel and tells how it went; the error is a sentence about the command line.
std::expected<int, std::string> launch_ptx(const resolved::Module& module, const PtxRequest& request, const RunOptions& options) {
  const auto kernel = find_ptx_kernel(module, options.front_end.kernel);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  const auto read = [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  };
  auto arguments = ptx_machine::parse_arguments(**kernel, options.launch.arguments, request.launch.memory_limit, read);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  std::vector<Output> outputs;
  std::vector<bool> shown(arguments->buffers.size(), true);
  for (const OutputRequest& wanted : request.outputs) {
    const auto index = ptx_machine::parameter_named(**kernel, wanted.parameter);
    if (!index || !std::holds_alternative<BufferNumber>(arguments->values[*index])) {
      return std::unexpected(fmt::format("--out {}: the kernel '{}' gets no such buffer; its parameters: {}", shortened(wanted.parameter),
                                         shortened((*kernel)->name), ptx_machine::parameter_list(**kernel)));
    }
    outputs.push_back({*index, wanted.path});
    shown[std::get<BufferNumber>(arguments->values[*index]).number] = false;
  }
  if (const auto problem = check_files(outputs, options)) {
    return std::unexpected(*problem);
  }
  const auto outcome = [&] {
    ShownProgress progress(request.launch.geometry.grid.count());
    ptx_machine::LaunchOptions watched = request.launch;
    watched.progress = progress.progress();
    return ptx_machine::run(module, **kernel, *arguments, watched);
  }();
  if (!outcome) {
    return std::unexpected(outcome.error());
  }
  PtxReport report{module, **kernel, request.launch, *arguments, *outcome, {}, status_of(outcome->fault)};
  for (std::size_t k = 0; k < arguments->values.size(); ++k) {
    if (const auto* of = std::get_if<BufferNumber>(&arguments->values[k]); of != nullptr && shown[of->number]) {
      report.shown.push_back(k);
      shown[of->number] = false;
    }
  }
  return tell(report, options, outputs);
}

}  // namespace

void print_diagnostics(const PtxReport& report) {
  print_races(report.outcome.races, [&](const auto& race) { return ptx_machine::render(report.module, race); });
  for (std::size_t k = 0; k < std::min(report.outcome.open.size(), most_open); ++k) {
    say(ptx_machine::render(report.module, report.outcome.open[k]));
  }
  if (report.outcome.fault) {
    say(ptx_machine::render(report.module, *report.outcome.fault));
  }
}

int run_ptx(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, const RunOptions& options) {
  if (const auto problem = misplaced_ptx_option(command, source->name())) {
    return refuse(refusal(*problem), options.json);
  }
  const auto request = read_ptx_request(options);
  if (!request) {
    return refuse(refusal(request.error()), options.json);
  }
  const auto module = ptx::parse(*source);
  if (!module) {
    return refuse(refusal(*source, module.error()), options.json);
  }
  const auto ready = ptx::resolve(*module, source);
  if (!ready) {
    return refuse(refusal(*source, ready.error()), options.json);
  }
  const auto status = launch_ptx(*ready, *request, options);
  return status ? *status : refuse(refusal(status.error()), options.json);
}

}  // namespace lockstep::tools
