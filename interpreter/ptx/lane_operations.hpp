#pragma once
// What the computing instructions of PTX (Kind::Compute) do to rows: one element for each thread of a block, back to back. An element is as
// wide as its register: 1 byte for predicates, the carry flag (0 or 1) and .b8, else 2, 4 or 8. What an operation computes stands in
// semantics/ptx/operations; here are the loops, and which one an instruction needs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

/// The rows of one instruction. A destination may be one of the sources, and never overlaps one otherwise.
struct LaneRows {
  /// Of the operands that are written (the carry flag too), in the form's order; null of one that is absent or `_`.
  std::array<void*, 2> to{};
  /// Of the operands that are read (numbers and the carry flag too), in the form's order. A number is a row that has it in every lane.
  std::array<const void*, 5> from{};
};

/// What a function has to know beside its rows; each function says of what.
using LaneNumbers = std::array<std::uint64_t, 6>;

/// Writes lanes 0 … lanes-1, which is a multiple of 64, whatever the operands are: nothing traps. Rows are 64-byte aligned.
using LaneFunction = void (*)(const LaneRows& rows, const LaneNumbers& numbers, std::size_t lanes);

/// Bit t of words[0 … lanes/64) is whether PTX leaves open what lane t of the result is.
using LaneTest = void (*)(std::uint64_t* words, const LaneRows& rows, std::size_t lanes);

/// In which lanes PTX leaves the result open.
enum class Unspecified : std::uint8_t {
  Nowhere,
  Everywhere,  ///< an approximation, or a sum or product that may be contracted
  Somewhere,   ///< where LaneOperation::test says
};

struct LaneOperation {
  LaneFunction function = nullptr;
  LaneNumbers numbers{};
  Unspecified unspecified = Unspecified::Nowhere;
  LaneTest test = nullptr;  ///< only where it is Somewhere

  void operator()(const LaneRows& rows, std::size_t lanes) const { function(rows, numbers, lanes); }
};

struct LaneKernels;

/// What `instruction` of a function with these registers computes. None if it is not of Kind::Compute.
std::optional<LaneOperation> lane_operation(const ptx::resolved::Instruction& instruction,
                                            std::span<const ptx::resolved::RegisterInfo> registers);
/// The same with the kernels of one instruction set (lane_kernels.hpp).
std::optional<LaneOperation> lane_operation(const ptx::resolved::Instruction& instruction,
                                            std::span<const ptx::resolved::RegisterInfo> registers, const LaneKernels& kernels);

}  // namespace lockstep::ptx_machine
