#pragma once
// What the translation asks about variables and expressions: is a variable certainly initialised where it is read, may a value be poison,
// may an expression be evaluated by items that the program does not send there.

#include <vector>

#include "semantics/core/control.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::core::translation {

struct VariableFacts {
  bool exposed = false;         ///< private, and some pointer to it or its elements is made
  bool always_written = false;  ///< every read certainly follows a write (structured definite assignment)
};

struct ExprFacts {
  bool writes = false;      ///< it may change a variable or memory: an assignment or call stands in it
  bool is_simple = false;   ///< pure and total: evaluating it where the program would not cannot be noticed, its value's poison aside
  bool may_poison = false;  ///< its value (or that of the place) may be poison
};

struct ValueFacts {
  std::vector<VariableFacts> variables;  ///< by VarId
  std::vector<ExprFacts> expressions;    ///< by ExprId
};

/// `poison_parameters`: by VarId, the parameters that may be poison at the call; empty for none. O(size of the function).
ValueFacts analyse_values(const Function& function, const ControlFacts& control, const std::vector<bool>& poison_parameters);

/// The variable that the place is, or lies in, without a pointer between; empty if there is none.
std::optional<VarId> variable_of_place(const Function& function, ExprId place);

}  // namespace lockstep::core::translation
