#pragma once
// What stands around the device functions of a kernel: shared memory, the kernel of the grid, and the entry points for hosts.

#include <cstdint>
#include <string>

#include "codegen/emit/c/names.hpp"
#include "codegen/emit/cuda/geometry.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// How a grid runs a kernel's packs.
struct Launch {
  std::string symbol;
  Geometry geometry;
  unsigned warps = 1;             ///< of a block
  std::uint64_t stage_bytes = 0;  ///< of shared memory, for what items hand to one another
  bool has_tiles = false;         ///< for which all slots of a warp meet
};

/// "const double *m, uint32_t n, ": the parameters of device functions, in front of others.
std::string device_parameters(const infreg::Kernel& kernel, const emit_c::Names& names);
/// "m, n, "
std::string arguments(const emit_c::Names& names);
/// The parameters of the function that runs a pack, where those that the kernel never uses are marked.
std::string pack_parameters(const infreg::Kernel& kernel, const emit_c::Names& names);

/// The __local objects of a pack and what reorderings go through, as a struct; empty if there is nothing.
std::string shared_struct(const infreg::Kernel& kernel, const emit_c::Names& names, const Launch& launch);
/// A `__constant` object outside of functions.
std::string constant_name(const std::string& symbol, const std::string& object);
/// Those objects.
std::string constant_objects(const infreg::Kernel& kernel, const emit_c::Names& names, const Launch& launch);
std::string grid_kernel(const infreg::Kernel& kernel, const emit_c::Names& names, const Launch& launch);
std::string host_entries(const infreg::Kernel& kernel, const emit_c::Names& names, const Launch& launch);
std::string host_header(const infreg::Kernel& kernel, const emit_c::Names& names, const Launch& launch);

}  // namespace lockstep::emit_cuda
