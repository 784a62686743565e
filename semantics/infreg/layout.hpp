#pragma once
// Where the parts of a value lie: the metadata of an InfReg (borG paper, sections 3.1 and 3.2), as far as a value needs it.

#include <cstdint>

namespace lockstep::infreg {

/// How many groups are stepped together, and how many items each has (WG_PACK, WG_SIZE).
struct Shape {
  std::uint32_t wg_size = 1;
  std::uint32_t wg_pack = 1;

  bool operator==(const Shape&) const = default;
};

/// The lanes of a value. There are three kinds:
///   Pack   one number for the whole pack: a kernel argument, the variable of a rolled loop
///   Group  `elements` numbers for each group: a __local array (Fig. 2, rule 2), a vote, the group's id
///   Item   `elements` numbers for each work item: a private variable or array (Fig. 2, rule 1)
/// Lanes are numbered (wg * wg_size + wi) * elements + ix, without the item for Group. Values of equal layouts lie in the same lanes.
struct Layout {
  enum class Kind : std::uint8_t { Pack, Group, Item };
  Kind kind = Kind::Pack;
  std::uint32_t elements = 1;  ///< 1 for Pack

  bool operator==(const Layout&) const = default;

  static constexpr Layout pack() { return {Kind::Pack, 1}; }
  static constexpr Layout group(std::uint32_t elements = 1) { return {Kind::Group, elements}; }
  static constexpr Layout item(std::uint32_t elements = 1) { return {Kind::Item, elements}; }
};

/// A lane by its metadata: `wg.off`, `wi.ix` and `ix` of the paper. Coordinates that the layout lacks are 0.
struct Lane {
  std::uint32_t wg = 0;
  std::uint32_t wi = 0;
  std::uint32_t ix = 0;

  bool operator==(const Lane&) const = default;
};

/// Lanes that a value has in one group (1 for Pack).
constexpr std::uint64_t lanes_per_group(Layout layout, Shape shape) {
  return std::uint64_t{layout.elements} * (layout.kind == Layout::Kind::Item ? shape.wg_size : 1);
}

/// Lanes that a value has in all.
constexpr std::uint64_t lanes(Layout layout, Shape shape) {
  return lanes_per_group(layout, shape) * (layout.kind == Layout::Kind::Pack ? 1 : shape.wg_pack);
}

constexpr Lane lane_at(Layout layout, Shape shape, std::uint64_t number) {
  const auto in_group = static_cast<std::uint32_t>(number % lanes_per_group(layout, shape));
  return {static_cast<std::uint32_t>(number / lanes_per_group(layout, shape)), in_group / layout.elements, in_group % layout.elements};
}

constexpr std::uint64_t number_of(Layout layout, Shape shape, Lane lane) {
  const std::uint64_t item = layout.kind == Layout::Kind::Item ? lane.wi : 0;
  return lanes_per_group(layout, shape) * (layout.kind == Layout::Kind::Pack ? 0 : lane.wg) + item * layout.elements + lane.ix;
}

}  // namespace lockstep::infreg
