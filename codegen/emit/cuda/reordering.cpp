#include "codegen/emit/cuda/reordering.hpp"

#include <array>

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// A shuffle and a select for each of so many registers are cheaper than a store, a load, and two meetings of the lanes.
constexpr std::uint64_t most_searched = 4;

/// Lanes of the result that the table leaves open do not count.
Sameness sameness_of_table(const std::vector<std::uint32_t>& source, Layout to, Layout from, Shape shape) {
  Sameness same{true, true, to.kind == from.kind};
  const std::uint32_t items = to.kind == Layout::Kind::Item ? shape.wg_size : 1;
  for (std::uint32_t ix = 0; ix < to.elements; ++ix) {
    std::uint32_t first = Reorder::Table::nowhere;
    for (std::uint32_t wi = 0; wi < items; ++wi) {
      const std::uint32_t lane = source[wi * to.elements + ix];
      if (lane == Reorder::Table::nowhere) {
        continue;
      }
      first = first == Reorder::Table::nowhere ? lane : first;
      same.item = same.item && lane / from.elements == first / from.elements;
      same.element = same.element && lane % from.elements == first % from.elements;
      same.own_item = same.own_item && lane / from.elements == wi;
    }
  }
  return same;
}

}  // namespace

std::string_view name_of(Way way) {
  static constexpr std::array<std::string_view, 7> names = {"register", "pick", "broadcast", "exchange", "search", "row", "memory"};
  return names[static_cast<std::size_t>(way)];
}

Sameness sameness_of(const Reorder& reorder, Layout from, Shape shape) {
  if (const auto* table = std::get_if<Reorder::Table>(&reorder.pattern)) {
    return sameness_of_table(table->source, reorder.layout, from, shape);
  }
  const auto& [item, element] = std::get<Reorder::Affine>(reorder.pattern);
  return {!item.mentions(Symbol::item()), !element.mentions(Symbol::item()), item == Polynomial(Symbol::item())};
}

std::uint64_t stage_bytes(const Type& type, const Geometry& geometry) {
  return std::uint64_t{geometry.vectors} * geometry.lanes * stage_row(type.layout.elements) *
         (type.element.is_pointer ? 8 : size_of(type.element.scalar));
}

Way way_of(const Reorder& reorder, const Type& type, const Geometry& geometry, const Choices& choices) {
  const Layout from = type.layout;
  const Sameness same = sameness_of(reorder, from, geometry.shape);
  const bool fits = stage_bytes(type, geometry) * geometry.slots <= most_stage_bytes;
  if (from.kind == Layout::Kind::Group || same.own_item || geometry.shape.wg_size == 1) {
    const bool is_picked = choices.picking || from.kind == Layout::Kind::Group || !fits;
    return same.element ? Way::Register : is_picked ? Way::Pick : Way::Memory;
  }
  if (!choices.shuffling && fits) {
    return Way::Memory;
  }
  if (same.element && same.item) {
    return Way::Broadcast;
  }
  if (same.element && geometry.vectors == 1) {
    return Way::Exchange;
  }
  const std::uint64_t registers = (same.item ? 1 : geometry.vectors) * (same.element ? 1 : from.elements);
  return registers > most_searched && fits ? Way::Memory : Way::Search;
}

}  // namespace lockstep::emit_cuda
