#pragma once
// A folder of `lockstep fuzz --backend` (docs/fuzz.md), as a back end reads and writes it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace backend {

struct Argument {
  std::string name;
  std::string type;  ///< as OpenCL C has it: "uchar"
  bool is_buffer = false;
  std::uint64_t bits = 0;        ///< of a scalar, whose low bytes are the number
  std::string header;            ///< of the .npy file with a buffer's elements
  std::vector<std::byte> bytes;  ///< of a buffer
  std::string output;            ///< where the buffer goes; empty: nowhere, the kernel does not write it
};

struct Case {
  std::string folder;
  std::string text;  ///< of kernel.cl
  std::string kernel;
  unsigned wg_size = 1;
  std::uint64_t groups = 1;
  std::vector<Argument> arguments;
};

/// Throws std::exception if something is missing or wrong.
Case read_case(const std::string& folder);

/// Writes the buffers that have an output: the type and count are those of the input, and so is the header.
void write_outputs(const Case& done);

}  // namespace backend
