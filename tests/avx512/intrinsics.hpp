#pragma once
// The table of the intrinsics that the shim has. intrinsics.cpp is compiled twice: for the processor and for the shim.

#include <cstddef>
#include <span>

namespace lockstep::avx512_checks {

/// What a result's lanes are, for the comparison: any NaN is as good as another one, and an approximation need only be near.
enum class Lanes { Bits, Doubles, Floats, NearDoubles, NearFloats };

/// One intrinsic, with its immediate if it has one. `run` reads operands from `input`, 64 bytes for each one, at most `input_bytes` in all,
/// and writes `result_bytes` to `output`, or some of them if it is a store.
struct Intrinsic {
  const char* name;
  int immediate;  ///< -1: none
  Lanes lanes;
  std::size_t result_bytes;
  void (*run)(const std::byte* input, std::byte* output);
};

constexpr std::size_t input_bytes = 512;
constexpr std::size_t most_result_bytes = 256;

std::span<const Intrinsic> real_intrinsics();
std::span<const Intrinsic> shim_intrinsics();

}  // namespace lockstep::avx512_checks
