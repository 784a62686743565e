#pragma once
// The theorems, one file for each family.

#include <vector>

#include "semantics/prove/theorem.hpp"

namespace lockstep::prove {

std::vector<Theorem> determinism_theorems(bool full);
std::vector<Theorem> determinism_twins();
std::vector<Theorem> typed_determinism_theorems(bool full);
std::vector<Theorem> typed_determinism_twins();
std::vector<Theorem> invariant_theorems(bool full);
std::vector<Theorem> invariant_twins();
std::vector<Theorem> typed_invariant_theorems(bool full);
std::vector<Theorem> typed_invariant_twins();
std::vector<Theorem> typed_poison_theorems();
std::vector<Theorem> typed_poison_twins();
std::vector<Theorem> typed_poison_controls();
std::vector<Theorem> outcome_theorems();
std::vector<Theorem> outcome_twins();
std::vector<Theorem> typed_order_theorems(bool full);
std::vector<Theorem> typed_order_twins();
std::vector<Theorem> reconvergence_theorems(bool full);
std::vector<Theorem> reconvergence_twins();
std::vector<Theorem> typed_reconvergence_theorems(bool full);
std::vector<Theorem> typed_reconvergence_twins();
std::vector<Theorem> thread_order_theorems();
std::vector<Theorem> thread_order_twins();
std::vector<Theorem> shuffle_theorems();
std::vector<Theorem> shuffle_twins();
std::vector<Theorem> typed_shuffle_theorems();
std::vector<Theorem> typed_shuffle_twins();
std::vector<Theorem> empty_mask_theorems();
std::vector<Theorem> empty_mask_twins();

}  // namespace lockstep::prove
