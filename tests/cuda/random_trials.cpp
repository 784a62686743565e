#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/cuda/trial.hpp"
#include "tests/unit/emit_llvm_random.hpp"

namespace lockstep::cuda_trial {

namespace {

using emit_llvm::trial::DefinedKernel;

/// Sizes that share a warp, fill one, fill parts of several, and fill several.
constexpr std::array<std::uint32_t, 12> sizes = {0, 4, 12, 16, 32, 5, 33, 0, 48, 8, 64, 31};

/// A pack, or a group alone: several packs may store different numbers into one cell, and which of them stays is not said.
std::uint64_t groups_of(const DefinedKernel& random) {
  const std::uint64_t pack = random.kernel().shape.wg_pack;
  return random.groups() >= pack ? pack : std::min<std::uint64_t>(random.groups(), 1);
}

/// Whether items change one cell atomically: what they find there depends on who comes first, which schedules and GPUs say in their own
/// ways.
bool has_meeting_items(const infreg::Kernel& kernel) {
  return std::ranges::any_of(kernel.regions, [](const infreg::Region& region) {
    return std::ranges::any_of(region.operations, [](const infreg::Operation& operation) {
      const auto* atomic = std::get_if<infreg::Atomic>(&operation.node);
      return atomic != nullptr && !atomic->place.index.mentions(infreg::Symbol::item());
    });
  });
}

}  // namespace

Trial random_trial(std::uint64_t seed) {
  DefinedKernel random(seed, 2 + seed % 5, 0, sizes[seed % sizes.size()]);
  random.make();
  if (has_meeting_items(random.kernel())) {
    return random_trial(seed + 1'000'000);
  }
  Trial trial;
  trial.name = fmt::format("random_{}", seed);
  trial.kernel = random.kernel();
  trial.arguments = random.arguments;
  trial.memory = random.memory;
  trial.groups = groups_of(random);
  trial.has_poison = true;
  trial.choices.picking = seed % 4 != 1;
  trial.choices.shuffling = seed % 4 != 2;
  return trial;
}

}  // namespace lockstep::cuda_trial
