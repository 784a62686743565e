#pragma once
// The parts of `lockstep verify`: the proof, running a counterexample, and saying so.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "differential/compare/compare.hpp"
#include "differential/compare/kernel.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/prove/refine.hpp"

namespace lockstep::differential {

/// What is to refine a kernel: its InfReg-IR, or another kernel.
using Refining = std::variant<infreg::Kernel, LoadedKernel>;

/// Two sides of a proof.
struct VerifyTask {
  LoadedKernel kernel;
  Refining other;
  std::string other_name;  ///< "InfReg-IR", "InfReg-IR of bad.ir", "b.cl"
  std::uint64_t groups = 1;
  std::vector<prove::ParameterSize> sizes = {};  ///< what is said of parameters beforehand; fewer: nothing of the others
};

/// One step of a side's way to a difference.
struct TraceLine {
  std::string place;  ///< "saxpy.cl:7"; of InfReg-IR empty
  std::string text;   ///< the source line, or the operation
  std::string value;  ///< "t = 3"; may be empty
};

/// A counterexample that has been run.
struct Confirmed {
  prove::Inputs inputs;
  std::string difference;  ///< "y[1] is 3 …", or why the other side is undefined
  std::vector<TraceLine> kernel_trace;
  std::vector<TraceLine> other_trace;
};

/// Of each parameter: whether it is a pointer through which the kernel cannot write.
std::vector<bool> read_only_of(const LoadedKernel& kernel);

/// The other side as the prover takes it. `other` must outlive it.
prove::Target target_of(const Refining& other);

/// How two sides differ.
struct Difference {
  std::string sentence;
  std::optional<Mismatch> cell;
};

/// Runs both sides. Empty: they do not differ, or the kernel says nothing on these inputs.
std::optional<Difference> difference_on(const VerifyTask& task, const prove::Inputs& inputs);

/// Whether the other side has not come to an end after many steps, where the kernel does: a sentence.
std::optional<std::string> runs_on(const VerifyTask& task, const prove::Inputs& inputs);

/// Whether the kernel is free of undefined behaviour and of races between groups there, and comes to an end.
bool is_defined_on(const VerifyTask& task, const prove::Inputs& inputs);

/// A number at an edge of its type, or a small one, or now and then any.
std::uint64_t edge_number(ScalarType type, std::mt19937_64& random);

/// Runs both sides on the inputs, and on others like them; then on smaller ones. Empty: on none of them do the two differ (where the kernel
/// is free of undefined behaviour and of races between groups), or the Budget was spent before. A race of the other side's groups is a
/// difference, and so is a store to what the kernel can only read.
std::optional<Confirmed> confirm(const VerifyTask& task, const prove::Inputs& inputs);

/// A source line without the blanks around it.
std::string trimmed(std::string_view text);

/// The last steps of the kernel's side before the cell has its last value.
std::vector<TraceLine> trace_of_kernel(const LoadedKernel& kernel, std::uint64_t groups, const prove::Inputs& inputs, std::size_t buffer,
                                       std::uint64_t index);
/// The operations of InfReg-IR from which the cell's last value comes.
std::vector<TraceLine> trace_of_infreg(const infreg::Kernel& kernel, std::uint64_t groups, const launch::Arguments& arguments,
                                       std::size_t buffer, std::uint64_t index);

}  // namespace lockstep::differential
