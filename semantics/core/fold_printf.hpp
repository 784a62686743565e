#pragma once
// printf in a list of tokens: formats, for which the grammar has no strings, and the way of the buffer to the calls
// (base/print_format.hpp).

#include <optional>
#include <string_view>

#include "semantics/core/options.hpp"
#include "semantics/core/token.hpp"

namespace lockstep::core {

/// `printf("%d", x)` becomes a call with the argument x of a function whose name has the format in it. Where the options define the macro
/// of printing, kernels and functions that print, or call one that does, get the buffer as their last parameter.
void fold_printf(TokenList& list, const Options& options);

/// Whether the name is that of such a call.
bool has_print_format(std::string_view function);
/// The format that is in it.
std::string_view print_format_of(std::string_view function);
/// Whether the format stands in the text as it is, one byte before the end of the name's span.
bool is_format_in_place(std::string_view function);

}  // namespace lockstep::core
