#pragma once
// Whether results are right, before anything is measured.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/suite/contestant.hpp"

namespace lockstep::bench {

/// The problems whose results are looked at: the first and the last ones of the batch, and some between, ascending.
std::vector<std::uint64_t> sampled_problems(std::uint64_t batch);

/// What is wrong with results, as a sentence about the first number that is; nothing if they agree. Both have the same problems.
/// Within the bound is a number that differs by at most 64 n eps times the greatest magnitude there is in its problem's array (for
/// item-wise kernels: 64 eps times that of the whole array). UnitLower and UnitUpper are first brought to that form from L D U.
std::optional<std::string> disagreement(const Data& results, const Data& expected, Agreement agreement);

}  // namespace lockstep::bench
