#pragma once
// What we need of CUDA's driver interface, declared by hand and found at run time, so that nothing of CUDA is needed to build.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

namespace lockstep::hardware {

using Result = int;  ///< 0: success
using Device = int;
using Context = void*;
using Module = void*;
using Function = void*;
using Address = std::uint64_t;

/// Entry points of libcuda.so.1, under the names that the library exports.
struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_version)(int* version) = nullptr;
  Result (*device_count)(int* count) = nullptr;
  Result (*device)(Device* device, int number) = nullptr;
  Result (*device_name)(char* name, int size, Device device) = nullptr;
  Result (*device_attribute)(int* value, int attribute, Device device) = nullptr;
  Result (*retain_context)(Context* context, Device device) = nullptr;
  Result (*set_context)(Context context) = nullptr;
  Result (*load_module)(Module* module, const void* image, unsigned count, int* options, void** values) = nullptr;
  Result (*unload_module)(Module module) = nullptr;
  Result (*find_function)(Function* function, Module module, const char* name) = nullptr;
  Result (*allocate)(Address* address, std::size_t bytes) = nullptr;
  Result (*free)(Address address) = nullptr;
  Result (*copy_to)(Address to, const void* from, std::size_t bytes) = nullptr;
  Result (*copy_from)(void* to, Address from, std::size_t bytes) = nullptr;
  Result (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void* stream, void** parameters, void** extra) = nullptr;
  Result (*synchronize)() = nullptr;
  Result (*error_name)(Result result, const char** name) = nullptr;
};

/// The error is a sentence: there is no driver here, or it is too old.
std::expected<Driver, std::string> open_driver();

}  // namespace lockstep::hardware
