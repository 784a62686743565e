#pragma once

#include "semantics/core/tree.hpp"

namespace lockstep::core::sema {

/// Makes one variable of each component of private vectors, and arrays of them, that are only ever indexed by numbers: so they need no
/// memory. Components that nobody mentions go; an index that lies outside leaves the array as it is.
void split_arrays(Function& function);

}  // namespace lockstep::core::sema
