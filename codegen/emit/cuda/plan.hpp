#pragma once
// What is chosen for a kernel before anything is printed: where values are, how lanes are reordered, how stores are done and where lanes
// meet, which loops are written for registers, and which operations share a loop over the elements of their layout.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/c/names.hpp"
#include "codegen/emit/c/ranges.hpp"
#include "codegen/emit/cuda/accesses.hpp"
#include "codegen/emit/cuda/choices.hpp"
#include "codegen/emit/cuda/geometry.hpp"
#include "codegen/emit/cuda/reordering.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

enum class Home : std::uint8_t {
  Expression,  ///< computed again where it is used
  Element,     ///< a variable for the present element, within the loop that computes it
  Registers    ///< a variable, or an array of them
};

/// Operations of a region that share one loop over the elements of their layout: first to last - 1.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  unsigned width = 1;  ///< elements that a round of the loop computes
  unsigned piece = 1;  ///< those that accesses of `Plan::wide` move at once; fewer than the width if some go as tiles
};

/// A row that goes to other lanes through shared memory.
struct Row {
  bool is_first = true;  ///< rows are stored before
  bool is_all = false;   ///< those of all items, as other reorderings want them, too
};

struct Plan {
  Geometry geometry;
  std::vector<Home> homes;                             ///< of values
  std::set<infreg::ValueId> alike;                     ///< moved numbers that are the same for all elements: one register
  std::map<infreg::ValueId, infreg::ValueId> covered;  ///< moved numbers that are among those of an earlier reordering, by its result
  std::map<infreg::ValueId, Way> ways;                 ///< of reorderings, by result
  std::map<infreg::OperationId, StoreWay> stores;
  std::set<infreg::OperationId> meetings;  ///< before these
  std::set<infreg::ValueId> unread;        ///< results of atomic changes that nobody reads
  std::map<infreg::ValueId, Row> rows;     ///< of reorderings of Way::Row, by result
  std::set<infreg::OperationId> wide;      ///< accesses, and reorderings of Way::Row, that move several elements at once
  std::set<infreg::OperationId> tiles;     ///< of those, accesses that lanes do for one another (tiles.hpp)
  /// Loops whose variable counts registers, and how many rounds are written out at a time: compilers give up on more.
  std::map<infreg::OperationId, std::uint64_t> unrolled;
  std::set<infreg::ValueId> rounded;   ///< negated numbers and magnitudes that only operations that round or compare look at
  emit_c::KnownRanges ranges;          ///< of the variables of loops
  std::vector<std::vector<Run>> runs;  ///< of regions
  unsigned most_unrolled = 128;        ///< loops over more elements stay loops, and their values lie in memory

  /// Threads for which it does not hold have nothing to do from there on.
  std::optional<infreg::ValueId> stays;

  /// Bytes of shared memory that a slot has for Way::Memory, Way::Row and tiles, one after the other. The lanes meet before they write
  /// there, and before they read it.
  std::uint64_t stage_bytes = 0;

  /// The layout of the variable that holds the value.
  infreg::Layout held(infreg::ValueId value, infreg::Layout layout) const {
    return alike.contains(value) ? infreg::Layout{layout.kind, 1} : layout;
  }
  bool is_rolled(infreg::Layout layout) const { return geometry.registers(layout) > most_unrolled; }
};

/// Of packs of a shape, which may be another one than the kernel's.
Plan plan_of(const infreg::Kernel& kernel, infreg::Shape shape, const Choices& choices = {});

/// The plan as lines for people.
std::string explain(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_cuda
