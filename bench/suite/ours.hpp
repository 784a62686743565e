#pragma once
// The kernels as Lockstep runs them: by the interpreter, and compiled.

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "bench/suite/contestant.hpp"
#include "codegen/emit/avx512/emit.hpp"

namespace lockstep::bench {

/// A kernel, and how Lockstep is to run it.
struct OurOptions {
  unsigned wg_size = 0;             ///< of item-wise kernels; a matrix kernel's groups have its size
  unsigned wg_pack = 0;             ///< 0: what the target chooses
  std::string text{};               ///< the kernel's source; empty: examples/borg
  std::string name{};               ///< of the contestant; empty: the target's
  emit_avx512::EmitOptions emit{};  ///< of the AVX512 target
};

/// Machine code by LLVM, in this process.
Contestant by_llvm(const Task& task, const OurOptions& options = {});

/// C++ with AVX512 intrinsics, compiled with -O3 by the C++ compiler that host::find_compiler finds.
Contestant by_avx512(const Task& task, const OurOptions& options = {});

/// The C++ that by_avx512 compiles. The error is a sentence.
std::expected<std::string, std::string> cpp_by_avx512(const Task& task, const OurOptions& options = {});

/// That compiler and its options; or that there is none.
std::string compiler_of_avx512();

/// The defining one, which is slow: it is given fewer problems.
Contestant by_interpreter(const Task& task, const OurOptions& options = {});

/// The contestant of a target that target_names has.
Contestant by_target(std::string_view target, const Task& task, const OurOptions& options = {});

inline constexpr std::array<std::string_view, 3> target_names = {"avx512", "llvm", "interpreter"};

/// Runs a batch by the interpreter, with contraction: what all results are compared with. The error is a sentence.
std::expected<void, std::string> interpret(const Data& data, const OurOptions& options = {});

}  // namespace lockstep::bench
