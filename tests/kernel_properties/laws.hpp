#pragma once
// The laws that kernels obey (docs/testing.md).

#include "tests/kernel_properties/trial.hpp"

namespace lockstep::test {

/// Machine and evaluator: the same buffers and the same first fault, all of a group in one warp.
Verdict agreement(const KernelTrial& trial);
/// The same where pointers of one type point into one buffer.
Verdict agreement_of_overlaps(const KernelTrial& trial);
/// The same as the first with a warp size that the salt chooses, as long as no race is reported.
Verdict agreement_of_warps(const KernelTrial& trial);
/// Property 3 for kernels: what all items do in lockstep is what each does alone, one after the other.
Verdict one_item_at_a_time(const KernelTrial& trial);
/// Results, rule counts and faults do not depend on WG_PACK nor on host threads.
Verdict pack_independence(const KernelTrial& trial);
/// Property 12: clean at warp size 1 means the same result at every warp size and under every schedule.
Verdict synchrony(const KernelTrial& trial);
/// Property 8: the order in which callers are served.
Verdict commutativity(const KernelTrial& trial);
/// Property 9: an r-function leaves the same memory when it is called by crev for one caller as when all items call it.
Verdict synchronization_parity(const KernelTrial& trial);
/// Property 6: the translation is well-formed, printed and read back.
Verdict translation(const KernelTrial& trial);
/// Printed kernels are read as the same kernels.
Verdict print_and_parse(const KernelTrial& trial);

}  // namespace lockstep::test
