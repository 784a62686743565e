#pragma once
// NumPy's .npy files with the scalar types of kernels: formats 1.0, 2.0 and 3.0, booleans, little-endian integers of 1, 2, 4 and 8
// bytes and floats of 4 and 8, any number of dimensions in C order.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/scalar_type.hpp"

namespace lockstep {

/// An array that lies in the bytes of a file; nothing is copied, the bytes must outlive it.
struct NpyArray {
  ScalarType type = ScalarType::Long;
  std::vector<std::uint64_t> shape;  ///< empty for a single number
  std::uint64_t count = 0;           ///< product of the shape
  std::string_view data;             ///< count × size_of(type) bytes, little-endian

  /// Element `i` in C order; unsigned 64-bit ones keep their bit pattern, booleans give 0 or 1, a float or double its bit pattern.
  std::int64_t element(std::uint64_t i) const;
};

/// Whether `file` begins as every .npy file does.
bool looks_like_npy(std::string_view file);

/// The array in a file. The error says what is wrong with the file, or what it has that no scalar type holds. Time and memory
/// depend on the header's length only, which is bounded, not on what the header claims.
std::expected<NpyArray, std::string> read_npy(std::string_view file);

/// The descr that NumPy writes for the type, with the type's name: "'<f4' (float)".
std::string npy_type_text(ScalarType type);

/// What stands before the elements of an array in C order (format 1.0); an empty shape is a single number. At most 64 dimensions.
std::string npy_header(ScalarType type, const std::vector<std::uint64_t>& shape);

/// Appends an element of an array of Long: 8 bytes, little-endian.
void append_npy_element(std::string& out, std::int64_t value);

}  // namespace lockstep
