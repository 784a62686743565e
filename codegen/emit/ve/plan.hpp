#pragma once
// What is chosen for a kernel before anything is printed: where values are, which of them all groups have alike, which operations share a
// loop over the items and elements of their layout, and how many packs of groups lie side by side.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/c/ranges.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

inline constexpr unsigned most_lanes = 256;

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
  std::vector<Home> homes;               ///< of values
  std::vector<bool> alike;               ///< values that are numbers of C, the same for all groups, where they are computed
  emit_c::KnownRanges ranges;            ///< of the variables of loops
  std::vector<std::vector<Run>> runs;    ///< of regions
  std::vector<infreg::ValueId> storage;  ///< for each value the one whose variable it shares, itself for most
  std::vector<infreg::ValueId> named;    ///< by the first of those that share: the one whose name their variable has
  std::set<infreg::ValueId> kept;        ///< values in scratch memory that the loop that computes them reads, too: there they are variables
  std::set<infreg::ValueId> copied;      ///< arguments of loops whose next value reads one of them: it is computed elsewhere first
  unsigned lanes = most_lanes;           ///< packs side by side
  std::uint64_t lane_bytes = 0;          ///< of scratch and of the kernel's objects, for each of them
  std::uint64_t fixed_bytes = 0;         ///< of the stack beside that

  std::uint64_t vectors(infreg::Layout layout) const { return infreg::lanes(layout, shape); }
  std::uint64_t stack_bytes() const { return lanes * lane_bytes + fixed_bytes; }
};

/// Elements from one copy of a private or local object to the next: whole words, so that clearing them keeps to places of words.
std::uint64_t row_of(const infreg::Object& object);

/// Of packs of a shape, which may be another one than the kernel's.
Plan plan_of(const infreg::Kernel& kernel, infreg::Shape shape);

/// The plan as lines for people.
std::string explain(const infreg::Kernel& kernel, const Plan& plan);

}  // namespace lockstep::emit_ve
