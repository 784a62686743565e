#pragma once
// Running a kernel on whatever OpenCL implementation the process has been given.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"

namespace lockstep::test {

/// What the implementation said of an OpenCL call that failed; what() has the compiler's log where there is one.
struct OpenClError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The first device of the first platform, its queue, and the kernels that are run there.
class OpenClDevice {
 public:
  /// Nothing if there is no platform, or its name does not contain `platform`.
  static std::optional<OpenClDevice> find(const std::string& platform);

  /// "Oclgrind: Oclgrind Simulator"
  const std::string& name() const;

  /// Builds `text` as OpenCL C 1.2 without contraction, with the further options `defines` ("-D TILE=16"), and runs its kernel `kernel`
  /// on `groups` groups of `wg_size` items. The arguments are those of launch::run; `types` has the type of each scalar one, in the
  /// order of the parameters (that of a buffer is not looked at). The buffers are changed in place. Returns the processor
  /// time of this process, in seconds, from the launch until the device was done. Before that it is run `warm_ups` times on the same
  /// inputs: some implementations compile when a kernel is first run. Throws OpenClError.
  double run(const std::string& text, const std::string& defines, const std::string& kernel, launch::Arguments& arguments,
             const std::vector<ScalarType>& types, unsigned wg_size, std::uint64_t groups, unsigned warm_ups = 0);

 private:
  struct Handles;
  explicit OpenClDevice(std::shared_ptr<Handles> handles);
  std::shared_ptr<Handles> handles_;
};

}  // namespace lockstep::test
