#pragma once
// A run of PTX as a case of the corpus (docs/file-tests.md): the text, the launch, and what the interpreter leaves. `ptx_hardware` runs it
// on a GPU.

#include <optional>
#include <string>
#include <vector>

#include "differential/compare/reference.hpp"
#include "targets/option.hpp"
#include "targets/ptx/machine.hpp"

namespace lockstep::targets {

/// What a run has to leave.
struct Left {
  const std::vector<launch::Buffer>& buffers;
  const std::vector<differential::OpenElements>& open = differential::Reference::nothing_open;
};

/// `--ptx-cases`
Option cases_option();

/// The text of the case, whose buffers are called b0, b1, …. Nothing if a parameter is none that cases have: memory of a block, or a
/// vector; or if there is nothing to compare.
std::optional<std::string> case_text(const std::string& ptx, const std::string& kernel, const std::string& name,
                                     const launch::Arguments& before, const PtxLaunch& launch, const Left& left);

/// Writes it to a file of `folder`, named after the kernel and all that is in the case. What cannot be written is left out.
void keep_case(const std::string& folder, const std::string& ptx, const std::string& kernel, const launch::Arguments& before,
               const PtxLaunch& launch, const Left& left);

}  // namespace lockstep::targets
