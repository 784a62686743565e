#pragma once
// How much the steppers show of what is long, so that an answer stays one screen.

#include <cstddef>
#include <cstdint>

namespace lockstep::shown {

inline constexpr std::size_t entries_in_line = 3;  // of a stack, in one line
inline constexpr std::size_t cells_in_line = 8;    // of an access, in one line
inline constexpr std::size_t entries = 20;         // of Π or Λ, one a line
inline constexpr std::uint64_t cells = 32;         // of a buffer, where nobody asks for more
inline constexpr std::size_t rows = 64;            // of registers, of Σ, or elements of an array in all items
inline constexpr unsigned lanes = 16;              // of a variable, in one line
inline constexpr std::size_t bytes = 100;          // of a source line
inline constexpr std::size_t calls = 50;           // one a line
inline constexpr std::size_t fragments = 50;       // one a line
inline constexpr std::size_t parts = 8;            // of a block, in one line

}  // namespace lockstep::shown
