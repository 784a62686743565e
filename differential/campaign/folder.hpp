#pragma once
// The folders of docs/fuzz.md.

#include <optional>
#include <string>

#include "differential/campaign/case.hpp"
#include "differential/campaign/shrink.hpp"
#include "differential/campaign/try.hpp"

namespace lockstep::differential {

/// Writes kernel.cl, launch.json and the inputs as .npy files into a folder that is there. An error is a sentence.
std::optional<std::string> write_case(const std::string& folder, const FuzzCase& fuzz_case, const Interpreted& interpreted);

/// A word of a shell's command line.
std::string shell_quoted(const std::string& text);

/// A command with `word`, as the shell reads it, in place of each {}, or behind it.
std::string command_on(const std::string& command, const std::string& word);

/// The folder in which this program lies; its back ends lie beside it.
std::string folder_of_program();

/// A folder of its own that goes with this.
class TemporaryFolder {
 public:
  /// Throws std::runtime_error if none can be made there.
  explicit TemporaryFolder(const std::string& inside);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A sentence if no folders can be made in this one, which itself need not be there. Leaves nothing behind.
std::optional<std::string> cannot_write_in(const std::string& directory);

/// Writes the folder DIR/KIND-SEED-NUMBER; an error is a sentence.
std::optional<std::string> write_finding(const FuzzPlan& plan, const std::string& directory, Finding& finding);

}  // namespace lockstep::differential
