#pragma once
// What two executions of a launch leave behind: the interpreter's, which counts, and a target's.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "differential/compare/kernel.hpp"
#include "differential/compare/orders.hpp"
#include "interpreter/launch/launch.hpp"

namespace lockstep::differential {

/// A launch that the interpreter has finished.
struct Reference {
  const LoadedKernel& kernel;
  std::uint64_t groups = 1;
  const launch::Arguments& before;  ///< what the kernel got
  const launch::Arguments& after;   ///< the same, as the interpreter left it
  double seconds = 0;
  const std::vector<OpenElements>& open = nothing_open;  ///< of each buffer; of none where it is empty

  static inline const std::vector<OpenElements> nothing_open{};
};

/// How a target ended that did not leave buffers to compare.
struct Failure {
  enum class Kind : std::uint8_t {
    Undefined,
    Crashed,
    Endless,
    Limit,
    Uncompiled,  ///< the compiler behind the target does not take what it is given
    NotRun       ///< there is nothing to run, and neither the kernel nor its InfReg-IR is to blame
  } kind = Kind::Crashed;
  std::string sentence;
};

/// What a target did.
struct Ran {
  std::variant<std::vector<launch::Buffer>, Failure> result;  ///< the buffers as it left them
  std::string evidence;                                       ///< whose word it is: "our evaluator"
  double compile_seconds = 0;                                 ///< from InfReg-IR to something that runs
  double run_seconds = 0;
  std::string caveat = {};        ///< a clause: why bits may differ although nothing is wrong; empty: they may not
  std::string counted = {};       ///< lines about what a machine counted
  std::string counted_json = {};  ///< the same as members of an object; empty: null
};

}  // namespace lockstep::differential
