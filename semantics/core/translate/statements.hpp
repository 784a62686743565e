#pragma once
// From statements to control instructions: structured reconvergence (docs/wellformed.md) with live flags, and crev (CREV paper, Fig. 8).

#include <vector>

#include "semantics/core/translate/emitter.hpp"
#include "semantics/core/translate/module.hpp"

namespace lockstep::core::translation {

/// How a function ends.
struct Ending {
  bool is_entry = false;    ///< it is the launched kernel, which ends in `stop`
  bool gives_value = true;  ///< the caller uses the value, if the function has one
};

/// Writes the code of `function` into `program.functions[id]`, which has its head already, but no registers. `poison_parameters` as of
/// analyse_values.
void translate_function(const Function& function, Ending ending, const std::vector<bool>& poison_parameters, typed::FunctionId id,
                        typed::Program& program, Module& module, Emitter& emitter);

}  // namespace lockstep::core::translation
