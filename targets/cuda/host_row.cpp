// CUDA C++ as plain C++ for this machine, on a header in place of a GPU: what emitter, clang and the PTX machine might all take for granted
// of PTX and of warps is read a second time, from the same source.

#include <fmt/format.h>

#include <filesystem>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "differential/compare/interrupts.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/cuda/row.hpp"

namespace lockstep::targets {

namespace {

struct Options {
  std::string compiler;  ///< of host::find_compiler
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--host-compiler",
        "COMMAND",
        "the C++ compiler and arguments for it: words, with blanks between them (default: $CXX, else g++ or clang++)",
        "",
        {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) {
         into.compiler = value;
         return std::optional<std::string>();
       }},
  };
  return rows;
}

constexpr std::string_view entry = "run_on_host";

/// The emitted file, and a function that runs a grid of it.
std::string source_of(const infreg::Kernel& kernel, const emit_cuda::Emitted& emitted) {
  std::string arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const infreg::Parameter& parameter = kernel.parameters[k];
    arguments += parameter.is_pointer
                     ? fmt::format("static_cast<{} *>(const_cast<void *>(arguments[{}])), ", emit_c::c_type(parameter.scalar), k)
                     : fmt::format("*static_cast<const {} *>(arguments[{}]), ", emit_c::c_type(parameter.scalar), k);
  }
  return fmt::format(
      "{}{}extern \"C\" void {}(const void *const *arguments, uint64_t groups, unsigned blocks) {{\n"
      "  lockstep_cuda_host::run_grid(blocks, {}, [&] {{ ::{}({}groups); }});\n"
      "}}\n",
      include_line(emit_cuda::host_support_name), include_line(kernel.name + ".cu"), entry, emitted.block_threads, emitted.kernel_symbol,
      arguments);
}

NoCode no_code(const host::CompileFailure& failure, const host::Compiler& compiler) {
  using Kind = host::CompileFailure::Kind;
  const NoCode::Kind kind = failure.kind == Kind::Refused     ? NoCode::Kind::Rejected
                            : failure.kind == Kind::Endless   ? NoCode::Kind::Endless
                            : failure.kind == Kind::Cancelled ? NoCode::Kind::Cancelled
                                                              : NoCode::Kind::Missing;
  return {kind, failure.sentence, "the compiler " + compiler.command.front()};
}

std::expected<Code, NoCode> compiled(const Job& job) {
  const auto compiler = host::find_compiler(stored(table(), job.asked.settings).compiler);
  if (!compiler) {
    return std::unexpected(NoCode{NoCode::Kind::Missing, compiler.error()});
  }
  emit_cuda::EmitOptions options;
  options.symbol = "k";
  const auto emitted = emit_cuda::emit(job.kernel, options);
  if (!emitted) {
    return std::unexpected(NoCode{NoCode::Kind::Refused, emitted.error()});
  }
  host::CompileRequest request;
  request.source = {"run.cpp", source_of(job.kernel, *emitted)};
  request.headers = {{job.kernel.name + ".cu", emitted->source},
                     {job.kernel.name + ".cuda.h", emitted->header},
                     {std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())},
                     {std::string(emit_cuda::host_support_name), std::string(emit_cuda::host_support_text())}};
  request.options = {"-std=c++17", "-O1", "-ffp-contract=off"};
  request.scratch = job.asked.scratch;
  request.is_cancelled = [] { return differential::interrupts() > 0; };
  const auto library = host::compile_library(*compiler, request);
  if (!library) {
    return std::unexpected(no_code(library.error(), *compiler));
  }
  using Run = void(const void* const*, std::uint64_t, unsigned);
  auto* run = reinterpret_cast<Run*>(library->find(std::string(entry)));
  if (run == nullptr) {
    return std::unexpected(NoCode{NoCode::Kind::Rejected, fmt::format("there is no {} in what the compiler made", entry)});
  }
  Code code;
  code.call = [library = *library, run, emitted = *emitted, shape = job.kernel.shape](const void* const* arguments, std::uint64_t groups) {
    run(arguments, groups, blocks_for(emitted, shape, groups));
  };
  code.evidence = fmt::format("host emulation, {}", std::filesystem::path(compiler->command.front()).filename().string());
  return code;
}

std::optional<Unfit> complaint(Use /*use*/, const Asked& asked) {
  const auto compiler = host::find_compiler(stored(table(), asked.settings).compiler);
  return compiler ? std::nullopt : std::optional(Unfit{compiler.error(), true});
}

}  // namespace

Target cuda_host_target() {
  Target target;
  target.name = "cuda-host";
  target.meaning = "the CUDA C++ of cuda, by a C++ compiler of this machine: threads are fibers, and no PTX is involved";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.compile = [](const std::vector<Job>& jobs) {
    const differential::Interrupts heeded;
    std::vector<std::expected<Code, NoCode>> codes;
    for (const Job& job : jobs) {
      codes.push_back(differential::interrupts() > 0 ? std::unexpected(NoCode{NoCode::Kind::Cancelled, "compiling was cancelled"})
                                                     : compiled(job));
    }
    return codes;
  };
  target.campaigning.kernels = 100;
  target.campaigning.full_kernels = 1000;
  target.campaigning.most_together = 16;  // each by itself, but a compiler has to be ended with the process that waits for it
  target.campaigning.meaning = "The CUDA C++ of cuda is compiled for this machine, and runs with a fiber for each thread.";
  return target;
}

}  // namespace lockstep::targets
