#pragma once
// Random kernels as C++ for AVX512: many in one file, compiled by a compiler of this machine, loaded, and run on buffers that lie between
// pages which nobody may touch. What they leave is compared with what the evaluator leaves, bit for bit.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/host/compiler.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512::trial {

/// A kernel with what it is called with.
struct Trial {
  std::uint64_t seed = 0;
  infreg::Kernel kernel;
  std::vector<Argument> arguments;
  std::vector<infreg::Buffer> buffers;  ///< BufferNumber i is the i-th; each ends with the last element that `groups` groups touch
  std::uint64_t groups = 0;
  EmitOptions options;
  std::string source;  ///< of what the options say, the symbol being "k" and the seed; empty before emit_into()
};

/// The kernel of a seed. Chunks of 8, 16 and as many lanes as fit, and 1, 3 and 16 chunks in registers take
/// turns; of four kernels one has groups side by side.
Trial random_trial(std::uint64_t seed);

/// Kernels for what random ones hardly ever do (directed.cpp): each with 1 and 16 chunks in registers, in chunks of 8 and of 16 lanes.
std::vector<Trial> directed_trials();

/// Fills in `source`. What is wrong if there is none, or if the emitter throws.
std::optional<std::string> emit_into(Trial& trial);

/// How a file of kernels is compiled.
struct Build {
  host::Compiler compiler;
  unsigned level = 0;     ///< of optimisation
  bool emulated = false;  ///< plain loops in place of the processor's instructions
};
std::string name_of(const Build& build);

/// All in one file, every warning being an error. The error is what the compiler says.
std::expected<host::Library, std::string> compiled(const std::vector<Trial>& trials, const Build& build);

/// What differs, for each kernel that leaves something else than the evaluator, crashes, hangs or writes outside of its buffers. Each is
/// run in another process: with all groups at once, on buffers that end at a page's end; in parts, on buffers that begin at a page's
/// beginning; with fewer groups, on misaligned buffers; and with two parameters that point into one buffer.
std::vector<std::string> failures(const std::vector<Trial>& trials, const host::Library& library);

/// How many kernels have code of their own for buffers that are apart.
std::size_t count_with(const std::vector<Trial>& trials, std::string_view text);

}  // namespace lockstep::emit_avx512::trial
