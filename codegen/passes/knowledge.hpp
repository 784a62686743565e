#pragma once
// What the pass `normalise` knows of registers at the point where it stands.

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/passes/assignments.hpp"
#include "codegen/passes/symbolic.hpp"

namespace lockstep::passes {

/// What is known of a register's value.
struct Known {
  std::optional<Symbolic> symbolic;
  std::optional<Place> pointer;
};

/// Knowledge that can be taken back to an earlier moment, at the cost of the changes since then: branches are as many as statements, and
/// copies of all that is known for each of them would be quadratic.
class Knowledge {
 public:
  using Moment = std::size_t;

  /// Null if nothing is known.
  const Known* find(VarId var) const {
    const auto found = known_.find(var);
    return found == known_.end() ? nullptr : &found->second;
  }
  void learn(VarId var, Known known) { exchange(var, std::move(known)); }
  void forget(VarId var) {
    if (known_.contains(var)) {
      exchange(var, std::nullopt);
    }
  }

  Moment now() const { return changes_.size(); }
  void go_back(Moment moment) {
    while (changes_.size() > moment) {
      auto [var, before] = std::move(changes_.back());
      changes_.pop_back();
      put(var, std::move(before));
    }
  }

 private:
  void exchange(VarId var, std::optional<Known> next) {
    const auto found = known_.find(var);
    changes_.emplace_back(var, found == known_.end() ? std::nullopt : std::optional(std::move(found->second)));
    put(var, std::move(next));
  }
  void put(VarId var, std::optional<Known> known) {
    if (known) {
      known_[var] = std::move(*known);
    } else {
      known_.erase(var);
    }
  }

  std::unordered_map<VarId, Known> known_;
  std::vector<std::pair<VarId, std::optional<Known>>> changes_;  ///< each with what was known before
};

}  // namespace lockstep::passes
