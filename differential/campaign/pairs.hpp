#pragma once
// Pairs of a kernel and a changed one, and what the prover says of them.

#include <string>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"

namespace lockstep::differential {

/// Of Subject::Pairs: what the prover says of the kernel and the changed one, held against runs of both.
FuzzAnswer try_pair(const FuzzCase& fuzz_case, Counts& counts);

/// The text of the changed kernel, and `lockstep verify` of the two in files kernel.cl and changed.cl.
std::string changed_text(const FuzzCase& fuzz_case);
std::string verify_line(const FuzzCase& fuzz_case);

}  // namespace lockstep::differential
