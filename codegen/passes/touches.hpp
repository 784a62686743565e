#pragma once
// What the rounds of a counted loop touch: what decides whether several of them can be done at once.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// A touch of an array or of memory: by which statement of the body, and which element.
struct Touch {
  std::size_t statement = 0;
  bool writes = false;
  Polynomial index;
};
struct MemoryTouch {
  Place place;
  Touch touch;
};

struct Touches {
  std::set<VarId> own;  ///< scalars that the body assigns
  std::map<VarId, std::vector<Touch>> arrays;
  std::vector<MemoryTouch> memory;

  /// Whether it mentions a scalar that changes from round to round, other than the loop's own variable.
  bool is_changed(const Polynomial& polynomial) const;
};

/// Empty if something in the body cannot be done for several rounds at once, whatever they touch: a vote, control inside, a number that
/// goes from round to round, a pointer that is not known, memory that is better touched round by round.
std::optional<Touches> touches_of(const Assignments& assignments, const For& loop);

/// Whether two places can lie in one object or buffer. Two parameters may point into one buffer, anywhere in it, unless one of them is
/// declared `restrict`, or their types share no cells (meeting.hpp).
bool may_be_same_memory(const Assignments& assignments, const Place& a, const Place& b);

/// Whether the polynomial speaks of variables that the whole pack has alike, and no others.
bool is_pack_known(const Assignments& assignments, const Polynomial& polynomial);

}  // namespace lockstep::passes
