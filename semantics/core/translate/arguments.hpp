#pragma once
// Which parameters may be poison, over all calls that a kernel can come to.

#include <vector>

#include "semantics/core/tree.hpp"

namespace lockstep::core::translation {

/// By FunctionId and VarId of the parameter: whether a call in a function that `kernel` reaches passes a value that may be poison. What a
/// launch passes is never poison. A function is looked at again only when one of its parameters turned out to be poison.
std::vector<std::vector<bool>> poison_parameters(const Program& program, const Function& kernel);

}  // namespace lockstep::core::translation
