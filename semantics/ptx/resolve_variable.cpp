#include "semantics/ptx/resolve_variable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/ptx/fit.hpp"

namespace lockstep::ptx {
namespace {

/// So many bytes has the largest object.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 38;

/// How many elements of the type the variable has; 0 if it does not say.
std::uint64_t elements_of(const Variable& variable) {
  std::uint64_t elements = variable.vector;
  bool unsized = false;
  for (const std::uint64_t size : variable.dimensions) {
    unsized = unsized || size == 0;
    elements *= std::max<std::uint64_t>(size, 1);
  }
  if (!unsized) {
    return elements;
  }
  if (!variable.initialiser || variable.initialiser->items.empty()) {
    return 0;
  }
  // As many rows as the values need.
  return (variable.initialiser->items.back().element / elements + 1) * elements;
}

void resolve_value(const Variable& variable, const Initialiser::Item& item, const FindSymbol& find_symbol, resolved::VariableInfo& to,
                   Diagnostics& errors) {
  resolved::InitialBytes bytes{item.element * bytes_of(variable.type), bytes_of(variable.type), resolved::Constant{}};
  if (const auto* number = std::get_if<Number>(&item.value)) {
    bool cut = false;
    auto constant = constant_of(*number, variable.type, cut);
    // A list of bits may have floats of any width among them.
    if (!constant || cut) {
      errors.push_back({.severity = cut ? Severity::Warning : Severity::Error,
                        .span = variable.place,
                        .message = cut ? fmt::format("a value of '{}' does not fit .{}: its low bits are taken", shortened(variable.name),
                                                     info(variable.type).text)
                                       : fmt::format("a value of '{}': {}", shortened(variable.name), constant.error()),
                        .notes = {}});
    }
    bytes.value = constant.value_or(resolved::Constant{});
  } else {
    const auto& symbol = std::get<SymbolValue>(item.value);
    const auto target = find_symbol(symbol.name);
    if (!target) {
      errors.push_back({.span = symbol.place,
                        .message = fmt::format("there is no variable or function {} of the module", quoted(symbol.name)),
                        .notes = {}});
      return;
    }
    if (symbol.mask ? bits_of(variable.type) != 8 : bits_of(variable.type) < 32 || is_float(variable.type)) {
      errors.push_back(
          {.span = symbol.place,
           .message = fmt::format("an address does not fit .{}{}", info(variable.type).text, symbol.mask ? "; one byte of it does" : ""),
           .notes = {}});
      return;
    }
    bytes.value = resolved::InitialBytes::Symbol{*target, symbol.generic, symbol.mask.value_or(0), symbol.offset};
  }
  to.initial.push_back(bytes);
}

}  // namespace

resolved::VariableInfo resolve_variable(const Variable& variable, const FindSymbol& find_symbol, Diagnostics& errors) {
  resolved::VariableInfo resolved;
  resolved.name = variable.name;
  resolved.space = variable.space;
  resolved.type = variable.type;
  resolved.is_extern = variable.linkage == Linkage::Extern;
  resolved.zeroed = (variable.space == Space::Global || variable.space == Space::Const) && !resolved.is_extern;
  resolved.pointer = variable.pointer;
  const auto error = [&](std::string message) { errors.push_back({.span = variable.place, .message = std::move(message), .notes = {}}); };
  if (variable.type == Type::Pred) {
    error(fmt::format("'{}' is a predicate, which lies in a register only", shortened(variable.name)));
    return resolved;
  }
  const std::uint64_t elements = elements_of(variable);
  if (elements > most_bytes / bytes_of(variable.type)) {
    error(fmt::format("'{}' has more bytes than the largest object, {}", shortened(variable.name), most_bytes));
    return resolved;
  }
  resolved.bytes = elements * bytes_of(variable.type);
  resolved.align = variable.align.value_or(bytes_of(variable.type) * variable.vector);
  if (elements == 0 && !resolved.is_extern && variable.space != Space::Param) {
    error(fmt::format("'{}' has no size; only what is .extern may leave it out", shortened(variable.name)));
  }
  if (variable.initialiser) {
    if (variable.space != Space::Global && variable.space != Space::Const) {
      error(fmt::format("'{}' lies in .{}, where variables have no initial values", shortened(variable.name), text_of(variable.space)));
      return resolved;
    }
    for (const Initialiser::Item& item : variable.initialiser->items) {
      resolve_value(variable, item, find_symbol, resolved, errors);
    }
  }
  return resolved;
}

}  // namespace lockstep::ptx
