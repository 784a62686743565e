#pragma once
// `lockstep run --sim`: a launch from a file of oclgrind-kernel (interpreter/launch/sim_file.hpp).

#include <optional>
#include <string>

#include "tools/command.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

/// Fills in what the file says: the file of kernels, which lies beside it or where its name says, the kernel, the launch and its arguments.
std::optional<Refusal> take_sim(const std::string& path, RunOptions& options);

}  // namespace lockstep::tools
