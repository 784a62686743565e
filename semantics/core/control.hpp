#pragma once
// How control comes out of statements: which may leave early, so that live flags and guards are needed (docs/wellformed.md, structured
// reconvergence), and whether a function may end without a return.

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "semantics/core/tree.hpp"

namespace lockstep::core {

/// How control may come out of a statement or a run of statements. break and continue are those whose target lies outside of it.
struct Exits {
  bool breaks = false;
  bool continues = false;
  bool returns = false;
  bool falls = true;  ///< it may complete normally

  bool leaves() const { return breaks || continues || returns; }
};

/// What a loop or switch, or the function itself, needs to know about its body.
struct RegionFacts {
  bool breaks = false;     ///< some break has this target
  bool continues = false;  ///< some continue has this target
  bool returns = false;    ///< some return stands inside
  /// Something that not all items reach follows a statement that may leave, in this region and in no region inside it; in a switch also
  /// when control falls into another section.
  bool guards = false;
  std::vector<bool> section_falls;  ///< of a switch: per section, whether control may run off its end
};

/// Facts about one function's statements. Statements are known by their addresses; those that no path leads to have no entry.
struct ControlFacts {
  std::unordered_map<const Stmt*, Exits> exits;
  std::unordered_map<const Stmt*, RegionFacts> regions;  ///< of loops and switches
  RegionFacts function;
  bool falls = true;  ///< control may reach the function's end without a return
  /// The only return, when it is the last statement of the function: its value needs no register and nobody a flag.
  const Stmt* only_return = nullptr;
};

/// A loop that runs once, since its condition is the constant 0 (`do { … } while (0)`).
bool runs_once(const Function& function, const Loop& loop);
/// The condition, unless it is the constant true.
std::optional<ExprId> real_condition(const Function& function, const Loop& loop);

/// O(statements).
ControlFacts analyse_control(const Function& function);

}  // namespace lockstep::core
