// PoCL, which compiles OpenCL C by LLVM: an item for each problem, and of group-wise kernels also a group for each.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <map>
#include <memory>

#include "bench/compiled_workloads.hpp"
#include "bench/suite/kernel_text.hpp"
#include "bench/suite/peers/opencl_text.hpp"
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_OPENCL
namespace {

/// The platform's CPU device, if there is PoCL.
cl_device_id pocl_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) {
    return nullptr;
  }
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    char name[256] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_device_id device = nullptr;
    if (std::string_view(name).contains("Portable Computing Language") &&
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) {
      return device;
    }
  }
  return nullptr;
}

/// What failed, for the report: of a program what its compiler said.
struct OpenClFailure {
  std::string sentence;
};

void require(cl_int status, const char* what) {
  if (status != CL_SUCCESS) {
    throw OpenClFailure{fmt::format("{} fails with {}", what, status)};
  }
}

template <class T, cl_int (*release)(T)>
std::shared_ptr<std::remove_pointer_t<T>> owned(T handle) {
  return {handle, [](T h) { release(h); }};
}

/// A device with as many threads as are asked for.
struct Device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

Device make_device(unsigned threads) {
  Device device{pocl_device()};
  if (threads == 1) {
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    require(clCreateSubDevices(device.id, one, 1, &device.id, nullptr), "clCreateSubDevices");
  }
  cl_int status = CL_SUCCESS;
  device.context = clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  device.queue = clCreateCommandQueue(device.context, device.id, 0, &status);
  require(status, "clCreateCommandQueue");
  return device;
}

/// One thread, or all that there are. They stay: PoCL 3.1 crashes now and then if a queue goes right after the last launch, because its
/// threads still look at it.
const Device& device_with(unsigned threads) {
  static std::map<bool, Device> devices;
  const bool is_single = threads == 1;
  const auto found = devices.find(is_single);
  return found != devices.end() ? found->second : devices.emplace(is_single, make_device(threads)).first->second;
}

/// A kernel with its arguments. The buffers are the arrays themselves.
class Launch {
 public:
  Launch(const std::string& text, const std::string& options, std::string_view name, const Data& data, unsigned threads, std::size_t local,
         bool has_batch)
      : device_(device_with(threads)), local_(local) {
    cl_int status = CL_SUCCESS;
    const char* lines = text.c_str();
    program_ = owned<cl_program, clReleaseProgram>(clCreateProgramWithSource(device_.context, 1, &lines, nullptr, &status));
    require(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_.get(), 1, &device_.id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      char log[2000] = "";
      clGetProgramBuildInfo(program_.get(), device_.id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
      throw OpenClFailure{fmt::format("the kernel does not build: {}", log)};
    }
    kernel_ = owned<cl_kernel, clReleaseKernel>(clCreateKernel(program_.get(), std::string(name).c_str(), &status));
    require(status, "clCreateKernel");
    cl_uint k = 0;
    for (const Array& array : data.arrays()) {
      buffers_.push_back(owned<cl_mem, clReleaseMemObject>(
          clCreateBuffer(device_.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, array.bytes(), array.memory.data(), &status)));
      require(status, "clCreateBuffer");
      cl_mem handle = buffers_.back().get();
      require(clSetKernelArg(kernel_.get(), k++, sizeof(cl_mem), static_cast<void*>(&handle)), "clSetKernelArg");
    }
    if (has_batch) {
      const auto batch = static_cast<cl_uint>(data.batch());
      require(clSetKernelArg(kernel_.get(), k, sizeof batch, &batch), "clSetKernelArg");
    }
    const std::size_t items = has_batch ? data.batch() : data.batch() * local;
    global_ = (items + local - 1) / local * local;
  }

  void run() const {
    clEnqueueNDRangeKernel(device_.queue, kernel_.get(), 1, nullptr, &global_, &local_, 0, nullptr, nullptr);
    clFinish(device_.queue);
  }

 private:
  const Device& device_;
  std::shared_ptr<std::remove_pointer_t<cl_program>> program_;
  std::shared_ptr<std::remove_pointer_t<cl_kernel>> kernel_;
  std::vector<std::shared_ptr<std::remove_pointer_t<cl_mem>>> buffers_;
  std::size_t local_ = 1;
  std::size_t global_ = 1;
};

/// OpenCL C has no constant size of a group, and its id functions have an argument.
std::string text_of(const Task& task, bool is_group_per_problem) {
  const std::string names =
      "#define get_local_size(...) N\n#define get_local_id(...) get_local_id(0)\n"
      "#define get_group_id(...) get_group_id(0)\n#define get_global_id(...) get_global_id(0)\n";
  if (!info(task.kernel).is_group_wise) {
    return names + std::string(kernel_text(task.kernel));
  }
  if (!is_group_per_problem) {
    return std::string(item_per_problem[static_cast<std::size_t>(task.kernel)]);
  }
  switch (task.kernel) {
    case KernelId::Gemm:
      return opencl::gemm;
    case KernelId::Trsv:
      return opencl::trsv;
    case KernelId::Ldus:
      return opencl::ldus;
    default:
      return names + std::string(kernel_text(task.kernel));
  }
}

void add_launch(const Task& task, bool is_group_per_problem, std::vector<Contestant>& into) {
  // Items of a group where a problem is an item: enough for vectors, few enough for private memory to stay in the caches.
  constexpr std::size_t items_of_problems = 16;
  const std::size_t local = is_group_per_problem ? task.n : items_of_problems;
  Contestant contestant;
  contestant.name = is_group_per_problem ? "PoCL groups" : "PoCL";
  const bool is_exact = task.kernel == KernelId::Enumerate || task.kernel == KernelId::Frcg || task.kernel == KernelId::Gema;
  contestant.agreement = is_exact ? Agreement::Bits : Agreement::Bound;
  contestant.is_for_hot = false;  // a launch takes longer than such a batch
  contestant.prepare = [=](const Data& data, unsigned threads) -> std::expected<Run, std::string> {
    try {
      const std::string options = fmt::format("-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -D REAL={} -D N={}",
                                              lockstep::info(task.real).name, info(task.kernel).is_group_wise ? task.n : local);
      const auto launch = std::make_shared<Launch>(text_of(task, is_group_per_problem), options, info(task.kernel).name, data, threads,
                                                   local, !is_group_per_problem);
      return [launch] { launch->run(); };
    } catch (const OpenClFailure& failure) {
      return std::unexpected(failure.sentence);
    }
  };
  into.push_back(std::move(contestant));
}

void add_pocl(const Task& task, std::vector<Contestant>& into) {
  if (pocl_device() == nullptr) {
    return;
  }
  add_launch(task, false, into);
  if (info(task.kernel).is_group_wise) {
    add_launch(task, true, into);
  }
}

PeerPresence pocl_presence() {
  cl_device_id device = pocl_device();
  if (device == nullptr) {
    return {"PoCL", false, "no such OpenCL platform"};
  }
  char version[256] = "";
  char name[256] = "";
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version - 1, version, nullptr);
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
  return {"PoCL", true, fmt::format("{}, device {}", version, name)};
}

}  // namespace

const PeerSource pocl = {pocl_presence, add_pocl};
#else
const PeerSource pocl = {[] { return PeerPresence{"PoCL", false, "OpenCL was not found when this was built"}; },
                         [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
