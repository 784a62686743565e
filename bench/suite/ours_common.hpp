#pragma once
// What the ways to run our kernels have in common.

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/suite/ours.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::bench {

/// Items of a group.
unsigned wg_size_of(const Task& task, const OurOptions& options);

/// Groups that solve all problems.
std::uint64_t groups_of(const Data& data, unsigned wg_size);

/// Whether the number of problems follows the arrays as an argument (uint).
bool has_batch_parameter(const Task& task);

/// The kernel's macros.
std::vector<std::pair<std::string, std::string>> defines_of(const Task& task);

/// The kernel's text, with a name for messages.
SourceFile source_of(const Task& task, const OurOptions& options);

struct OurKernel {
  std::shared_ptr<const SourceFile> source;
  core::Program program;  ///< has one kernel
};

/// The typed tree, with contraction. The error has the compiler's messages.
std::expected<OurKernel, std::string> read_our_kernel(const Task& task, const OurOptions& options);

/// A contestant of a target, as yet without prepare().
Contestant our_contestant(const std::string& target, const Task& task, const OurOptions& options);

}  // namespace lockstep::bench
