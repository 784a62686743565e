#pragma once
// From a text to the typed programs that are run, checked and shown.

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "semantics/base/argument.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/typed/program.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/source_kind.hpp"

namespace lockstep::tools {

/// A kernel that is ready to run.
struct LoadedKernel {
  std::shared_ptr<const typed::Program> program;
  std::vector<bool> writable;    ///< of each parameter: a pointer through which the kernel may write
  std::vector<bool> restricted;  ///< of each parameter: declared `restrict`
};

/// Whether the kernel may write to a buffer: through any of the parameters that get it.
inline bool may_write(const LoadedKernel& kernel, const std::vector<Argument>& arguments, std::size_t buffer) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto* points = std::get_if<BufferNumber>(&arguments[k]);
    if (points != nullptr && points->number == buffer && kernel.writable[k]) {
      return true;
    }
  }
  return false;
}

/// A kernel as the front end leaves it.
struct ReadKernel {
  core::Program program;
  const core::Function* function = nullptr;  ///< one of program.functions; moving this leaves it where it is
};

/// The kernel that the flags choose, of a text in the kernel language. Warnings are said on standard error.
std::expected<ReadKernel, Refusal> read_kernel(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags,
                                               unsigned wg_size);

/// The translation of one kernel of a program.
LoadedKernel load(const core::Program& program, const core::Function& kernel);

/// Why --kernel, or its absence, chooses no kernel of a program, which has at least one: a sentence.
std::string no_kernel(const core::Program& program, const std::string& wanted);

/// A sentence about options that contradict what stands in a typed program. `wg_size` as below.
std::optional<std::string> check_typed(const typed::Program& program, const FrontEndFlags& flags, unsigned wg_size);

/// The kernel that the flags choose, of a text of either kind; `wg_size` is --wg-size, 0 if it was not given. Warnings are said on standard
/// error.
std::expected<LoadedKernel, Refusal> load_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind,
                                                 const FrontEndFlags& flags, unsigned wg_size);

}  // namespace lockstep::tools
