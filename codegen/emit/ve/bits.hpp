#pragma once
// Numbers as 64 bits hold them.

#include <cstdint>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::emit_ve {

/// The number as an element of a vector or a register holds it.
std::uint64_t register_bits(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::emit_ve
