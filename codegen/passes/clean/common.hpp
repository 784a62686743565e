#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Computes once what is computed twice: an operation whose equal stands in front of it, in its region or one around, has that one's
/// result. Of two loads nothing in between may write what they read. What is not used any more stays for `remove_dead_values`. Returns
/// whether anything changed.
bool share_common(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
