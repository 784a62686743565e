// Several elements at once, of a run in parts.
#include <fmt/format.h>

#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

void Writer::open_part(unsigned width) {
  line("LOCKSTEP_UNROLL");
  open(fmt::format("for (int ix = part; ix < part + {}; ++ix) {{", width));
}

/// Where the value's elements lie one behind the other.
std::string Writer::together(ValueId value, const At& part) {
  if (plan_.homes[value] == Home::Element) {
    return name(value);
  }
  if (plan_.homes[value] == Home::Registers && held(value).elements > 1) {
    return fmt::format("&{}{}", name(value), indices(held(value), part));
  }
  line(fmt::format("{} stored[{}];", type(value), part.width));
  open_part(part.width);
  At at = part;
  at.ix = "ix";
  line(fmt::format("stored[ix % {}] = {};", part.width, this->value(value, at)));
  close();
  return "stored";
}

/// Where they are to lie.
std::string Writer::room_for(ValueId result, const At& part) {
  if (plan_.homes[result] == Home::Element) {
    line(fmt::format("{} {}[{}];", type(result), name(result), part.width));
  }
  return together(result, part);
}

void Writer::move_together(const Operation& operation, const At& part) {
  if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
    const ValueId result = operation.results.front();
    const std::string to = room_for(result, part);
    line(fmt::format("v::take<{}>({}, {});", part.width, to, staged(*reorder, plan_.rows.at(result).is_all, part)));
  } else if (const auto* load = std::get_if<Load>(&operation.node)) {
    const std::string to = room_for(operation.results.front(), part);
    const std::string mask = active(load->mask, load->type.layout, part);
    if (!mask.empty()) {
      line(fmt::format("v::clear<{}>({});", part.width, to));
    }
    line(fmt::format("{}v::fetch<{}>(is_aligned, {}, &{});", mask.empty() ? "" : fmt::format("if ({}) ", mask), part.width, to,
                     cell(load->place, load->type.element.scalar, load->type.layout, part)));
  } else if (const auto* store = std::get_if<Store>(&operation.node)) {
    const Type& type = kernel_.type_of(store->value);
    const std::string from = together(store->value, part);
    const std::string mask = active(store->mask, type.layout, part);
    line(fmt::format("{}v::bring<{}>(is_aligned, &{}, {});", mask.empty() ? "" : fmt::format("if ({}) ", mask), part.width,
                     cell(store->place, type.element.scalar, type.layout, part), from));
  } else {
    throw InternalError("an operation that moves no elements");
  }
}

}  // namespace lockstep::emit_cuda
