#pragma once
// Refinement of a kernel (docs/infreg-ir.md): for all inputs on which the typed program is free of undefined behaviour, and no two groups
// race, what it was made into has none either, nor do its groups race, and leaves the same memory; where the program leaves poison,
// anything may be.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/infreg/kernel.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/value.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::prove {

/// Elements of a buffer, at most.
inline constexpr std::uint64_t most_elements = 65536;

/// What is said of a parameter beforehand.
struct ParameterSize {
  std::optional<std::uint64_t> bits;   ///< a scalar is this number; none: it is any
  std::optional<std::uint64_t> count;  ///< a buffer has so many elements; none: see RefineOptions
  bool read_only = false;              ///< the target must not write a buffer's elements, except where the program does so itself
};

/// A question to the solver, before it is answered.
struct Query {
  std::string name;     ///< "y-3", unique in a proof
  std::string meaning;  ///< a sentence: "y[3] is the same"
  std::string text;     ///< an SMT-LIB script; unsat if it is so
};

struct Progress {
  std::string what;  ///< "the kernel", "InfReg-IR", "y[3]"
  std::size_t done = 0;
  std::size_t all = 0;
};

struct RefineOptions {
  std::uint64_t groups = 1;
  unsigned bound = 16;  ///< rounds of each loop that are not certain
  FloatMode floats = FloatMode::Uninterpreted;
  unsigned query_ms = 10'000;                     ///< for each question; see Budget::question
  Allowance allowance;                            ///< for everything; time is met to within some tenths of a second
  std::vector<ParameterSize> parameters;          ///< one for each parameter; fewer: nothing is said of the others
  std::function<void(const Query&)> query;        ///< told of every question; may be empty
  std::function<void(const Progress&)> progress;  ///< may be empty
};

/// Inputs on which something is otherwise, as the solver sees them.
struct Inputs {
  std::vector<std::uint64_t> scalars;                ///< a number for each parameter, 0 for pointers; bits as core::Literal
  std::vector<std::vector<std::uint64_t>> elements;  ///< of each pointer parameter's buffer, in order
};

struct Refinement {
  /// RefinesUpToBound: it is not proved that no execution needs more rounds of a loop; of such executions nothing is said.
  enum class Kind : std::uint8_t { Refines, RefinesUpToBound, Refuted, Unknown };
  Kind kind = Kind::Unknown;
  std::string what;                   ///< of Refuted and Unknown: what may be otherwise, or what stood in the way; a sentence
  std::string query;                  ///< of Unknown: the name of the question that was not answered; empty: it was no question
  std::optional<SourceSpan> span;     ///< of Unknown: where in the kernel, if that is known
  std::optional<Spent> spent;         ///< of Unknown: what there was no more of
  Inputs inputs;                      ///< of Refuted
  bool bound_met = false;             ///< a loop may go on beyond the bound
  bool is_vacuous = false;            ///< of Unknown: the program is undefined, or its groups race, on all inputs
  std::vector<std::uint64_t> counts;  ///< of the buffers, in the order of pointer parameters
  std::uint64_t cells = 0;            ///< that were compared
  std::uint64_t conditions = 0;       ///< demands of the target: that it is defined, does not race, and writes what it may write
  std::uint64_t folded = 0;           ///< of both: how many hold by their form
  std::uint64_t questions = 0;        ///< to the solver, those on the way included
  std::uint64_t units = 0;            ///< of work (Budget)
  double seconds = 0;
};

/// InfReg-IR, or another program.
using Target = std::variant<const infreg::Kernel*, const typed::Program*>;

/// Whether the target refines the program. Where `allowance` says units and no time, equal arguments give an equal answer. The error is a
/// sentence: their parameters or sizes differ, or one of them is no program that anything could be proved of (typed::check,
/// infreg::verify).
std::expected<Refinement, std::string> refine(const typed::Program& program, const Target& target, const RefineOptions& options);

}  // namespace lockstep::prove
