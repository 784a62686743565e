#pragma once
// Functions: their heads, compared with earlier declarations, and their bodies.

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Notes which functions the file declares and defines, and makes room for those that have a body.
void collect_functions(Unit& unit, const syntax::TranslationUnit& file);

/// A prototype or definition. `contract` is what the option and the file's pragmas say.
void check_function(Unit& unit, const syntax::Function& function, bool contract);

/// Declares all functions of a file, so that each may call any other one.
void declare_functions(Unit& unit, const syntax::TranslationUnit& file);

}  // namespace lockstep::core::sema
