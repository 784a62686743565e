#pragma once
// Loops over typed lanes, compiled once for each instruction set that the host may have and chosen at start. Lane arrays hold one
// number of a scalar type per lane, back to back, 64-byte aligned and padded to a multiple of lane_padding lanes.
//
// `op`, `convert`, `misfit`, `misdivided`, `zero` and `holds` are the functions of semantics/ops/scalar.hpp in a loop. The others move
// lanes and ask about them, and are written by hand; tests/unit/launch_lanes_test.cpp holds each of them against a plain loop.

#include <array>
#include <cstddef>
#include <cstdint>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::launch {

inline constexpr std::size_t lane_padding = 16;
inline constexpr std::size_t type_count = scalar_table.size();

constexpr std::size_t padded_lanes(std::size_t lanes) { return (lanes + lane_padding - 1) / lane_padding * lane_padding; }

/// dst[t] := op(a[t], b[t], c[t]) for t < lanes; operands that the operation does not have are not read. dst may be an operand.
using OpKernel = void (*)(void* dst, const void* a, const void* b, const void* c, std::size_t lanes);
/// dst[t] := a[t] converted.
using ConvertKernel = void (*)(void* dst, const void* a, std::size_t lanes);
/// Bit t of words[0 … (lanes+63)/64) is the answer for lane t.
using TestKernel = void (*)(std::uint64_t* words, const void* a, std::size_t lanes);
using TestPairKernel = void (*)(std::uint64_t* words, const void* a, const void* b, std::size_t lanes);
/// out[t] := base + index[t] if that lies in 0 … limit-1, else 0; true if it does in every lane.
using ResolveKernel = bool (*)(std::uint32_t* out, const void* index, std::int64_t base, std::uint32_t limit, std::size_t lanes);

/// The kernels of one instruction set. Tables by size have 1, 2, 4 and 8 bytes at 0 to 3 (size_index).
struct LaneKernels {
  const char* name;                                                       ///< "v4"
  std::array<std::array<OpKernel, type_count>, op_count> op;              ///< by Op and operand type; null where the type is not taken
  std::array<std::array<ConvertKernel, type_count>, type_count> convert;  ///< from, to
  std::array<std::array<TestKernel, type_count>, type_count> misfit;      ///< from, to: a conversion is undefined; null: never
  std::array<TestPairKernel, type_count> misdivided;                      ///< an integer division is undefined; null for floats
  std::array<TestKernel, type_count> zero;                                ///< a == 0
  std::array<std::array<TestPairKernel, type_count>, op_count> holds;     ///< of comparisons; null for other operations
  std::array<ResolveKernel, type_count> resolve;                          ///< null for floats
  /// dst[t] := a[0]
  std::array<void (*)(void* dst, const void* a, std::size_t lanes), 4> splat;
  /// dst[t] := a[t] where mask[t] is 0xff; mask[t] is 0 elsewhere
  std::array<void (*)(void* dst, const void* a, const std::uint8_t* mask, std::size_t lanes), 4> blend;
  /// dst[t] := table[index[t]]
  std::array<void (*)(void* dst, const void* table, const std::uint32_t* index, std::size_t lanes), 4> gather;
  /// dst[t] := table[index[t] * row + t]
  std::array<void (*)(void* dst, const void* table, const std::uint32_t* index, std::uint32_t row, std::size_t lanes), 4> gather_rows;
  /// whether index[t] = index[0] + t for every t
  bool (*ascending)(const std::uint32_t* index, std::size_t lanes);
  /// whether a[t] = a[0] for every t where mask[t] is 0xff, a[first] being one of them (8-byte lanes)
  bool (*all_equal)(const std::uint64_t* a, std::uint64_t value, const std::uint8_t* mask, std::size_t lanes);
  /// mask[t] := 0xff where bit t of words is set, else 0
  void (*expand)(std::uint8_t* mask, const std::uint64_t* words, std::size_t lanes);
};

constexpr std::size_t size_index(unsigned size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }

/// The best kernels that this processor runs.
const LaneKernels& lane_kernels();

}  // namespace lockstep::launch
