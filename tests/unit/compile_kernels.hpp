#pragma once
// What the tests of lockstep::compile have in common.

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/compile/compile.hpp"

namespace lockstep::test {

/// A folder that is removed at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

  /// The names of what lies in it.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::string path_;
};

/// C = a * A + B, a matrix of WG_SIZE x WG_SIZE for each group.
inline const SourceFile scaled_sum("scaled_sum.cl", R"(
__kernel void scaled_sum(float a, __global const float *A, __global const float *B, __global float *C) {
  const size_t row = get_global_id() * get_local_size();
  for (int j = 0; j < get_local_size(); j += 1)
    C[row + j] = a * A[row + j] + B[row + j];
}
)");

/// Options that leave the disk alone.
inline CompileOptions without_cache(unsigned wg_size, unsigned wg_pack = 0, unsigned threads = 1) {
  CompileOptions options;
  options.wg_size = wg_size;
  options.wg_pack = wg_pack;
  options.threads = threads;
  options.level = 1;
  options.cache = false;
  return options;
}

}  // namespace lockstep::test
