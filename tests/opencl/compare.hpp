#pragma once
// One kernel run by lockstep, item by item, and by an OpenCL implementation: the same buffers, bit for bit.

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "interpreter/launch/launch.hpp"

namespace lockstep::test {

/// A kernel with its arguments; no operation of it is contracted.
struct OpenClCase {
  std::string text;
  std::vector<std::pair<std::string, std::string>> defines;
  unsigned wg_size = 1;
  std::uint64_t groups = 1;
  launch::Arguments arguments;
};

/// What came of running a kernel in both worlds.
struct Agreement {
  bool is_clean = true;    ///< lockstep found no undefined behaviour and no race; otherwise OpenCL has not been asked
  std::string complaint;   ///< what lockstep found, if it is not clean
  std::string difference;  ///< the first element that differs, or what the implementation complains of; empty: none
  bool crashed = false;    ///< the implementation crashed or took longer than a minute: nothing is known
};

/// Which OpenCL implementation this process is to be compared with: LOCKSTEP_OPENCL in the environment, part of the platform's name.
std::string wanted_platform();

/// Runs the case's only kernel under --model opencl and, in a process of its own, on the wanted platform. Any NaN is any NaN. Throws
/// Refused if the front end does not take it, std::runtime_error if the launcher does not.
Agreement compare(OpenClCase the_case);

/// The text of a file below examples/.
std::string example(const std::string& file);

/// Appends a buffer of these numbers to the arguments.
template <class T>
void add_buffer(launch::Arguments& arguments, ScalarType type, const std::vector<T>& values) {
  launch::Buffer buffer{type, values.size(), {}, {values.size()}, {}};
  buffer.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
  }
  arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
  arguments.buffers.push_back(std::move(buffer));
}

/// Appends a scalar.
template <class T>
void add_scalar(launch::Arguments& arguments, T value) {
  if constexpr (std::is_same_v<T, float>) {
    arguments.values.emplace_back(ScalarBits{std::bit_cast<std::uint32_t>(value)});
  } else {
    arguments.values.emplace_back(ScalarBits{static_cast<std::uint64_t>(value)});
  }
}

}  // namespace lockstep::test
