#include "codegen/emit/avx512/sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

std::vector<std::int64_t> iota(unsigned count) {
  std::vector<std::int64_t> steps(count);
  for (unsigned j = 0; j < count; ++j) {
    steps[j] = j;
  }
  return steps;
}

std::uint32_t first_bits(std::uint64_t count, unsigned all) { return count >= all ? (all == 16 ? 0xffffU : 0xffU) : (1U << count) - 1U; }

void sweep(Lowering& lowering, Layout layout, const std::function<void(std::span<const Position>)>& body) {
  lowering.sweep_layout(layout, body);
}

/// A chunk whose number is known now. Lanes that do not exist continue the row.
Position Lowering::position(Layout layout, std::uint64_t number) const {
  Position p;
  p.layout = layout;
  p.number = number;
  p.ranges = value_ranges_;
  if (is_scalar(layout)) {
    p.valid = 1;
    if (layout.kind != Layout::Kind::Pack) {
      p.ranges[Symbol::element()] = {0, 0};
    }
    return p;
  }
  if (by_groups()) {
    const Lane lane = lane_at(layout, {shape_.wg_size, 1}, number);
    const Polynomial row(std::int64_t{lane.wi});
    const Polynomial column(std::int64_t{lane.ix});
    p = group_chunk(layout, row, {row, row}, column, {column, column});
    p.number = number;
    return p;
  }
  const Geometry g = geometry(layout);
  const std::uint64_t first = number * plan_.chunk_lanes;
  p.place = Polynomial(static_cast<std::int64_t>(first));
  std::vector<std::int64_t> wg;
  std::vector<std::int64_t> wi;
  std::vector<std::int64_t> ix;
  for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
    const std::uint64_t row = (first + j) / g.stride;
    const std::uint64_t column = (first + j) % g.stride;
    const bool rows_are_items = layout.kind == Layout::Kind::Item && layout.elements > 1;
    const bool columns_are_groups = layout == Layout::group();
    const std::uint64_t group = rows_are_items ? row / shape_.wg_size : columns_are_groups ? column : row;
    wg.push_back(static_cast<std::int64_t>(group));
    wi.push_back(static_cast<std::int64_t>(rows_are_items ? row % shape_.wg_size : layout.kind == Layout::Kind::Item ? column : 0));
    ix.push_back(static_cast<std::int64_t>(layout.elements > 1 ? column : 0));
    p.valid |= static_cast<std::uint32_t>(row < g.rows && column < g.length) << j;
  }
  const auto coordinate = [&](const std::vector<std::int64_t>& all) {
    Coordinate c{all.front(), all, ""};
    for (std::int64_t& step : c.steps) {
      step -= all.front();
    }
    if (std::ranges::all_of(c.steps, [](std::int64_t step) { return step == 0; })) {
      c.steps.clear();
    }
    return c;
  };
  const auto range = [&](const std::vector<std::int64_t>& all) {
    std::int64_t least = INT64_MAX;
    std::int64_t most = INT64_MIN;
    for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
      if ((p.valid >> j & 1) != 0) {
        least = std::min(least, all[j]);
        most = std::max(most, all[j]);
      }
    }
    return Range{least, most};
  };
  p.wg = coordinate(wg);
  p.wi = coordinate(wi);
  p.ix = coordinate(ix);
  p.ranges[Symbol::item()] = range(wi);
  p.ranges[Symbol::element()] = range(ix);
  return p;
}

