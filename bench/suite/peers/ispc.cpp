// ISPC: kernels in SPMD style, spmd.ispc, one problem per program instance.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_ISPC
#include <array>

// spmd.ispc exports solve_REAL_N for each type and size; N is 0 for the item-wise kernels.
#define LOCKSTEP_SPMD(real, n) \
  extern "C" void spmd_##real##_##n(int32_t kernel, void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t batch);
#define LOCKSTEP_SPMD_SIZES(name, real) \
  name(real, 0) name(real, 4) name(real, 8) name(real, 12) name(real, 16) name(real, 20) name(real, 24) name(real, 28) name(real, 32)
LOCKSTEP_SPMD_SIZES(LOCKSTEP_SPMD, float)
LOCKSTEP_SPMD_SIZES(LOCKSTEP_SPMD, double)
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_ISPC
namespace {

using Solve = void (*)(std::int32_t kernel, void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t batch);

void add_ispc(const Task& task, std::vector<Contestant>& into) {
#define LOCKSTEP_SPMD_ENTRY(real, n) spmd_##real##_##n,
  static constexpr std::array<Solve, 9> of_float = {LOCKSTEP_SPMD_SIZES(LOCKSTEP_SPMD_ENTRY, float)};
  static constexpr std::array<Solve, 9> of_double = {LOCKSTEP_SPMD_SIZES(LOCKSTEP_SPMD_ENTRY, double)};
  const Solve solve = (task.real == ScalarType::Double ? of_double : of_float)[task.n / 4];
  const auto kernel = static_cast<std::int32_t>(task.kernel);
  into.push_back(
      peer("ISPC", Agreement::Bound, [solve, kernel](void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t batch) {
        solve(kernel, arrays, first, last, batch);
      }));
  if (task.kernel == KernelId::Enumerate || task.kernel == KernelId::Gema) {
    into.back().agreement = Agreement::Bits;
  }
}

}  // namespace

const PeerSource ispc = {[] { return PeerPresence{"ISPC", true, "-O3 --target=host"}; }, add_ispc};
#else
const PeerSource ispc = {[] { return PeerPresence{"ISPC", false, "no ispc on the PATH when this was built"}; },
                         [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
