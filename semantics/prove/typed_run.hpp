#pragma once
// A typed program executed for all inputs at once, without forking: both arms of a branch under their masks, merged at the sync; loops
// until no item is left, or up to a bound.
//
// A branch whose condition is not known takes BD, and a sync with items that may wait takes SS. Where in fact all items go one way, the
// other arm is executed by nobody, and that changes nothing: every conclusion of semantics/typed/rules.hpp writes for the threads of Θ
// alone, and all that is not a set (pc, the stacks' depths) comes back with the arm's end. `everywhere`, which makes Θ larger, makes it
// nobody's where nobody enters. tests/proofs/kernels_test.cpp asks it of whole kernels.

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/prove/explorer.hpp"
#include "semantics/prove/typed_domain.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::prove {

/// An instruction that a group has executed, by all that may have been active.
struct TypedStep {
  std::uint64_t group = 0;
  typed::Label pc = 0;
  const ThreadSet& active;  ///< before it
  const TypedSymbolic::State& after;
};

struct TypedRunOptions {
  std::uint64_t groups = 1;
  unsigned bound = 16;  ///< rounds of a loop, and calls of a function in itself, beyond those that are certain
  std::uint64_t max_steps = 1'000'000;
  std::function<void(const TypedStep&)> observer;  ///< may be empty
  Truth everybody{true};                           ///< whether the items are active in the beginning
};

/// Where a premise that has to hold may fail.
struct MayFail {
  std::uint64_t group = 0;
  typed::Label pc = 0;
  musimd::RuleId rule = musimd::RuleId::SP;
  int premise = 0;
  Truth fails;
};

/// Where a loop, or a function that calls itself, was left although somebody may go on.
struct Beyond {
  std::uint64_t group = 0;
  typed::Label pc = 0;
  Truth somebody;
};

struct TypedRun {
  struct Finished {};
  /// Nothing is known of the rest: a limit, or something that this way of execution does not have.
  struct GivenUp {
    std::string sentence;
    SourceSpan span;
    bool is_limit = true;
  };
  std::variant<Finished, GivenUp> end;
  std::vector<MayFail> undefined;  ///< the explorer has been told that none of them does
  std::vector<Beyond> beyond;      ///< and that nobody goes on beyond the bound
  std::uint64_t most_rounds = 0;   ///< of a loop, certain ones included
  std::uint64_t steps = 0;
};

/// Puts the program's own arrays behind the buffers.
void add_program_objects(LaunchMemory& memory, const typed::Program& program);

/// All groups, one after the other. `arguments`: a value for each parameter. `memory` becomes what they leave.
TypedRun run_typed(const typed::Program& program, const std::vector<Value>& arguments, LaunchMemory& memory, Explorer& explorer,
                   const TypedRunOptions& options);

}  // namespace lockstep::prove
