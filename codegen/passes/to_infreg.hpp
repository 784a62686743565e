#pragma once
// From masked assignments to InfReg-IR in SSA form.

#include "codegen/passes/assignments.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes {

/// Needs masks, kinds and loop classes. Counted loops become `for`, unrolled copies, or one operation over all elements, as their class
/// says; other loops become `loop` with a vote of the pack. Arrays are whole values: an element is read by a reordering and written by a
/// select.
infreg::Kernel to_infreg(const Assignments& assignments, unsigned wg_pack);

}  // namespace lockstep::passes
