#pragma once
// The group-wise kernels as users of OpenCL C write them: an item has a problem of its own, in private memory as far as it is used again.
// N and REAL are macros. (Those in which a group shares a problem are in bench/compiled_workloads.hpp.)

#include <array>
#include <string_view>

namespace lockstep::bench {

/// By the number of a KernelId.
inline constexpr std::array<std::string_view, 4> item_per_problem = {
    R"(
__kernel void gema(__global const REAL *a, __global const REAL *b, __global REAL *c, uint batch) {
  const size_t at = get_global_id(0) * N * N;
  if (get_global_id(0) < batch)
    for (int k = 0; k < N * N; ++k)
      c[at + k] = a[at + k] + b[at + k];
}
)",
    R"(
__kernel void gemm(__global const REAL *a, __global const REAL *b, __global REAL *c, uint batch) {
  const size_t at = get_global_id(0) * N * N;
  if (get_global_id(0) < batch)
    for (int i = 0; i < N; ++i) {
      REAL row[N];
      for (int j = 0; j < N; ++j)
        row[j] = 0;
      for (int k = 0; k < N; ++k)
        for (int j = 0; j < N; ++j)
          row[j] = row[j] + a[at + i * N + k] * b[at + k * N + j];
      for (int j = 0; j < N; ++j)
        c[at + i * N + j] = row[j];
    }
}
)",
    R"(
__kernel void trsv(__global const REAL *m, __global REAL *b, uint batch) {
  const size_t at = get_global_id(0) * N * N;
  const size_t at_b = get_global_id(0) * N;
  if (get_global_id(0) < batch) {
    REAL x[N];
    for (int i = 0; i < N; ++i)
      x[i] = b[at_b + i];
    for (int s = 0; s < N; ++s)
      for (int i = s + 1; i < N; ++i)
        x[i] = x[i] - m[at + i * N + s] * x[s];
    for (int i = 0; i < N; ++i)
      x[i] = x[i] / m[at + i * N + i];
    for (int s = N - 1; s >= 0; --s)
      for (int i = 0; i < s; ++i)
        x[i] = x[i] - m[at + i * N + s] * x[s];
    for (int i = 0; i < N; ++i)
      b[at_b + i] = x[i];
  }
}
)",
    R"(
__kernel void ldus(__global REAL *a, uint batch) {
  const size_t at = get_global_id(0) * N * N;
  if (get_global_id(0) < batch)
    for (int s = 0; s < N; ++s) {
      REAL pivot[N];
      for (int j = s; j < N; ++j)
        pivot[j] = a[at + s * N + j];
      for (int i = s + 1; i < N; ++i) {
        const REAL factor = a[at + i * N + s] / pivot[s];
        a[at + i * N + s] = factor;
        for (int j = s + 1; j < N; ++j)
          a[at + i * N + j] = a[at + i * N + j] - factor * pivot[j];
      }
      for (int j = s + 1; j < N; ++j)
        a[at + s * N + j] = pivot[j] / pivot[s];
    }
}
)"};

}  // namespace lockstep::bench
