#pragma once
// Constants: from their spelling to their value (C99 6.4.4 with OpenCL's types).

#include <variant>

#include "semantics/core/syntax.hpp"
#include "semantics/core/token.hpp"

namespace lockstep::core {

/// The value of a TokenKind::Number. Throws Refused where it is none: digits outside the base, a suffix that there is not, beyond 2^64 - 1.
std::variant<syntax::IntegerLiteral, syntax::FloatLiteral> read_number(const Token& token);

/// The value of a TokenKind::Character: that of a char, sign extended to 64 bits. Throws Refused where it is not one character.
syntax::IntegerLiteral read_character(const Token& token);

}  // namespace lockstep::core
