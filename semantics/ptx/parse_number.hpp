#pragma once
// Numbers of PTX texts, and the expressions that are computed when a text is read.

#include <cstdint>

#include "semantics/ptx/lexer.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// What a token of Kind::Number is; refused (lockstep::Refused) if it is no number or does not fit 64 bits.
Number read_number(const Token& token);

/// Whether the next token can begin a constant expression that is no name.
bool begins_constant(const TokenStream& tokens);

/// A constant expression: numbers, WARP_SZ, C's operators of integers, casts (.s64) and (.u64), and floats by themselves or negated.
/// Integers are of 64 bits, signed unless one operand is unsigned. Refused (lockstep::Refused): division by 0, a float among integers.
Number constant_expression(TokenStream& tokens);

/// An expression whose value is an integer from 0 to `most`; `what` it is, for the message. In angle brackets a '>' ends it.
std::uint64_t count(TokenStream& tokens, std::string_view what, std::uint64_t most, bool in_angles = false);

/// What stands behind a name: `+8`, `- 4`, `+4+4`. Wraps.
std::int64_t offset_behind_name(TokenStream& tokens);

}  // namespace lockstep::ptx
