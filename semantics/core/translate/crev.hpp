#pragma once
// Call re-vectorisation: the loop of the CREV paper's Fig. 8 with the data distribution of its Algorithm 5.

#include <vector>

#include "semantics/core/translate/emitter.hpp"
#include "semantics/core/translate/module.hpp"

namespace lockstep::core::translation {

/// Each active item's call of `function` is served once by all items of the warp. `arguments` are registers of the caller that the active
/// items have written; every one of them is broadcast from the caller's lane, uniform or not (erratum E11).
void crev_call(typed::FunctionId function, const std::vector<typed::RegisterId>& arguments, SourceSpan span, Module& module,
               Emitter& emitter);

}  // namespace lockstep::core::translation
