#include "codegen/emit/cuda/tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <variant>
#include <vector>

#include "codegen/emit/cuda/limits.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// Of shared memory, for the pieces of a warp at a time: with more, fewer warps might find room than registers allow. Where rows cannot be
/// cut so, a tile may have twice as much.
constexpr std::uint64_t usual_bytes_of_warp = 4096;
constexpr std::uint64_t most_bytes_of_warp = 8192;
/// Of a row, at a time, unless that is all of it: two sectors.
constexpr std::uint64_t least_bytes_of_row = 64;

class Tiles {
 public:
  Tiles(const Kernel& kernel, Plan& plan) : kernel_(kernel), plan_(plan) {}

  void choose() {
    if (plan_.geometry.lanes == 1) {
      return;
    }
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      bool is_staged = false;  // rows that a later reordering reads lie where tiles would
      for (Run& run : std::views::reverse(plan_.runs[region])) {
        const std::optional<bool> first = first_row(region, run);
        if (!first && !is_staged && run.width > 1) {
          take(region, run);
        }
        is_staged = first ? !*first : is_staged;
      }
    }
  }

 private:
  /// Whether the run stores rows for Way::Row before it reads some; none if it reads none.
  std::optional<bool> first_row(RegionId region, const Run& run) const {
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      const Operation& operation = kernel_.regions[region].operations[k];
      const auto row = operation.results.empty() ? plan_.rows.end() : plan_.rows.find(operation.results.front());
      if (row != plan_.rows.end()) {
        return row->second.is_first;
      }
    }
    return std::nullopt;
  }

  const Type& type_of(const Operation& operation) const {
    const auto* store = std::get_if<Store>(&operation.node);
    return kernel_.type_of(store != nullptr ? store->value : operation.results.front());
  }

  std::uint64_t piece_bytes(const Operation& operation, const Run& run) const {
    return run.piece * size_of(type_of(operation).element.scalar);
  }

  /// Whether the items' rows lie apart, each has several pieces, and a slot's lanes move a line at once.
  bool is_tile(const Operation& operation, const Run& run) const {
    const Layout layout = type_of(operation).layout;
    const Place* place = accessed_place(operation.node);
    if (place == nullptr || layout.kind != Layout::Kind::Item) {
      return false;
    }
    const auto row = constant_slope(place->index, Symbol::item());
    return row && std::abs(*row) >= layout.elements && layout.elements > run.piece &&
           plan_.geometry.lanes * piece_bytes(operation, run) >= line_bytes;
  }

  bool fits(std::uint64_t bytes) const {
    Plan with = plan_;
    with.stage_bytes = std::max(with.stage_bytes, bytes);
    return bytes <= plan_.stage_bytes || shared_bytes(kernel_, with) * plan_.geometry.slots * usual_warps <= shared_bytes_of_block;
  }

  void take(RegionId region, Run& run) {
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    std::vector<OperationId> tiles;
    std::uint64_t most = 0;  // bytes of a piece
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      if (plan_.wide.contains({region, k}) && is_tile(operations[k], run)) {
        tiles.push_back({region, k});
        most = std::max(most, piece_bytes(operations[k], run));
      }
    }
    if (tiles.empty()) {
      return;
    }
    const unsigned all = type_of(operations[tiles.front().index]).layout.elements / run.piece;
    const unsigned pieces = pieces_at_a_time(all, static_cast<unsigned>(most));
    if (pieces == 0) {
      return;
    }
    run.width = pieces * run.piece;
    plan_.stage_bytes = std::max(plan_.stage_bytes, tile_bytes(plan_.geometry, pieces, static_cast<unsigned>(most)));
    plan_.tiles.insert(tiles.begin(), tiles.end());
  }

  /// Of a row that has so many: the most that take no more than usual, else the fewest. 0 if there is no room for them.
  unsigned pieces_at_a_time(unsigned all, unsigned piece_bytes) const {
    unsigned fewest = 0;
    for (unsigned pieces = all; pieces > 0; --pieces) {
      const std::uint64_t of_row = std::uint64_t{pieces} * piece_bytes;
      const std::uint64_t of_warp = of_row * plan_.geometry.lanes * plan_.geometry.slots;
      const bool is_possible = pieces == all || (all % pieces == 0 && of_row >= least_bytes_of_row);
      if (!is_possible || of_warp > most_bytes_of_warp || !fits(tile_bytes(plan_.geometry, pieces, piece_bytes))) {
        continue;
      }
      if (of_warp <= usual_bytes_of_warp) {
        return pieces;
      }
      fewest = pieces;
    }
    return fewest;
  }

  const Kernel& kernel_;
  Plan& plan_;
};

}  // namespace

std::uint64_t tile_bytes(const Geometry& geometry, unsigned pieces, unsigned piece_bytes) {
  const unsigned across = line_bytes / piece_bytes;
  const unsigned even = std::min(1U << std::countr_zero(pieces), across);
  const unsigned base = geometry.slots == 1 || geometry.lanes % across == 0 ? 0 : across - 1;  // the most that it is modulo `across`
  const std::uint64_t pushed = (base + geometry.lanes - 1) / (across / even);
  return (std::uint64_t{geometry.lanes} * pieces + pushed) * piece_bytes;
}

void choose_tiles(const Kernel& kernel, Plan& plan) { Tiles(kernel, plan).choose(); }

}  // namespace lockstep::emit_cuda
