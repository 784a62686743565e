#pragma once
// What to say about a line of a typed text that the grammar refuses.

#include "semantics/base/refused_line.hpp"

namespace lockstep::typed {

/// Names the common mistakes. Never fails: at worst it says what was expected where.
Explanation explain(const RefusedLine& line);

}  // namespace lockstep::typed
