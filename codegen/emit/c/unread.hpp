#pragma once
// What nobody reads: C and C++ compilers warn of variables for it.

#include <set>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_c {

/// The results of atomic changes that nothing uses: the changes are made all the same.
std::set<infreg::ValueId> unread_changes(const infreg::Kernel& kernel);

}  // namespace lockstep::emit_c
