#pragma once
// Where the ways of a branch meet again, and which of two places comes first.

#include <cstdint>
#include <vector>

#include "interpreter/ptx/code.hpp"

namespace lockstep::ptx_machine {

/// Of each instruction of a function, and, behind them, of its end:
struct PostDominators {
  /// The first instruction that follows on every way from it to the end: its immediate post-dominator. The number of instructions if that
  /// is the end, or if no way leads there.
  std::vector<std::uint32_t> meeting;
  /// Its number in an order in which an instruction comes behind all that it post-dominates: what is behind a loop comes behind the loop,
  /// and where the ways of a branch meet, behind these. Threads that are behind in this order can still come to where others are. Compilers
  /// lay code out like this, but for the blocks that they move out of the way.
  std::vector<std::uint32_t> rank;
};

PostDominators post_dominators(const FunctionCode& code);

}  // namespace lockstep::ptx_machine
