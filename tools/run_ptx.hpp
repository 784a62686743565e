#pragma once
// `lockstep run` of a PTX module: what was asked for, how it ended, and the two ways to say so.

#include <cstddef>
#include <string>
#include <vector>

#include "interpreter/ptx/arguments.hpp"
#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::tools {

/// A launch that has ended.
struct PtxReport {
  const ptx::resolved::Module& module;
  const ptx::resolved::Function& kernel;
  const ptx_machine::LaunchOptions& options;
  const ptx_machine::Arguments& arguments;
  const ptx_machine::Outcome& outcome;
  std::vector<std::size_t> shown;  ///< parameters whose buffers are printed: one for each buffer that --out does not name
  std::string status;              ///< halted, error or limit
};

/// The summary for people, on standard output. Its length is bounded whatever the run did.
void print_summary(const PtxReport& report);

/// One JSON object on standard output.
void print_json(const PtxReport& report);

/// Races, and what ended the run, on standard error. Nothing if it halted without races.
void print_diagnostics(const PtxReport& report);

}  // namespace lockstep::tools
