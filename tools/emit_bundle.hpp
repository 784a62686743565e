#pragma once
// `lockstep emit --bundle`: code with inputs and expected outputs, for a machine that has no Lockstep.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"
#include "targets/target.hpp"
#include "tools/kernel_program.hpp"

namespace lockstep::tools {

/// The launch whose result is expected.
struct BundleRequest {
  GridFlags grid;
  std::vector<std::string> arguments;  ///< as `lockstep run` takes them
};

/// A driver in C or C++, what surrounds the target's code, and the bytes of all buffers before and after the interpreter has run the
/// launch. Refused is a launch whose result is undefined.
std::expected<std::vector<host::TextFile>, Refusal> bundle_files(const differential::ReadKernel& read, const infreg::Kernel& kernel,
                                                                 const BundleRequest& request, const targets::Surroundings& around);

}  // namespace lockstep::tools
