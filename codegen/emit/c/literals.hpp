#pragma once
// Floats as constants of C and C++.

#include <cstdint>
#include <string>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::emit_c {

/// "0.5f", "-__builtin_nanf("0x5")": an expression that compilers know, with exactly these bits. `type` is Float or Double.
std::string float_constant(ScalarType type, std::uint64_t bits);

/// Whether it is a literal: no infinity or NaN.
bool is_finite(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::emit_c
