#include "tests/opencl/device.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

namespace lockstep::test {

struct OpenClDevice::Handles {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::string name;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if (queue != nullptr) {
      clReleaseCommandQueue(queue);
    }
    if (context != nullptr) {
      clReleaseContext(context);
    }
  }
};

namespace {

void require(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) {
    throw OpenClError(what + " fails with " + std::to_string(status));
  }
}

/// A program, kernel or memory object, released at the end of its scope.
template <class T, cl_int (*release)(T)>
class Owned {
 public:
  explicit Owned(T handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != nullptr) {
      release(handle_);
    }
  }
  T get() const { return handle_; }

 private:
  T handle_;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string platform_name(cl_platform_id platform) {
  char name[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  return name;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log;
}

}  // namespace

OpenClDevice::OpenClDevice(std::shared_ptr<Handles> handles) : handles_(std::move(handles)) {}

const std::string& OpenClDevice::name() const { return handles_->name; }

std::optional<OpenClDevice> OpenClDevice::find(const std::string& platform) {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    return std::nullopt;
  }
  std::vector<cl_platform_id> platforms(count);
  require(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  const auto found = std::find_if(platforms.begin(), platforms.end(),
                                  [&](cl_platform_id p) { return platform_name(p).find(platform) != std::string::npos; });
  auto handles = std::make_shared<Handles>();
  if (found == platforms.end() || clGetDeviceIDs(*found, CL_DEVICE_TYPE_ALL, 1, &handles->device, nullptr) != CL_SUCCESS) {
    return std::nullopt;
  }
  char device[256] = "";
  clGetDeviceInfo(handles->device, CL_DEVICE_NAME, sizeof device - 1, device, nullptr);
  handles->name = platform_name(*found) + ": " + device;
  cl_int status = CL_SUCCESS;
  handles->context = clCreateContext(nullptr, 1, &handles->device, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  handles->queue = clCreateCommandQueue(handles->context, handles->device, 0, &status);
  require(status, "clCreateCommandQueue");
  return OpenClDevice(std::move(handles));
}

double OpenClDevice::run(const std::string& text, const std::string& defines, const std::string& kernel, launch::Arguments& arguments,
                         const std::vector<ScalarType>& types, unsigned wg_size, std::uint64_t groups, unsigned warm_ups) {
  cl_int status = CL_SUCCESS;
  const std::string source = "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n" + text;
  const char* lines = source.c_str();
  const Owned<cl_program, clReleaseProgram> program(clCreateProgramWithSource(handles_->context, 1, &lines, nullptr, &status));
  require(status, "clCreateProgramWithSource");
  const std::string options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt " + defines;
  if (clBuildProgram(program.get(), 1, &handles_->device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    throw OpenClError("the kernel does not build:\n" + build_log(program.get(), handles_->device));
  }
  const Owned<cl_kernel, clReleaseKernel> entry(clCreateKernel(program.get(), kernel.c_str(), &status));
  require(status, "clCreateKernel");

  std::vector<Owned<cl_mem, clReleaseMemObject>> memory;
  for (launch::Buffer& buffer : arguments.buffers) {
    std::byte nothing{};  // OpenCL has no empty buffers
    void* data = buffer.bytes.empty() ? &nothing : buffer.bytes.data();
    memory.emplace_back(clCreateBuffer(handles_->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       std::max<std::size_t>(1, buffer.bytes.size()), data, &status));
    require(status, "clCreateBuffer");
  }
  for (cl_uint k = 0; k < arguments.values.size(); ++k) {
    if (const auto* buffer = std::get_if<BufferNumber>(&arguments.values[k])) {
      const cl_mem handle = memory[buffer->number].get();
      status = clSetKernelArg(entry.get(), k, sizeof handle, &handle);
    } else {
      status = clSetKernelArg(entry.get(), k, size_of(types[k]), &std::get<ScalarBits>(arguments.values[k]).bits);
    }
    require(status, "clSetKernelArg");
  }

  const std::size_t local = wg_size;
  const std::size_t global = groups * local;
  double seconds = 0;
  for (unsigned round = 0; round <= warm_ups; ++round) {
    for (std::size_t b = 0; round > 0 && b < memory.size(); ++b) {
      const std::vector<std::byte>& bytes = arguments.buffers[b].bytes;
      if (!bytes.empty()) {
        require(clEnqueueWriteBuffer(handles_->queue, memory[b].get(), CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
                "clEnqueueWriteBuffer");
      }
    }
    const double start = processor_seconds();
    require(clEnqueueNDRangeKernel(handles_->queue, entry.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    require(clFinish(handles_->queue), "clFinish");
    seconds = processor_seconds() - start;
  }
  for (std::size_t b = 0; b < memory.size(); ++b) {
    std::vector<std::byte>& bytes = arguments.buffers[b].bytes;
    if (!bytes.empty()) {
      require(clEnqueueReadBuffer(handles_->queue, memory[b].get(), CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
  }
  return seconds;
}

}  // namespace lockstep::test
