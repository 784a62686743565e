#pragma once
// What the polynomial of a place shows about memory (borG paper, section 4.1, memory analysis).

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// The access kind that the place's polynomial shows for lanes of this layout: the best that is certain whatever the values in it are. The
/// items' copies of a private object lie one behind the other.
Access access_of(const Kernel& kernel, const Place& place, Layout layout);

}  // namespace lockstep::infreg
