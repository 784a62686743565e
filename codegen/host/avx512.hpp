#pragma once
// The AVX512 target's C++ compiled and called in this process: what jit.hpp is for the LLVM target.

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/host/compiler.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::host {

struct Avx512Options {
  Compiler compiler;
  unsigned level = 3;   ///< of the compiler, 0 to 3: -O3
  std::string scratch;  ///< as in CompileRequest, and so the other two
  unsigned seconds = CompileRequest().seconds;
  std::function<bool()> is_cancelled = nullptr;
};

/// The headers that the C++ of all kernels includes; lockstep_avx512.h is the first.
std::vector<TextFile> avx512_support_files();

/// A kernel's C++ with an entry point that knows no types: emit_avx512::emit's with EmitOptions::call_wrapper.
struct Avx512Source {
  std::string symbol;  ///< the entry point is SYMBOL_call
  std::string text;    ///< without #include lines
};

/// `symbol` is a C++ identifier; what the options say of it, of the wrapper and of #include lines does not matter. The error is emit's.
std::expected<Avx512Source, std::string> source_for_calls(const infreg::Kernel& kernel, const std::string& symbol,
                                                          emit_avx512::EmitOptions options = {});

/// A kernel's machine code, which goes with the last copy of this. Groups first to last - 1 of num_groups run.
class Avx512Callable {
 public:
  /// `arguments`: for each parameter of the kernel, the pointer itself, or where the number lies.
  using Function = void (*)(const void* const* arguments, std::uint64_t first, std::uint64_t last, std::uint64_t num_groups);

  Avx512Callable(Library library, Function function) : library_(std::move(library)), function_(function) {}

  /// Any number of threads may call it at a time.
  void operator()(const void* const* arguments, std::uint64_t first, std::uint64_t last, std::uint64_t num_groups) const {
    function_(arguments, first, last, num_groups);
  }

 private:
  Library library_;
  Function function_;
};

/// Kernels that were compiled together.
struct Avx512Code {
  std::vector<Avx512Callable> kernels;  ///< in the order of their sources
  bool is_emulated = false;             ///< there are no AVX512 instructions in it, but loops of ours in their place
  std::string compiler;                 ///< that made it, as the code itself says: "g++ 12"

  /// "hardware, g++ 12" or "emulated, g++ 12": what stands behind its results.
  std::string evidence() const;
};

/// All kernels in one translation unit. It is not their fault (CompileFailure::Kind::Broken) if the compiler does not take one without any.
std::expected<Avx512Code, CompileFailure> compile_avx512(const std::vector<Avx512Source>& kernels, const Avx512Options& options);

}  // namespace lockstep::host
