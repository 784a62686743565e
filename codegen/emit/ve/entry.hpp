#pragma once
// What stands around the functions that run packs: objects that never change, and the entry point.

#include <string>

#include "codegen/emit/c/names.hpp"
#include "codegen/emit/ve/choice.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// What the names of functions have behind the kernel's: of a plan's packs, and of groups that are left over.
std::string suffix_of(const Plan& plan, bool is_one);

/// `__constant` objects.
std::string constant_objects(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& symbol);

/// The function that runs packs side by side, around its body. It stays one: in the loop around it vectors would be kept over the call that
/// clears the kernel's objects.
std::string pack_function(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& function, const std::string& body);

/// Calls the functions of the choice.
std::string entry_point(const infreg::Kernel& kernel, const emit_c::Names& names, const std::string& symbol, const Choice& choice);

}  // namespace lockstep::emit_ve
