#pragma once
// One kernel under test, what it takes to run it, and what a law about kernels looks like.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "semantics/core/tree.hpp"
#include "semantics/generate/kernel.hpp"
#include "semantics/typed/program.hpp"
#include "tests/evaluator/evaluator.hpp"

namespace lockstep::test {

struct KernelTrial {
  const generate::Kernel& kernel;
  std::string text;        ///< the kernel as it is printed
  std::uint64_t salt = 0;  ///< decides what else a law has to choose
};

/// What a law says of a kernel.
struct Verdict {
  std::string wrong;        ///< in a few words; empty: nothing
  bool is_compared = true;  ///< false: the kernel is not one that the law speaks of (it met a limit, a fault, a race…)
};
/// Of a kernel that says nothing about the law.
inline const Verdict left_out{"", false};
using KernelLaw = Verdict (*)(const KernelTrial&);

/// Thrown where the front end does not take a kernel; what() is the first error.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A kernel on its way to the machine and to the evaluator.
struct Ready {
  core::Program program;
  const core::Function* kernel = nullptr;
  std::shared_ptr<const typed::Program> typed;
};

/// What a run left behind.
struct Ran {
  launch::Outcome outcome;
  std::vector<launch::Buffer> buffers;
};

KernelTrial trial_of(const generate::Kernel& kernel, std::uint64_t salt);

/// The kernel read, typed and translated. Throws Refused.
Ready make_ready(const KernelTrial& trial, core::CrevOrder order = core::CrevOrder::Ascending, unsigned crev_seed = 0);

/// Options that leave nothing to the machine: one pack, one thread, all of the group in a warp, and enough steps for every kernel
/// that ends.
launch::LaunchOptions plain_options(const generate::Kernel& kernel);

/// The kernel's inputs: each pointer has a buffer of its own.
launch::Arguments arguments_of(const generate::Kernel& kernel);

/// The same inputs, but most pointers of one type point into one buffer, at random distances of each other; the buffers of those that
/// then do without them are there, and nobody's.
launch::Arguments overlapping_arguments(const generate::Kernel& kernel, std::uint64_t seed);

/// Runs the kernel, on its inputs if no others are given. Throws std::runtime_error where the launcher does not take them.
Ran run_machine(const Ready& ready, launch::Arguments arguments, const launch::LaunchOptions& options);
Ran run_machine(const Ready& ready, const generate::Kernel& kernel, const launch::LaunchOptions& options);

evaluator::Result run_evaluator(const Ready& ready, const generate::Kernel& kernel, const launch::Arguments& arguments,
                                unsigned warp_size = 0);
evaluator::Result run_evaluator(const Ready& ready, const generate::Kernel& kernel, unsigned warp_size = 0);

/// Whether a run ended at a limit, which says nothing about the kernel.
bool met_limit(const Ran& ran);

/// No fault and no race.
bool is_clean(const Ran& ran);

/// "out-of-bounds in group 0, item 3, at 4:7-4:9: a[i]", or "no fault".
std::string text_of(const Ready& ready, const std::optional<launch::Fault>& fault);
std::string text_of(const Ready& ready, const std::optional<evaluator::Fault>& fault);

/// Where the buffers differ (docs/kernel-language.md: any NaN is any NaN), poison included; empty: nowhere.
std::string difference(const generate::Kernel& kernel, const std::vector<launch::Buffer>& left, const std::vector<launch::Buffer>& right);
std::string difference(const generate::Kernel& kernel, const std::vector<launch::Buffer>& left,
                       const std::vector<evaluator::Buffer>& right);

}  // namespace lockstep::test
