#pragma once
// The control flow of a typed function as an untyped μ-SIMD program, for the analyses of semantics/musimd.

#include "semantics/musimd/syntax.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// One function with everything but control taken out: instruction i of the result stands for function.begin + i and has its span. Control
/// instructions stay what they are, `ret` becomes `stop`; a data instruction becomes an assignment of an expression that differs between
/// threads wherever the value can (why this is right: docs/wellformed.md, "Typed programs").
musimd::Program skeleton(const Program& program, const Function& function);

}  // namespace lockstep::typed
