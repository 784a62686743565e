#pragma once
// The way of a kernel from its typed tree to InfReg-IR: the list of passes, in order, and why each stands there.

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "codegen/passes/assignments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/core/tree.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes {

struct Pass {
  std::string_view name;     ///< as --dump-after has it
  std::string_view purpose;  ///< what it does and why it stands there; one sentence
  /// On assignments; or on InfReg-IR, and then it returns whether it changed anything.
  std::variant<void (*)(Assignments&), bool (*)(infreg::Kernel&)> run;
  bool on_request = false;  ///< is run only if PipelineOptions::streaming asks for it
};

/// All passes behind `normalise`, which makes the assignments; between the last one on assignments and the first one on InfReg-IR stands
/// `to_infreg`. Those on InfReg-IR are clean-ups: they are run in turn until a round of them changes nothing, eight times at most.
std::span<const Pass> pipeline();

struct PipelineOptions {
  unsigned wg_pack = 1;      ///< groups that are stepped together, from 1
  bool verify_each = false;  ///< runs the verifier after every pass on InfReg-IR; a fault is an InternalError
  bool streaming = false;  ///< loads upon each access and stores after each update, instead of keeping arrays in registers (streaming.hpp)
  Diagnostics* remarks = nullptr;  ///< gets warnings about what the passes leave slow, each once; none: nobody reads them
  /// Is told the program after each pass, `normalise` and `to_infreg` included: the pass's name and the program's text. A clean-up
  /// is run, and told, more than once. May be empty.
  std::function<void(std::string_view pass, const std::function<std::string()>& text)> after = {};
};

/// The kernel as InfReg-IR. Errors are the kernel's: recursion, too large, or values of more than infreg::max_lanes lanes in a pack.
std::expected<infreg::Kernel, Diagnostics> lower(const core::Program& program, const core::Function& kernel,
                                                 const PipelineOptions& options);

}  // namespace lockstep::passes
