#include "semantics/infreg/access.hpp"

#include <optional>

namespace lockstep::infreg {

Access access_of(const Kernel& kernel, const Place& place, Layout layout) {
  const std::uint32_t items = layout.kind == Layout::Kind::Item ? kernel.shape.wg_size : 1;
  if (items == 1 && layout.elements == 1) {
    return Access::Contiguous;  // one lane
  }
  const auto* pointer = std::get_if<AtPointer>(&place.base);
  if (place.lanes || (pointer != nullptr && kernel.type_of(pointer->value).layout != Layout::pack())) {
    return Access::Gather;
  }
  Polynomial index = place.index;
  if (const auto* object = std::get_if<OfObject>(&place.base);
      object != nullptr && kernel.objects[object->id].space == AddressSpace::Private) {
    index += Polynomial(Symbol::item()) * Polynomial(static_cast<std::int64_t>(kernel.objects[object->id].count));
  }
  if (items == 1) {
    index = index.substitute(Symbol::item(), 0);
  }
  if (layout.elements == 1) {
    index = index.substitute(Symbol::element(), 0);
  }
  const std::optional<Polynomial> by_item = index.slope(Symbol::item());
  const std::optional<Polynomial> by_element = index.slope(Symbol::element());
  if (!by_item || !by_element || by_item->mentions(Symbol::element())) {  // a term has wi and ix: no step is the same everywhere
    return Access::Gather;
  }
  const Polynomial stride = layout.elements == 1 ? *by_item : *by_element;
  if (items != 1 && *by_item != stride * Polynomial(layout.elements)) {
    return Access::Gather;
  }
  return stride == Polynomial(1) ? Access::Contiguous : Access::Strided;
}

}  // namespace lockstep::infreg
