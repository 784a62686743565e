#pragma once
// Which registers and numbers fit which types.

#include <expected>
#include <string>

#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx {

/// Whether a register of type `held` can be an operand of type `wanted`: predicates among themselves; else of the same width, where bits
/// fit everything, integers each other, and floats their own type. With `wider`, as in ld, st and cvt, integers and bits may lie in the
/// lower part of a wider register.
bool fits(Type held, Type wanted, bool wider);

/// A number as an operand of a type. `cut` is set if the number has more bits than the type, of which the lower ones are taken.
/// An error says why it cannot be one: integers and floats are not each other's.
std::expected<resolved::Constant, std::string> constant_of(const Number& number, Type wanted, bool& cut);

}  // namespace lockstep::ptx
