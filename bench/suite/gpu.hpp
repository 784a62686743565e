#pragma once
// Times that bundles of the CUDA target have taken on a GPU (docs/cuda.md), as a table.

#include <expected>
#include <string>
#include <vector>

namespace lockstep::bench {

struct GpuFile {
  std::string name;
  std::string text;  ///< a KERNEL.bench.json
};

/// All of them, by kernel, type and size; each contestant beside ours. The error is a sentence that begins with a file's name.
std::expected<std::string, std::string> gpu_table(const std::vector<GpuFile>& files);

}  // namespace lockstep::bench
