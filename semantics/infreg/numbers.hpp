#pragma once
// Numbers of InfReg-IR's text form: their type is known from where they stand, and no bit is lost.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::infreg {

/// "-3", "0.1", "1.0", "inf", "nan", "nan(0x7fc00001)"; i1 is 0 or 1. `bits` as in core::Literal.
std::string number_text(ScalarType type, std::uint64_t bits);

/// The bits of a whole word as number_text writes it, or a sentence that says what is wrong. Floats may have any decimal form; one that is
/// no number of the type is rounded to the nearest.
std::expected<std::uint64_t, std::string> read_number(ScalarType type, std::string_view word);

}  // namespace lockstep::infreg
