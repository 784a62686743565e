#pragma once
// The sentences of faults and races.

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/launch.hpp"

namespace lockstep::launch {

/// "index 7 is outside of 'row', which has 4 elements".
std::string sentence(const Pirch::Trouble& trouble);
/// Of faults that have nothing but their kind: limits and barriers.
std::string sentence(FaultKind kind, const LaunchOptions& options);

/// True if the trouble is that a function of a kernel has come to its end without the value that its caller wants: the translation lets
/// the function's own place stand behind that `ret`.
bool ends_without_value(const typed::Program& program, typed::Label pc, const Pirch::Trouble& trouble);
/// "'f' has ended without a value, which is used here".
std::string sentence_of_missing_value(const typed::Function& function);

/// One cell of an array as a program writes it: "t[1][2]", or "s" where there is only one. `extents` are those of an array of several
/// dimensions, else empty.
std::string text_of_cell(const std::string& name, std::uint64_t index, std::uint64_t count, const std::vector<std::uint64_t>& extents);

/// The number as text; bits as core::Literal.
std::string text_of_value(ScalarType type, std::uint64_t bits);

}  // namespace lockstep::launch
