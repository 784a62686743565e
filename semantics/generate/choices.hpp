#pragma once
// Where generators get their decisions from, so that a seed, RapidCheck or a fuzzer can drive the same generator.

#include <cstdint>
#include <functional>

namespace lockstep::generate {

/// choices(n) is a number below n, for n > 0. Generators prefer the plain things at 0.
using Choices = std::function<unsigned(unsigned n)>;

/// Choices that depend on nothing but the seed, on every platform.
Choices from_seed(std::uint64_t seed);

}  // namespace lockstep::generate
