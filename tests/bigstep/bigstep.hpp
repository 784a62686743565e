#pragma once
// An evaluator of μ-SIMD that is written from the rules of the CREV paper (Figs. 3 to 5, with the errata of docs/errata.md)
// and shares no code with the machine, so that agreement of the two means something. Slow on purpose: sets, maps, and one
// function per printed rule.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bigstep {

/// The four ways in which an evaluation ends. They are exclusive.
enum class Ending {
  Halted,     ///< rule SP ran
  Stuck,      ///< no rule applies
  Undefined,  ///< the instruction at pc has undefined behaviour; it changed nothing
  Limit,      ///< Options::max_steps instructions ran, the last of them no successful `stop`
};

/// What a variable of one thread, or a cell of Σ, holds. `number` is 0 unless kind is Number.
struct Value {
  enum Kind { Uninitialised, Poison, Number } kind = Uninitialised;
  std::int64_t number = 0;
  auto operator<=>(const Value&) const = default;
};

using Threads = std::set<unsigned>;

/// One entry of Π: (l_id, Θ_done, l_next, Θ_todo) in the paper's text.
struct SyncEntry {
  unsigned branch_pc = 0;
  Threads done;
  unsigned resume_at = 0;
  Threads todo;
  bool operator==(const SyncEntry&) const = default;
};

/// One entry of Λ: the (Θ, Π) from before an `everywhere`.
struct ContextEntry {
  Threads mask;
  std::vector<SyncEntry> sync;
  bool operator==(const ContextEntry&) const = default;
};

/// (Θ, β, Σ, Π, Λ, pc) of Fig. 2; stacks have their top at the back.
struct Config {
  Threads active;
  std::map<std::string, std::vector<Value>> locals;  ///< every variable of the text, one value per thread of Θall
  std::map<std::int64_t, Value> shared;              ///< a cell that is not here is uninitialised
  std::vector<SyncEntry> sync;
  std::vector<ContextEntry> context;
  unsigned pc = 0;
};

struct Options {
  std::uint64_t max_steps = 1'000'000;
  std::vector<unsigned> initial_active;        ///< empty: all threads
  std::vector<unsigned> thread_order;          ///< the order in which TL's threads write, a permutation of Θall; empty: ascending
  unsigned threads = 0;                        ///< |Θall|; 0: as `.threads` says, 4 without it
  std::set<std::string> as_printed;            ///< errata read as printed: any of E1 E2 E3 E4 E5 E7 E8 E10
  std::function<void(const Config&)> observe;  ///< if set: called before each attempt to run an instruction
};

/// How an evaluation ended, and the state that it left (before the failing instruction, if one failed; pc of the `stop`
/// after a halt).
struct Result {
  Ending ending = Ending::Halted;
  std::string failing_rule_or_reason;  ///< "SP: Π is not empty", or the undefined behaviour; empty after a halt
  std::uint64_t steps = 0;             ///< instructions that ran, `stop` included
  std::vector<std::string> rules;      ///< one per step: "BD", "IT/BP", …
  Threads active;
  std::map<std::string, std::vector<Value>> locals;
  std::map<std::int64_t, Value> shared;
  std::uint64_t races = 0;  ///< number of (step, cell) where two threads stored different values
  unsigned pc = 0;
  std::vector<SyncEntry> sync;        ///< outermost first
  std::vector<ContextEntry> context;  ///< outermost first
};

/// Evaluates a program given as `.mus` text (ASCII forms).
/// Throws std::runtime_error on text that it cannot read, std::invalid_argument on options that do not fit the program
/// (a thread outside Θall, an order that is no permutation, an unknown erratum).
Result run(std::string_view mus_text, const Options& options = {});

}  // namespace bigstep
