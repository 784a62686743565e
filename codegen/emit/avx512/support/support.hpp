#pragma once
// The headers that emitted C++ includes, for whoever writes it to files: they belong beside it.

#include <span>
#include <string_view>

namespace lockstep::emit_avx512 {

struct SupportFile {
  std::string_view name;  ///< "lockstep_avx512.h"
  std::string_view text;
};

/// All of them: the one that is included first, and then those that it includes.
std::span<const SupportFile> support_files();

}  // namespace lockstep::emit_avx512
