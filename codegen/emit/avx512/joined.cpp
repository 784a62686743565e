// Tiles of rows without gaps between rows.
#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/sweeps.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// Whether two rows fill chunks when one lies behind the other, a chunk between them having a half of each, and nothing but the kernel's
/// buffers and registers knows of rows. (Four rows, with quarters, take more instructions than they save.)
bool Lowering::joins_rows(Layout layout) const {
  const Geometry g = geometry(layout);
  return g.is_padded() && g.length % plan_.chunk_lanes == plan_.chunk_lanes / 2 && shape_.wg_size > 1 && carried_registers() != 0 &&
         !has_outputs_ && cuts(Symbol::item(), shape_.wg_size).empty() &&
         std::ranges::all_of(waiting_, [&](const Operation* operation) { return is_joinable(*operation); });
}

/// Whether the operation, and what is in it, looks into no array of ours row by row: its places are those of padded rows.
bool Lowering::is_joinable(const Operation& operation) const {
  bool fine = true;
  const auto look = [&](ValueId value) { fine = fine && (is_scalar(kernel_.type_of(value).layout) || kept_[value].array.empty()); };
  if (const auto* loop = std::get_if<For>(&operation.node)) {
    for (const Operation& inner : kernel_.regions[loop->body].operations) {
      fine = fine && is_joinable(inner);
    }
    std::ranges::for_each(loop->inits, look);
    std::ranges::for_each(kernel_.regions[loop->body].yields, look);
    return fine;
  }
  if (!moves_lanes(kernel_, operation.node)) {
    for_each_plain_operand(operation.node, look);
  }
  return fine;
}

/// Tiles of rows that lie one behind the other: whole chunks, of which some have halves of two rows.
void Lowering::sweep_joined_rows(Layout layout, const Body& body) {
  constexpr std::uint64_t joined = 2;
  constexpr std::uint64_t registers = 32;
  const std::uint64_t c = plan_.chunk_lanes;
  const std::uint64_t n = layout.elements;
  const std::uint64_t size = shape_.wg_size;
  std::uint64_t tile = joined;
  // Accumulators, and the chunks of a row of other values, which serve all rows of the tile.
  while (tile + joined <= size && ((tile + joined) * carried_registers() + joined) * n / c + 2 <= registers) {
    tile += joined;
  }
  const Polynomial group = shape_.wg_pack == 1 ? Polynomial(0) : Polynomial(Symbol::group());
  const auto rows_at = [&](const Polynomial& row, const Polynomial& last_row, std::uint64_t rows) {
    prefetch_rows(layout, row, rows);
    std::vector<Position> positions;
    for (std::uint64_t first = 0; first < rows * n; first += c) {
      Position p;
      p.layout = layout;
      p.slot = positions.size();
      p.ranges = value_ranges_;
      p.valid = first_bits(rows * n - first, plan_.chunk_lanes);
      p.wg = {group, {}, ""};
      std::vector<std::int64_t> down;
      std::vector<std::int64_t> along;
      for (std::uint64_t lane = first; lane < first + c; ++lane) {
        down.push_back(static_cast<std::int64_t>(lane / n) - static_cast<std::int64_t>(first / n));
        along.push_back(static_cast<std::int64_t>(lane % n) - static_cast<std::int64_t>(first % n));
      }
      const Polynomial from = row + Polynomial(static_cast<std::int64_t>(first / n));
      const std::uint64_t last_lane = std::min(first + c, rows * n) - 1;
      const bool is_one = first / n == last_lane / n;
      p.wi = {from, is_one ? std::vector<std::int64_t>() : down, ""};
      p.ix = {Polynomial(static_cast<std::int64_t>(first % n)), is_one ? iota(plan_.chunk_lanes) : along, ""};
      p.ranges[Symbol::item()] = {Polynomial(static_cast<std::int64_t>(first / n)) + (rows == tile ? Polynomial(0) : row),
                                  last_row + Polynomial(static_cast<std::int64_t>(last_lane / n))};
      p.ranges[Symbol::element()] = is_one ? Range{static_cast<std::int64_t>(first % n), static_cast<std::int64_t>(last_lane % n)}
                                           : Range{0, static_cast<std::int64_t>(n) - 1};
      positions.push_back(std::move(p));
    }
    body(positions);
    prefetch_in_rounds(0, 1);
  };
  const std::uint64_t tiles = size / tile;
  // The variable counts tiles, so that addresses show that they are on the boundaries of vectors.
  open_count(Symbol::item(), "tile", 0, static_cast<std::int64_t>(tiles), 1);
  rows_at(Polynomial(Symbol::item()) * Polynomial(static_cast<std::int64_t>(tile)), static_cast<std::int64_t>((tiles - 1) * tile), tile);
  code_.close();
  if (tiles * tile < size) {
    const auto rest = static_cast<std::int64_t>(tiles * tile);
    code_.open("");
    rows_at(rest, rest, size - tiles * tile);
    code_.close();
  }
  std::erase_if(ahead_, [&](const Ahead& matrix) { return matrix.layout == layout; });
}

}  // namespace lockstep::emit_avx512
