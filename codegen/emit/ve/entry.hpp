#pragma once
// What stands around the functions that run packs: objects that never change, and the entry point.

#include <string>

#include "codegen/emit/c/names.hpp"
#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// `__constant` objects.
std::string constant_objects(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& symbol);

/// The function that runs packs side by side, around its body. It stays one: in the loop around it vectors would be kept over the call that
/// clears the kernel's objects.
std::string pack_function(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& function, const std::string& body);

/// `one`: the plan of packs of one group, for what is left over; null if all packs have one.
std::string entry_point(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& symbol, const Plan& plan,
                        const Plan* one);

}  // namespace lockstep::emit_ve
