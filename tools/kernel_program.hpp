#pragma once
// From a text to the typed programs that are run, checked and shown.

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "differential/compare/kernel.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/typed/program.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"
#include "tools/source_kind.hpp"

namespace lockstep::tools {

/// The kernel that the flags choose, of a text in the kernel language. Warnings are said on standard error. `ahead`: to know its
/// parameters;
/// __local ones may be of any length, and warnings come when it is read again.
std::expected<differential::ReadKernel, Refusal> read_kernel(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags,
                                                             const GroupFlags& group, bool ahead = false);

/// Why --kernel, or its absence, chooses no kernel of a program, which has at least one: a sentence.
std::string no_kernel(const core::Program& program, const std::string& wanted);

/// A sentence about options that contradict what stands in a typed program.
std::optional<std::string> check_typed(const typed::Program& program, const FrontEndFlags& flags, const GroupFlags& group);

/// The kernel that the flags choose, of a text of either kind; Warnings are said on standard
/// error.
std::expected<differential::LoadedKernel, Refusal> load_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind,
                                                               const FrontEndFlags& flags, const GroupFlags& group);

}  // namespace lockstep::tools
