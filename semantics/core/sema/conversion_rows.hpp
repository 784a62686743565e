#pragma once
// The conversions of OpenCL C that say how they round or that saturate (6.4.3 of version 3.0), convert_uchar_sat_rte and so on, of scalars.

#include <string>
#include <vector>

#include "semantics/core/sema/library_rows.hpp"

namespace lockstep::core::sema {

struct ConversionText {
  Domain domain;
  std::string text;  ///< a definition as library.def has it
};

std::vector<ConversionText> conversion_texts();

}  // namespace lockstep::core::sema
