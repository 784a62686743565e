#pragma once
// How a reordering of rows comes about: lanes of a vector are the items of a pack's groups, and each element of a layout is a vector. Every
// way that fits has its cost in the cycles of the model (docs/ve-model.md), and the cheapest one is taken.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/c/ranges.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// Elements of a vector.
inline constexpr unsigned most_lanes = 256;

enum class Way : std::uint8_t {
  Name,      ///< no lane changes its place: another vector's name
  Number,    ///< one element for all lanes, which is a number of C: read from scratch memory
  Memory,    ///< a load from scratch memory, with another beginning or stride
  Move,      ///< `vmv`: all lanes as far
  Moves,     ///< `vmv` for each distance, and `vmrg`
  Segments,  ///< for each group its number, `vbrd` and `vmrg`
  Doubling,  ///< `vmv` to each group's first lane, and from there to 2, 4, 8 lanes: each a `vmv` and a `vmrg`
  Compress,  ///< `vcp` and `vex`: lanes that stay in order
  Gather     ///< `vgt` from scratch memory
};

/// As people name them to leave them out: all but Name. Gather is left out where there is another way.
std::optional<Way> way_named(std::string_view word);
std::vector<std::string> names_of_ways();
std::string_view name_of(Way way);

struct Reordering {
  /// What parts of a core one vector keeps busy, in cycles; and how many instructions on vectors it takes.
  struct Candidate {
    Way way = Way::Gather;
    double instructions = 0;
    double cache = 0;
    double integers = 0;

    double cost() const { return std::max({instructions, cache, integers}); }
  };
  Way way = Way::Gather;
  std::vector<Candidate> candidates;         ///< the cheapest one first
  unsigned masks = 0;                        ///< that it makes
  std::vector<std::int64_t> distances = {};  ///< of Moves: each as far as some lanes move
  bool is_known = false;                     ///< `sources`
  /// By lanes of the result's vector the lane of the source's, `nowhere` if any will do; the same for all elements.
  std::vector<std::uint32_t> sources = {};
};

/// What is known of the kernel around it.
struct Surroundings {
  infreg::Shape shape;
  const emit_c::KnownRanges& ranges;
  const std::set<Way>& without;
};

/// `from`: the layout of the source.
Reordering reordering_of(const infreg::Reorder& reorder, infreg::Layout from, const Surroundings& surroundings);

}  // namespace lockstep::emit_ve
