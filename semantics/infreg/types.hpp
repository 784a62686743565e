#pragma once
// The typing rules of InfReg-IR, once: builders infer by them, the verifier checks by them.

#include <expected>
#include <string>
#include <vector>

#include "semantics/infreg/access.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/limits.hpp"

namespace lockstep::infreg {

/// The types of the operation's results, from its node and the types of the values that it uses; or a sentence that says what is wrong with
/// it (so is an id that there is not, and an access kind better than access_of). Whether values are defined there is the verifier's
/// business. For If, For and Loop the regions must be complete (their yields decide); for a missing region or wrong arguments and yields it
/// is an error too.
std::expected<std::vector<Type>, std::string> result_types(const Kernel& kernel, const Node& node);

}  // namespace lockstep::infreg
