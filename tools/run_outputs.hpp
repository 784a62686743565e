#pragma once
// `--out`: buffers that go to files at the end of a run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

/// Buffers that a report shows, at most.
inline constexpr std::size_t most_buffers = 64;

/// A parameter whose buffer goes to a file.
struct Output {
  std::size_t parameter = 0;
  std::string path;
};

/// A sentence about a file that cannot be written, or that is read as well.
std::optional<std::string> check_files(const std::vector<Output>& outputs, const RunOptions& options);

/// Writes what the parameter points to as a NumPy file. If it cannot, says so on standard error, and is false.
bool write_output(const Output& output, const BufferNumber& points, const std::vector<launch::Buffer>& buffers);

/// Everything that is done after a run, of kernels, PTX or VE: files first, so that a summary that comes is all there is to read. A report
/// has status, arguments, print_json, print_summary and print_diagnostics.
template <class Report>
int tell(const Report& report, const RunOptions& options, const std::vector<Output>& outputs) {
  int status = report.status == "halted" ? fine : report.status == "limit" ? limit : no;
  for (const Output& output : outputs) {
    if (!write_output(output, std::get<BufferNumber>(report.arguments.values[output.parameter]), report.arguments.buffers)) {
      status = bad_input;
    }
  }
  if (options.json) {
    print_json(report);
  } else if (!options.quiet) {
    print_summary(report);
  }
  std::fflush(stdout);
  if (!options.json) {
    print_diagnostics(report);
  }
  return status;
}

/// An element as JSON; what JSON has no number for is a text.
std::string json_element(const launch::Buffer& buffer, std::uint64_t index);

/// "  x: float[3] 1 2 3", with the first elements only of a buffer that has many.
void print_buffer(const std::string& name, const launch::Buffer& buffer, const launch::Structure* structure = nullptr);

}  // namespace lockstep::tools
