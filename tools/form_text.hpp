#pragma once
// The rows of PTX's table of instructions as people read them.

#include <string>

#include "semantics/ptx/form.hpp"

namespace lockstep::tools {

/// `add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32|.f64 d, a, b;`; one line for each alternative of types, without line breaks at the end.
std::string form_syntax(const ptx::FormInfo& row);

/// When PTX says what the result is, as a sentence; empty if always.
std::string_view specified_text(ptx::Specified specified);

/// The page of a mnemonic, in markdown; `cases` are the paths of the programs that try it.
std::string form_page(std::string_view mnemonic, const std::vector<std::string>& cases);

/// The list of all mnemonics, in markdown.
std::string form_index();

}  // namespace lockstep::tools