/// Chunks of one row, the chunks' first column being `column` + c * chunk_lanes: `columns` lanes of the row are left from there.
std::vector<Position> Lowering::row_chunks(Layout layout, const Polynomial& row, const Range& range, const Polynomial& column,
                                           std::uint64_t columns, const Range& column_range) const {
  const Geometry g = geometry(layout);
  const bool rows_are_items = layout.kind == Layout::Kind::Item && layout.elements > 1;
  const Polynomial group = shape_.wg_pack == 1 || layout == Layout::group() ? Polynomial(0) : Polynomial(Symbol::group());
  std::vector<Position> result;
  for (std::uint64_t done = 0; done < columns; done += plan_.chunk_lanes) {
    Position p;
    p.layout = layout;
    p.ranges = value_ranges_;
    p.valid = first_bits(columns - done, plan_.chunk_lanes);
    const auto offset = static_cast<std::int64_t>(done);
    const Coordinate along{column + Polynomial(offset), iota(plan_.chunk_lanes), ""};
    const auto lanes_here = static_cast<std::int64_t>(std::min<std::uint64_t>(columns - done, plan_.chunk_lanes));
    const Range along_range{column_range.least + Polynomial(offset), column_range.most + Polynomial(offset + lanes_here - 1)};
    p.wg = {group, {}, ""};
    Polynomial row_number = group;
    if (rows_are_items) {
      p.wi = {row, {}, ""};
      p.ranges[Symbol::item()] = range;
      row_number = group * Polynomial(std::int64_t{shape_.wg_size}) + row;
    }
    if (layout == Layout::group()) {
      p.wg = along;
      p.ranges[Symbol::element()] = {0, 0};
    } else if (layout.kind == Layout::Kind::Item && layout.elements == 1) {
      p.wi = along;
      p.ranges[Symbol::item()] = along_range;
      p.ranges[Symbol::element()] = {0, 0};
    } else {
      p.ix = along;
      p.ranges[Symbol::element()] = along_range;
      if (layout.kind == Layout::Kind::Group) {
        p.ranges[Symbol::item()] = {0, 0};
      }
    }
    p.place = row_number * Polynomial(static_cast<std::int64_t>(g.stride)) + column + Polynomial(offset);
    result.push_back(std::move(p));
  }
  return result;
}

void Lowering::sweep_layout(Layout layout, const Body& body) {
  const Geometry g = geometry(layout);
  if (!is_big(layout)) {
    const std::uint64_t tile = std::min<std::uint64_t>(g.chunks, tile_chunks());
    for (std::uint64_t first = 0; first < g.chunks; first += tile) {
      std::vector<Position> positions;
      for (std::uint64_t k = first; k < std::min(first + tile, g.chunks); ++k) {
        positions.push_back(position(layout, k));
        positions.back().slot = k - first;
      }
      body(positions);
    }
    return;
  }
  if (by_groups()) {
    sweep_groups(layout, body);
    return;
  }
  if (g.stride % plan_.chunk_lanes != 0) {
    sweep_short_rows(layout, body);
    return;
  }
  const bool rows_are_items = layout.kind == Layout::Kind::Item && layout.elements > 1;
  const bool many_groups = shape_.wg_pack > 1 && layout != Layout::group();
  if (many_groups) {
    open_count(Symbol::group(), "wg", 0, static_cast<std::int64_t>(shape_.wg_pack), 1);
  }
  if (!rows_are_items) {
    sweep_columns(layout, Polynomial(0), Range{}, body);
  } else if (has_rows(layout)) {
    sweep_rows(layout, body);
  } else {
    open_count(Symbol::item(), "wi", 0, std::int64_t{shape_.wg_size}, 1);
    sweep_columns(layout, Polynomial(Symbol::item()), Range{0, std::int64_t{shape_.wg_size} - 1}, body);
    code_.close();
  }
  if (many_groups) {
    code_.close();
  }
}

/// `for (int64_t NAME = from; NAME < to; NAME += step)`. `before`: what is said to the compiler about it.
void Lowering::open_count(Symbol symbol, std::string_view wanted, const Polynomial& from, const Polynomial& to, std::int64_t step,
                          std::string_view before) {
  const std::string name = code_.unique(wanted);
  const std::string begin = index_text(from);
  const std::string end = index_text(step == 1 ? to : to - Polynomial(step - 1));
  code_.open(fmt::format("{4}for (int64_t {0} = {1}; {0} < {2}; {0} += {3})", name, begin, end, step, before), name);
  symbols_[symbol] = name;
}

