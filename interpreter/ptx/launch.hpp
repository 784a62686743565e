#pragma once
// Running a kernel of a PTX module over a grid: what it gets, how it is run, and what came of it.
//
// Blocks run one after the other, in ascending order. Inside of a block every thread has its own pc; which threads go on next is the
// schedule's choice, and no result of a program without races and misuse depends on it.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "interpreter/ptx/counts.hpp"
#include "interpreter/ptx/geometry.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

enum class Schedule : std::uint8_t {
  LowestPc,  ///< the threads that are behind in the order in which code runs, so that they meet the others; those that wait too long are
             ///< let through
  Stack,     ///< those of the innermost branch, up to where its ways meet again
  Fair,      ///< one instruction each in turn, warps apart
  Random,    ///< any, warps apart, and now and then threads of a warp apart
};

/// The bytes of a parameter, the buffer that it points into, or the shared memory: so many bytes, of each block.
struct ParameterBytes {
  std::vector<std::byte> bytes;
};
struct SharedMemory {
  std::uint64_t bytes = 0;
};
using ParameterValue = std::variant<ParameterBytes, BufferNumber, SharedMemory>;

struct Arguments {
  std::vector<ParameterValue> values;  ///< one for each parameter of the kernel
  std::vector<launch::Buffer> buffers;
};

struct LaunchOptions {
  Geometry geometry;
  std::uint64_t shared_bytes = 0;  ///< dynamic shared memory
  Schedule schedule = Schedule::LowestPc;
  std::uint64_t seed = 0;                 ///< of Schedule::Random
  bool races = true;                      ///< look for races
  bool strict = false;                    ///< a race ends the run
  bool counts = false;                    ///< count what hardware would be asked for
  std::uint64_t max_steps = 100'000'000;  ///< instructions of one block, each counted once for the threads that execute it together
  std::size_t frame_memory = std::size_t{1} << 30;  ///< bytes of registers and local memory of one block, of all its calls
  std::size_t memory_limit = std::size_t{4} << 30;  ///< bytes of everything else that a launch makes
  std::size_t max_depth = 1000;                     ///< calls inside of each other
  launch::Progress* progress = nullptr;             ///< who wants to know; may be null
};

/// Who did something where.
struct Party {
  Dim3 block;
  Dim3 thread;
  std::uint32_t function = 0;  ///< of the module
  std::uint32_t pc = 0;        ///< in its code
};

enum class FaultKind : std::uint8_t {
  UndefinedRegister,
  UndefinedByte,
  OutOfBounds,
  Misaligned,
  Forbidden,
  NotInMask,
  MissingMember,
  UnequalMasks,
  DivergentBarrier,
  BarrierMismatch,
  BranchIndex,
  BadCall,
  Trap,
  DoesNotRun,
  StepLimit,
  MemoryLimit,
  DepthLimit,
  Race,
};
/// "undefined-register": as JSON names it.
std::string_view name_of(FaultKind kind);
/// A limit of the run, no mistake of the program.
bool is_limit(FaultKind kind);

/// Why a run ended before its end.
struct Fault {
  FaultKind kind = FaultKind::Trap;
  Party party;
  std::string message;  ///< a sentence for people, without the party
};

/// Two accesses to bytes in common that nothing orders, one of them a write; or a write of what is read as a constant.
struct Race {
  Party first;
  Party second;
  bool first_writes = true;
  bool second_writes = true;
  bool constant = false;   ///< one of them reads what nothing may write while the kernel runs (ld.global.nc)
  std::string object;      ///< the buffer or variable
  std::uint64_t byte = 0;  ///< in it
};

/// Something that depends on a result that PTX leaves open: an approximation, a sum or product that may be contracted, a clock.
struct OpenResult {
  enum class What : std::uint8_t { Stored, Address, Decided };
  What what = What::Stored;
  std::uint32_t function = 0;
  std::uint32_t pc = 0;
  std::uint32_t origin = 0;  ///< the line of the PTX text that leaves it open
};

struct Outcome {
  std::optional<Fault> fault;      ///< empty: every thread has ended
  std::uint64_t steps = 0;         ///< instructions, each counted once for the threads that executed it together
  std::uint64_t thread_steps = 0;  ///< instructions, summed over threads
  std::vector<Race> races;         ///< the first of each pair of instructions and object, at most 100
  std::uint64_t race_count = 0;    ///< (byte, pair of accesses) found
  std::vector<OpenResult> open;    ///< the first of each instruction, at most 100
  std::optional<Counts> counts;    ///< if they are asked for
};

/// What is wrong with the sizes, the module or the number of arguments: a sentence.
std::optional<std::string> complaint(const ptx::resolved::Module& module, const ptx::resolved::Function& kernel, const Arguments& arguments,
                                     const LaunchOptions& options);

/// The error is a sentence about an argument or option (sizes beyond the limits, a wrong number of arguments). `kernel` is an entry of the
/// module. `arguments.buffers` are changed in place; after a fault they hold what had been written when it was met.
std::expected<Outcome, std::string> run(const ptx::resolved::Module& module, const ptx::resolved::Function& kernel, Arguments& arguments,
                                        const LaunchOptions& options);

/// The fault that a race is where races end a run.
Fault fault_of(const Race& race);

/// "saxpy.cu:5:3": the line of the program that an instruction was compiled from; empty where the module does not say that.
std::string source_text(const ptx::resolved::Module& module, std::uint32_t function, std::uint32_t pc);

/// `file:line:col: error: …` with the source line, caret, block and thread, and a note about the line of the program that it was compiled
/// from, where the module says that.
std::string render(const ptx::resolved::Module& module, const Fault& fault);
std::string render(const ptx::resolved::Module& module, const Race& race);
std::string render(const ptx::resolved::Module& module, const OpenResult& open);

}  // namespace lockstep::ptx_machine
