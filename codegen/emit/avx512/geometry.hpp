#pragma once
// How the lanes of a layout are cut into chunks, and where they lie in memory of ours.
//
// A layout is rows of lanes: an item's elements (Item of more than one), a group's items (Item of one), a group's elements (Group). Rows
// that fill chunks, or of which several fill one, lie one behind the other; others begin a chunk each, so that a chunk never holds parts of
// two rows. The place of a lane in that order is its place in memory, and `chunk_lanes` of them are a chunk.
//
// That is Arrangement::Rows. Arrangement::Items is without padding, for kernels whose lanes have nothing to do with their neighbours. With
// Arrangement::Groups the lanes of a chunk are the groups of a pack: a chunk for each element of each item.

#include <cstdint>
#include <optional>

#include "semantics/infreg/layout.hpp"

namespace lockstep::emit_avx512 {

/// What lies side by side in a chunk.
enum class Arrangement : std::uint8_t {
  Rows,    ///< the lanes of a row
  Items,   ///< the same, but items of all groups lie one behind the other: of kernels in which groups have nothing of their own
  Groups,  ///< the same lane of all groups; a pack has as many groups as a chunk has lanes
};

struct Geometry {
  Arrangement arrangement = Arrangement::Rows;
  std::uint64_t length = 1;  ///< lanes of a row
  std::uint64_t stride = 1;  ///< places of a row
  std::uint64_t rows = 1;    ///< of all groups of the pack
  std::uint64_t chunks = 1;

  bool is_padded() const { return stride != length; }
};

constexpr Geometry geometry_of(infreg::Layout layout, infreg::Shape shape, unsigned chunk_lanes,
                               Arrangement arrangement = Arrangement::Rows) {
  using Kind = infreg::Layout::Kind;
  Geometry g;
  g.arrangement = arrangement;
  if (layout.kind == Kind::Pack) {
    return g;
  }
  if (arrangement == Arrangement::Groups) {
    g.length = std::uint64_t{layout.elements} * shape.wg_pack;
    g.stride = g.length;
    g.rows = layout.kind == Kind::Item ? shape.wg_size : 1;
    g.chunks = g.rows * layout.elements;
    return g;
  }
  const bool of_items = layout.kind == Kind::Item;
  if (of_items && layout.elements > 1) {
    g.length = layout.elements;
    g.rows = std::uint64_t{shape.wg_pack} * shape.wg_size;
  } else if (of_items) {
    g.length = shape.wg_size;
    g.rows = shape.wg_pack;
  } else if (layout.elements > 1) {
    g.length = layout.elements;
    g.rows = shape.wg_pack;
  } else {
    g.length = shape.wg_pack;
  }
  const bool fits = g.length % chunk_lanes == 0 || chunk_lanes % g.length == 0 || (arrangement == Arrangement::Items && of_items);
  g.stride = fits ? g.length : (g.length + chunk_lanes - 1) / chunk_lanes * chunk_lanes;
  g.chunks = (g.rows * g.stride + chunk_lanes - 1) / chunk_lanes;
  return g;
}

/// The place of a lane, with the group counted in the pack.
constexpr std::uint64_t place_of(infreg::Layout layout, infreg::Shape shape, const Geometry& g, infreg::Lane lane) {
  if (g.arrangement == Arrangement::Groups) {
    return infreg::number_of(layout, {shape.wg_size, 1}, {0, lane.wi, lane.ix}) * shape.wg_pack + lane.wg;
  }
  const std::uint64_t number = infreg::number_of(layout, shape, lane);
  return number / g.length * g.stride + number % g.length;
}

/// The lane at a place; none if the place is between rows or behind the last one.
constexpr std::optional<infreg::Lane> lane_at_place(infreg::Layout layout, infreg::Shape shape, const Geometry& g, std::uint64_t place) {
  const std::uint64_t row = place / g.stride;
  const std::uint64_t column = place % g.stride;
  if (row >= g.rows || column >= g.length) {
    return std::nullopt;
  }
  if (g.arrangement == Arrangement::Groups) {
    infreg::Lane lane = infreg::lane_at(layout, {shape.wg_size, 1}, place / shape.wg_pack);
    lane.wg = static_cast<std::uint32_t>(place % shape.wg_pack);
    return lane;
  }
  return infreg::lane_at(layout, shape, row * g.length + column);
}

}  // namespace lockstep::emit_avx512
