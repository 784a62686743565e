#pragma once
// Which names are taken by what programs are linked with.

#include <optional>
#include <string>

namespace lockstep::emit_llvm {

/// Why no program can be linked with a function of this name: a sentence. It is the C library's (what LLVM knows as that, and what C17
/// lists), for which LLVM makes calls of its own; or it does not begin with a letter, as only the C implementation's and assemblers' do.
std::optional<std::string> wrong_symbol(const std::string& name);

}  // namespace lockstep::emit_llvm
