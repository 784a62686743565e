#pragma once
// Variables in memory: their sizes and what they begin with.

#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx {

/// What a symbol of an initialiser is: a variable of the module or a function; none if there is no such one.
using FindSymbol = std::function<std::optional<std::variant<resolved::AddressOf, resolved::FunctionRef>>(std::string_view)>;

/// The variable in memory; what is wrong with it goes to `errors`.
resolved::VariableInfo resolve_variable(const Variable& variable, const FindSymbol& find_symbol, Diagnostics& errors);

}  // namespace lockstep::ptx
