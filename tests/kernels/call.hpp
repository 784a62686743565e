#pragma once
// Running a kernel of examples/ from a test: C++ vectors in, C++ vectors out.

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "semantics/core/options.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::test {

/// The scalar type that holds a T.
template <class T>
constexpr ScalarType scalar_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return ScalarType::Float;
  } else if constexpr (std::is_same_v<T, double>) {
    return ScalarType::Double;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return ScalarType::Int;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return ScalarType::UInt;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return ScalarType::UChar;
  }
}

/// Which kernel, and what its program depends on.
struct KernelId {
  std::string file;    ///< below examples/: "borg/ldus.cl"
  std::string kernel;  ///< empty: the only one of the file
  core::Options options;
};

/// The kernel as a typed program. Programs are kept, so that a second call is free. Throws std::runtime_error with the diagnostics if there
/// are any, also for warnings.
std::shared_ptr<const typed::Program> compiled(const KernelId& id);

/// One call of a kernel: its arguments in order, then run().
class Call {
 public:
  explicit Call(const KernelId& id) : program_(compiled(id)) {}

  /// A buffer that holds `data`; run() writes into `data` what the kernel left. `data` must live until then.
  template <class T>
  Call& buffer(std::vector<T>& data) {
    launch::Buffer buffer;
    buffer.type = scalar_type_of<T>();
    buffer.count = data.size();
    buffer.shape = {buffer.count};
    buffer.bytes.resize(data.size() * sizeof(T));
    std::memcpy(buffer.bytes.data(), data.data(), buffer.bytes.size());
    arguments_.values.emplace_back(BufferNumber{arguments_.buffers.size()});
    arguments_.buffers.push_back(std::move(buffer));
    copies_.emplace_back([&data](const launch::Buffer& after) { std::memcpy(data.data(), after.bytes.data(), after.bytes.size()); });
    return *this;
  }

  /// A buffer that the kernel only reads.
  template <class T>
  Call& input(const std::vector<T>& data) {
    std::vector<T> copy = data;
    buffer(copy);
    copies_.back() = [](const launch::Buffer&) {};
    return *this;
  }

  Call& scalar(std::uint32_t value) {
    arguments_.values.emplace_back(ScalarBits{value});
    return *this;
  }
  Call& scalar(float value) { return scalar(std::bit_cast<std::uint32_t>(value)); }

  /// Runs the kernel and copies the buffers back. Throws std::runtime_error with what a user would see if it ends in a fault, reports a
  /// race, or leaves poison.
  launch::Outcome run(const launch::LaunchOptions& options);

 private:
  std::shared_ptr<const typed::Program> program_;
  launch::Arguments arguments_;
  std::vector<std::function<void(const launch::Buffer&)>> copies_;
};

}  // namespace lockstep::test
