#include "tools/ve_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "codegen/host/compiler.hpp"
#include "semantics/base/files.hpp"
#include "tools/command.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

namespace {

/// The object code of a C file, with the lines that it comes from.
std::expected<std::string, VeFailure> compile(const SourceFile& source, const std::string& wanted) {
  const auto clang = host::find_compiler(wanted.empty() ? "clang-19" : wanted);
  if (!clang) {
    return std::unexpected(VeFailure{missing, clang.error()});
  }
  const std::filesystem::path path(source.name());
  host::CompileRequest request;
  request.source = {source.name() == "<stdin>" ? "stdin.c" : path.filename().string(), source.text()};
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  request.options = {"--target=ve-linux", "-O2", "-g", "-ffp-contract=off", "-c", "-I", std::filesystem::absolute(folder).string()};
  auto code = host::compile_text(*clang, request);
  if (!code) {
    const bool refused = code.error().kind == host::CompileFailure::Kind::Refused;
    return std::unexpected(VeFailure{refused ? bad_input : missing, fmt::format("{}: {}", source.name(), code.error().sentence)});
  }
  return *code;
}

}  // namespace

void add_ve_options(CLI::App& command, VeFlags& flags) {
  command.add_option("--target", flags.target, "what a C file is compiled for")
      ->group(ve_group)
      ->check(CLI::IsMember({"ve"}))
      ->type_name("ve");
  command.add_option("--clang", flags.clang, "the clang that compiles a C file (default: clang-19)")->group(ve_group)->type_name("COMMAND");
}

bool is_for_ve(const SourceFile& source, const VeFlags& flags) {
  // What is called a program's text is read as one, whatever is in it: the complaint then says what stands there.
  const bool is_text = source.name().ends_with(".cl") || source.name().ends_with(".mus");
  return !flags.target.empty() || (!is_text && ve::looks_like_object(source.text()));
}

std::optional<std::string> misplaced_ve_option(const CLI::App& command, const std::string& file) {
  if (const CLI::Option* option = foreign_option(command, ve_group, {"--kernel", "--arg", "--out", "--frame-memory"},
                                                 {"--threads", "--wg-size", "--check-rules", "--races", "--strict"})) {
    return fmt::format("{}: {} is for VE, which has no such option", option->get_name(), file);
  }
  return std::nullopt;
}

std::expected<VeRequest, std::string> ve_request(const CLI::App& command, const MachineFlags& machine, const LaunchFlags& launch) {
  VeRequest request;
  request.launch.max_steps = machine.max_steps.value_or(request.launch.max_steps);
  const auto memory = parse_bytes(machine.memory_limit);
  if (!memory) {
    return std::unexpected("--memory-limit: " + memory.error());
  }
  request.memory_limit = *memory;
  if (command["--frame-memory"]->count() > 0) {
    const auto stack = parse_bytes(launch.frame_memory);
    if (!stack) {
      return std::unexpected("--frame-memory: " + stack.error());
    }
    if (*stack > request.memory_limit / 2) {  // each byte has a state beside it
      return std::unexpected("--frame-memory: it is more than half of the memory limit (--memory-limit)");
    }
    request.launch.stack_bytes = *stack;
  }
  return request;
}

std::expected<VeCode, VeFailure> load_ve(const SourceFile& source, const VeFlags& flags, std::size_t memory_limit) {
  auto decoder = ve::Decoder::make();
  if (!decoder) {
    return std::unexpected(VeFailure{missing, decoder.error()});
  }
  std::string code = source.text();
  if (!ve::looks_like_object(code)) {
    auto compiled = compile(source, flags.clang);
    if (!compiled) {
      return std::unexpected(compiled.error());
    }
    code = std::move(*compiled);
  }
  auto object = ve::read_object(source.name(), code, memory_limit);
  if (!object) {
    return std::unexpected(VeFailure{bad_input, fmt::format("{} {}", source.name(), object.error())});
  }
  return VeCode{std::move(*decoder), std::move(*object)};
}

std::expected<ve_machine::Arguments, std::string> ve_arguments(const std::vector<std::string>& texts, std::size_t memory_limit) {
  return ve_machine::parse_arguments(texts, memory_limit, [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  });
}

}  // namespace lockstep::tools
