#pragma once
// Trying a kernel: in the interpreter, through the passes, and through what the plan asks for.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"
#include "differential/compare/reference.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::differential {

/// A kernel that the interpreter has run, and its arguments before and after.
struct Interpreted {
  ReadKernel read;
  LoadedKernel loaded;
  launch::Arguments before;
  launch::Arguments after;
  std::uint64_t groups = 1;
  double seconds = 0;
  std::vector<OpenElements> open = {};  ///< by atomic changes
  std::optional<Overlap> overlap;       ///< of its pointers; not what the case asks for if the kernel means nothing then

  Reference reference() const { return {loaded, groups, before, after, seconds, open}; }
};

/// `alone`: every item on its own, as OpenCL has them. An answer if there is nothing to compare with.
std::variant<Interpreted, FuzzAnswer> interpret(const FuzzCase& fuzz_case, bool alone);

/// A kernel in InfReg-IR with which the evaluator does what the interpreter does.
struct LoweredCase {
  Interpreted interpreted;
  infreg::Kernel kernel;
};

/// Interprets, goes through the passes, and evaluates. An answer if there is no machine code to make. Counts what it meets.
std::variant<LoweredCase, FuzzAnswer> lower_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts);

/// Tries a case on the plan's back end.
FuzzAnswer try_backend(const FuzzPlan& plan, const FuzzCase& fuzz_case);

/// Of Subject::Target: several kernels, each with counts of its own, compiled together if that is the target's way.
std::vector<FuzzAnswer> try_on_target(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts);

/// Through everything that the plan asks for, in this process: code that goes wrong may end it. Counts what it meets.
FuzzAnswer try_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts);

/// The same in a process of its own: a crash, or more than `seconds`, is a finding. Stopped as soon as this process is asked to end.
FuzzAnswer try_apart(const FuzzPlan& plan, const FuzzCase& fuzz_case, unsigned seconds);

}  // namespace lockstep::differential