/// One row whose chunks are too many for a tile, or whose columns are items.
void Lowering::sweep_columns(Layout layout, const Polynomial& row, const Range& range, const Body& body) {
  const Geometry g = geometry(layout);
  const std::uint64_t tile = std::clamp<std::uint64_t>(g.length / plan_.chunk_lanes, 1, tile_chunks()) * plan_.chunk_lanes;
  const Symbol symbol = layout.kind == Layout::Kind::Item && layout.elements == 1 ? Symbol::item() : Symbol::element();
  const std::uint64_t full_tiles = g.length / tile * tile;
  const auto with_slots = [&](std::vector<Position> positions) {
    for (std::size_t slot = 0; slot < positions.size(); ++slot) {
      positions[slot].slot = slot;
    }
    body(positions);
  };
  if (full_tiles != 0) {
    open_count(symbol, symbol == Symbol::item() ? "wi" : "ix", 0, static_cast<std::int64_t>(full_tiles), static_cast<std::int64_t>(tile));
    with_slots(row_chunks(layout, row, range, Polynomial(symbol), tile, {0, static_cast<std::int64_t>(full_tiles - tile)}));
    code_.close();
  }
  if (full_tiles < g.length) {
    const auto rest = static_cast<std::int64_t>(full_tiles);
    with_slots(row_chunks(layout, row, range, rest, g.length - full_tiles, {rest, rest}));
  }
}

/// Rows of which several fill a chunk.
void Lowering::sweep_short_rows(Layout layout, const Body& body) {
  const Geometry g = geometry(layout);
  const std::uint64_t in_chunk = plan_.chunk_lanes / g.length;
  const std::uint64_t full_chunks = g.rows / in_chunk;
  const bool rows_are_items = layout.kind == Layout::Kind::Item && layout.elements > 1;
  const bool aligned = !rows_are_items || shape_.wg_pack == 1 || shape_.wg_size % in_chunk == 0;
  const auto one = [&](Position p) { body({&p, 1}); };
  Position p = position(layout, 0);
  p.number.reset();
  if (!aligned) {
    // Chunks with items of several groups: the coordinates come from tables.
    std::vector<std::string> wg;
    std::vector<std::string> wi;
    for (std::uint64_t row = 0; row < full_chunks * in_chunk; ++row) {
      for (std::uint64_t column = 0; column < g.length; ++column) {
        wg.push_back(fmt::format("{}", row / shape_.wg_size));
        wi.push_back(fmt::format("{}", row % shape_.wg_size));
      }
    }
    open_count(Symbol::item(), "lane", 0, static_cast<std::int64_t>(full_chunks * plan_.chunk_lanes), plan_.chunk_lanes);
    const auto coordinate = [&](const std::vector<std::string>& numbers, const char* name) {
      const std::string at = fmt::format("{} + {}", table("int64_t", name, numbers), symbols_.at(Symbol::item()));
      return Coordinate{0, {}, code_.value("I64", name, fmt::format("v::load<I64>({})", at))};
    };
    p.place = Polynomial(Symbol::item());
    p.wg = coordinate(wg, "wg");
    p.wi = coordinate(wi, "wi");
    p.ranges[Symbol::item()] = {0, std::int64_t{shape_.wg_size} - 1};
    one(p);
    code_.close();
  } else if (rows_are_items) {
    const bool many_groups = shape_.wg_pack > 1;
    if (many_groups) {
      open_count(Symbol::group(), "wg", 0, std::int64_t{shape_.wg_pack}, 1);
    }
    const auto rows = static_cast<std::int64_t>(many_groups ? shape_.wg_size : full_chunks * in_chunk);
    open_count(Symbol::item(), "wi", 0, rows, static_cast<std::int64_t>(in_chunk));
    const Polynomial group = many_groups ? Polynomial(Symbol::group()) : Polynomial(0);
    p.wg = {group, {}, ""};
    p.wi.first = Polynomial(Symbol::item());
    p.ranges[Symbol::item()] = {0, rows - 1};
    p.place =
        (group * Polynomial(std::int64_t{shape_.wg_size}) + Polynomial(Symbol::item())) * Polynomial(static_cast<std::int64_t>(g.stride));
    one(p);
    code_.close();
    if (many_groups) {
      code_.close();
    }
  } else {
    open_count(Symbol::group(), "wg", 0, static_cast<std::int64_t>(full_chunks * in_chunk), static_cast<std::int64_t>(in_chunk));
    p.wg.first = Polynomial(Symbol::group());
    p.place = Polynomial(Symbol::group()) * Polynomial(static_cast<std::int64_t>(g.stride));
    one(p);
    code_.close();
  }
  const bool rest_is_behind = !aligned || (!rows_are_items || shape_.wg_pack == 1);
  if (rest_is_behind && full_chunks * in_chunk < g.rows) {
    one(position(layout, full_chunks));
  }
}

