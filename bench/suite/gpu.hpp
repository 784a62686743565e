#pragma once
// Times that bundles of the CUDA target have taken on a GPU (docs/cuda.md): as tables, and as the figures of the borG paper.

#include <expected>
#include <string>
#include <vector>

#include "bench/suite/suite.hpp"
#include "bench/suite/table.hpp"

namespace lockstep::bench {

struct GpuFile {
  std::string name;
  std::string text;  ///< a KERNEL.bench.json
};

/// A contestant of a bundle.
struct GpuTime {
  std::string name;  ///< "ours", "ours, WG_PACK 2", "ours, without staging", or a peer's
  double least = 0;  ///< nanoseconds a problem
  double median = 0;
  bool is_equal = false;  ///< the same bits as ours
};

/// What a bundle has measured.
struct GpuMeasured {
  std::string kernel;
  std::string real;
  std::uint64_t size = 0;
  std::uint64_t pack = 0;
  std::uint64_t problems = 0;
  std::string device;
  std::vector<GpuTime> times;  ///< ours is the first
};

/// By kernel, type and size, of one device. The error is a sentence that begins with a file's name.
std::expected<std::vector<GpuMeasured>, std::string> read_gpu_times(const std::vector<GpuFile>& files);

/// Each of them: each contestant beside ours.
std::string gpu_table(const std::vector<GpuMeasured>& all);

/// Those of kernels of examples/borg, and of loops.cl, as cases that figures() and ablations() take.
SuiteResult gpu_cases(const std::vector<GpuMeasured>& all);

/// Table 2 of the borG paper: how many times as fast we are as who else there is, in geometric means. Without such cases it has no rows.
Table gpu_speedups(const SuiteResult& cases);

}  // namespace lockstep::bench
