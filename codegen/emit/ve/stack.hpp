#pragma once
// What the functions of a plan need of the stack.

#include <cstdint>

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

/// Stack that a call may take where there is a choice.
inline constexpr std::uint64_t most_usual_stack = std::uint64_t{16} << 20U;

/// Counts the bytes, and has fewer packs side by side where they would be too many, or where a vote over a pack is more than a condition.
void count_stack(const infreg::Kernel& kernel, Plan& plan);

}  // namespace lockstep::emit_ve
