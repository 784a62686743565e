#pragma once
// The parts of `lockstep fuzz`: which kernels are made, how one is tried, what a finding becomes (docs/fuzz.md).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codegen/host/compiler.hpp"
#include "semantics/generate/kernel.hpp"
#include "semantics/generate/kernel_change.hpp"
#include "tools/diff.hpp"
#include "tools/kernel_program.hpp"

namespace lockstep::tools {

// ---- which kernels --------------------------------------------------------------------------------------------------------------

/// A proof takes as long as some ten kernels.
inline constexpr std::uint64_t usual_proved_one_in = 64;

/// What a campaign tries, and on what.
struct FuzzPlan {
  enum class Target : std::uint8_t { Infreg, Llvm, Avx512, Backend, Pairs } target = Target::Llvm;
  std::uint64_t seed = 1;
  bool portable = false;                              ///< kernels of the portable subset alone
  unsigned max_lanes = 16;                            ///< WG_SIZE times WG_PACK
  std::string backend;                                ///< of Target::Backend: the command
  unsigned timeout = 60;                              ///< seconds that the command may take
  host::Compiler compiler;                            ///< of Target::Avx512
  std::string compiler_as_given;                      ///< on the command line; may be empty
  std::uint64_t proved_one_in = usual_proved_one_in;  ///< of so many kernels one is proved, if it is small; 0: none
  unsigned patience = 30;                             ///< seconds that a kernel may take which Target::Avx512 runs in a process of its own
  std::string scratch;                                ///< the folder in which the folders of commands and compilers are made
};

/// Wide kernels have more lanes (WG_SIZE times WG_PACK) than that.
inline constexpr unsigned narrow_lanes = 16;
/// The most that kernels have, unless --max-lanes or --backend says otherwise.
inline constexpr unsigned usual_lanes = 128;
/// One in so many kernels is wide, if they may be.
inline constexpr unsigned wide_one_in = 10;

/// A kernel of a campaign, and how it is compiled.
struct FuzzCase {
  std::uint64_t number = 0;
  generate::Kernel kernel;
  unsigned wg_pack = 1;
  unsigned level = 0;                   ///< LLVM's, or the C++ compiler's
  std::optional<unsigned> chunk_lanes;  ///< of the target's EmitOptions
  std::optional<unsigned> most_chunks;  ///< of emit_avx512::EmitOptions
  bool misaligned = false;              ///< of Target::Avx512: buffers begin anywhere
  bool side_by_side = false;            ///< of Target::Avx512: groups lie side by side, as many as a chunk has lanes
  bool streaming = false;               ///< of passes::PipelineOptions
  bool proved = false;                  ///< its lowering is proved at a small size, unless it is too long for that
  bool watched = false;                 ///< it is counted which passes change it, which costs time
  generate::Change change;              ///< of Target::Pairs: what makes the other kernel of it
};

/// Kernel `number` of a campaign: depends on the plan alone.
FuzzCase fuzz_case(const FuzzPlan& plan, std::uint64_t number);

/// The same for another kernel, the change at the same place.
FuzzCase with_kernel(const FuzzCase& like, const generate::Kernel& kernel);

/// What so many kernels are made of, by the names of generate::Census.
struct FuzzCensus {
  struct Construct {
    std::uint64_t occurrences = 0;
    std::uint64_t kernels = 0;  ///< that it stands in
  };
  std::uint64_t kernels = 0;
  std::map<std::string, Construct> constructs;
};
FuzzCensus take_census(const FuzzPlan& plan, std::uint64_t first, std::uint64_t kernels);
/// A line for each construct; or one JSON object.
void print_census(const FuzzPlan& plan, const FuzzCensus& census);
void print_census_json(const FuzzPlan& plan, const FuzzCensus& census);

// ---- trying one -----------------------------------------------------------------------------------------------------------------

/// How often something happened, by name: "statement: if", "pass: fold", "wg_size: 4".
using Counts = std::map<std::string, std::uint64_t>;

/// An element of a buffer, by the numbers of both.
struct Element {
  std::size_t buffer = 0;
  std::uint64_t index = 0;
};

/// What came of a kernel.
struct FuzzAnswer {
  enum class Ending : std::uint8_t {
    Equal,
    Undefined,  ///< what it does is undefined: nothing to compare
    Races,      ///< groups race: likewise
    Limit,      ///< the interpreter or the evaluator has reached a limit
    Refused,    ///< it cannot be compiled (recursion), or the back end says so
    Finding,
    Missing,  ///< the back end, or the compiler, cannot do any kernel: it is not there, or has wrong options
    Stopped   ///< this process was asked to end
  } ending = Ending::Equal;
  std::string kind;                  ///< of a finding, in a few words: what shrinking must not change
  std::string sentence;              ///< of a finding, and of Missing
  std::vector<std::string> buffers;  ///< those that differ
  std::optional<Element> first;      ///< that differs
};

/// "equal", "undefined", "races", "limit", "refused", "finding", "missing" or "stopped".
std::string_view name_of(FuzzAnswer::Ending ending);

/// A kernel that the interpreter has run, and its arguments before and after.
struct Interpreted {
  ReadKernel read;
  LoadedKernel loaded;
  launch::Arguments before;
  launch::Arguments after;
  std::uint64_t groups = 1;
  double seconds = 0;

