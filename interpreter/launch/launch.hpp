#pragma once
// Running a kernel on the PIRCH machine: the buffers and scalars that it gets, how it is run, and what came of it.
//
// The meaning of a launch is that its groups run one after the other, each alone. Packs, threads and schedules may run them otherwise
// only as long as nobody can tell; when a fault or a race is met, the launch is run again in the defining order, and that is what is
// reported.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/argument.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/base/source.hpp"
#include "semantics/memory/bytes.hpp"
#include "semantics/musimd/rule_table.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

/// A __global buffer: `count` elements of one type, back to back.
struct Buffer {
  ScalarType type = ScalarType::Int;
  std::uint64_t count = 0;
  std::vector<std::byte> bytes;                   ///< count * size_of(type)
  std::vector<std::uint64_t> shape;               ///< as the .npy file had it; {count} otherwise
  std::vector<std::uint64_t> poison;              ///< indices of poison elements after a run, ascending
  std::vector<std::uint64_t> uninitialised = {};  ///< indices of elements without a value, before a run and after it, ascending
  memory::Rights rights = {};                     ///< of the kernel, whatever its parameter's type says
};

struct Arguments {
  std::vector<Argument> values;  ///< one for each parameter of the kernel
  std::vector<Buffer> buffers;
};

/// The order of warps when a group has more than one (docs/kernel-language.md).
enum class Schedule : std::uint8_t { LowestPc, Fair, Random };

/// How far a launch has come: written while it runs, by all its threads, for somebody else who looks now and then.
struct Progress {
  std::atomic<std::uint64_t> groups{0};  ///< that have ended
  std::atomic<std::uint64_t> steps{0};
};

class Changes;

/// A launch of which the last groups in each dimension may have fewer items than the others.
struct RaggedRange {
  std::array<std::uint64_t, 3> items{};
  std::array<std::uint64_t, 3> groups{};
  std::array<unsigned, 3> shape{};  ///< of a group that is whole

  /// Whether the launch has this item of this group, both numbered as in semantics/core/sema/dimensions.hpp.
  bool has(std::uint64_t group, unsigned item) const;
};

struct LaunchOptions {
  std::uint64_t groups = 1;
  std::optional<RaggedRange> ragged = {};  ///< only items of it begin; none: all
  unsigned pack = 0;                       ///< WG_PACK: groups stepped together while they agree; 0: the machine chooses
  unsigned warp_size = 0;                  ///< items of a warp; 0: the whole group (PIRCH)
  Schedule schedule = Schedule::LowestPc;
  std::uint64_t seed = 0;  ///< of Schedule::Random
  unsigned threads = 0;    ///< host threads; 0: all cores
  /// Of atomic changes: 0 as groups and items are numbered, 1 backwards, else as this number shuffles them. In another order than 0 the
  /// groups of a `pack` that is given take turns with each instruction; otherwise each runs alone.
  std::uint64_t order = 0;
  Changes* changes = nullptr;                       ///< what depends on the order of changes is poison; null: nobody asks
  bool races = true;                                ///< look for races
  bool equal_races = false;                         ///< stores of equal values are no races
  bool strict = false;                              ///< a race ends the run
  std::uint64_t max_steps = 100'000'000;            ///< instructions of one warp (by default, of one group)
  std::size_t frame_memory = std::size_t{1} << 28;  ///< bytes of registers of all call frames of one group; recursion ends there
  std::size_t max_depth = 100'000;                  ///< call frames, entries of Π and of Λ of one warp
  Progress* progress = nullptr;                     ///< who wants to know; may be null
};

/// Who did something where.
struct Party {
  std::uint64_t group = 0;
  unsigned item = 0;  ///< in the group
  SourceSpan span;    ///< in Program::source
};

enum class FaultKind : std::uint8_t {
  UninitialisedVariable,
  UninitialisedCell,
  OutOfBounds,
  Misaligned,
  NotReadable,
  NotWritable,
  PoisonAddress,
  PoisonBranch,
  DivisionByZero,
  DivisionOverflow,
  ConversionOverflow,
  PointerMismatch,
  DivergentBarrier,
  BarrierNotReached,
  Stuck,
  StepLimit,
  MemoryLimit,
  DepthLimit,
  Race
};
/// "uninitialised-variable": as JSON names it.
std::string_view name_of(FaultKind kind);

/// Why a run ended before its end.
struct Fault {
  FaultKind kind = FaultKind::Stuck;
  Party party;
  std::string variable;  ///< the register, buffer or array concerned, by its source name; may be empty
  std::string value;     ///< the offending value (an index, a divisor, a lane), as text; may be empty
  std::string message;   ///< a sentence for people, with all of this except the party
};

/// Two accesses to one cell that nothing orders, one of them a write; or two different values written by one instruction.
struct Race {
  Party first;
  Party second;
  bool first_writes = true;
  bool second_writes = true;
  std::string object;  ///< the buffer or array by name
  std::uint64_t index = 0;
  std::string first_value;  ///< as text; of a write, what was written
  std::string second_value;
  bool first_is_atomic = false;  ///< a write that is one of several atomic ones
  bool second_is_atomic = false;

  /// Two stores that leave the same, whichever comes last.
  bool of_equal_values() const {
    return first_writes && second_writes && !first_is_atomic && !second_is_atomic && first_value == second_value;
  }
};

struct Outcome {
  std::optional<Fault> fault;                                   ///< empty: every group halted
  std::uint64_t steps = 0;                                      ///< executed instructions, summed over warps (Fig. 4 rules fired)
  std::array<std::uint64_t, musimd::rule_count> rule_counts{};  ///< summed over warps; indexed by RuleId
  std::vector<Race> races;                 ///< the first of each (pair of instructions, object), in one group and of two, at most 100
  std::uint64_t race_count = 0;            ///< (cell, pair of accesses) found
  std::uint64_t races_between_groups = 0;  ///< of these
  /// Of crev: the most contexts on Λ, call frames, and pending tasks (items saved on Λ, plus the active ones) that one warp had at a time.
  std::size_t most_contexts = 0;
  std::size_t most_frames = 0;
  std::uint64_t most_pending = 0;
  /// Calls through crev (function name → activations, tasks = activations × items).
  struct Activations {
    std::string function;
    std::uint64_t activations = 0;
    std::uint64_t tasks = 0;
  };
  std::vector<Activations> crev;
};

/// The error is a sentence about an argument or option (wrong number of arguments, buffer of another type, sizes beyond the limits).
/// `arguments.buffers` are changed in place; after a fault they hold what the defining order had written when it was met.
std::expected<Outcome, std::string> run(const std::shared_ptr<const typed::Program>& program, Arguments& arguments,
                                        const LaunchOptions& options);

/// How the items of a group lie, and the groups of a launch, for those who are told of them. Where several dimensions have several of them,
/// a place is written as (x,y) or (x,y,z), else as a number.
struct Places {
  std::array<std::uint64_t, 3> items{1, 1, 1};
  std::array<std::uint64_t, 3> groups{1, 1, 1};
};
/// "group (0,1), item 5"
std::string place_text(const Party& party, const Places& places);

/// `file:line:col: error: …` with the source line, caret, group and item, as every other diagnostic looks.
std::string render(const typed::Program& program, const Fault& fault, const Places& places = {});
std::string render(const typed::Program& program, const Race& race, const Places& places = {});

}  // namespace lockstep::launch
