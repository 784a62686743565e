#pragma once
// The rules of the pass `fold`: what an operation can be replaced by, once its operands are known. A rule may give a poison lane any
// number (docs/infreg-ir.md, refinement); it never makes a number poison.

#include <variant>

#include "codegen/passes/clean/facts.hpp"
#include "codegen/passes/clean/replacements.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Nothing; another operation with the same result; or a value that is the result already.
using Simpler = std::variant<std::monostate, infreg::Node, infreg::ValueId>;

/// Applies rules to an operation until none fits any more; a rule may make way for another one, and eight steps are enough. `step()` gives
/// what the next one makes of it. Returns whether the operation itself is another one now.
template <class Step>
bool simplify_fully(infreg::Operation& operation, Replacements& replacements, Step&& step) {
  constexpr int most_steps = 8;
  bool has_changed = false;
  for (int i = 0; i < most_steps; ++i) {
    Simpler result = step();
    if (const auto* value = std::get_if<infreg::ValueId>(&result)) {
      replacements.replace(operation.results.front(), *value);  // a change where it is used
      break;
    }
    auto* node = std::get_if<infreg::Node>(&result);
    if (node == nullptr) {
      break;
    }
    has_changed = true;
    operation.node = std::move(*node);
  }
  return has_changed;
}

/// Arithmetic, comparisons, choices and conversions, lane by lane. `type`: of the result.
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Elementwise& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Select& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Convert& node, const infreg::Type& type);

/// Numbers and masks made of polynomials, and what brings data from lane to lane.
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::ConstantLanes& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Index& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Mask& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Spread& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Reorder& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Shuffle& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Vote& node, const infreg::Type& type);

/// Memory: `type` is that of the lanes moved.
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::PointerOffset& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Load& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Store& node, const infreg::Type& type);
Simpler simpler(const infreg::Kernel& kernel, const Facts& facts, const infreg::Atomic& node, const infreg::Type& type);

// ---- for the rules ---------------------------------------------------------------------------------------------------------

inline Simpler nothing() { return {}; }
inline Simpler same_as(infreg::ValueId value) { return Simpler(std::in_place_type<infreg::ValueId>, value); }
inline Simpler becomes(infreg::Node node) { return Simpler(std::in_place_type<infreg::Node>, std::move(node)); }

/// One mask for `first` and `second` together; empty if one of them is no mask, or the two are too long. It is poison where a value in it
/// is. Where that must not come from `second` alone, because it is asked only where `first` is true, set `second_is_asked` to false.
std::optional<infreg::Mask> both(const Facts& facts, infreg::ValueId first, infreg::ValueId second, bool second_is_asked);

}  // namespace lockstep::passes::clean
