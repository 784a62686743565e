#pragma once
// The proof that stands between a kernel and its code: the same kernel is lowered for groups of 2, 3 and 4 items, and Z3 is asked whether
// InfReg-IR refines it there (semantics/prove/refine.hpp).

#include "codegen/verdict/verdict.hpp"

namespace lockstep {

/// Groups of 2, 3 and 4 items, or as many as the kernel has if those are fewer; a full pack of them, and one more. Where two of
/// packs of one race on all inputs, one group alone, and then the proof is said to be of that.
/// Where scalars of unknown values leave a size undecided, integers are also 1, 2 and 3. What the solver refutes is run, and counts only if
/// the two do differ.
LoweringVerdict prove_lowering(const LoweringTask& task);

}  // namespace lockstep
