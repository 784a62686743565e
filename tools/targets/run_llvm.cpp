// Machine code by LLVM, in this process's memory and run in a process of its own.

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "codegen/emit/llvm/jit.hpp"
#include "codegen/emit/llvm/target.hpp"
#include "tools/diff.hpp"

namespace lockstep::tools {

using Clock = std::chrono::steady_clock;

std::expected<Ran, std::string> run_llvm(const infreg::Kernel& kernel, const Reference& reference, const LlvmOptions& options) {
  emit_llvm::EmitOptions emit;
  emit.chunk_lanes = options.chunk_lanes;
  const Clock::time_point start = Clock::now();
  const auto callable = emit_llvm::compile(kernel, emit, options.level);
  const double compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!callable && callable.error().is_llvms_own) {
    return Ran{Failure{Failure::Kind::NotRun, callable.error().sentence}, "LLVM " + emit_llvm::llvm_version(), compile_seconds, 0};
  }
  if (!callable) {
    return std::unexpected(callable.error().sentence);
  }
  const auto code = [&](const void* const* arguments, std::uint64_t groups) { (*callable)(arguments, 0, groups, groups); };
  auto ran = run_apart(code, reference, patience_with(reference));
  if (ran) {
    const std::string version = emit_llvm::llvm_version();
    ran->evidence = fmt::format("this machine's CPU ({}), by LLVM {}", emit_llvm::host_target().cpu, version.substr(0, version.find('.')));
    ran->compile_seconds = compile_seconds;
  }
  return ran;
}

}  // namespace lockstep::tools
