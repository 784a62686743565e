#pragma once
// The parts of `lockstep diff`: running targets, comparing what they leave, and saying so.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codegen/verdict/verdict.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"
#include "tools/kernel_program.hpp"

namespace lockstep::tools {

// ---- what targets are run on ------------------------------------------------------------------------------------------------

/// A launch that the interpreter has finished.
struct Reference {
  const LoadedKernel& kernel;
  std::uint64_t groups = 1;
  const launch::Arguments& before;  ///< what the kernel got
  const launch::Arguments& after;   ///< the same, as the interpreter left it
  double seconds = 0;
};

/// How a target ended that did not leave buffers to compare.
struct Failure {
  enum class Kind : std::uint8_t {
    Undefined,
    Crashed,
    Endless,
    Limit,
    Uncompiled,  ///< the compiler behind the target does not take what it is given
    NotRun       ///< there is nothing to run, and neither the kernel nor its InfReg-IR is to blame
  } kind = Kind::Crashed;
  std::string sentence;
};

/// What a target did.
struct Ran {
  std::variant<std::vector<launch::Buffer>, Failure> result;  ///< the buffers as it left them
  std::string evidence;                                       ///< whose word it is: "our evaluator"
  double compile_seconds = 0;                                 ///< from InfReg-IR to something that runs
  double run_seconds = 0;
  std::string caveat = {};  ///< a clause: why bits may differ although nothing is wrong; empty: they may not
};

/// The evaluator of InfReg-IR. It gives up after so many operations on lanes.
Ran run_infreg(const infreg::Kernel& kernel, const Reference& reference, std::uint64_t lane_operations = infreg::Limits().lane_operations);

/// How LLVM is used.
struct LlvmOptions {
  unsigned level = 3;                   ///< 0 to 3
  std::optional<unsigned> chunk_lanes;  ///< of emit_llvm::EmitOptions
};

/// Machine code by LLVM, as run_apart runs it. An error is a sentence: nothing could be run.
std::expected<Ran, std::string> run_llvm(const infreg::Kernel& kernel, const Reference& reference, const LlvmOptions& options = {});

/// Where the buffers begin that compiled code gets: where elements of their type may lie, or anywhere.
enum class Alignment : std::uint8_t { Elements, Bytes };

/// Why nothing could be run: a sentence.
struct NotRun {
  std::string sentence;
  bool is_missing = false;  ///< something that is needed is not there, or does not work
};

/// A kernel's code: runs all of so many groups on arguments, of which each is a buffer, or points to a number.
using MachineCode = std::function<void(const void* const* arguments, std::uint64_t groups)>;

/// The wall-clock seconds that machine code may take: far more than it needs, so that only a loop without end meets them.
unsigned patience_with(const Reference& reference);

/// Calls it in a process of its own, on buffers between pages that nobody may touch; it may take so many seconds. Of the result, evidence
/// and compile_seconds are the caller's. An error is a sentence: there is no process.
std::expected<Ran, std::string> run_apart(const MachineCode& code, const Reference& reference, unsigned seconds,
                                          Alignment alignment = Alignment::Elements);

// ---- comparing ----------------------------------------------------------------------------------------------------------------

/// An element that is not equal to the reference's. (docs/kernel-language.md: the same bits, any two NaNs, and anything where the reference
/// is poison.)
struct Mismatch {
  std::string buffer;      ///< the parameter's name
  std::size_t number = 0;  ///< of the buffer
  std::uint64_t index = 0;
  std::string expected;       ///< in decimal
  std::string found;          ///< likewise; "poison" where the target has that
  std::string expected_bits;  ///< in hexadecimal, as many digits as the type has
  std::string found_bits;
};

struct Comparison {
  std::uint64_t different = 0;  ///< elements
  std::optional<Mismatch> first;
  std::vector<std::string> buffers;  ///< that have such elements, by the parameters' names
};

/// A race whose parties' order may decide the result, so that there is nothing to compare with: of two groups. Items of one group that meet
/// in one instruction are ordered. Null if there is none.
const launch::Race* deciding_race(const launch::Outcome& outcome);

/// `found`: the buffers that a target left, in the order of the reference's.
Comparison compare(const Reference& reference, const std::vector<launch::Buffer>& found);

// ---- where two executions part --------------------------------------------------------------------------------------------------

/// Who wrote an element last, in the interpreter.
struct Writer {
  std::uint64_t group = 0;
  unsigned item = 0;
  SourceSpan span;  ///< of the store
};
/// Runs the launch once more, step by step. Nothing if nobody writes the element, or the launch is too long to be looked at again.
std::optional<Writer> last_writer(const Reference& reference, const Mismatch& mismatch);

/// The first store of the evaluator, in the order in which it executes them, that changes an element of a buffer to a number which the
/// interpreter never writes there from the same place of the source. Of InfReg-IR that was read from a text of its own, whose operations
/// do not say which line of the kernel they come from: never writes there at all.
struct Parting {
  std::string operation;  ///< as InfReg-IR has it
  std::string place;      ///< "k.cl:3": of the text that the InfReg-IR comes from
  std::string buffer;
  std::uint64_t index = 0;
  std::string stored;                ///< by the evaluator
  std::vector<std::string> written;  ///< by the interpreter instead; empty: nothing
};
/// Nothing if there is no such store: then the evaluator leaves one out that the interpreter executes, or has another order.
std::optional<Parting> first_parting(const infreg::Kernel& kernel, const Reference& reference);

// ---- telling --------------------------------------------------------------------------------------------------------------------

/// What came of one target with one WG_PACK.
struct Verdict {
  std::string target;
  unsigned wg_pack = 1;
  double lower_seconds = 0;
  Ran ran;  ///< without the buffers, which have been compared
  Comparison comparison;
  std::optional<Writer> writer;          ///< of the first element that is not equal
  std::optional<Parting> parting;        ///< where the evaluator's result is another one
  std::optional<bool> evaluator_agrees;  ///< of an unequal target that is made from InfReg-IR: whether its evaluator equals the interpreter
};

/// "equal", "different", "undefined", "crashed", "endless", "limit", "uncompiled" or "not run".
std::string_view name_of(const Verdict& verdict);

/// "y[3] is 5 (0x00000005), but the interpreter has 4 (0x00000004); 2 differences in all"
std::string text_of(const Mismatch& mismatch, std::uint64_t different);

/// What the proof of a lowering says.
struct Proof {
  unsigned wg_pack = 1;
  LoweringVerdict verdict;
};
void print_proof(const Proof& proof);

/// One line, and others below it if something is wrong.
void print_verdict(const Verdict& verdict, const SourceFile& source);

/// One JSON object: what is said of the launch, all verdicts, `missing`, the targets that are not there, and the proofs.
void print_json(const Reference& reference, const std::vector<Verdict>& verdicts, const std::vector<std::string>& missing,
                const std::vector<Proof>& proofs, std::string_view status);

/// "1.25 ms"
std::string time_text(double seconds);

}  // namespace lockstep::tools
