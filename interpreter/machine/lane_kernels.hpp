#pragma once
// Loops over lanes, compiled once for each instruction set that the host may have and chosen at start. They are the only
// code of the machine that depends on the processor, and know nothing of thread sets beyond masks.

#include <cstddef>
#include <cstdint>

#include "semantics/ops/op.hpp"

namespace lockstep {

/// Lane arrays are 64-byte aligned and padded to a multiple of this many lanes; kernels run over the padding as well.
inline constexpr std::size_t lane_padding = 8;

constexpr std::size_t padded_lanes(unsigned width) { return (width + lane_padding - 1) / lane_padding * lane_padding; }

/// dst[t] := op(a[t], b[t], c[t]) for the `lanes` lanes; b and c are not read by operations that take fewer operands.
using LaneKernel = void (*)(std::int64_t* dst, const std::int64_t* a, const std::int64_t* b, const std::int64_t* c, std::size_t lanes);

/// The same where mask[t] is all ones; lanes with mask[t] = 0 keep dst[t].
using MaskedLaneKernel = void (*)(std::int64_t* dst, const std::int64_t* a, const std::int64_t* b, const std::int64_t* c,
                                  const std::int64_t* mask, std::size_t lanes);

/// bits of words[0 … (lanes+63)/64): bit t is set where the kernel's question about value[t] has the answer yes.
using TestKernel = void (*)(std::uint64_t* words, const std::int64_t* value, std::int64_t argument, std::size_t lanes);

/// The kernels of one instruction set.
struct LaneKernels {
  const char* name;                ///< "x86-64-v4"
  LaneKernel op[op_table.size()];  ///< indexed by Op
  MaskedLaneKernel masked[op_table.size()];
  LaneKernel copy;               ///< dst := a, which need not be aligned, only readable up to the padding
  MaskedLaneKernel masked_copy;  ///< likewise
  TestKernel equal_to;           ///< value[t] = argument
  TestKernel below;              ///< value[t] < argument
  TestKernel index_below;        ///< 0 <= value[t] < argument
  /// whether value[t] = value[0] + t (modulo 2^64) for every t
  bool (*ascending)(const std::int64_t* value, std::size_t lanes);
  /// mask[t] := all ones where bit t of words is set, else 0
  void (*expand)(std::int64_t* mask, const std::uint64_t* words, std::size_t lanes);
  /// dst[t] := table[index[t]]; every index lies in the table
  void (*permute)(std::int64_t* dst, const std::int64_t* table, const std::int64_t* index, std::size_t lanes);
};

/// The best kernels that this processor runs.
const LaneKernels& lane_kernels();

}  // namespace lockstep
