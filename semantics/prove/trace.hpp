#pragma once
// A kernel executed on given inputs by the same rules as in proofs: every term is a number then, and each step can be told.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "semantics/prove/accesses.hpp"
#include "semantics/prove/refine.hpp"
#include "semantics/prove/typed_domain.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::prove {

/// An instruction that an item has executed.
struct ItemStep {
  typed::Label pc = 0;
  std::string target;  ///< the variable or cell that it wrote, "x" or "y[3]"; empty: none
  std::string value;   ///< as text
};

/// What the items of a launch do on its way to the last value of one cell of a buffer.
struct CellHistory {
  std::uint64_t group = 0;
  unsigned item = 0;
  std::vector<ItemStep> steps;  ///< of that item, up to the store; empty: nobody stores there
};

/// Who stores last to element `index` of buffer number `buffer`.
CellHistory history_of(const typed::Program& program, std::uint64_t groups, const Inputs& inputs, std::size_t buffer, std::uint64_t index);

/// A launch on given inputs: its memory, and a value for each parameter.
struct ConcreteLaunch {
  LaunchMemory memory;
  std::vector<Value> arguments;
};
ConcreteLaunch launch_on(const typed::Program& program, const Inputs& inputs);

/// What a run leaves: the elements of each buffer, none where they are poison.
struct ConcreteRun {
  enum class End : std::uint8_t { Finished, Undefined, GivenUp };
  End end = End::Finished;
  std::vector<std::vector<std::optional<std::uint64_t>>> elements;
};
/// For comparison with the interpreter. Throws InternalError if something does not fold to a number, which would be a fault of the domain.
ConcreteRun run_on_constants(const typed::Program& program, std::uint64_t groups, const Inputs& inputs);

/// Whether two groups of the program race on the inputs, so that what it leaves depends on their order. Throws OutOfBudget.
bool groups_race(const typed::Program& program, std::uint64_t groups, const Inputs& inputs);

/// What a target does on inputs and must not, whatever memory it leaves: two groups that race, or a store to a buffer that is only to be
/// read.
struct Offence {
  std::size_t buffer = 0;
  std::uint64_t index = 0;
  BufferAccess first;                  ///< a place is a label of a program, or place_of(operation) of InfReg-IR
  std::optional<BufferAccess> second;  ///< of a race
};
/// Empty: there is none, or one of the two executions has no end that is defined. `read_only`: of each parameter; a store is none where the
/// program stores itself. Throws OutOfBudget.
std::optional<Offence> offence_of(const typed::Program& program, const Target& target, std::uint64_t groups, const Inputs& inputs,
                                  const std::vector<bool>& read_only);

}  // namespace lockstep::prove
