#pragma once
// The options of the AVX512 target, for every subcommand that makes its code or runs it.

#include <optional>
#include <string>

#include "codegen/emit/avx512/emit.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// The headings of --help under which the options stand that only one target has.
inline constexpr const char* llvm_group = "The llvm target";
inline constexpr const char* avx512_group = "The avx512 target";

/// How the AVX512 target's C++ is compiled, as it was given on the command line.
struct Avx512Flags {
  std::string compiler;  ///< of host::find_compiler
  unsigned level = 3;
};

/// Adds the options that shape the code, but --chunk-lanes. `options` must outlive `command`.
void add_avx512_emit_options(CLI::App& command, emit_avx512::EmitOptions& options);

/// Adds --compiler and, unless the subcommand chooses it (`has_level`), --compiler-level. `flags` must outlive `command`.
void add_avx512_compile_options(CLI::App& command, Avx512Flags& flags, bool has_level = true);

/// A sentence about an option of the group that was given, which is for `target` alone.
std::optional<std::string> misplaced_for_target(const CLI::App& command, const char* group, const char* target);

/// A sentence if the target has no chunks of so many lanes.
std::optional<std::string> wrong_avx512_chunk(unsigned lanes);

}  // namespace lockstep::tools
