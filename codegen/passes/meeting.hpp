#pragma once
// Which types the cells of one buffer can be met as.

#include "semantics/base/scalar_type.hpp"

namespace lockstep::passes {

/// One type for all that may share cells: integers of one size, with sign or without, as in C (C99 6.5, paragraph 7). In C a char may meet
/// anything; here it meets chars only, and who calls a kernel is told so (docs/library.md).
constexpr ScalarType cell_type(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
    case ScalarType::Char:
      return ScalarType::UChar;
    case ScalarType::Short:
      return ScalarType::UShort;
    case ScalarType::Int:
      return ScalarType::UInt;
    case ScalarType::Long:
      return ScalarType::ULong;
    default:
      return type;
  }
}

}  // namespace lockstep::passes
