#pragma once
// Which values are the same for all active work items, as far as `uniform` parameters ask for it (docs/kernel-language.md). A forward
// analysis of structured code: what varies is a work item's own number, what shuffles bring from varying lanes, memory at varying
// addresses, and what is assigned under control that varies while the variable lives on.

#include "semantics/core/sema/reporter.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::core::sema {

/// Reports varying arguments for uniform parameters, assignments to uniform parameters that may differ, and varying pointers passed by
/// crev.
void check_uniformity(const Program& program, Reporter& reporter);

}  // namespace lockstep::core::sema
