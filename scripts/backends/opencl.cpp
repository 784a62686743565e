// lockstep-backend-opencl [--platform NAME] [OPTION...] FOLDER
// A back end of `lockstep fuzz --backend` (docs/fuzz.md): runs the folder's kernel on the first device of an OpenCL platform whose name
// contains NAME (default: any). The OPTIONs are those of clBuildProgram: -cl-opt-disable.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "scripts/backends/case.hpp"
#include "tests/opencl/device.hpp"

namespace {

using namespace lockstep;

ScalarType type_named(const std::string& name) {
  const auto found = std::find_if(scalar_table.begin(), scalar_table.end(), [&](const ScalarInfo& row) { return row.name == name; });
  if (found == scalar_table.end()) {
    throw std::runtime_error("there is no type " + name);
  }
  return found->type;
}

/// Whether a kernel that nobody fails to build is built with the options.
bool works_at_all(test::OpenClDevice& device, const std::string& options) {
  try {
    launch::Arguments nothing;
    device.run("kernel void k(void) {}\n", options, "k", nothing, {}, 1, 1);
    return true;
  } catch (const test::OpenClError&) {
    return false;
  }
}

void run(backend::Case& given, const std::string& platform, const std::string& options) {
  auto device = test::OpenClDevice::find(platform);
  if (!device) {
    throw backend::Failure(backend::missing_status,
                           platform.empty() ? "there is no OpenCL platform" : "there is no OpenCL platform '" + platform + "'");
  }
  launch::Arguments arguments;
  std::vector<ScalarType> types;
  for (const backend::Argument& argument : given.arguments) {
    types.push_back(type_named(argument.type));
    if (argument.is_buffer) {
      arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
      arguments.buffers.push_back({types.back(), argument.bytes.size() / size_of(types.back()), argument.bytes, {}, {}});
    } else {
      arguments.values.emplace_back(ScalarBits{argument.bits});
    }
  }
  try {
    device->run(given.text, options, given.kernel, arguments, types, given.wg_size, given.groups);
  } catch (const test::OpenClError& error) {
    throw backend::Failure(works_at_all(*device, options) ? backend::failed_status : backend::missing_status, error.what());
  }
  std::size_t next = 0;
  for (backend::Argument& argument : given.arguments) {
    if (argument.is_buffer) {
      argument.bytes = arguments.buffers[next++].bytes;
    }
  }
}

constexpr const char* usage =
    "usage: lockstep-backend-opencl [--platform NAME] [OPTION...] FOLDER\n"
    "A back end of `lockstep fuzz --backend`: runs FOLDER/kernel.cl on the first device of an OpenCL platform, as FOLDER/launch.json\n"
    "says, and leaves the buffers in FOLDER.\n"
    "  --platform NAME  the first platform whose name contains NAME, instead of the first of all\n"
    "  OPTION           for clBuildProgram: -cl-opt-disable\n"
    "Example: lockstep fuzz --backend 'lockstep-backend-opencl --platform Portable' --kernels 100\n"
    "Exit status: 0 it has run, 1 it has failed, 2 called without arguments, 69 there is no such platform, or it\n"
    "does not know the options.\n";

void work(int argc, char** argv) {
  const backend::Command command = backend::read_command(argc, argv, "--platform", "");
  std::string options;
  for (const std::string& option : command.options) {
    options += option + " ";
  }
  // What PoCL compiles is compiled once: nothing to keep on the disk.
  const backend::TemporaryFolder cache;
  setenv("POCL_CACHE_DIR", cache.path().c_str(), 1);
  setenv("POCL_KERNEL_CACHE", "0", 1);
  backend::Case given = backend::read_case(command.folder);
  run(given, command.value, options);
  backend::write_outputs(given);
}

}  // namespace

int main(int argc, char** argv) { return backend::run_main(argc, argv, usage, work); }
