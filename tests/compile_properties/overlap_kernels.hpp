#pragma once
// Kernels that load through one pointer and store through another: what two or three pointers into one buffer are tried on.

#include <string_view>
#include <vector>

namespace lockstep::test {

/// Each has parameters `T *a`, `T *b` and perhaps `T *c` of one type T, then `int n`, which is 4, and is for groups of four items. A group
/// touches elements 0 to 23 of its block of 64, the blocks lying one behind the other, so that groups do not meet where the pointers are at
/// most 16 elements apart.
struct OverlapKernel {
  std::string_view name;
  std::string_view parameters;  ///< without n
  std::string_view body;        ///< behind `const T o = 64 * group, l = item`, T being size_t or int
};

const std::vector<OverlapKernel>& overlap_kernels();

}  // namespace lockstep::test
