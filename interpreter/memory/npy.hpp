#pragma once
// NumPy's .npy files, as far as Σ can hold them: formats 1.0, 2.0 and 3.0, little-endian integers of 1, 2, 4 and 8 bytes and
// booleans, any number of dimensions in C order.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// An array that lies in the bytes of a file; nothing is copied, the bytes must outlive it.
struct NpyArray {
  char kind = 'i';                   ///< 'b' boolean, 'i' signed, 'u' unsigned
  unsigned element_bytes = 8;        ///< 1, 2, 4 or 8
  std::vector<std::uint64_t> shape;  ///< empty for a single number
  std::uint64_t count = 0;           ///< product of the shape
  std::string_view data;             ///< count × element_bytes bytes

  /// Element `i` in C order; unsigned 64-bit ones keep their bit pattern, booleans give 0 or 1.
  std::int64_t element(std::uint64_t i) const;
};

/// Whether `file` begins as every .npy file does.
bool looks_like_npy(std::string_view file);

/// The array in a file. The error says what is wrong with the file, or what it has that Σ cannot hold. Time and memory
/// depend on the header's length only, which is bounded, not on what the header claims.
std::expected<NpyArray, std::string> read_npy(std::string_view file);

/// What stands before the elements of a one-dimensional array of `count` signed 64-bit integers (format 1.0).
std::string npy_header(std::uint64_t count);

/// Appends an element as npy_header announces it: 8 bytes, little-endian.
void append_npy_element(std::string& out, std::int64_t value);

}  // namespace lockstep
