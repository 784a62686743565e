// Groups side by side: a chunk is one element of all groups of a pack.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/sweeps.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// The chunk of an element of an item, of all groups.
Position Lowering::group_chunk(Layout layout, const Polynomial& row, const Range& range, const Polynomial& column,
                               const Range& column_range) const {
  Position p;
  p.layout = layout;
  p.ranges = value_ranges_;
  p.valid = full();
  p.wg = {0, iota(plan_.chunk_lanes), ""};
  p.wi = {row, {}, ""};
  p.ix = {column, {}, ""};
  p.ranges[Symbol::item()] = range;
  p.ranges[Symbol::element()] = column_range;
  p.place = (row * Polynomial(std::int64_t{layout.elements}) + column) * Polynomial(std::int64_t{plan_.chunk_lanes});
  return p;
}

/// Elements of items, a chunk each: rows and columns are cut where masks change.
void Lowering::sweep_groups(Layout layout, const Body& body) {
  const bool of_items = layout.kind == Layout::Kind::Item;
  const auto ends_of = [&](Symbol symbol, std::int64_t count) {
    std::vector<Polynomial> ends = cuts(symbol, count);
    ends.insert(ends.begin(), Polynomial(0));
    ends.emplace_back(count);
    return ends;
  };
  // Rounds of unrolled loops have rows of different lengths: the processor would not foresee where loops over them end.
  const std::int64_t most_unrolled = in_unrolled_ ? 32 : 1;
  const std::int64_t tile = carried_registers() == 0 ? 1 : 4;
  // f(first, range, how many side by side) within a loop from `from` to `to`.
  const auto each = [&](Symbol symbol, const char* name, const Polynomial& from, const Polynomial& to,
                        const std::function<void(const Polynomial&, const Range&, std::int64_t)>& f) {
    const Polynomial count = to - from;
    std::int64_t step = count.is_constant() ? tile : 1;
    if (tile == 1 && symbol == Symbol::element() && count.is_constant() && count.constant() <= most_unrolled) {
      step = count.constant();
    }
    while (step > 1 && count.constant() % step != 0) {
      --step;
    }
    if (count == Polynomial(step)) {
      code_.open("");
      f(from, {from, from}, step);
      code_.close();
      return;
    }
    open_count(symbol, name, from, to, step);
    f(Polynomial(symbol), {from, to - Polynomial(step)}, step);
    code_.close();
  };
  const std::vector<Polynomial> rows = of_items ? ends_of(Symbol::item(), std::int64_t{shape_.wg_size}) : std::vector<Polynomial>{0, 1};
  const std::vector<Polynomial> columns = ends_of(Symbol::element(), std::int64_t{layout.elements});
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    each(Symbol::item(), "wi", rows[r], rows[r + 1], [&](const Polynomial& row, const Range& range, std::int64_t rows_here) {
      of_row_.clear();
      if (rows_here == 1) {
        emit_for_row(group_chunk(layout, row, range, 0, {0, std::int64_t{layout.elements} - 1}));
      }
      for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
        each(Symbol::element(), "ix", columns[k], columns[k + 1],
             [&](const Polynomial& column, const Range& column_range, std::int64_t columns_here) {
               std::vector<Position> positions;
               for (std::int64_t i = 0; i < rows_here; ++i) {
                 for (std::int64_t j = 0; j < columns_here; ++j) {
                   const Polynomial down(i);
                   const Polynomial right(j);
                   positions.push_back(group_chunk(layout, row + down, {range.least + down, range.most + down}, column + right,
                                                   {column_range.least + right, column_range.most + right}));
                   positions.back().slot = positions.size() - 1;
                 }
               }
               body(positions);
             });
      }
      of_row_.clear();
    });
  }
}

/// What all elements of a row take from one lane: once, and before an element of the row is written.
void Lowering::emit_for_row(const Position& row) {
  for (const Operation* operation : waiting_) {
    const auto* reordering = std::get_if<Reorder>(&operation->node);
    const auto* pattern = reordering == nullptr ? nullptr : std::get_if<Reorder::Affine>(&reordering->pattern);
    if (pattern != nullptr && !pattern->element.mentions(Symbol::element())) {
      of_row_[operation->results.front()] = chunk_of(*operation, row);
    }
  }
}

void Lowering::load_whole(const Operation& operation, const Load& node) {
  flush();
  const ValueId result = operation.results.front();
  const std::string array = array_for(result);
  const std::uint64_t chunks = geometry(node.type.layout).chunks;
  const Polynomial begin = sum_of(node.place.index, position(node.type.layout, 0), Groups::OfLaunch).uniform;
  const std::string& parameter = parameters_[std::get<OfParameter>(node.place.base).id];
  const std::string vector = vector_type(node.type.element);
  const std::string from =
      fmt::format("{}, {}, {}, {}", array, address_text(parameter, begin), node.place.index.slope(Symbol::group())->constant(), chunks);
  const auto ahead = std::ranges::find(ahead_, std::get<OfParameter>(node.place.base).id, &Ahead::parameter);
  if (ahead == ahead_.end()) {
    code_.assign(array, fmt::format("v::load_groups<{}>({});", vector, from));
  } else {
    prefetches_ = true;
    code_.assign(array, fmt::format("v::load_groups<{}, Stream>({}, {});", vector, from, address_text(parameter, ahead->begin)));
    ahead_.erase(ahead);
  }
  code_.memory_changes();
  std::ranges::find(arrays_, array, &Array::name)->is_whole = true;
  kept_[result] = {};
  kept_[result].array = array;
  if (!is_big(node.type.layout)) {
    std::vector<Piece> pieces;
    for (std::uint64_t k = 0; k < chunks; ++k) {
      pieces.push_back(read_own(result, position(node.type.layout, k)));
    }
    kept_[result].chunks = std::move(pieces);
  }
}

void Lowering::store_whole(const Store& node) {
  flush();
  const Type& type = kernel_.type_of(node.value);
  std::string array = kept_[node.value].array;
  if (array.empty()) {
    array = array_for(node.value);
    copy(node.value, array);
  }
  const Polynomial begin = sum_of(node.place.index, position(type.layout, 0), Groups::OfLaunch).uniform;
  code_.effect(fmt::format("v::store_groups<{}>({}, {}, {}, {});", vector_type(type.element),
                           address_text(parameters_[std::get<OfParameter>(node.place.base).id], begin), array,
                           node.place.index.slope(Symbol::group())->constant(), geometry(type.layout).chunks));
  code_.memory_changes();
}

}  // namespace lockstep::emit_avx512
