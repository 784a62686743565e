#include "codegen/emit/avx512/pack.hpp"

#include <algorithm>
#include <map>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/geometry.hpp"
#include "semantics/infreg/limits.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

constexpr std::uint64_t half_a_cache = 16 * 1024;
constexpr std::uint64_t most_columns = 160;

/// Bytes of a chunk's row that items hold, and vectors of columns that reorderings make of rows, for one group.
struct Needs {
  std::uint64_t row_bytes = 0;
  std::uint64_t columns = 0;
};

Needs needs_of(const Kernel& kernel, unsigned chunk_lanes) {
  Needs needs;
  const Shape one{kernel.shape.wg_size, 1};
  std::map<ValueId, std::uint64_t> columns;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const auto* load = std::get_if<Load>(&operation.node);
      if (load != nullptr && load->type.layout.kind == Layout::Kind::Item && load->type.layout.elements > 1) {
        const Geometry g = geometry_of(load->type.layout, one, chunk_lanes);
        needs.row_bytes += g.chunks * chunk_lanes * size_of(load->type.element.scalar);
      }
      const auto* reordering = std::get_if<Reorder>(&operation.node);
      const auto* pattern = reordering == nullptr ? nullptr : std::get_if<Reorder::Affine>(&reordering->pattern);
      if (pattern != nullptr && reordering->layout == Layout::item() && pattern->item == Polynomial(Symbol::item())) {
        ++columns[reordering->source];
      }
    }
  }
  const std::uint64_t of_items = geometry_of(Layout::item(), one, chunk_lanes).chunks;
  for (const auto& [value, count] : columns) {
    needs.columns = std::max(needs.columns, std::min<std::uint64_t>(count, kernel.shape.wg_size) * of_items);
  }
  return needs;
}

}  // namespace

unsigned choose_pack(const Kernel& kernel) {
  const EmitOptions defaults;
  const unsigned lanes = chunk_lanes(kernel);
  const Needs needs = needs_of(kernel, lanes);
  const Shape one{kernel.shape.wg_size, 1};
  unsigned chosen = 1;
  for (const unsigned pack : {2U, 4U, 8U}) {
    const Shape shape{kernel.shape.wg_size, pack};
    const bool fits = std::ranges::all_of(kernel.values, [&](const Value& value) {
      const Layout layout = value.type.layout;
      return wrong_layout(layout, shape).empty() && (geometry_of(layout, one, lanes).chunks > defaults.most_chunks ||
                                                     geometry_of(layout, shape, lanes).chunks <= defaults.most_chunks);
    });
    if (fits && needs.row_bytes * pack <= half_a_cache && (needs.columns * pack <= most_columns || needs.columns == 0)) {
      chosen = pack;
    }
  }
  return chosen;
}

}  // namespace lockstep::emit_avx512
