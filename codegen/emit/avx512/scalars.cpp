#include "codegen/emit/avx512/scalars.hpp"

#include <fmt/format.h>

#include "codegen/emit/c/header.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

Scalars::Scalars(const Kernel& kernel, const std::vector<std::string>& names)
    : kernel_(kernel), names_(names), definitions_(kernel.values.size()) {
  for (const Operation& operation : kernel.regions[kernel.body].operations) {
    if (operation.results.size() == 1) {
      definitions_[operation.results.front()] = &operation;
    }
  }
}

std::optional<std::string> Scalars::text(ValueId value, unsigned depth) const {
  constexpr unsigned deepest = 8;
  const Type& type = kernel_.type_of(value);
  const bool fits = type.layout.kind == Layout::Kind::Pack && !type.element.is_pointer && is_integer(type.element.scalar) &&
                    type.element != truth && size_of(type.element.scalar) >= 4;
  if (!fits || depth == deepest) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    if (!kernel_.parameters[i].is_pointer && kernel_.parameters[i].value == value) {
      return names_[i];
    }
  }
  if (definitions_[value] == nullptr) {
    return std::nullopt;
  }
  const Node& node = definitions_[value]->node;
  const std::string_view here = emit_c::c_type(type.element.scalar);
  if (const auto* constant = std::get_if<Constant>(&node)) {
    const bool is_wide = size_of(type.element.scalar) == 8;
    return fmt::format("{}({}u)", here, is_wide ? constant->bits : constant->bits & 0xffff'ffffU);
  }
  if (const auto* convert = std::get_if<Convert>(&node)) {
    const auto from = text(convert->source, depth + 1);
    return from ? std::optional(fmt::format("v::convert<{}>({})", here, *from)) : std::nullopt;
  }
  const auto* operation = std::get_if<Elementwise>(&node);
  const std::string_view function = operation == nullptr       ? ""
                                    : operation->op == Op::Add ? "add"
                                    : operation->op == Op::Sub ? "sub"
                                    : operation->op == Op::Mul ? "mul"
                                                               : "";
  if (function.empty()) {
    return std::nullopt;
  }
  const auto left = text(operation->operands[0], depth + 1);
  const auto right = text(operation->operands[1], depth + 1);
  return left && right ? std::optional(fmt::format("v::{}({}, {})", function, *left, *right)) : std::nullopt;
}

}  // namespace lockstep::emit_avx512
