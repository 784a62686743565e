// The module's entry.
#include <array>

#include "bench/suite/peers/peer.hpp"

namespace lockstep::bench {

namespace {

constexpr std::array<const PeerSource*, 7> sources = {&plain_gcc, &plain_clang, &libxsmm, &eigen, &openblas, &pocl, &ispc};

std::vector<PeerPresence> presence() {
  std::vector<PeerPresence> all;
  for (const PeerSource* source : sources) {
    all.push_back(source->presence());
  }
  return all;
}

std::vector<Contestant> contestants(const Task& task) {
  std::vector<Contestant> all;
  for (const PeerSource* source : sources) {
    source->add(task, all);
  }
  add_limits(task, all);
  return all;
}

}  // namespace

}  // namespace lockstep::bench

extern "C" const lockstep::bench::PeerModule* lockstep_bench_peers() {
#ifdef __AVX512F__
  if (__builtin_cpu_supports("avx512f") == 0) {
    return nullptr;
  }
#endif
  static const lockstep::bench::PeerModule module = {lockstep::bench::presence, lockstep::bench::contestants,
                                                     lockstep::bench::machine_figures};
  return &module;
}
