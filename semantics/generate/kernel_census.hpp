#pragma once
// What kernels are made of, counted.

#include <cstdint>
#include <map>
#include <string>

#include "semantics/generate/kernel.hpp"

namespace lockstep::generate {

/// How often each kind of thing stands in kernels: "statement: if", "operator: <<", "type: uchar", "index: of the item", "call: shuffle",
/// "condition: of two variables" (of a loop).
using Census = std::map<std::string, std::uint64_t>;

/// Adds what stands in the kernel's text.
void count(const Kernel& kernel, Census& census);

}  // namespace lockstep::generate
