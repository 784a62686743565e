#pragma once
// What the files of this folder have in common: each adds contestants for a task, and says whether they are there.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "bench/suite/peers.hpp"

namespace lockstep::bench {

struct PeerSource {
  PeerPresence (*presence)();
  void (*add)(const Task& task, std::vector<Contestant>& into);
};

extern const PeerSource plain_gcc, plain_clang, libxsmm, eigen, openblas, pocl, ispc;

/// The machine's limits, as contestants that move the same bytes, or do nothing but one kind of operation.
void add_limits(const Task& task, std::vector<Contestant>& into);
std::vector<MachineFigure> machine_figures(bool is_quick);

/// work(first, last) for `count` things, on so many threads, in parts of nearly the same size that begin at multiples of `grain`.
template <class Work>
void parallel(unsigned threads, std::uint64_t count, std::uint64_t grain, const Work& work) {
  if (threads <= 1) {
    work(std::uint64_t{0}, count);
    return;
  }
  const std::uint64_t grains = (count + grain - 1) / grain;
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(threads))
  for (unsigned t = 0; t < threads; ++t) {
    const std::uint64_t first = std::min(count, grains * t / threads * grain);
    const std::uint64_t last = std::min(count, grains * (t + 1) / threads * grain);
    work(first, last);
  }
}

/// work(std::integral_constant<unsigned, n>) where n is one of `sizes`.
template <class Work>
void with_size(unsigned n, const Work& work) {
  const auto try_size = [&]<unsigned size>(std::integral_constant<unsigned, size> known) {
    if (n == size) {
      work(known);
    }
  };
  try_size(std::integral_constant<unsigned, 4>{});
  try_size(std::integral_constant<unsigned, 8>{});
  try_size(std::integral_constant<unsigned, 12>{});
  try_size(std::integral_constant<unsigned, 16>{});
  try_size(std::integral_constant<unsigned, 20>{});
  try_size(std::integral_constant<unsigned, 24>{});
  try_size(std::integral_constant<unsigned, 28>{});
  try_size(std::integral_constant<unsigned, 32>{});
}

/// A contestant whose function solves problems first to last - 1; the arrays are the kernel's pointers in the order of its parameters.
template <class Solve>
Contestant peer(std::string name, Agreement agreement, Solve solve) {
  Contestant contestant;
  contestant.name = std::move(name);
  contestant.agreement = agreement;
  contestant.prepare = [solve](const Data& data, unsigned threads) -> std::expected<Run, std::string> {
    return [solve, &data, threads] {
      parallel(threads, data.batch(), 16,
               [&](std::uint64_t first, std::uint64_t last) { solve(data.pointers().data(), first, last, data.batch()); });
    };
  };
  return contestant;
}

}  // namespace lockstep::bench
