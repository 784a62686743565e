#pragma once

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// What is wrong with a module beyond its syntax, in the order of its text: names that are declared nowhere or twice, registers whose type
/// or width does not fit, numbers of the wrong kind, vectors of the wrong size, variables of another space, calls that do not fit the
/// function's parameters, labels that cannot be reached from where they are named. Warnings: numbers that are cut, and instructions that
/// are read but do not run.
Diagnostics check(const Module& module);

}  // namespace lockstep::ptx