/// Rows of items' elements: cut where masks change, a tile of rows at a time.
void Lowering::sweep_rows(Layout layout, const Body& body) {
  if (joins_rows(layout)) {
    sweep_joined_rows(layout, body);
    return;
  }
  const auto size = std::int64_t{shape_.wg_size};
  std::vector<Polynomial> ends = cuts(Symbol::item(), size);
  ends.insert(ends.begin(), Polynomial(0));
  ends.emplace_back(size);
  const bool asks = carried_registers() != 0;
  const auto tile_at = [&](const Polynomial& row, const Range& range, std::uint64_t rows) {
    if (asks) {
      prefetch_rows(layout, row, rows);
    }
    std::vector<Position> positions;
    for (std::uint64_t r = 0; r < rows; ++r) {
      const Polynomial further(static_cast<std::int64_t>(r));
      for (Position& p : row_chunks(layout, row + further, {range.least + further, range.most + further}, 0, layout.elements, {0, 0})) {
        p.slot = positions.size();
        positions.push_back(std::move(p));
      }
    }
    body(positions);
    prefetch_in_rounds(0, 1);
  };
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const Polynomial& from = ends[i];
    const Polynomial& to = ends[i + 1];
    const Polynomial count = to - from;
    if (count == Polynomial(1)) {
      code_.open("");
      tile_at(from, {from, from}, 1);
      code_.close();
      continue;
    }
    const Polynomial row{Symbol::item()};
    std::uint64_t tile = tile_rows(layout);
    if (count.is_constant()) {
      while (tile > 1 && static_cast<std::uint64_t>(count.constant()) % tile != 0) {
        --tile;
      }
    }
    if (tile > 1) {
      const auto step = static_cast<std::int64_t>(tile);
      Polynomial begin = from;
      if (!count.is_constant()) {
        // What does not fill a tile comes first, row by row.
        const std::string rest = code_.unique("tiles_from");
        code_.variable("const int64_t", rest, fmt::format("{} + ({}) % {}", index_text(from), index_text(count), step));
        const std::string name = code_.unique("wi");
        code_.open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", name, index_text(from), rest), name);
        symbols_[Symbol::item()] = name;
        tile_at(row, {from, to - Polynomial(1)}, 1);
        code_.close();
        const std::string tiled = code_.unique("wi");
        code_.open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3})", tiled, rest, index_text(to), step), tiled);
        symbols_[Symbol::item()] = tiled;
      } else {
        open_count(Symbol::item(), "wi", from, to, step);
      }
      tile_at(row, {begin, to - Polynomial(step)}, tile);
    } else {
      open_count(Symbol::item(), "wi", from, to, 1);
      tile_at(row, {from, to - Polynomial(1)}, 1);
    }
    code_.close();
  }
  if (asks) {
    std::erase_if(ahead_, [&](const Ahead& matrix) { return matrix.layout == layout; });
  }
}

