#include "semantics/core/crev_order.hpp"

#include <numeric>
#include <utility>

namespace lockstep::core {

namespace {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the same everywhere.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

// Fisher and Yates.
std::vector<std::uint64_t> crev_permutation(const Options& options) {
  std::uint64_t state = options.crev_seed;
  std::vector<std::uint64_t> order(options.wg_size);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[next_random(state) % left]);
  }
  return order;
}

}  // namespace lockstep::core
