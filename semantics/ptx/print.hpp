#pragma once

#include <string>

#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// The module as PTX: `parse` of it gives an equal tree. Modifiers stand in the order of their form's slots.
std::string print(const Module& module);

/// One instruction without its line break: "@%p1 bra $L__BB0_2;".
std::string print(const Instruction& instruction);

/// The mnemonic with its modifiers and types: "ld.global.v4.f32".
std::string print_mnemonic(Form form, const Modifiers& modifiers, const Types& types);
std::string print_mnemonic(const Instruction& instruction);

/// `.version`, `.target` and `.address_size` apart, one item of the module.
std::string print(const Item& item);

}  // namespace lockstep::ptx
