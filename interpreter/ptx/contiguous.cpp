#include "interpreter/ptx/contiguous.hpp"

// The loops are compiled for several generations of x86-64, and the loader picks one. They call nothing, so that none of that code can get
// into other files.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LOCKSTEP_CLONES
#endif

namespace lockstep::ptx_machine {

LOCKSTEP_CLONES bool ascend(const std::uint64_t* addresses, std::size_t count, std::uint64_t bytes) {
  const std::uint64_t first = addresses[0];
  std::uint64_t different = 0;
  for (std::size_t k = 0; k < count; ++k) {
    different |= (addresses[k] - first) ^ (k * bytes);
  }
  return different == 0;
}

LOCKSTEP_CLONES bool ascend(const std::uint32_t* addresses, std::size_t count, std::uint32_t bytes) {
  const std::uint32_t first = addresses[0];
  std::uint32_t different = 0;
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(count); ++k) {
    different |= (addresses[k] - first) ^ (k * bytes);
  }
  return different == 0;
}

}  // namespace lockstep::ptx_machine
