#pragma once
// A kernel's parameter that is a vector, where others than our front end read the kernel: it makes one of each component
// (docs/kernel-language.md).

#include <cstddef>

namespace lockstep::targets {

struct VectorParameter {
  std::size_t first = 0;       ///< of the interpreter's arguments, those of the components
  std::size_t components = 0;  ///< three lie in memory as four
  std::size_t component_bytes = 0;
};

}  // namespace lockstep::targets
