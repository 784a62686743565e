#pragma once
// Compiled kernels on disk, a file each. Files are written beside their place and renamed into it, so that nobody ever sees half of one;
// what is not exactly what was put there is taken for absent. Only files of our own that nobody else may write are believed: machine code
// is run.

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/compile/code.hpp"

namespace lockstep {

class KernelCache {
 public:
  /// The folder is made when something is kept. Empty: nothing is ever found or kept.
  KernelCache(std::string directory, std::uint64_t most_bytes) : directory_(std::move(directory)), most_bytes_(most_bytes) {}

  /// The kernel that was kept under this key, which counts as used by that.
  std::optional<KernelFile> find(const std::string& key) const;

  /// Keeps a kernel, in place of what had the key, and removes those unused for longest while there are more bytes than may be. Failing
  /// (no room, no permission) is nobody's fault and is not told.
  void keep(const std::string& key, const KernelFile& kernel) const;

  /// As CompileOptions::cache_directory says; empty if there is no place.
  static std::string default_directory();

 private:
  std::string path_of(const std::string& key) const;
  void shrink() const;

  std::string directory_;
  std::uint64_t most_bytes_;
};

}  // namespace lockstep
