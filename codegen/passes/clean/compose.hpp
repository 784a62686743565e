#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Makes one reordering of consecutive ones, `spread` among them, and takes away those that leave every lane where it is. Lanes that were
/// poison, because a reordering took them from nowhere, may have numbers afterwards. Returns whether anything changed.
bool compose(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
