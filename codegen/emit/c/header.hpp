#pragma once
// What the C and C++ of a kernel's surroundings needs: names, types, and the header that declares its entry point.

#include <string>
#include <string_view>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_c {

/// Whether C and C++ take the word for the name of a function or a parameter behind <stdbool.h>, <stddef.h> and <stdint.h>. Those of
/// kernels in InfReg-IR may be anything (`a.b`), and those of the kernel language words of C++ or types of the headers.
bool is_c_name(std::string_view name);

/// Whether the word looks like a macro (`M_PI`, `INFINITY`), which headers that somebody includes may define.
bool may_be_macro(std::string_view name);

/// A name that C and C++ take, as near to `name` as can be.
std::string c_name(const std::string& name);

/// "uint16_t".
std::string_view c_type(ScalarType type);

/// A header for C and C++ that declares the entry point as `name`, which c_name has taken from the kernel's (of `class`, `class_`), or the
/// emitter has: where it is another one, it stands for it. Parameters with such names, or that look like macros, have none. A comment says
/// what the entry point does; `manner`, one line of text, ends its sentence with the order and the threads in which groups run.
std::string c_header(const infreg::Kernel& kernel, const std::string& name, std::string_view manner);

}  // namespace lockstep::emit_c
