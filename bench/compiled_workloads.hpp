#pragma once
// The kernels of bench_compiled, and what they are run on.

#include <cstring>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"

namespace lockstep::bench {

/// A kernel with a launch of it.
struct Workload {
  std::string name;
  std::string file;  ///< below examples/
  std::vector<std::pair<std::string, std::string>> defines;
  unsigned wg_size = 64;
  std::uint64_t groups = 1;
  launch::Arguments arguments;
  std::vector<ScalarType> types;  ///< of the parameters
  std::string opencl;             ///< plain OpenCL C that computes the same; empty: the file itself

  template <class T, class F>
  void add_buffer(ScalarType type, std::size_t count, F&& number) {
    launch::Buffer buffer{type, count, std::vector<std::byte>(count * sizeof(T)), {count}, {}};
    for (std::size_t k = 0; k < count; ++k) {
      const T value = static_cast<T>(number(k));
      std::memcpy(&buffer.bytes[k * sizeof(T)], &value, sizeof(T));
    }
    arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
    arguments.buffers.push_back(std::move(buffer));
    types.push_back(type);
  }
  template <class F>
  void add_reals(ScalarType type, std::size_t count, F&& number) {
    type == ScalarType::Float ? add_buffer<float>(type, count, number) : add_buffer<double>(type, count, number);
  }
  void add_number(ScalarType type, std::uint64_t bits) {
    arguments.values.emplace_back(ScalarBits{bits});
    types.push_back(type);
  }
};

/// The borG kernels, in plain OpenCL C where they use shuffle: the rows that others need go through __local memory.
namespace opencl {

inline constexpr const char* gemm = R"(
__kernel void gemm(__global const REAL *a, __global const REAL *b, __global REAL *c) {
  const size_t row = (get_group_id(0) * N + get_local_id(0)) * N;
  __local REAL all_b[N * N];
  REAL row_a[N];
  REAL row_c[N];
  for (int j = 0; j < N; j += 1) {
    row_a[j] = a[row + j];
    all_b[get_local_id(0) * N + j] = b[row + j];
    row_c[j] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < N; k += 1)
    for (int j = 0; j < N; j += 1)
      row_c[j] = row_c[j] + row_a[k] * all_b[k * N + j];
  for (int j = 0; j < N; j += 1)
    c[row + j] = row_c[j];
}
)";

inline constexpr const char* ldus = R"(
__kernel void ldus(__global REAL *a) {
  const int i = get_local_id(0);
  const size_t row = (get_group_id(0) * N + i) * N;
  __local REAL pivot[N];
  REAL row_a[N];
  for (int j = 0; j < N; j += 1)
    row_a[j] = a[row + j];
  for (int s = 0; s < N; s += 1) {
    if (i == s)
      for (int j = s; j < N; j += 1)
        pivot[j] = row_a[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > s)
      row_a[s] = row_a[s] / pivot[s];
    for (int j = s + 1; j < N; j += 1)
      if (i >= s)
        row_a[j] = i == s ? row_a[j] / pivot[s] : row_a[j] - row_a[s] * pivot[j];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int j = 0; j < N; j += 1)
    a[row + j] = row_a[j];
}
)";

inline constexpr const char* trsv = R"(
__kernel void trsv(__global const REAL *m, __global REAL *b) {
  const int i = get_local_id(0);
  const size_t element = get_group_id(0) * N + i;
  __local REAL solved[N];
  REAL row_m[N];
  REAL x = b[element];
  for (int j = 0; j < N; j += 1)
    row_m[j] = m[element * N + j];
  for (int s = 0; s < N; s += 1) {
    if (i == s)
      solved[s] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > s)
      x = x - row_m[s] * solved[s];
  }
  x = x / row_m[i];
  for (int s = N - 1; s >= 0; s -= 1) {
    if (i == s)
      solved[s] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < s)
      x = x - row_m[s] * solved[s];
  }
  b[element] = x;
}
)";

}  // namespace opencl

/// Off the diagonal between 0 and 1, on it heavy, so that nothing grows.
inline double matrix_element(std::size_t k, std::size_t n) {
  return static_cast<double>(k * 37 % 101) / 101 + (k % (n * n) % (n + 1) == 0 ? 2.0 * static_cast<double>(n) : 0.0);
}
inline double small_number(std::size_t k) { return static_cast<double>(k * 53 % 97) / 64 - 0.75; }

