#pragma once
// Which arrangement a kernel has: by what people ask for, or by what the model expects of both.

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>

#include "codegen/emit/ve/emit.hpp"
#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

struct Arranged {
  Plan plan;
  std::optional<Plan> one;  ///< of packs of one group, for what is left over; none if `plan` does that as well

  std::uint64_t stack_bytes() const { return plan.stack_bytes() + (one ? one->stack_bytes() : 0); }
};

struct Choice {
  static constexpr std::uint64_t always = std::numeric_limits<std::uint64_t>::max();  ///< rows, as long as groups would be side by side

  std::optional<Arranged> groups;
  std::optional<Plan> pairs;  ///< of groups, two packs in each element, for as many as there are two of
  std::optional<Arranged> rows;
  std::uint64_t rows_up_to = 0;  ///< groups of a launch, where there are both
};

/// The error is a sentence.
std::expected<Choice, std::string> choose(const infreg::Kernel& kernel, const EmitOptions& options);

/// The choice as a line for people.
std::string explain(const infreg::Kernel& kernel, const Choice& choice);

}  // namespace lockstep::emit_ve
