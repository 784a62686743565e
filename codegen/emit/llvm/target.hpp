#pragma once
// What machine the LLVM target compiles for.

#include <expected>
#include <string>

namespace lockstep::emit_llvm {

/// As clang's --target, -mcpu and -mattr name it. An empty triple is this host, then with its own processor and features.
struct Target {
  std::string triple;
  std::string cpu;
  std::string features;  ///< "+avx2,+fma"

  bool operator==(const Target&) const = default;
};

/// The machine that this program runs on: its triple, processor and features.
Target host_target();

/// The version of LLVM that this was built with: "19.1.7".
std::string llvm_version();

/// How many bytes the widest vector registers of `target` have (16 where it has none, so that code stays chunked); or a sentence that
/// says why nothing can be compiled for it.
std::expected<unsigned, std::string> vector_bytes(const Target& target);

}  // namespace lockstep::emit_llvm
