#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Replaces `select m, a, b` by a where every use of the result asks for the lanes of m alone: a kernel whose items all stand behind one
/// condition stores under it, and what the others would have computed meanwhile does not matter. Returns whether anything changed.
bool drop_unwanted_choices(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
