#pragma once
// CoRe to typed μ-SIMD.

#include "semantics/core/tree.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::core {

/// The kernel and the functions that it can reach, as one typed μ-SIMD program that is well-formed by the checker. Structured
/// reconvergence (docs/wellformed.md): every statement runs once for all items that reach it; break, continue and return become live flags;
/// &&,
/// || and
/// ?: branch where their right sides may do or risk something. Spans point into program.source.
typed::Program translate(const Program& program, const Function& kernel);

}  // namespace lockstep::core
