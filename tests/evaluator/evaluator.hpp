#pragma once
// An independent evaluator of CoRe kernels: it walks the typed tree as docs/kernel-language.md words the meaning, slowly and plainly. It
// knows no μ-SIMD, no stacks Π and Λ, and shares no code with the translation, the machine, its search for races, or the lane kernels and
// operations that compute at run time; the property tests hold the machine against it. What it shares is the typed tree: what the front
// end has decided there (types, conversions, folded constants, contraction) is taken as it stands, and is tested elsewhere.
//
// Groups run one after the other. The items of a warp go through the statements in lockstep, each statement once for the set of items
// that reach it, and within an expression each operator once for all of them. With a warp size of 1 every item runs alone to its end
// (or to the next barrier), which is how OpenCL thinks of it.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "semantics/base/argument.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/tree.hpp"
#include "tests/evaluator/number.hpp"

namespace lockstep::evaluator {

enum class State : std::uint8_t { Uninitialised, Number, Poison };

/// An element of a buffer.
struct Cell {
  State state = State::Number;
  std::uint64_t bits = 0;

  bool operator==(const Cell&) const = default;
};

struct Buffer {
  ScalarType type = ScalarType::Int;
  std::vector<Cell> cells;
};

struct Launch {
  std::uint64_t groups = 1;
  unsigned warp_size = 0;  ///< 0: the whole group
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::uint64_t max_steps = 2'000'000;  ///< operators and statements, in all
  unsigned max_depth = 300;             ///< calls within calls
};

/// The first undefined behaviour. `span` is the operation's own.
struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  std::uint64_t group = 0;
  unsigned item = 0;
  SourceSpan span;
};

struct Result {
  std::optional<Fault> fault;
  bool gave_up = false;  ///< a limit was met: nothing can be said
  bool has_race =
      false;  ///< docs/kernel-language.md, among what was run: two groups, two warps between the same barriers, two items at once
  std::vector<Buffer> buffers;    ///< as they are at the end, or at the fault
  std::uint64_t activations = 0;  ///< calls served by crev
};

/// Runs `kernel`, a kernel of `program`, on arguments that fit its signature.
Result evaluate(const core::Program& program, const core::Function& kernel, Launch launch);

}  // namespace lockstep::evaluator
