#pragma once
// Kernels compiled and called in this process (LLVM's ORC).

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/emit/llvm/emit.hpp"

namespace lockstep::emit_llvm {

/// A kernel's machine code, which goes with the last copy of this.
class Callable {
 public:
  struct Code;
  /// `arguments`: for each parameter of the kernel, the pointer itself, or where the number lies. Groups first to last - 1 run.
  using Function = void (*)(const void* const* arguments, std::uint64_t first, std::uint64_t last, std::uint64_t num_groups);

  Callable(std::shared_ptr<const Code> code, Function function) : code_(std::move(code)), function_(function) {}

  /// Any number of threads may call it at a time.
  void operator()(const void* const* arguments, std::uint64_t first, std::uint64_t last, std::uint64_t num_groups) const {
    function_(arguments, first, last, num_groups);
  }

 private:
  std::shared_ptr<const Code> code_;
  Function function_;
};

/// Links object code of Module::object, emitted with EmitOptions::call_wrapper for this host, into the process. May be called by many
/// threads at a time. Errors: LLVM's sentence.
std::expected<Callable, std::string> load(const std::string& object, std::string_view kernel_name);

/// Emits for this host, compiles at LLVM's level 0 to 3, and links. The options' call_wrapper does not matter.
std::expected<Callable, Failure> compile(const infreg::Kernel& kernel, EmitOptions options = {}, unsigned level = 3);

}  // namespace lockstep::emit_llvm
