#include "semantics/infreg/evaluate.hpp"

#include "semantics/infreg/evaluate_rules.hpp"
#include "semantics/infreg/machine_domain.hpp"
#include "semantics/infreg/with_pack.hpp"

namespace lockstep::infreg {

namespace {

/// Groups [first, last) in full packs.
void run_packs(const Kernel& kernel, std::uint64_t first, std::uint64_t last, std::span<const Argument> arguments,
               std::vector<Buffer>& buffers, const EvaluateOptions& options, Progress& progress) {
  if (first == last || progress.stopped) {
    return;
  }
  MachineDomain domain(kernel, arguments, buffers, options, progress);
  Evaluation evaluation(kernel, domain, options.groups);
  for (std::uint64_t group = first; group < last && !progress.stopped; group += kernel.shape.wg_pack) {
    if (domain.begin_pack(group)) {
      evaluation.run_pack(group);
    }
  }
}

}  // namespace

Buffer make_buffer(ScalarType type, std::uint64_t count) {
  return {type, count, std::vector<std::byte>(count * size_of(type)), std::vector<std::uint8_t>(count)};
}

Outcome evaluate(const Kernel& kernel, std::span<const Argument> arguments, std::vector<Buffer>& buffers, const EvaluateOptions& options) {
  Progress progress;
  const std::uint64_t in_packs = options.groups - options.groups % kernel.shape.wg_pack;
  run_packs(kernel, 0, in_packs, arguments, buffers, options, progress);
  if (in_packs != options.groups) {
    run_packs(with_pack(kernel, 1), in_packs, options.groups, arguments, buffers, options, progress);
  }
  Outcome outcome{Finished{}, progress.lane_operations};
  if (progress.stopped) {
    std::visit([&](auto& end) { outcome.end = std::move(end); }, *progress.stopped);
  }
  return outcome;
}

}  // namespace lockstep::infreg
