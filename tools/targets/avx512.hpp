#pragma once
// How the AVX512 target's C++ is compiled, for campaigns of `fuzz` as well.

#include <string>

namespace CLI {
class App;
}

namespace lockstep::tools {

/// As it was given on the command line.
struct Avx512Flags {
  std::string compiler;  ///< of host::find_compiler
  unsigned level = 3;
};

/// Adds --compiler and, unless the subcommand chooses it (`has_level`), --compiler-level. `flags` must outlive `command`.
void add_avx512_compile_options(CLI::App& command, Avx512Flags& flags, bool has_level = true);

}  // namespace lockstep::tools
