#pragma once
// How large a kernel's parts may be, and which bits are numbers.

#include <cstddef>
#include <cstdint>
#include <string>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// No value has more lanes in a pack.
inline constexpr std::uint64_t max_lanes = std::uint64_t{1} << 31;

/// Regions lie in each other no deeper than this; the kernel's body is 1 deep.
inline constexpr std::size_t max_depth = 256;

/// So large may a polynomial be: terms, and factors of each.
inline constexpr std::size_t max_terms = 256;
inline constexpr std::size_t max_factors = 16;

/// Whether the polynomial keeps these limits. One that does not is ill-formed in any operation.
bool is_small(const Polynomial& polynomial);

/// What is wrong with a layout (no elements, more than max_lanes lanes); empty if nothing is.
std::string wrong_layout(Layout layout, Shape shape);

/// Whether these are bits of a number of the type, as core::Literal has them: an integer extended to 64 bits by its signedness, a float in
/// the low 32, i1 as 0 or 1.
bool is_number(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::infreg
