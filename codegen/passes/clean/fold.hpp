#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Computes what is known when compiling, and applies identities that are exact for every number (rules.hpp). Numbers of layout Pack that
/// are polynomials are put into the polynomials that mention them, values that a loop carries unchanged are taken from in front of it. What
/// is not used any more stays for `remove_dead_values`. Returns whether anything changed.
bool fold(infreg::Kernel& kernel);

}  // namespace lockstep::passes::clean
