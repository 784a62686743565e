#pragma once
// Random μ-SIMD programs that are well-formed by construction, and that end within a bounded number of steps.

#include "semantics/generate/choices.hpp"
#include "semantics/generate/skeleton.hpp"

namespace lockstep::generate {

/// What generated programs may contain.
struct ProgramOptions {
  bool shared_writes = true;
  bool shuffles = true;
  bool blocks = true;      ///< everywhere blocks
  bool mask_tests = true;  ///< jmp_mask, the loop of the CREV paper's Fig. 8 among it
  bool races = true;       ///< stores of several threads to one cell, with values that may differ
  bool undefined = true;   ///< in some programs, now and then, something that may be undefined behaviour
  unsigned max_threads = musimd::max_threads;
};

/// A program: variables v0 to v3 hold numbers in all threads (unless `undefined` strikes), p0 and p1 may be poison; cells 0 to 15
/// hold numbers, 16 to 23 may be poison, from 32 on each thread has a cell of its own. Thread counts are mostly small, and like
/// the borders of words. Takes some hundred choices; all of them 0 gives a small program.
Skeleton random_program(Choices& choices, const ProgramOptions& options);

/// The same program with one or two control instructions dropped, added or redirected: often no longer well-formed.
musimd::Program with_changed_control(musimd::Program program, Choices& choices);

}  // namespace lockstep::generate
