#pragma once
// A folder of `lockstep fuzz --backend` (docs/fuzz.md), as a back end reads and writes it.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

/// Exit statuses of a back end besides 0. (docs/fuzz.md)
inline constexpr int failed_status = 1;
inline constexpr int usage_status = 2;     ///< without any arguments
inline constexpr int missing_status = 69;  ///< no kernel can be done: something is not there, or the command line is wrong
inline constexpr int signal_status = 128;  ///< and a signal's number: that is how the compiler has ended

/// Why a kernel has not been run, with the status to end with.
struct Failure : std::runtime_error {
  Failure(int exit_status, const std::string& sentence) : std::runtime_error(sentence), status(exit_status) {}
  int status;
};

/// A folder of its own, in TMPDIR or /tmp, that goes with this. Throws std::exception if none can be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The command line of a back end: `[OPTION_NAME VALUE] [OPTION...] FOLDER`.
struct Command {
  std::string value;                 ///< of the option that is the back end's own
  std::vector<std::string> options;  ///< the others, for the compiler
  std::string folder;
};

/// Reads it. Throws Failure if an option has no value, or the folder is none.
Command read_command(int argc, char** argv, const std::string& option_name, const std::string& usual_value);

/// A back end's main(): prints `usage` if it is called with --help or nothing, and otherwise calls work(argc, argv), which may throw, and
/// says why. Returns the exit status.
int run_main(int argc, char** argv, const char* usage, void (*work)(int argc, char** argv));

/// Throws std::exception if something is missing or wrong.
Case read_case(const std::string& folder);

/// Writes the buffers that have an output: the type and count are those of the input, and so is the header.
void write_outputs(const Case& done);

}  // namespace backend
