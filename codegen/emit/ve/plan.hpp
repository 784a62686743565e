#pragma once
// What is chosen for a kernel before anything is printed: where values are, which of them all lanes have alike, which operations share a
// loop over the items and elements of their layout, and what lies side by side.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/c/ranges.hpp"
#include "codegen/emit/ve/reordering.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// What lies side by side in a vector.
enum class Arrangement : std::uint8_t {
  Groups,  ///< packs of groups: each item and element of a layout has a vector of its own
  Rows     ///< the items of a pack's groups: each element of a layout has a vector
};

enum class Home : std::uint8_t {
  Expression,  ///< computed again where it is used
  Element,     ///< a variable for the present item and element, within the loop that computes it
  Variable,    ///< of layout Pack: a variable
  Scratch      ///< vectors in memory, one for each item and element
};

/// Operations of a region that share one loop over the items and elements of their layout: first to last - 1.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Plan {
  infreg::Shape shape;
  Arrangement arrangement = Arrangement::Groups;
  bool is_paired = false;                ///< floats of two packs in each element, as far apart as there are elements
  std::vector<Home> homes;               ///< of values
  std::vector<bool> alike;               ///< values that are numbers of C, the same for all lanes, where they are computed
  std::set<infreg::ValueId> unread;      ///< results of atomic changes that nobody reads
  emit_c::KnownRanges ranges;            ///< of the variables of loops
  std::vector<std::vector<Run>> runs;    ///< of regions
  std::vector<infreg::ValueId> storage;  ///< for each value the one whose variable it shares, itself for most
  std::vector<infreg::ValueId> named;    ///< by the first of those that share: the one whose name their variable has
  std::set<infreg::ValueId> kept;        ///< values in scratch memory that the loop that computes them reads, too: there they are variables
  std::map<infreg::ValueId, Reordering> reorderings;  ///< of rows: results of reorderings, and how they come about
  std::set<infreg::ValueId> copied;  ///< arguments of loops whose next value reads one of them: it is computed elsewhere first
  unsigned lanes = most_lanes;       ///< elements of a vector, at most
  std::uint64_t lane_bytes = 0;      ///< of scratch and of the kernel's objects, for each of them
  std::uint64_t fixed_bytes = 0;     ///< of the stack beside that
  bool asks_pack = false;            ///< a vote over a pack is more than a condition

  std::uint64_t vectors(infreg::Layout layout) const {
    return arrangement == Arrangement::Rows ? layout.elements : infreg::lanes(layout, shape);
  }
  /// Packs that a call of the function for them works on, at most.
  unsigned packs() const { return arrangement == Arrangement::Rows ? 1 : lanes; }
  /// Whether lanes of a vector differ in the symbol.
  bool differs(infreg::Symbol symbol) const;
  bool differs(const infreg::Polynomial& polynomial) const;
  std::uint64_t stack_bytes() const { return lanes * lane_bytes + fixed_bytes; }
};

/// Elements from one copy of a private or local object to the next: whole words, so that clearing them keeps to places of words.
std::uint64_t row_of(const infreg::Object& object);

/// Of packs of a shape, which may be another one than the kernel's.
/// Rows need a pack whose items fit into a vector.
Plan plan_of(const infreg::Kernel& kernel, infreg::Shape shape, Arrangement arrangement, const std::set<Way>& without);

/// The plan as lines for people.
std::string explain(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_ve
