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

/// Where a variable's elements lie one behind the other, from one of the part on; empty if they do not.
std::string Writer::from_there(ValueId value, const At& at) const {
  if (plan_.homes[value] == Home::Element) {
    return at.ix == "part" ? name(value) : "&" + this->value(value, at);
  }
  return plan_.homes[value] == Home::Registers && held(value).elements > 1 ? fmt::format("&{}{}", name(value), indices(held(value), at))
                                                                           : "";
}

/// Where so many of the value's elements lie so.
std::string Writer::together(ValueId value, const At& at, unsigned count) {
  if (const std::string there = from_there(value, at); !there.empty()) {
    return there;
  }
  line(fmt::format("{} stored[{}];", type(value), count));
  line("LOCKSTEP_UNROLL");
  open(fmt::format("for (int k = 0; k < {}; ++k) {{", count));
  At one = at;
  one.ix = at.ix + " + k";
  line(fmt::format("stored[k] = {};", this->value(value, one)));
  close();
  return "stored";
}

/// Where they are to lie.
void Writer::make_room(ValueId result, const At& part) {
  if (plan_.homes[result] == Home::Element) {
    line(fmt::format("{} {}[{}];", type(result), name(result), part.width));
  }
}

void Writer::move_together(OperationId id, const Operation& operation, const At& part) {
  if (plan_.tiles.contains(id)) {
    return move_tile(id, operation, part);
  }
  if (!operation.results.empty()) {
    make_room(operation.results.front(), part);
  }
  if (part.width == part.piece) {
    return move_piece(operation, part);
  }
  line("LOCKSTEP_UNROLL");
  open(fmt::format("for (int ix = part; ix < part + {}; ix += {}) {{", part.width, part.piece));
  At at = part;
  at.ix = "ix";
  move_piece(operation, at);
  close();
}

void Writer::move_piece(const Operation& operation, const At& at) {
  if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
    const ValueId result = operation.results.front();
    line(fmt::format("v::take<{}>({}, {});", at.piece, from_there(result, at), staged(*reorder, plan_.rows.at(result).is_all, at)));
  } else if (const auto* load = std::get_if<Load>(&operation.node)) {
    const std::string to = from_there(operation.results.front(), at);
    const std::string mask = active(load->mask, load->type.layout, at);
    if (!mask.empty()) {
      line(fmt::format("v::clear<{}>({});", at.piece, to));
    }
    line(fmt::format("{}v::fetch<{}>(is_aligned, {}, &{});", mask.empty() ? "" : fmt::format("if ({}) ", mask), at.piece, to,
                     cell(load->place, load->type.element.scalar, load->type.layout, at)));
  } else if (const auto* store = std::get_if<Store>(&operation.node)) {
    const Type& type = kernel_.type_of(store->value);
    const std::string from = together(store->value, at, at.piece);
    const std::string mask = active(store->mask, type.layout, at);
    line(fmt::format("{}v::bring<{}>(is_aligned, &{}, {});", mask.empty() ? "" : fmt::format("if ({}) ", mask), at.piece,
                     cell(store->place, type.element.scalar, type.layout, at), from));
  } else {
    throw InternalError("an operation that moves no elements");
  }
}

}  // namespace lockstep::emit_cuda
