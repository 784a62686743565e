#include "bench/cuda/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::bench {

using ptx_machine::IssueClass;

Cost cost_of(IssueClass one) {
  switch (one) {
    case IssueClass::Integer:
    case IssueClass::Compare:
    case IssueClass::Select:
    case IssueClass::Predicate:
    case IssueClass::Convert:
      return {1, 1, 0, 0, 0};
    case IssueClass::Integer64:
    case IssueClass::Select64:
      return {2, 2, 0, 0, 0};
    case IssueClass::Half:
    case IssueClass::Float:
      return {1, 0, 1, 0, 0};
    case IssueClass::Double:
    case IssueClass::CompareDouble:
      return {1, 0, 0, 1, 0};
    case IssueClass::DivideFloat:  // a reciprocal, two rounds of Newton's, a correction, and a test for what is too large or too small
      return {10, 1, 8, 0, 1};
    case IssueClass::DivideDouble:
      return {18, 6, 0, 10, 1};
    case IssueClass::DivideInteger:
      return {20, 16, 0, 0, 2};
    case IssueClass::ConvertDouble:
      return {1, 0, 0, 0, 1};
    case IssueClass::Control:
    case IssueClass::Shuffle:
    case IssueClass::Vote:
    case IssueClass::Meeting:
    case IssueClass::Load:
    case IssueClass::Store:
    case IssueClass::Atomic:
    case IssueClass::Other:
      return {1, 0, 0, 0, 0};
    case IssueClass::Move:       // another name
    case IssueClass::Parameter:  // an operand
      break;
  }
  return {0, 0, 0, 0, 0};
}

namespace {

double transactions(const ptx_machine::Counts::Accesses& accesses) {
  return static_cast<double>(accesses.loads.transactions + accesses.stores.transactions);
}

/// Cycles that the first cache takes for accesses: four sectors at a time, one instruction at a time, and line by line.
double cache_cycles(const ptx_machine::Counts::Accesses& accesses) {
  const auto of = [](const ptx_machine::AccessCount& count) {
    return std::max({static_cast<double>(count.instructions), static_cast<double>(count.transactions) / 4,
                     line_cycles * static_cast<double>(count.lines)});
  };
  return of(accesses.loads) + of(accesses.stores);
}

double warps_there(const Counted& counted, const Gpu& gpu) {
  const double registers = std::min(std::ceil((counted.live.words + registers_besides) / 8) * 8, most_registers + 1);
  double blocks = std::floor(registers_of_multiprocessor / (registers * warp_lanes * counted.warps_of_block));
  blocks = std::min(blocks, std::floor(most_warps / counted.warps_of_block));
  if (counted.shared_bytes > 0) {
    blocks = std::min(blocks, std::floor(gpu.shared_bytes / static_cast<double>(counted.shared_bytes + 1024)));
  }
  return std::max(blocks, 1.0) * counted.warps_of_block;
}

/// Sectors that warps read again although they have touched more since than a cache of these bytes keeps for each of them.
double lost(const ptx_machine::Counts& counts, double bytes, double warps) {
  const double kept = bytes / static_cast<double>(ptx_machine::sector_bytes) / warps;
  double all = 0;
  for (std::size_t k = 1; k < counts.again.size(); ++k) {
    all += std::exp2(static_cast<double>(k)) > kept ? static_cast<double>(counts.again[k]) : 0;
  }
  return all;
}

}  // namespace

Estimate estimate(const Counted& counted, const Gpu& gpu) {
  Cost all{};
  for (std::size_t k = 0; k < ptx_machine::issue_classes; ++k) {
    const auto times = static_cast<double>(counted.counts.issued[k]);
    const Cost one = cost_of(static_cast<IssueClass>(k));
    all.slots += times * one.slots;
    all.integers += times * one.integers;
    all.floats += times * one.floats;
    all.doubles += times * one.doubles;
    all.specials += times * one.specials;
  }
  const double arithmetic = std::max({all.integers / gpu.integer_lanes, all.floats / gpu.float_lanes, all.doubles / gpu.double_lanes,
                                      all.specials / gpu.special_lanes}) *
                            warp_lanes;
  const auto shuffles = static_cast<double>(counted.counts.of(IssueClass::Shuffle) + counted.counts.of(IssueClass::Vote));
  const double passes = transactions(counted.counts.shared);
  const double accesses = cache_cycles(counted.counts.global) + cache_cycles(counted.counts.local);
  const double moved = shuffles + passes + accesses;
  const std::string_view mover = shuffles >= std::max(passes, accesses) ? "shuffles" : passes >= accesses ? "shared" : "accesses";
  Estimate result;
  result.warps = warps_there(counted, gpu);
  constexpr double sector = ptx_machine::sector_bytes;
  const auto read = static_cast<double>(counted.counts.sectors_read);
  const double near = gpu.near_bytes - static_cast<double>(counted.shared_bytes) * result.warps / counted.warps_of_block;
  const double memory =
      sector *
      (read + lost(counted.counts, std::max(near, gpu.far_bytes), result.warps) + static_cast<double>(counted.counts.sectors_written)) /
      gpu.memory_bytes;
  const double second_cache =
      sector * (read + lost(counted.counts, near, result.warps) + static_cast<double>(counted.counts.global.stores.transactions)) /
      gpu.cache_bytes;
  const double waits = std::max(1.0, warps_wanted / result.warps);
  result.busy = waits * std::max({moved, arithmetic, all.slots / schedulers});
  double cycles = 0;
  for (const auto& [time, name] : {std::pair(memory, std::string_view("memory")), std::pair(second_cache, std::string_view("second cache")),
                                   std::pair(waits * moved, mover), std::pair(waits * arithmetic, std::string_view("arithmetic")),
                                   std::pair(waits * all.slots / schedulers, std::string_view("issue"))}) {
    if (time > cycles) {
      cycles = time;
      result.limit = name;
    }
  }
  result.nanoseconds = cycles / gpu.gigahertz / gpu.multiprocessors / counted.problems;
  return result;
}

}  // namespace lockstep::bench
