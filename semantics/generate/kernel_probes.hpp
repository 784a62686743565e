#pragma once
// Kernels that save a variable's value on the way: to find the first line at which two executions part.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "semantics/generate/kernel.hpp"

namespace lockstep::generate {

/// The parameter that a probed kernel has more than the kernel: a buffer with an element for each item of the launch.
inline constexpr std::string_view probe_name = "saved";

struct Probed {
  Kernel kernel;         ///< with one parameter more, the last one
  std::string variable;  ///< whose value it saves
};

/// The kernel with a store behind its `number`th assignment to a scalar variable (from 0, in the order of the text; declarations with a
/// value count) which saves that variable. Nothing if there are fewer: those of functions, and those through pointers, do not count.
std::optional<Probed> with_probe(const Kernel& kernel, std::size_t number);

}  // namespace lockstep::generate