bool Lowering::is_flat(Access access, const Polynomial& index, Layout layout) const {
  return access == Access::Contiguous && groups_apart(index, layout);
}

/// Whether lanes do not matter to the operation: what lane k of the pack has to do with memory is at first + k.
bool Lowering::is_flat(const Operation& operation) const {
  const Node& node = operation.node;
  if (std::holds_alternative<For>(node) || by_groups()) {
    return false;
  }
  const Layout layout = layout_of(kernel_, operation);
  bool flat = std::holds_alternative<Elementwise>(node) || std::holds_alternative<Select>(node) || std::holds_alternative<Convert>(node) ||
              std::holds_alternative<Bitcast>(node);
  if (const auto* load = std::get_if<Load>(&node)) {
    flat = !load->mask && !load->place.lanes && std::holds_alternative<OfParameter>(load->place.base) &&
           is_flat(load->access, load->place.index, layout);
  } else if (const auto* store = std::get_if<Store>(&node)) {
    flat = !store->mask && !store->place.lanes && std::holds_alternative<OfParameter>(store->place.base) &&
           is_flat(store->access, store->place.index, layout);
  }
  for_each_plain_operand(node, [&](ValueId operand) {
    const Kept& kept = kept_[operand];
    const Operation* again = kept.again;
    const bool same_everywhere =
        again != nullptr && (std::holds_alternative<Constant>(again->node) || std::holds_alternative<Poison>(again->node) ||
                             std::holds_alternative<Spread>(again->node));
    const bool in_buffer = kept.view && is_flat(kept.view->access, kept.view->index, layout);
    flat = flat && (waits(operand) || same_everywhere || in_buffer);
  });
  return flat;
}

/// All lanes of the pack in a row.
void Lowering::sweep_flat(Layout layout, const Body& body) {
  constexpr std::uint64_t most_slots = 8;
  const std::uint64_t count = lanes(layout, shape_);
  const std::uint64_t c = plan_.chunk_lanes;
  const auto tile_at = [&](const Polynomial& first, std::uint64_t lanes_here) {
    std::vector<Position> positions;
    for (std::uint64_t done = 0; done < lanes_here; done += c) {
      Position p;
      p.layout = layout;
      p.slot = positions.size();
      p.is_flat = true;
      p.ranges = value_ranges_;
      p.valid = first_bits(lanes_here - done, plan_.chunk_lanes);
      p.place = first + Polynomial(static_cast<std::int64_t>(done));
      positions.push_back(std::move(p));
    }
    body(positions);
  };
  const std::uint64_t tile = std::min(count / c, most_slots / 2) * c;
  if (count <= most_slots * c) {
    for (std::uint64_t first = 0; first < count; first += c) {
      tile_at(static_cast<std::int64_t>(first), std::min(c, count - first));
    }
    return;
  }
  // The variable counts chunks, so that addresses show that they are on the boundaries of vectors. Processors guess what an instruction
  // loads next from how far it went last time; if compilers write a few rounds out, it goes on by whole matrices (docs/avx512.md).
  const std::uint64_t tiled = count / tile * tile;
  open_count(Symbol::element(), "chunk", 0, static_cast<std::int64_t>(tiled / c), static_cast<std::int64_t>(tile / c),
             "LOCKSTEP_AVX512_ROLLED ");
  tile_at(Polynomial(Symbol::element()) * Polynomial(static_cast<std::int64_t>(c)), tile);
  code_.close();
  if (tiled < count) {
    tile_at(static_cast<std::int64_t>(tiled), count - tiled);
  }
}

