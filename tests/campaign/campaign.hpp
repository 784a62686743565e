#pragma once
// What campaigns of random programs and of random kernels have in common: seeds from RapidCheck, and a file for each failure that reruns
// by itself.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/campaign/run.hpp"

namespace lockstep::test {

/// What a campaign found.
struct Finding {
  std::string message;
  std::string text;  ///< the smallest program or kernel that fails
  std::string file;  ///< where it was written
};

/// Sets an environment variable as long as it lives.
class WithEnvironment {
 public:
  WithEnvironment(const char* name, const std::string& value);
  ~WithEnvironment();
  WithEnvironment(const WithEnvironment&) = delete;
  WithEnvironment& operator=(const WithEnvironment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// Each line of `message` as a comment that begins with `mark`.
std::string comment(const std::string& mark, const std::string& message);

/// The value of `MARK key: value` in the comments of a file, from there on.
std::string header(const std::string& text, const std::string& mark, const std::string& key, std::size_t from = 0);

/// Writes the file of a failure, repro-PROPERTY-SEED.EXTENSION in LOCKSTEP_REPRO_DIR, or else the current folder. Returns its name.
std::string write_repro(const std::string& property, std::uint64_t seed, const std::string& extension, const std::string& text);

/// The text of a file that write_repro wrote; nothing if it is of another property. Throws std::runtime_error if there is no such file.
std::optional<std::string> read_repro(const std::string& file, const std::string& mark, const std::string& property);

/// Asks `try_seed` of `count` seeds; fails the present Catch2 test with what it finds. With LOCKSTEP_REPRO=FILE in the environment it asks
/// `rerun` of that file instead. Whether it was the seeds.
bool hold(const std::string& property, unsigned count, const std::function<std::optional<Finding>(std::uint64_t seed)>& try_seed,
          const std::function<std::optional<Finding>(const std::string& file)>& rerun);

}  // namespace lockstep::test
