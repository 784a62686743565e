#pragma once
// The sentences of faults and races.

#include <string>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/launch.hpp"

namespace lockstep::launch {

/// "index 7 is outside of 'row', which has 4 elements".
std::string sentence(const Pirch::Trouble& trouble);
/// Of faults that have nothing but their kind: limits and barriers.
std::string sentence(FaultKind kind, const LaunchOptions& options);

/// The number as text; bits as core::Literal.
std::string text_of_value(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::launch
