// `lockstep run` of an object file of VE.

#include "tools/run_ve.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "semantics/base/diagnostic.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"
#include "tools/run_outputs.hpp"
#include "tools/ve_options.hpp"

namespace lockstep::tools {

namespace {

/// The position that an --out names, if a buffer is there.
std::optional<std::size_t> buffer_at(const ve_machine::Arguments& arguments, const std::string& name) {
  std::size_t position = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), position);
  const bool good = problem == std::errc() && end == name.data() + name.size() && position < arguments.values.size() &&
                    std::holds_alternative<BufferNumber>(arguments.values[position]);
  return good ? std::optional(position) : std::nullopt;
}

std::string status_of(const std::optional<ve_machine::Fault>& fault) {
  return !fault ? "halted" : ve_machine::is_limit(fault->kind) ? "limit" : "error";
}

/// Calls the function and tells how it went; the error is a sentence about the object or the command line.
std::expected<int, std::string> launch_kernel(const VeCode& code, const VeRequest& request, const std::vector<OutputRequest>& requested,
                                              const RunOptions& options) {
  const auto& [decoder, object] = code;
  const auto kernel = ve_machine::find_kernel(object, options.front_end.kernel);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  auto arguments = ve_arguments(options.launch.arguments, request.memory_limit);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  std::vector<Output> outputs;
  std::vector<bool> shown(arguments->buffers.size(), true);
  for (const OutputRequest& wanted : requested) {
    const auto position = buffer_at(*arguments, wanted.parameter);
    if (!position) {
      return std::unexpected(fmt::format("--out {}: no buffer has that position", shortened(wanted.parameter)));
    }
    outputs.push_back({*position, wanted.path});
    shown[std::get<BufferNumber>(arguments->values[*position]).number] = false;
  }
  if (const auto problem = check_files(outputs, options)) {
    return std::unexpected(*problem);
  }
  const auto outcome = ve_machine::run(object, decoder, **kernel, *arguments, request.launch);
  if (!outcome) {
    return std::unexpected(fmt::format("{}: {}", object.name, outcome.error()));
  }
  VeReport report{object, decoder, **kernel, *arguments, *outcome, {}, status_of(outcome->fault)};
  for (std::size_t k = 0; k < arguments->values.size(); ++k) {
    if (const auto* of = std::get_if<BufferNumber>(&arguments->values[k]); of != nullptr && shown[of->number]) {
      report.shown.push_back(k);
      shown[of->number] = false;
    }
  }
  return tell(report, options, outputs);
}

}  // namespace

void print_diagnostics(const VeReport& report) {
  if (report.outcome.fault) {
    say(ve_machine::render(report.object, report.decoder, *report.outcome.fault));
  }
}

int run_ve(const CLI::App& command, const SourceFile& source, const RunOptions& options) {
  if (const auto problem = misplaced_ve_option(command, source.name())) {
    return refuse(refusal(*problem), options.json);
  }
  const auto request = ve_request(command, options.machine, options.launch);
  if (!request) {
    return refuse(refusal(request.error()), options.json);
  }
  const auto outputs = parse_outputs(options.launch.outputs);
  if (!outputs) {
    return refuse(refusal(outputs.error()), options.json);
  }
  const auto code = load_ve(source, options.ve, request->memory_limit);
  if (!code) {
    refuse(refusal(code.error().sentence), options.json);
    return code.error().status;
  }
  const auto status = launch_kernel(*code, *request, *outputs, options);
  return status ? *status : refuse(refusal(status.error()), options.json);
}

}  // namespace lockstep::tools