inline Workload matrix_kernel(const std::string& kernel, ScalarType real, unsigned n, std::uint64_t groups) {
  Workload w;
  w.name = kernel;
  w.file = "borg/" + kernel + ".cl";
  w.defines = {{"REAL", std::string(info(real).name)}};
  w.wg_size = n;
  w.groups = groups;
  const std::size_t all = groups * n * n;
  w.add_reals(real, all, [n](std::size_t k) { return matrix_element(k, n); });
  if (kernel == "trsv") {
    w.add_reals(real, groups * n, small_number);
  } else if (kernel != "ldus") {
    w.add_reals(real, all, small_number);
    w.add_reals(real, all, [](std::size_t) { return 0; });
  }
  w.opencl = kernel == "gemm" ? opencl::gemm : kernel == "ldus" ? opencl::ldus : kernel == "trsv" ? opencl::trsv : "";
  return w;
}

inline Workload item_kernel(const std::string& kernel, ScalarType real, unsigned wg_size, std::uint64_t groups) {
  Workload w;
  w.name = kernel;
  w.file = "borg/" + kernel + ".cl";
  w.defines = {{"REAL", std::string(info(real).name)}};
  w.wg_size = wg_size;
  w.groups = groups;
  const std::size_t batch = groups * wg_size;
  const auto zeros = [](std::size_t) { return 0; };
  if (kernel == "pade") {
    for (const std::size_t count : {std::size_t{6}, std::size_t{4}, batch, batch}) {
      w.add_reals(real, count, small_number);
    }
    for (const std::size_t count : {batch, 6 * batch, 4 * batch}) {
      w.add_reals(real, count, zeros);
    }
  } else if (kernel == "enumerate") {
    w.add_buffer<std::int32_t>(ScalarType::Int, 80, [](std::size_t k) { return k * 31 % 9; });
    w.add_reals(real, 10, small_number);
    w.add_reals(real, 8 * batch, [](std::size_t k) { return k * 29 % 23; });
    w.add_reals(real, batch, zeros);
    w.add_buffer<std::int32_t>(ScalarType::Int, batch, zeros);
  } else {
    for (int k = 0; k < 2; ++k) {
      w.add_reals(real, batch, [](std::size_t e) { return 1 + static_cast<double>(e % 7) / 8; });
    }
    for (int k = 0; k < 2; ++k) {
      w.add_reals(real, batch, small_number);
    }
  }
  w.add_number(ScalarType::UInt, batch);
  return w;
}

/// Plain OpenCL C of examples/core; not `rotate`, because OpenCL has a function of that name.
inline std::vector<Workload> core_kernels() {
  const auto floats = [](Workload& w, std::size_t count) { w.add_reals(ScalarType::Float, count, small_number); };
  const auto start = [](const std::string& name, unsigned wg_size, std::uint64_t groups) {
    Workload w;
    w.name = name;
    w.file = "core/" + name + ".cl";
    w.wg_size = wg_size;
    w.groups = groups;
    return w;
  };
  std::vector<Workload> all;
  Workload vecadd = start("vecadd", 256, 1024);
  for (int k = 0; k < 3; ++k) {
    floats(vecadd, 256 * 1024);
  }
  all.push_back(std::move(vecadd));
  Workload saxpy = start("saxpy", 256, 1024);
  saxpy.add_number(ScalarType::Float, 0x40200000);  // 2.5
  floats(saxpy, 256 * 1024);
  floats(saxpy, 256 * 1024);
  saxpy.add_number(ScalarType::UInt, 256 * 1024 - 5);
  all.push_back(std::move(saxpy));
  for (const char* name : {"sgemm_naive", "sgemm_tiled"}) {
    constexpr unsigned n = 128;
    Workload w = start(name, 256, n * n / 256);
    for (int k = 0; k < 3; ++k) {
      floats(w, std::size_t{n} * n);
    }
    w.add_number(ScalarType::UInt, n);
    all.push_back(std::move(w));
  }
  Workload collatz = start("collatz", 256, 64);
  collatz.add_buffer<std::uint32_t>(ScalarType::UInt, 256 * 64, [](std::size_t) { return 0; });
  all.push_back(std::move(collatz));
  return all;
}

}  // namespace lockstep::bench
