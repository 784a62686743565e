// A libcuda.so.1 whose device is the PTX machine: as much of CUDA's driver interface as ptx_hardware calls. With it the program is tried
// where there is no GPU.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/ptx/machine.hpp"

using namespace lockstep;

namespace {

constexpr int failed = 1;    // CUDA_ERROR_INVALID_VALUE
constexpr int no_ptx = 218;  // CUDA_ERROR_INVALID_PTX
constexpr int fault = 700;   // CUDA_ERROR_ILLEGAL_ADDRESS

/// Memory of the device by its addresses.
std::map<std::uint64_t, std::vector<std::byte>>& device_memory() {
  static std::map<std::uint64_t, std::vector<std::byte>> all;
  return all;
}

struct Kernel {
  const test::PtxFile* file;
  const ptx::resolved::Function* function;
};

/// The arguments of a launch, with the buffers that pointers among them point to.
ptx_machine::Arguments arguments_of(const ptx::resolved::Function& function, void** parameters, std::vector<std::uint64_t>& addresses) {
  ptx_machine::Arguments arguments;
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    std::uint64_t bits = 0;
    const std::uint64_t bytes = function.variables.at(k).bytes;
    std::memcpy(&bits, parameters[k], std::min<std::uint64_t>(bytes, sizeof bits));
    // The last buffer that begins there or in front of it; a pointer may point behind its last byte.
    const auto behind = device_memory().upper_bound(bits);
    const auto found = behind == device_memory().begin() ? device_memory().end() : std::prev(behind);
    if (bytes != sizeof bits || found == device_memory().end() || bits - found->first > found->second.size()) {
      test::add_scalar(arguments, bits, static_cast<unsigned>(bytes));
      continue;
    }
    const auto number = static_cast<std::size_t>(std::ranges::find(addresses, found->first) - addresses.begin());
    arguments.values.emplace_back(BufferNumber{number, bits - found->first});
    if (number == addresses.size()) {
      addresses.push_back(found->first);
      arguments.buffers.push_back({ScalarType::UChar, found->second.size(), found->second, {found->second.size()}, {}});
    }
  }
  return arguments;
}

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) { return 0; }
int cuDriverGetVersion(int* version) {
  *version = 0;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int /*number*/) {
  *device = 0;
  return 0;
}
int cuDeviceGetName(char* name, int size, int /*device*/) {
  std::snprintf(name, static_cast<std::size_t>(size), "the PTX machine");
  return 0;
}
int cuDeviceGetAttribute(int* value, int /*attribute*/, int /*device*/) {
  *value = 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
  *context = nullptr;
  return 0;
}
int cuCtxSetCurrent(void* /*context*/) { return 0; }
int cuCtxSynchronize() { return 0; }

int cuModuleLoadDataEx(void** module, const void* image, unsigned /*count*/, int* /*options*/, void** values) {
  try {
    *module = new test::PtxFile(test::read_ptx("case.ptx", static_cast<const char*>(image)));
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(static_cast<char*>(values[0]), reinterpret_cast<std::size_t>(values[1]), "%s", error.what());
    return no_ptx;
  }
}
int cuModuleUnload(void* module) {
  delete static_cast<test::PtxFile*>(module);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  static std::vector<std::unique_ptr<Kernel>> kernels;
  const auto* file = static_cast<const test::PtxFile*>(module);
  const auto* found = file->resolved.function(name);
  kernels.push_back(std::make_unique<Kernel>(Kernel{file, found}));
  *function = kernels.back().get();
  return found != nullptr ? 0 : failed;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  static std::uint64_t next = 0x7000000000;
  *address = next;
  next += 0x1000000;
  device_memory()[*address].resize(bytes);
  return 0;
}
int cuMemFree_v2(std::uint64_t address) { return device_memory().erase(address) == 1 ? 0 : failed; }
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  const auto found = device_memory().find(to);
  if (found == device_memory().end() || bytes > found->second.size()) {
    return failed;
  }
  std::copy_n(static_cast<const std::byte*>(from), bytes, found->second.begin());
  return 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  const auto found = device_memory().find(from);
  if (found == device_memory().end() || bytes > found->second.size()) {
    return failed;
  }
  std::copy_n(found->second.begin(), bytes, static_cast<std::byte*>(to));
  return 0;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared, void* /*stream*/, void** parameters, void** /*extra*/) {
  const auto& kernel = *static_cast<const Kernel*>(function);
  std::vector<std::uint64_t> addresses;
  ptx_machine::Arguments arguments = arguments_of(*kernel.function, parameters, addresses);
  ptx_machine::LaunchOptions options;
  options.geometry = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}};
  options.shared_bytes = shared;
  try {
    test::run_ptx(*kernel.file, kernel.function->name, arguments, options);
  } catch (const std::exception&) {
    return fault;
  }
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    device_memory()[addresses[k]] = arguments.buffers[k].bytes;
  }
  return 0;
}

int cuGetErrorName(int result, const char** name) {
  *name = result == no_ptx ? "CUDA_ERROR_INVALID_PTX" : result == fault ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
}