  Reference reference() const { return {loaded, groups, before, after, seconds}; }
};

/// `alone`: every item on its own, as OpenCL has them. An answer if there is nothing to compare with.
std::variant<Interpreted, FuzzAnswer> interpret(const FuzzCase& fuzz_case, bool alone);

/// A kernel in InfReg-IR with which the evaluator does what the interpreter does.
struct LoweredCase {
  Interpreted interpreted;
  infreg::Kernel kernel;
};

/// Interprets, goes through the passes, and evaluates. An answer if there is no machine code to make. Counts what it meets.
std::variant<LoweredCase, FuzzAnswer> lower_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts);

/// Proves the lowering at WG_SIZE 2, within a budget of work. A counterexample that has been run is a finding; what comes of all others is
/// counted: "proof: unknown".
FuzzAnswer prove_case(const FuzzCase& fuzz_case, Counts& counts);
inline constexpr std::string_view proof_finding = "verify: counterexample";
/// The same proof by `lockstep`, without its name in front.
std::string proof_command(const FuzzCase& of);

/// A finding that `target` differs, if it does: the buffers that it left are not the reference's.
std::optional<FuzzAnswer> judged(const std::string& target, const Reference& reference, const std::vector<launch::Buffer>& buffers);

/// Of Target::Pairs: what the prover says of the kernel and the changed one, held against runs of both.
FuzzAnswer try_pair(const FuzzCase& fuzz_case, Counts& counts);

/// The text of the changed kernel, and `lockstep verify` of the two in files kernel.cl and changed.cl.
std::string changed_text(const FuzzCase& fuzz_case);
std::string verify_line(const FuzzCase& fuzz_case);

/// What `work` answers; an exception is a finding.
FuzzAnswer answer_from(const std::function<FuzzAnswer()>& work);

/// So many kernels are compiled in one translation unit: more take as long for each, and longer until the first is known.
inline constexpr unsigned most_together = 32;

/// Of Target::Avx512: the same as try_case for several kernels, each with counts of its own, in few translation units. What is compiled
/// runs in processes of their own.
std::vector<FuzzAnswer> try_together(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts);

/// Through everything that the plan asks for, in this process: code that goes wrong may end it. Counts what it meets.
FuzzAnswer try_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts);

/// The same in a process of its own: a crash, or more than `seconds`, is a finding. Stopped as soon as this process is asked to end.
FuzzAnswer try_apart(const FuzzPlan& plan, const FuzzCase& fuzz_case, unsigned seconds);

