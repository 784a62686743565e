// lockstep-backend-opencl [--platform NAME] [OPTION...] FOLDER
// A back end of `lockstep fuzz --backend` (docs/fuzz.md): runs the folder's kernel on the first device of an OpenCL platform whose name
// contains NAME (default: any). The OPTIONs are those of clBuildProgram: -cl-opt-disable.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

void run(backend::Case& given, const std::string& platform, const std::string& options) {
  auto device = test::OpenClDevice::find(platform);
  if (!device) {
    throw std::runtime_error("there is no OpenCL platform '" + platform + "'");
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
  device->run(given.text, options, given.kernel, arguments, types, given.wg_size, given.groups);
  std::size_t next = 0;
  for (backend::Argument& argument : given.arguments) {
    if (argument.is_buffer) {
      argument.bytes = arguments.buffers[next++].bytes;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string platform;
    std::string options;
    std::string folder;
    for (int k = 1; k < argc; ++k) {
      const std::string word = argv[k];
      if (word == "--platform" && k + 1 < argc) {
        platform = argv[++k];
      } else if (k + 1 < argc) {
        options += word + " ";
      } else {
        folder = word;
      }
    }
    // What PoCL compiles is compiled once: nothing to keep on the disk.
    setenv("POCL_CACHE_DIR", (folder + "/pocl").c_str(), 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    backend::Case given = backend::read_case(folder);
    run(given, platform, options);
    backend::write_outputs(given);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-backend-opencl: %s\n", error.what());
    return 1;
  }
}
