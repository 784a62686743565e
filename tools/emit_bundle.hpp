#pragma once
// `lockstep emit --bundle`: code with inputs and expected outputs, for a machine that has no Lockstep.

#include <cstdint>
#include <expected>
#include <string>
#include <variant>
#include <vector>

#include "semantics/infreg/kernel.hpp"
#include "tools/kernel_program.hpp"

namespace lockstep::tools {

/// The launch whose result is expected.
struct BundleRequest {
  std::uint64_t groups = 1;
  std::vector<std::string> arguments;  ///< as `lockstep run` takes them
};

struct BundleFile {
  std::string name;
  std::string content;
};

/// The code that a bundle has of the kernel: KERNEL.s and KERNEL.ll, for the machine that a triple names, or KERNEL.avx512.cpp.
struct BundledLlvm {
  std::string triple;
};
struct BundledAvx512 {};
using BundledCode = std::variant<BundledLlvm, BundledAvx512>;

/// A driver in C or C++, a Makefile, and the bytes of all buffers before and after the interpreter has run the launch. Of LLVM's code the
/// Makefile takes KERNEL.o if that lies there. Refused is a launch whose result is undefined.
std::expected<std::vector<BundleFile>, Refusal> bundle_files(const ReadKernel& read, const infreg::Kernel& kernel,
                                                             const BundleRequest& request, const BundledCode& code);

}  // namespace lockstep::tools
