#pragma once
// When the buffers of a kernel do not meet, so that loads need not wait for stores: asked once, when the kernel is called.

#include <optional>
#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// A C++ condition on the pointers `names` (of the kernel's parameters), its scalars, and the groups from `first` up to `last`: no store
/// touches what is loaded or stored through another parameter. None if that cannot be said beforehand.
std::optional<std::string> apart_condition(const infreg::Kernel& kernel, const std::vector<std::string>& names);

}  // namespace lockstep::emit_avx512
