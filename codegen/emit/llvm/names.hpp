#pragma once
// Which names are taken: by the C language and the headers that a kernel's header includes, and by what programs are linked with.

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::emit_llvm {

/// Whether C and C++ take the word for the name of a function or a parameter behind <stdbool.h>, <stddef.h> and <stdint.h>. Those of
/// kernels in InfReg-IR may be anything (`a.b`), and those of the kernel language words of C++ or types of the headers.
bool is_c_name(std::string_view name);

/// Why no program can be linked with a function of this name: a sentence. It is the C library's (what LLVM knows as that, and what C17
/// lists), for which LLVM makes calls of its own; or it does not begin with a letter, as only the C implementation's and assemblers' do.
std::optional<std::string> wrong_symbol(const std::string& name);

}  // namespace lockstep::emit_llvm
