#pragma once
// A kernel's lowering, proved at a small size.

#include <string>
#include <string_view>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"

namespace lockstep::differential {

/// Proves the lowering at WG_SIZE 2, within a budget of work. A counterexample that has been run is a finding; what comes of all others is
/// counted: "proof: unknown".
FuzzAnswer prove_case(const FuzzCase& fuzz_case, Counts& counts);
inline constexpr std::string_view proof_finding = "verify: counterexample";
/// The same proof by `lockstep`, without its name in front.
std::string proof_command(const FuzzCase& of);

}  // namespace lockstep::differential