/// What stands in the way of a process that ended with this status (waitpid's): "crashed by signal 11 (Segmentation fault)", or "endless".
FuzzAnswer crash(int status);

// ---- folders of files (docs/fuzz.md) ----------------------------------------------------------------------------------------------

/// Writes kernel.cl, launch.json and the inputs as .npy files into a folder that is there. An error is a sentence.
std::optional<std::string> write_case(const std::string& folder, const FuzzCase& fuzz_case, const Interpreted& interpreted);

/// Tries a case on the plan's back end.
FuzzAnswer try_backend(const FuzzPlan& plan, const FuzzCase& fuzz_case);

/// A word of a shell's command line.
std::string shell_quoted(const std::string& text);

/// A command with `word`, as the shell reads it, in place of each {}, or behind it.
std::string command_on(const std::string& command, const std::string& word);

/// The folder in which this program lies; its back ends lie beside it.
std::string folder_of_program();

/// A folder of its own that goes with this.
class TemporaryFolder {
 public:
  /// Throws std::runtime_error if none can be made there.
  explicit TemporaryFolder(const std::string& inside);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Where two executions part.
struct PartingLine {
  unsigned number = 0;   ///< of the kernel's text, from 1
  std::string differs;   ///< what differs there: a variable, or an element "io2[0]"
  bool is_last = false;  ///< the element is written there for the last time; otherwise the variable is assigned there
};

/// One finding, shrunk.
struct Finding {
  FuzzCase smallest;
  FuzzAnswer answer;                ///< to it
  std::optional<PartingLine> line;  ///< the first at which the two part, if that could be found out
  std::vector<std::string> others;  ///< further findings of the same kind: "kernel 17"
  std::string folder;               ///< where it has been written; empty: nowhere
};

/// Makes a finding's kernel small, and looks for the line at which the two part. If this process is asked to end, what has been done so
/// far is the result.
Finding shrink(const FuzzPlan& plan, const FuzzCase& found, const FuzzAnswer& answer);

/// "kernel.cl:3, where 'v1' differs", as far as that is known.
std::string text_of(const PartingLine& line);

/// A sentence if no folders can be made in this one, which itself need not be there. Leaves nothing behind.
std::optional<std::string> cannot_write_in(const std::string& directory);

/// Writes the folder DIR/KIND-SEED-NUMBER; an error is a sentence.
std::optional<std::string> write_finding(const FuzzPlan& plan, const std::string& directory, Finding& finding);

// ---- campaigns --------------------------------------------------------------------------------------------------------------------

/// How long a campaign goes on.
struct FuzzLength {
  std::uint64_t first = 0;               ///< the first kernel's number
  std::optional<std::uint64_t> kernels;  ///< so many
  double seconds = 0;                    ///< of the clock, if not 0; whatever comes first
  unsigned jobs = 1;                     ///< processes
};

struct FuzzTotals {
  struct Found {
    std::uint64_t number = 0;  ///< of the kernel
    FuzzAnswer answer;
  };

  Counts counts;
  std::uint64_t kernels = 0;
  std::vector<Found> findings;   ///< by ascending numbers
  std::string missing;           ///< why the back end cannot do any kernel; empty: it can
  double seconds = 0;            ///< of the clock
  double processor_seconds = 0;  ///< of all processes together
};

/// Tries kernels in processes of their own, which are made again if they crash; shows how far it is if standard error is a terminal. Ends
/// early if there are too many findings, if the back end is missing, or when this process is asked to end (tools/fuzz_process.hpp); nothing
/// of it runs any more then.
FuzzTotals run_campaign(const FuzzPlan& plan, const FuzzLength& length);

/// What has been made and met, for people.
void print_totals(const FuzzPlan& plan, const FuzzTotals& totals);

/// One JSON object; `status` is a word.
void print_json(const FuzzPlan& plan, const FuzzTotals& totals, const std::vector<Finding>& findings, std::string_view status);

}  // namespace lockstep::tools
