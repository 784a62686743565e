#pragma once
// Where the variables of a kernel live: seed 000, section 3 and Fig. 2, five rules (docs/layout.md).
//
// An InfReg is a row of lanes of one type. The lanes of a work group lie together, `group_lanes` of them; those of the further groups of a
// pack follow, in the same order. So a placement is a formula, and the meaning of each lane can be asked for.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// A variable in its lanes. Private (rule 1): element k of item i of group g of the pack is lane
/// g * group_lanes + first + i * item_stride + k. Local (rule 2, item_stride 0): held once, element k is lane g * group_lanes + first + k.
struct Placement {
  std::string name;      ///< the register's or object's: "row", "x.2"
  std::string variable;  ///< the source variable's
  ValueType type;
  std::uint64_t count = 1;  ///< elements; 1 for a scalar
  bool is_local = false;
  std::uint32_t id = 0;           ///< RegisterId, or ObjectId if local
  std::size_t infreg = 0;         ///< index into Layout::infregs
  std::uint64_t first = 0;        ///< lane
  std::uint64_t item_stride = 0;  ///< lanes from one item to the next: as many as the widest variable of the interaction set has elements
  std::size_t set = 0;            ///< index into Layout::sets
  /// The instructions [first, last], counted from the function's begin, during which it holds a needed value. Empty for local ones, and
  /// where liveness is not known: then it is held all the time.
  std::vector<std::pair<Label, Label>> live;
};

struct InfReg {
  ValueType type;
  std::vector<std::size_t> placements;  ///< indices into Layout::placements, by their first lanes
};

/// Something that an instruction moves between lanes (rule 5).
struct Reordering {
  enum class Kind : std::uint8_t {
    Shuffle,    ///< to another item
    Element,    ///< from one element of an array to another one, or to a scalar's lane
    Broadcast,  ///< a scalar to an element's lane, within the item
    Local       ///< between an item's lanes and those that the group has once
  };
  Kind kind = Kind::Shuffle;
  Label pc = 0;
  SourceSpan span;
  std::string from;  ///< "row[j]", "x", "@tile"
  std::string to;    ///< "row[i]", "y", "@tile"
};
std::string_view name_of(Reordering::Kind kind);

/// What a lane holds.
struct LaneMeaning {
  std::size_t placement = 0;
  std::uint64_t wg_off = 0;
  std::optional<std::uint64_t> wi_ix;  ///< none for a local variable
  std::uint64_t ix = 0;
};

struct Layout {
  std::string function;
  unsigned wg_size = 1;
  unsigned wg_pack = 1;
  std::uint64_t group_lanes = 0;      ///< of each group, in every InfReg
  bool liveness_known = true;         ///< false: rule 4 was not used (layout_liveness.hpp)
  std::vector<Placement> placements;  ///< registers in their order, then local objects
  std::vector<InfReg> infregs;
  std::vector<std::vector<std::size_t>> sets;  ///< interaction sets (rule 3), as indices into placements
  std::vector<Reordering> reorderings;         ///< in the order of the code

  std::uint64_t lanes() const { return group_lanes * wg_pack; }  ///< of each InfReg
};

/// More lanes than this in one InfReg are refused, and so are functions with more variables than this.
inline constexpr std::uint64_t max_lanes = std::uint64_t{1} << 48;
inline constexpr std::size_t max_variables = 4096;

/// The layout of one function's variables: the registers that stand for source variables, and for the kernel the __local objects.
/// Deterministic and greedy. The error is a sentence: too many lanes or variables. Linear in the code but for liveness
/// (layout_liveness.hpp); the sizes of arrays do not matter.
std::expected<Layout, std::string> layout(const Program& program, const Function& function, unsigned wg_pack);

/// The lane of an element; `wi_ix` is not looked at for a local variable.
std::uint64_t lane_of(const Layout& layout, const Placement& placement, std::uint64_t wg_off, std::uint64_t wi_ix, std::uint64_t ix);

/// All that a lane may hold: nothing for a gap, several where variables share it (rule 4).
std::vector<LaneMeaning> meaning_of(const Layout& layout, const InfReg& infreg, std::uint64_t lane);

/// A table for people: InfRegs with their variables, lane by lane where a group has few of them, the sets, and the reorderings with their
/// places in Program::source.
std::string text_of(const Program& program, const Layout& layout);

/// The same as one JSON object; lane by lane up to 4096 lanes.
std::string json_of(const Program& program, const Layout& layout);

}  // namespace lockstep::typed
