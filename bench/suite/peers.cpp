#include "bench/suite/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace lockstep::bench {

namespace {

std::string found_module() {
  std::error_code error;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path beside = command / "lockstep_peers.so";
  return std::filesystem::exists(beside, error) ? beside : command.parent_path() / "lib" / "lockstep" / "lockstep_peers.so";
}

}  // namespace

std::expected<const PeerModule*, std::string> load_peers(const std::string& path) {
  const std::string file = path.empty() ? found_module() : path;
  // One thread a call: the suite has threads of its own.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);  // whatever was set for this shell: the others have AVX512 as well
  }
#endif
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return std::unexpected(fmt::format("the peers and the machine's limits are missing (a build with LOCKSTEP_BUILD_BENCH makes them): {}",
                                       why == nullptr ? file : why));
  }
  using EntryPoint = const PeerModule* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, peer_module_entry));
  if (entry == nullptr) {
    return std::unexpected(fmt::format("{} is no module of peers", file));
  }
  const PeerModule* const module = entry();
  if (module == nullptr) {
    return std::unexpected(fmt::format("{} was built for a processor with AVX512, which this one is not: build it here", file));
  }
  return module;
}

}  // namespace lockstep::bench
