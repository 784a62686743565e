#pragma once
// From a text to the typed programs that are run, checked and shown.

#include <memory>
#include <optional>
#include <vector>

#include "semantics/base/source.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/typed/program.hpp"
#include "tools/kernel_options.hpp"
#include "tools/source_kind.hpp"

namespace lockstep::tools {

/// A kernel that is ready to run.
struct LoadedKernel {
  std::shared_ptr<const typed::Program> program;
  std::vector<bool> writable;  ///< of each parameter: a pointer through which the kernel may write
};

/// The translation of one kernel of a program.
LoadedKernel load(const core::Program& program, const core::Function& kernel);

/// The kernel that the flags choose, of a text of either kind; `wg_size` is --wg-size, 0 if it was not given. Warnings are said on standard
/// error; so is everything that is wrong, and then there is no result.
std::optional<LoadedKernel> load_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind, const FrontEndFlags& flags,
                                        unsigned wg_size);

}  // namespace lockstep::tools
