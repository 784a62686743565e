#include "semantics/generate/choices.hpp"

namespace lockstep::generate {

Choices from_seed(std::uint64_t seed) {
  // Weyl sequence and a mixing function in the manner of SplitMix64: small, fast, and the same everywhere.
  return [state = seed](unsigned n) mutable {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    z ^= z >> 31;
    return static_cast<unsigned>(((z >> 32) * n) >> 32);
  };
}

}  // namespace lockstep::generate
