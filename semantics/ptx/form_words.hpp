#pragma once
// The lists of words that have names in forms.def.

#include <string_view>

namespace lockstep::ptx {

/// The list that `name` (without its `$`) stands for, `a|b|c`; an unknown one is an InternalError.
std::string_view word_list(std::string_view name);

}  // namespace lockstep::ptx
