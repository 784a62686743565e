#include "tests/ptx/hardware/driver.hpp"

#include <dlfcn.h>

namespace lockstep::hardware {

std::expected<Driver, std::string> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return std::unexpected("libcuda.so.1 is not there: NVIDIA's driver is not installed");
  }
  Driver driver;
  std::string missing;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr && missing.empty()) {
      missing = name;
    }
  };
  find(driver.init, "cuInit");
  find(driver.driver_version, "cuDriverGetVersion");
  find(driver.device_count, "cuDeviceGetCount");
  find(driver.device, "cuDeviceGet");
  find(driver.device_name, "cuDeviceGetName");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.retain_context, "cuDevicePrimaryCtxRetain");
  find(driver.set_context, "cuCtxSetCurrent");
  find(driver.load_module, "cuModuleLoadDataEx");
  find(driver.unload_module, "cuModuleUnload");
  find(driver.find_function, "cuModuleGetFunction");
  find(driver.allocate, "cuMemAlloc_v2");
  find(driver.free, "cuMemFree_v2");
  find(driver.copy_to, "cuMemcpyHtoD_v2");
  find(driver.copy_from, "cuMemcpyDtoH_v2");
  find(driver.launch, "cuLaunchKernel");
  find(driver.synchronize, "cuCtxSynchronize");
  find(driver.error_name, "cuGetErrorName");
  if (!missing.empty()) {
    return std::unexpected("libcuda.so.1 has no " + missing + ": the driver is too old");
  }
  return driver;
}

}  // namespace lockstep::hardware
