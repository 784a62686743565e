// `lockstep run` of an object file of VE.

#include "tools/run_ve.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "codegen/host/compiler.hpp"
#include "interpreter/ve/arguments.hpp"
#include "semantics/base/files.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"
#include "tools/run_outputs.hpp"

namespace lockstep::tools {

namespace {

/// A sentence about an option that object code does not have.
std::optional<std::string> misplaced(const CLI::App& command, const std::string& file) {
  if (const CLI::Option* option = foreign_option(command, ve_group, {"--kernel", "--arg", "--out", "--frame-memory"},
                                                 {"--threads", "--wg-size", "--check-rules", "--races", "--strict"})) {
    return fmt::format("{}: {} is for VE, which has no such option", option->get_name(), file);
  }
  return std::nullopt;
}

/// Why nothing can be run, with the exit status.
struct Failure {
  int status = bad_input;
  std::string sentence;
};

/// The object code of a C file.
std::expected<std::string, Failure> compile(const SourceFile& source, const std::string& wanted) {
  const auto clang = host::find_compiler(wanted.empty() ? "clang-19" : wanted);
  if (!clang) {
    return std::unexpected(Failure{missing, clang.error()});
  }
  const std::filesystem::path path(source.name());
  host::CompileRequest request;
  request.source = {source.name() == "<stdin>" ? "stdin.c" : path.filename().string(), source.text()};
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  request.options = {"--target=ve-linux", "-O2", "-ffp-contract=off", "-c", "-I", std::filesystem::absolute(folder).string()};
  auto code = host::compile_text(*clang, request);
  if (!code) {
    const bool refused = code.error().kind == host::CompileFailure::Kind::Refused;
    return std::unexpected(Failure{refused ? bad_input : missing, fmt::format("{}: {}", source.name(), code.error().sentence)});
  }
  return *code;
}

/// What the options ask for, once they have been understood.
struct VeRequest {
  ve_machine::LaunchOptions launch;
  std::size_t memory_limit = 0;
  std::vector<OutputRequest> outputs;
};

std::expected<VeRequest, std::string> read_request(const CLI::App& command, const RunOptions& options) {
  VeRequest request;
  request.launch.max_steps = options.machine.max_steps.value_or(request.launch.max_steps);
  const auto memory = parse_bytes(options.machine.memory_limit);
  if (!memory) {
    return std::unexpected("--memory-limit: " + memory.error());
  }
  request.memory_limit = *memory;
  if (command["--frame-memory"]->count() > 0) {
    const auto stack = parse_bytes(options.launch.frame_memory);
    if (!stack) {
      return std::unexpected("--frame-memory: " + stack.error());
    }
    if (*stack > request.memory_limit / 2) {  // each byte has a state beside it
      return std::unexpected("--frame-memory: it is more than half of the memory limit (--memory-limit)");
    }
    request.launch.stack_bytes = *stack;
  }
  auto outputs = parse_outputs(options.launch.outputs);
  if (!outputs) {
    return std::unexpected(outputs.error());
  }
  request.outputs = std::move(*outputs);
  return request;
}

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
std::expected<int, std::string> launch_kernel(const ve::Object& object, const ve::Decoder& decoder, const VeRequest& request,
                                              const RunOptions& options) {
  const auto kernel = ve_machine::find_kernel(object, options.front_end.kernel);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  const auto read = [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  };
  auto arguments = ve_machine::parse_arguments(options.launch.arguments, request.memory_limit, read);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  std::vector<Output> outputs;
  std::vector<bool> shown(arguments->buffers.size(), true);
  for (const OutputRequest& wanted : request.outputs) {
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

bool is_for_ve(const SourceFile& source, const RunOptions& options) {
  // What is called a program's text is read as one, whatever is in it: the complaint then says what stands there.
  const bool is_text = source.name().ends_with(".cl") || source.name().ends_with(".mus");
  return !options.target.empty() || (!is_text && ve::looks_like_object(source.text()));
}

int run_ve(const CLI::App& command, const SourceFile& source, const RunOptions& options) {
  if (const auto problem = misplaced(command, source.name())) {
    return refuse(refusal(*problem), options.json);
  }
  const auto request = read_request(command, options);
  if (!request) {
    return refuse(refusal(request.error()), options.json);
  }
  const auto decoder = ve::Decoder::make();
  if (!decoder) {
    refuse(refusal(decoder.error()), options.json);
    return missing;
  }
  std::string code = source.text();
  if (!ve::looks_like_object(code)) {
    auto compiled = compile(source, options.clang);
    if (!compiled) {
      refuse(refusal(compiled.error().sentence), options.json);
      return compiled.error().status;
    }
    code = std::move(*compiled);
  }
  const auto object = ve::read_object(source.name(), code, request->memory_limit);
  if (!object) {
    return refuse(refusal(fmt::format("{} {}", source.name(), object.error())), options.json);
  }
  const auto status = launch_kernel(*object, *decoder, *request, options);
  return status ? *status : refuse(refusal(status.error()), options.json);
}

}  // namespace lockstep::tools
