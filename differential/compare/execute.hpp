#pragma once
// Running what a kernel has become.

#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "differential/compare/reference.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::differential {

/// The evaluator of InfReg-IR. It gives up after so many operations on lanes.
Ran run_infreg(const infreg::Kernel& kernel, const Reference& reference, std::uint64_t lane_operations = infreg::Limits().lane_operations);

/// Where the buffers begin that compiled code gets: where elements of their type may lie, or anywhere.
enum class Alignment : std::uint8_t { Elements, Bytes };

/// Why nothing could be run: a sentence.
struct NotRun {
  std::string sentence;
  bool is_missing = false;  ///< something that is needed is not there, or does not work
  bool is_limit = false;    ///< the kernel is too large for the target
};

/// A kernel's code: runs all of so many groups on arguments, of which each is a buffer, or points to a number.
using MachineCode = std::function<void(const void* const* arguments, std::uint64_t groups)>;

/// The wall-clock seconds that machine code may take: far more than it needs, so that only a loop without end meets them.
unsigned patience_with(const Reference& reference);

/// Calls it in a process of its own, on buffers between pages that nobody may touch; it may take so many seconds. Of the result, evidence
/// and compile_seconds are the caller's. An error is a sentence: there is no process.
std::expected<Ran, std::string> run_apart(const MachineCode& code, const Reference& reference, unsigned seconds,
                                          Alignment alignment = Alignment::Elements);

}  // namespace lockstep::differential
