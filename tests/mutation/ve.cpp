// Faults of the VE machine and of the VE emitter: unit tests, whose C clang compiles once for all faults.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/mutation/folders.hpp"

namespace lockstep::test {

namespace {

/// A folder that goes with the process that made it.
class Kept {
 public:
  Kept() {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("there is no temporary folder");
    }
    setenv("LOCKSTEP_KEPT", path_.c_str(), 1);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "mutated-ve-XXXXXX";
};

}  // namespace

std::vector<Check> all_checks() {
  static const Kept kept;  // each fault's process ends by _exit, and leaves it alone
  return unit_test_checks();
}

}  // namespace lockstep::test
