#pragma once
// A target's result, and what is to be said of it.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "differential/compare/compare.hpp"
#include "differential/compare/parting.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

/// Compiles a kernel if the target does that, and runs it: machine code in a process of its own. If this process is asked to end while a
/// compiler runs, it ends when that and its files are gone.
std::expected<differential::Ran, differential::NotRun> run(const Target& target, const infreg::Kernel& kernel,
                                                           const differential::Reference& reference, const Asked& asked);

/// What came of one target with one WG_PACK.
struct Verdict {
  std::string target;
  unsigned wg_pack = 1;
  double lower_seconds = 0;  ///< from the kernel to InfReg-IR, if somebody has measured that
  differential::Ran ran;     ///< without the buffers, which have been compared
  differential::Comparison comparison;
  std::optional<differential::Writer> writer;    ///< of the first element that is not equal
  std::optional<differential::Parting> parting;  ///< where the evaluator's result is another one
  std::optional<bool> evaluator_agrees;  ///< of an unequal target that is made from InfReg-IR: whether its evaluator equals the interpreter
};

/// "equal", "different", "undefined", "crashed", "endless", "limit", "uncompiled" or "not run".
std::string_view name_of(const Verdict& verdict);

/// Runs and compares one target, and looks for where it parts from the interpreter.
std::expected<Verdict, differential::NotRun> judge(const Target& target, const infreg::Kernel& kernel,
                                                   const differential::Reference& reference, const Asked& asked);

/// The same of a target that reads kernels themselves.
std::expected<Verdict, differential::NotRun> judge(const Target& target, const SourceKernel& kernel,
                                                   const differential::Reference& reference, const Asked& asked);

}  // namespace lockstep::targets
