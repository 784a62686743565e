#pragma once
// `lockstep run` of an object file of VE: what was asked for, how it ended, and the two ways to say so.

#include <cstddef>
#include <string>
#include <vector>

#include "interpreter/ve/launch.hpp"

namespace lockstep::tools {

/// A run that has ended.
struct VeReport {
  const ve::Object& object;
  const ve::Decoder& decoder;
  const ve::Symbol& kernel;
  const ve_machine::Arguments& arguments;
  const ve_machine::Outcome& outcome;
  std::vector<std::size_t> shown;  ///< positions whose buffers are printed: one for each buffer that --out does not name
  std::string status;              ///< halted, error or limit
};

/// The summary for people, on standard output. Its length is bounded whatever the run did.
void print_summary(const VeReport& report);

/// One JSON object on standard output.
void print_json(const VeReport& report);

/// What ended the run, on standard error. Nothing if it halted.
void print_diagnostics(const VeReport& report);

}  // namespace lockstep::tools
