#pragma once
// Statements of a function's body.

#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/lexer.hpp"
#include "semantics/ptx/parse_declaration.hpp"
#include "semantics/ptx/parse_instruction.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// From `{` to behind its `}`, which are not kept. Statements that are wrong are left out, and said in `errors`.
void read_body(TokenStream& tokens, DeclarationReader& declarations, InstructionReader& instructions, std::vector<Statement>& body,
               Diagnostics& errors);

/// `.pragma "nounroll";`
Pragma read_pragma(TokenStream& tokens);

/// Behind a section of debugging information: `.section NAME {…}`, or, of older compilers, `.section NAME, "", @progbits` and its bytes.
void skip_section(TokenStream& tokens);

}  // namespace lockstep::ptx
