#include "codegen/emit/avx512/pack.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/geometry.hpp"
#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/whole.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

constexpr std::uint64_t half_a_cache = 16 * 1024;
constexpr std::uint64_t most_columns = 160;

/// Bytes of a chunk's row that items hold, and vectors of columns that reorderings make of rows, for one group.
struct Needs {
  std::uint64_t row_bytes = 0;
  std::uint64_t columns = 0;
  bool computes_rows = false;  ///< and not only loads them
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
      if (std::holds_alternative<Elementwise>(operation.node)) {
        const Layout layout = kernel.type_of(operation.results.front()).layout;
        needs.computes_rows = needs.computes_rows || (layout.kind == Layout::Kind::Item && layout.elements > 1);
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

/// Whether a group has matrices that fill chunks, and nothing that it computes goes from lane to lane: then it has enough to do by itself,
/// and a pack of several would only ask for too much memory at once.
bool has_rows_of_its_own(const Kernel& kernel, unsigned chunk_lanes) {
  const Shape one{kernel.shape.wg_size, 1};
  std::set<ValueId> loaded;
  bool fills = false;
  bool moves = false;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      if (const auto* load = std::get_if<Load>(&operation.node)) {
        loaded.insert(operation.results.front());
        fills = fills || (load->type.layout.elements > 1 && lanes(load->type.layout, one) >= chunk_lanes);
      } else if (const auto* reordering = std::get_if<Reorder>(&operation.node)) {
        moves = moves || !loaded.contains(reordering->source);
      } else {
        moves = moves || std::holds_alternative<Vote>(operation.node) || std::holds_alternative<Shuffle>(operation.node);
      }
    }
  }
  return fills && !moves;
}

/// Whether items that fill chunks access memory from a number on that their group has computed: it is a number only as long as no other
/// group stands beside it.
bool has_places_of_its_own(const Kernel& kernel, unsigned chunk_lanes) {
  std::set<ValueId> of_group;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const auto* spread = std::get_if<Spread>(&operation.node);
      if (spread != nullptr && kernel.type_of(spread->source).layout == Layout::group()) {
        of_group.insert(operation.results.front());
      }
    }
  }
  const auto is_placed = [&](const Operation& operation) {
    const Place* place = accessed_place(operation.node);
    return place != nullptr && place->lanes && of_group.contains(*place->lanes);
  };
  return kernel.shape.wg_size % chunk_lanes == 0 &&
         std::ranges::any_of(kernel.regions, [&](const Region& region) { return std::ranges::any_of(region.operations, is_placed); });
}

}  // namespace

bool are_groups_better(const Kernel& kernel, unsigned chunk_lanes) {
  const Shape one{kernel.shape.wg_size, 1};
  std::set<ValueId> loaded;
  double bytes = 0;
  bool has_short_rows = false;
  bool stores_matrix = false;
  bool moves = false;
  bool whole = true;
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const Node& node = operation.node;
      const auto* load = std::get_if<Load>(&node);
      const auto* store = std::get_if<Store>(&node);
      const auto* reordering = std::get_if<Reorder>(&node);
      whole = whole && !std::holds_alternative<Vote>(node) && !std::holds_alternative<Shuffle>(node) &&
              !std::holds_alternative<Loop>(node) && !std::holds_alternative<Atomic>(node);
      if (load != nullptr && load->type.layout.kind != Layout::Kind::Pack) {
        whole = whole && is_whole(load->place, load->access, load->mask, load->type, chunk_lanes);
        loaded.insert(operation.results.front());
        if (load->type.layout.elements > 1) {
          const Geometry g = geometry_of(load->type.layout, one, chunk_lanes);
          bytes +=
              64.0 * static_cast<double>(lanes(load->type.layout, one)) * static_cast<double>(g.length) / static_cast<double>(g.stride);
          has_short_rows = has_short_rows || load->type.layout.elements < 8;
        }
      } else if (store != nullptr && kernel.type_of(store->value).layout.kind != Layout::Kind::Pack) {
        whole = whole && is_whole(store->place, store->access, store->mask, kernel.type_of(store->value), chunk_lanes);
        stores_matrix = stores_matrix || kernel.type_of(store->value).layout.elements > 1;
      } else if (reordering != nullptr) {
        whole = whole && std::holds_alternative<Reorder::Affine>(reordering->pattern);
        moves = moves || !loaded.contains(reordering->source);
      }
    }
  }
  return whole && moves && (stores_matrix || !has_short_rows) && bytes <= (stores_matrix ? 52.0 : 32.0) * 1024;
}

