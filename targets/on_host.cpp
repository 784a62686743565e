#include "targets/on_host.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "codegen/emit/c/header.hpp"
#include "differential/compare/interrupts.hpp"

namespace lockstep::targets {

namespace {

struct HostOptions {
  std::string compiler;  ///< of host::find_compiler
};

const std::vector<StoredOption<HostOptions>>& host_options() {
  static const std::vector<StoredOption<HostOptions>> rows = {
      {{"--host-compiler",
        "COMMAND",
        "the C++ compiler and arguments for it: words, with blanks between them (default: $CXX, else g++ or clang++)",
        "",
        {Use::Diff, Use::Fuzz}},
       [](HostOptions& into, const std::string& value) {
         into.compiler = value;
         return std::optional<std::string>();
       }},
  };
  return rows;
}

std::expected<host::Compiler, std::string> compiler_of(const Asked& asked) {
  return host::find_compiler(stored(host_options(), asked.settings).compiler);
}

std::expected<Code, NoCode> compiled(const std::expected<Emulation, std::string>& emulation, const Asked& asked) {
  const auto compiler = compiler_of(asked);
  if (!compiler) {
    return std::unexpected(NoCode{NoCode::Kind::Missing, compiler.error()});
  }
  if (!emulation) {
    return std::unexpected(NoCode{NoCode::Kind::Refused, emulation.error()});
  }
  host::CompileRequest request;
  request.source = {"run.cpp", emulation->source};
  request.headers = emulation->headers;
  request.options = {"-std=c++17", "-O1", "-ffp-contract=off"};
  request.scratch = asked.scratch;
  request.is_cancelled = [] { return differential::interrupts() > 0; };
  const auto library = host::compile_library(*compiler, request);
  if (!library) {
    return std::unexpected(no_code(library.error(), *compiler));
  }
  void* entry = library->find(std::string(emulation_entry));
  if (entry == nullptr) {
    return std::unexpected(NoCode{NoCode::Kind::Rejected, fmt::format("there is no {} in what the compiler made", emulation_entry)});
  }
  Code code;
  code.call = emulation->call(*library, entry);
  code.evidence = fmt::format("host emulation, {}", std::filesystem::path(compiler->command.front()).filename().string());
  return code;
}

}  // namespace

NoCode no_code(const host::CompileFailure& failure, const host::Compiler& compiler) {
  using Kind = host::CompileFailure::Kind;
  const NoCode::Kind kind = failure.kind == Kind::Refused     ? NoCode::Kind::Rejected
                            : failure.kind == Kind::Endless   ? NoCode::Kind::Endless
                            : failure.kind == Kind::Cancelled ? NoCode::Kind::Cancelled
                                                              : NoCode::Kind::Missing;
  return {kind, failure.sentence, "the compiler " + compiler.command.front()};
}

std::string emulation_arguments(const infreg::Kernel& kernel) {
  std::string arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const infreg::Parameter& parameter = kernel.parameters[k];
    arguments += parameter.is_pointer
                     ? fmt::format("static_cast<{} *>(const_cast<void *>(arguments[{}])), ", emit_c::c_type(parameter.scalar), k)
                     : fmt::format("*static_cast<const {} *>(arguments[{}]), ", emit_c::c_type(parameter.scalar), k);
  }
  return arguments;
}

Target emulation_target(const std::function<std::expected<Emulation, std::string>(const infreg::Kernel&, const Asked&)>& emulated) {
  Target target;
  target.options = known(host_options());
  target.complaint = [](Use /*use*/, const Asked& asked) {
    const auto compiler = compiler_of(asked);
    return compiler ? std::nullopt : std::optional(Unfit{compiler.error(), true});
  };
  target.compile = [emulated](const std::vector<Job>& jobs) {
    const differential::Interrupts heeded;
    std::vector<std::expected<Code, NoCode>> codes;
    for (const Job& job : jobs) {
      codes.push_back(differential::interrupts() > 0 ? std::unexpected(NoCode{NoCode::Kind::Cancelled, "compiling was cancelled"})
                                                     : compiled(emulated(job.kernel, job.asked), job.asked));
    }
    return codes;
  };
  target.campaigning.kernels = 100;
  target.campaigning.full_kernels = 1000;
  target.campaigning.most_together = 16;  // each by itself, but a compiler has to be ended with the process that waits for it
  return target;
}

}  // namespace lockstep::targets
