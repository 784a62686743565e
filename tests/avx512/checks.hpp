#pragma once
// What is asked of lockstep_avx512.h: each of its operations against plain C++ on one lane. The checks are compiled for the processor's own
// instructions and for the shim, and run in two programs; each function is one test case of theirs.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::avx512_checks {

struct Outcome {
  std::uint64_t compared = 0;      ///< numbers
  std::vector<std::string> wrong;  ///< what differed, the first few
};

/// Whether the code under test was compiled against the shim.
bool emulated();

Outcome arithmetic();      ///< what every type has
Outcome floats();          ///< what only floats have
Outcome near_quotients();  ///< those that are not rounded exactly, within their bounds
Outcome near_roots();
Outcome integers();          ///< what only integers have
Outcome comparisons();       ///< and select
Outcome conversions();       ///< between all types, and to narrow integers
Outcome loads_and_stores();  ///< whole, masked at the end and at the start of memory, with all masks
Outcome gathers_and_scatters();
Outcome truths_in_memory();
Outcome groups();            ///< side by side, halves of vectors, and whether buffers are apart
Outcome lanes();             ///< constants, parts, transposes, masks
Outcome scalars();           ///< what there is beside the operations on lanes: votes, rounds of loops, addresses
Outcome floating_point();    ///< the control state of the thread
Outcome contraction();       ///< products and sums are not fused, though the compiler was told that it may
Outcome shim_contraction();  ///< likewise of the shim, compiled for a processor that can fuse them

}  // namespace lockstep::avx512_checks