bool are_items_alone(const Kernel& kernel, Shape shape, unsigned chunk_lanes, unsigned most_chunks) {
  const bool of_items = std::ranges::all_of(kernel.values, [](const Value& value) {
    return value.type.layout == Layout::item() || value.type.layout.kind == Layout::Kind::Pack;
  });
  const bool stay = std::ranges::all_of(kernel.regions, [&](const Region& region) {
    return std::ranges::none_of(region.operations, [&](const Operation& operation) {
      return moves_lanes(kernel, operation.node) || std::holds_alternative<Vote>(operation.node) ||
             std::holds_alternative<ConstantLanes>(operation.node);
    });
  });
  return of_items && stay && kernel.objects.empty() &&
         geometry_of(Layout::item(), shape, chunk_lanes, Arrangement::Items).chunks <= most_chunks;
}

unsigned most_chunks_of_groups(const Kernel& kernel, unsigned chunk_lanes) {
  constexpr unsigned registers = 32;
  const bool has_loops = std::ranges::any_of(kernel.regions, [](const Region& region) {
    return std::ranges::any_of(region.operations, [](const Operation& operation) {
      return std::holds_alternative<For>(operation.node) || std::holds_alternative<Loop>(operation.node);
    });
  });
  const bool fits = std::ranges::all_of(kernel.values, [&](const Value& value) {
    return geometry_of(value.type.layout, kernel.shape, chunk_lanes, Arrangement::Groups).chunks <= registers / 2;
  });
  return !has_loops ? registers : fits ? registers / 2 : 1;
}

unsigned choose_pack(const Kernel& kernel, const EmitOptions& options) {
  const EmitOptions defaults;
  const unsigned lanes = options.chunk_lanes != 0 ? options.chunk_lanes : chunk_lanes(kernel);
  const auto allowed = [&](unsigned pack) {
    return std::ranges::all_of(kernel.values,
                               [&](const Value& value) { return wrong_layout(value.type.layout, {kernel.shape.wg_size, pack}).empty(); });
  };
  const bool by_groups =
      options.layout == LayoutChoice::Groups || (options.layout == LayoutChoice::Auto && are_groups_better(kernel, lanes));
  if (by_groups && allowed(lanes)) {
    return lanes;
  }
  const bool is_straight = kernel.regions.size() == 1;
  for (unsigned pack = 1; is_straight && pack <= 8; pack *= 2) {
    const Shape shape{kernel.shape.wg_size, pack};
    if (kernel.shape.wg_size * pack % lanes == 0 && allowed(pack) && are_items_alone(kernel, shape, lanes, options.most_chunks)) {
      return pack;
    }
  }
  if (has_rows_of_its_own(kernel, lanes) || has_places_of_its_own(kernel, lanes)) {
    return 1;
  }
  const Needs needs = needs_of(kernel, lanes);
  const Shape one{kernel.shape.wg_size, 1};
  unsigned chosen = 1;
  for (const unsigned pack : {2U, 4U, 8U}) {
    const Shape shape{kernel.shape.wg_size, pack};
    const bool fits = std::ranges::all_of(kernel.values, [&](const Value& value) {
      const Layout layout = value.type.layout;
      const bool is_in_memory = needs.computes_rows && geometry_of(layout, one, lanes).chunks > defaults.most_chunks;
      return wrong_layout(layout, shape).empty() && (is_in_memory || geometry_of(layout, shape, lanes).chunks <= defaults.most_chunks);
    });
    if (fits && needs.row_bytes * pack <= half_a_cache && (needs.columns * pack <= most_columns || needs.columns == 0)) {
      chosen = pack;
    }
  }
  return chosen;
}

}  // namespace lockstep::emit_avx512
