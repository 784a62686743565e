// Loads and stores. What is not active touches no memory.
#include <fmt/format.h>

#include <string_view>

#include "codegen/emit/cuda/entry.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

void Writer::declare_private_objects() {
  for (std::size_t k = 0; k < kernel_.objects.size(); ++k) {
    const Object& object = kernel_.objects[k];
    if (object.space == AddressSpace::Private) {
      line(fmt::format("{} {}{}[{}] = {{}};", c_type(Element::of(object.element)), names_.objects[k], dimensions(Layout::item()),
                       object.count));
    }
  }
}

/// The cell of memory, as something that can be read and written.
std::string Writer::cell(const Place& place, ScalarType type, Layout layout, const At& at) const {
  const Number number = this->number(place.index, layout, at);
  bool has_values = false;
  place.index.for_each_value([&](ValueId value) { has_values = has_values || !plan_.ranges.contains(value); });
  std::string index = number.text;
  if (place.lanes) {
    index = fmt::format("int64_t({}uint64_t({}))", place.index == Polynomial(0) ? "" : index + " + ", value(*place.lanes, at));
  } else if (!number.is_small && (has_values || index.find('-') != std::string::npos)) {
    index = fmt::format("int64_t({})", index);  // it may be negative
  }
  if (const auto* parameter = std::get_if<OfParameter>(&place.base)) {
    return fmt::format("{}[{}]", names_.parameters[parameter->id], index);
  }
  if (const auto* object = std::get_if<OfObject>(&place.base)) {
    const std::string& name = names_.objects[object->id];
    switch (kernel_.objects[object->id].space) {
      case AddressSpace::Private:
        return fmt::format("{}{}[{}]", name, indices(Layout::item(), at), index);
      case AddressSpace::Local:
        return fmt::format("shared.{}{}[{}]", name, kernel_.shape.wg_pack > 1 ? fmt::format("[{}]", at.p) : "", index);
      case AddressSpace::Global:
      case AddressSpace::Constant:
        break;
    }
    return fmt::format("::{}[{}]", constant_name(symbol_, name), index);
  }
  return fmt::format("reinterpret_cast<{} *>({})[{}]", c_type(Element::of(type)), value(std::get<AtPointer>(place.base).value, at), index);
}

/// Whether there is an item and the mask says yes; empty: certainly.
std::string Writer::active(std::optional<ValueId> mask, Layout layout, const At& at) const {
  std::string result;
  if (layout.kind == Layout::Kind::Item && !plan_.geometry.is_full()) {
    result = fmt::format("wi < {}", kernel_.shape.wg_size);
  }
  if (mask) {
    result += (result.empty() ? "" : " && ") + value(*mask, at);
  }
  return result;
}

std::string Writer::load(const Load& node, const At& at) const {
  const Layout layout = node.type.layout;
  const std::string mask = active(node.mask, layout, at);
  const std::string from = cell(node.place, node.type.element.scalar, layout, at);
  return mask.empty() ? from : fmt::format("({}) ? {} : {}", mask, from, literal(node.type.element, 0));
}

std::string Writer::changed(const Atomic& node, const At& at) const {
  const std::string_view word = info(node.op).word;
  return fmt::format("v::atomic_{}(&{}, {}{})", word.substr(word.find('.') + 1),
                     cell(node.place, node.type.element.scalar, node.type.layout, at), node.compare ? value(*node.compare, at) + ", " : "",
                     value(node.value, at));
}

void Writer::change(const Atomic& node, const At& at) {
  const std::string mask = active(node.mask, node.type.layout, at);
  line(fmt::format("{}{};", mask.empty() ? "" : fmt::format("if ({}) ", mask), changed(node, at)));
}

/// The element, where the condition holds too; an empty one does.
void Writer::put(const Store& node, const At& at, const std::string& condition) {
  const Type& type = kernel_.type_of(node.value);
  const std::string mask = active(node.mask, type.layout, at);
  const std::string all = condition + (condition.empty() || mask.empty() ? "" : " && ") + mask;
  line(fmt::format("{}{} = {};", all.empty() ? "" : fmt::format("if ({}) ", all), cell(node.place, type.element.scalar, type.layout, at),
                   value(node.value, at)));
}

void Writer::store_element(OperationId id, const Store& node, const At& at) {
  switch (plan_.stores.at(id)) {
    case StoreWay::Own:
      put(node, at, "");
      return;
    case StoreWay::One:
      put(node, at, "slot.lane == 0");
      return;
    case StoreWay::Last: {
      const Type& type = kernel_.type_of(node.value);
      const std::string mask = active(node.mask, type.layout, at);
      const std::string to = cell(node.place, type.element.scalar, type.layout, at);
      line(fmt::format("if (v::is_last_at(slot, &{}, {})) {} = {};", to, mask.empty() ? "true" : mask, to, value(node.value, at)));
      return;
    }
    case StoreWay::Turns:
      break;
  }
  throw InternalError("a store in turns is a loop of its own");
}

void Writer::store(OperationId id, const Store& node) {
  if (plan_.stores.at(id) == StoreWay::Turns) {
    return store_in_turns(node);
  }
  each(kernel_.type_of(node.value).layout, [&](const At& at) { store_element(id, node, at); });
}

void Writer::store_in_turns(const Store& node) {
  const Layout layout = kernel_.type_of(node.value).layout;
  each({layout.kind, 1}, [&](const At& at) {
    open(fmt::format("for (int turn = 0; turn < {}; ++turn) {{", plan_.geometry.lanes));
    open("if (slot.lane == turn) {");
    At inner = at;
    if (layout.elements > 1) {
      line(unroll(layout));
      open(fmt::format("for (int ix = 0; ix < {}; ++ix) {{", layout.elements));
      inner.ix = "ix";
    }
    put(node, inner, "");
    if (layout.elements > 1) {
      close();
    }
    close();
    line("v::meet(slot);");
    close();
  });
}

}  // namespace lockstep::emit_cuda
