#pragma once
// `lockstep emit --bundle`: code with inputs and expected outputs, for a machine that has no Lockstep.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
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

/// A driver in C, a Makefile, and the bytes of all buffers before and after the interpreter has run the launch. The Makefile takes the code
/// from KERNEL.s, assembly for `triple`, or from KERNEL.o if that lies there. Refused is a launch whose result is undefined.
std::expected<std::vector<BundleFile>, Refusal> bundle_files(const ReadKernel& read, const infreg::Kernel& kernel,
                                                             const BundleRequest& request, std::string_view triple);

}  // namespace lockstep::tools
