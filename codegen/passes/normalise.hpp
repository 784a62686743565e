#pragma once
// First pass: from the typed tree to elementary assignments (borG paper, section 4.1: source normalisation and SSA decomposition).

#include <expected>

#include "codegen/passes/assignments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::passes {

/// Inlines every function that the kernel reaches, takes expressions apart, and finds the counted loops. Arrays become objects, and so do
/// variables whose address is taken; the pass `arrays` brings them back where it can. An error for recursion (with the chain of calls) and
/// for kernels that grow beyond all bounds by inlining; spans are places in program.source.
/// With `assumes`, integers of 32 bits are taken for polynomials where they are if a launch is not too large: Assignments::assumed says
/// what has to be asked.
std::expected<Assignments, Diagnostics> normalise(const core::Program& program, const core::Function& kernel, bool assumes = false);

}  // namespace lockstep::passes
