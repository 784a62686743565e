#pragma once
// What pointer values may point to. Memory is a row of elements of one type in each object, and a pointer counts them: an operation that
// counts in units of another type has no meaning that machine code, evaluator and prover share. So the verifier refuses it.

#include <vector>

#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/verify.hpp"

namespace lockstep::infreg {

/// Operations on pointer values in units of another type than the elements of what they may point to, comparisons of pointers to different
/// types, and stores through pointers that may point into a `const` parameter or a `constant` object. The kernel's operations are well
/// typed. What a value may point to is found without regard to when: a loop's carried pointer is all that it is ever made.
std::vector<Fault> pointer_faults(const Kernel& kernel);

}  // namespace lockstep::infreg
