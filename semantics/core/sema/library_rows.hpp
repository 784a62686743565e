#pragma once
// The definitions of the library: the rows of library.def, the conversions, and the functions of the texts in mathematics/.
//
// Such a text is OpenCL C with the same words T, U and so on for floating types. What stands in front of its first function, its
// preprocessor's directives, belongs to all of them. A function begins at the beginning of a line, or with a __constant array, TABLE, in
// front of it; it ends with a '}' at the beginning of a line, or at the end of its only one. Pointers are to T or int, in private memory,
// or in SPACE if kernels may call it.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::core::sema {

/// Of several rows of one name the first one counts whose domain has the type.
enum class Domain { Floats, Integers, Signed, Unsigned, Narrow, UInt, ULong, Any };

bool has(Domain domain, ScalarType type);

struct LibraryRow {
  std::string_view name;
  Domain domain = Domain::Floats;
  std::string_view prelude = {};  ///< stands in front of the text
  std::string_view text = {};     ///< of the function of that name. All else here are parts of it.
  std::string_view result = {};
  std::vector<std::string_view> parameters = {};
  std::size_t deciding = 0;  ///< so many parameters at the beginning are of type T
};

/// All there are; what they show lives as long as the program.
std::span<const LibraryRow> library_rows();

}  // namespace lockstep::core::sema
