#pragma once
// The parts of `lockstep run` that are for kernels and typed programs: how a launch ended, and the two ways to say so.

#include <cstddef>
#include <string>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/launch.hpp"
#include "tools/kernel_program.hpp"

namespace lockstep::tools {

/// A launch that has ended.
struct KernelReport {
  const typed::Program& program;
  const launch::LaunchOptions& options;
  const launch::Arguments& arguments;
  const launch::Outcome& outcome;
  std::vector<std::size_t> shown;  ///< owners of the buffers that are printed: the kernel may write them, and --out does not name the owner
  std::string status;              ///< halted, stuck, error or limit
  std::string reason;              ///< why it did not halt; empty if it did
  launch::Places places;
  const launch::Structures& structures;  ///< what the kernel's parameters point to
};

/// The summary for people, on standard output. Its length is bounded whatever the run did.
void print_summary(const KernelReport& report);

/// One JSON object on standard output (docs/kernels.md).
void print_json(const KernelReport& report);

/// Races, and what ended the run, on standard error. Nothing if it halted without races.
void print_diagnostics(const KernelReport& report);

}  // namespace lockstep::tools