/// How many accumulators, in registers, a chunk needs: those that rolled loops of the sweep carry.
std::uint64_t Lowering::carried_registers() const {
  std::uint64_t count = 0;
  for (const Operation* operation : waiting_) {
    if (const auto* loop = std::get_if<For>(&operation->node)) {
      std::uint64_t here = 0;
      for (const ValueId init : loop->inits) {
        const Type& type = kernel_.type_of(init);
        here += is_scalar(type.layout)                                                                   ? 0
                : (type.element.is_pointer ? 8U : size_of(type.element.scalar)) * plan_.chunk_lanes > 64 ? 2U
                                                                                                         : 1U;
      }
      count = std::max(count, here);
    }
  }
  return count;
}

std::uint64_t Lowering::tile_rows(Layout layout) const {
  const std::uint64_t carried = carried_registers();
  if (carried == 0) {
    return 1;
  }
  const Geometry g = geometry(layout);
  constexpr std::uint64_t registers = 24;
  const std::uint64_t rows = std::max<std::uint64_t>(1, registers / (carried * (g.stride / plan_.chunk_lanes)));
  return std::min<std::uint64_t>(rows, shape_.wg_size);
}

/// Chunks side by side where rows do not matter.
std::uint64_t Lowering::tile_chunks() const {
  const std::uint64_t carried = carried_registers();
  if (carried == 0) {
    return 1;
  }
  constexpr std::uint64_t registers = 32;
  return std::max<std::uint64_t>(1, registers / (2 * carried));
}

/// Where a mask of the waiting operations changes, along one of an item's coordinates: ascending, all between 0 and `count`.
std::vector<Polynomial> Lowering::cuts(Symbol symbol, std::int64_t count) const {
  const Symbol other = symbol == Symbol::item() ? Symbol::element() : Symbol::item();
  constexpr std::size_t most_cuts = 3;
  std::vector<Polynomial> result;
  const auto before = [&](const Polynomial& a, const Polynomial& b) {
    const auto distance = least_of(b - a, value_ranges_);
    return distance && *distance >= 0;
  };
  const auto add = [&](const Polynomial& cut) {
    if (result.size() == most_cuts || !before(0, cut) || !before(cut, count) || cut == Polynomial(0) || cut == Polynomial(count)) {
      return;
    }
    for (std::size_t i = 0; i <= result.size(); ++i) {
      if (i < result.size() && result[i] == cut) {
        return;
      }
      if (i == result.size() || before(cut, result[i])) {
        if (i == 0 || before(result[i - 1], cut)) {
          result.insert(result.begin() + static_cast<std::ptrdiff_t>(i), cut);
        }
        return;
      }
    }
  };
  const auto look = [&](const Operation* operation) {
    const auto* node = operation == nullptr ? nullptr : std::get_if<Mask>(&operation->node);
    if (node == nullptr) {
      return;
    }
    for (const Mask::Comparison& one : node->all_of) {
      const Polynomial difference = with_known(one.left) - with_known(one.right);
      const auto slope = difference.slope(symbol);
      const Polynomial rest = difference.without(symbol);
      if (!slope || (*slope != Polynomial(1) && *slope != Polynomial(-1)) || rest.mentions(other) || rest.mentions(Symbol::group())) {
        continue;
      }
      const bool up = *slope == Polynomial(1);
      const Polynomial at = up ? Polynomial(0) - rest : rest;
      const bool at_it = one.op == Op::Eq || one.op == Op::Ne || one.op == (up ? Op::Lt : Op::Gt) || one.op == (up ? Op::Ge : Op::Le);
      const bool behind = one.op == Op::Eq || one.op == Op::Ne || !at_it;
      if (at_it) {
        add(at);
      }
      if (behind) {
        add(at + Polynomial(1));
      }
    }
  };
  for (const Operation* operation : waiting_) {
    look(operation);
    const Select* choice = operation->results.size() != 1 ? nullptr : only_for_[operation->results.front()];
    look(choice == nullptr ? nullptr : definitions_[choice->condition]);
    for_each_plain_operand(operation->node, [&](ValueId value) { look(kept_[value].again); });
  }
  return result;
}

}  // namespace lockstep::emit_avx512
