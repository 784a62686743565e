// Accesses that lanes do for one another: pieces of rows, which go through shared memory (tiles.hpp).
#include <fmt/format.h>

#include "codegen/emit/cuda/writer.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

const Type& type_of(const Kernel& kernel, const Operation& operation) {
  const auto* store = std::get_if<Store>(&operation.node);
  return kernel.type_of(store != nullptr ? store->value : operation.results.front());
}

std::optional<ValueId> mask_of(const Operation& operation) {
  const auto* load = std::get_if<Load>(&operation.node);
  return load != nullptr ? load->mask : std::get<Store>(operation.node).mask;
}

}  // namespace

std::string Writer::tile_arguments(const At& part) const {
  return fmt::format("<{}, {}, {}>", plan_.geometry.lanes, part.width / part.piece, part.piece);
}

/// Whose lanes meet. Control is the same for the lanes of a slot, and outside of it for those of all slots.
std::string Writer::tile_slot(RegionId region) const {
  return region == kernel_.body && plan_.geometry.slots > 1 ? "v::with_others(slot)" : "slot";
}

/// Moves pieces between the buffer and registers; `rows` says which of them, if only some are there.
void Writer::move_pieces(const Operation& operation, const At& part, bool is_some, const std::string& registers) {
  const Type& type = type_of(kernel_, operation);
  const Place& place = *accessed_place(operation.node);
  const unsigned lanes = plan_.geometry.lanes;
  const unsigned pieces = part.width / part.piece;
  At there = part;
  there.wi = plan_.geometry.vectors == 1 ? "piece.row" : fmt::format("({} * {} + piece.row)", part.vector, warp_size);
  there.ix = fmt::format("part + piece.part * {}", part.piece);
  std::string buffer = "&" + cell(place, type.element.scalar, type.layout, there);
  const std::string piece = fmt::format("const v::Piece piece = v::piece_of<{}, {}>(slot, ", lanes, pieces);
  // Where a round's pieces lie as far behind those of the round before for all lanes, one address does for all rounds.
  const bool is_even = lanes % pieces == 0;
  if (is_even) {
    open("{");
    line(piece + "0);");
    line(
        fmt::format("{}{} *const first = {};", std::holds_alternative<Load>(operation.node) ? "const " : "", c_type(type.element), buffer));
    buffer = fmt::format("first + round * {}", std::int64_t{lanes / pieces} * *constant_slope(place.index, Symbol::item()));
  }
  line("LOCKSTEP_UNROLL");
  open(fmt::format("for (int round = 0; round < {}; ++round) {{", pieces));
  if (!is_even) {
    line(piece + "round);");
  }
  const std::string row = is_even ? fmt::format("piece.row + round * {}", lanes / pieces) : "piece.row";
  const std::string own = fmt::format("{} + round * {}", registers, part.piece);
  const bool is_load = std::holds_alternative<Load>(operation.node);
  line(fmt::format("{}v::{}<{}>(is_aligned, {}, {});", is_some ? fmt::format("if (rows >> ({}) & 1) ", row) : "",
                   is_load ? "fetch" : "bring", part.piece, is_load ? own : buffer, is_load ? buffer : own));
  close();
  if (is_even) {
    close();
  }
}

/// Pieces of loads from which nothing is left out, all on their way at once.
void Writer::fetch_tiles(RegionId region, const Run& run, const At& part) {
  has_met_ = false;
  for (std::uint32_t k = run.first; k < run.last; ++k) {
    const Operation& operation = kernel_.regions[region].operations[k];
    const auto* load = std::get_if<Load>(&operation.node);
    if (load == nullptr || !plan_.tiles.contains({region, k}) || !active(load->mask, load->type.layout, part).empty()) {
      continue;
    }
    if (!has_met_) {
      line(fmt::format("v::meet({});", tile_slot(region)));
      has_met_ = true;
    }
    make_room(operation.results.front(), part);
    move_pieces(operation, part, false, from_there(operation.results.front(), part));
  }
}

/// What other lanes have stored there before is loaded, and what is stored is there for others: the lanes meet before and behind.
void Writer::move_tile(OperationId id, const Operation& operation, const At& part) {
  const Type& type = type_of(kernel_, operation);
  const std::string mask = active(mask_of(operation), type.layout, part);
  const auto* store = std::get_if<Store>(&operation.node);
  if (store == nullptr && !mask.empty()) {
    make_room(operation.results.front(), part);
  }
  const std::string slot = tile_slot(id.region);
  if (!has_met_) {
    line(fmt::format("v::meet({});", slot));
  }
  has_met_ = false;
  open("{");
  if (!mask.empty()) {
    line(fmt::format("const unsigned rows = v::ballot(slot, {});", mask));
  }
  const std::string rows = mask.empty() ? "~0u" : "rows";
  if (store != nullptr) {
    const std::string row = together(store->value, part, part.width);
    line(fmt::format("{} moved[{}];", c_type(type.element), part.width));
    line(fmt::format("v::pieces_of_rows{}({}, shared.stage, {}, moved, {});", tile_arguments(part), slot, rows, row));
    move_pieces(operation, part, !mask.empty(), "moved");
    line(fmt::format("v::meet({});", slot));
  } else {
    const std::string row = from_there(operation.results.front(), part);
    if (!mask.empty()) {
      move_pieces(operation, part, true, row);
    }
    line(fmt::format("v::rows_of_pieces{}({}, shared.stage, {}, {});", tile_arguments(part), slot, rows, row));
  }
  close();
}

}  // namespace lockstep::emit_cuda
