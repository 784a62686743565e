#pragma once
// How a reordering is done: the cheapest way that its pattern allows.

#include <cstdint>
#include <string_view>

#include "codegen/emit/cuda/choices.hpp"
#include "codegen/emit/cuda/geometry.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

enum class Way : std::uint8_t {
  Register,   ///< of this thread, the same in all lanes: another name for it
  Pick,       ///< of this thread, by a number that differs from lane to lane: a chain of selects
  Broadcast,  ///< one item's: a shuffle from a lane that is the same for all
  Exchange,   ///< another item's for each lane, all in one register: a shuffle
  Search,     ///< any register of any lane: a shuffle for each register that it may be, and a select
  Row,        ///< a row of one item's elements: it stores them into shared memory, 16 bytes at a time, and all lanes load them so
  Memory      ///< the same through shared memory, where that is cheaper
};
std::string_view name_of(Way way);

/// Of shared memory, for what the lanes of a warp hand to one another: a quarter of what a block may have.
inline constexpr std::uint64_t most_stage_bytes = 12 * 1024;

/// `type`: of the source.
Way way_of(const infreg::Reorder& reorder, const infreg::Type& type, const Geometry& geometry, const Choices& choices);

/// Bytes of shared memory that a slot needs for Way::Memory. Rows have an odd number of elements, so that lanes meet different banks.
std::uint64_t stage_bytes(const infreg::Type& type, const Geometry& geometry);
constexpr std::uint64_t stage_row(std::uint32_t elements) { return elements | 1U; }

/// In the register of a thread that a pattern asks for: the same element in all lanes, and maybe the same item.
struct Sameness {
  bool item = false;
  bool element = false;
  bool own_item = false;  ///< each lane asks for what its own item has
};
Sameness sameness_of(const infreg::Reorder& reorder, infreg::Layout from, infreg::Shape shape);

}  // namespace lockstep::emit_cuda
