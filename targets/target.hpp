#pragma once
// What kernels are compiled to. A target is one descriptor, made in a folder of its own; list.cpp has all of them, and nobody else knows
// one by name (docs/design.md, "A new target").

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/host/compiler.hpp"
#include "codegen/verdict/verdict.hpp"
#include "differential/compare/execute.hpp"
#include "differential/compare/reference.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/infreg/kernel.hpp"
#include "targets/option.hpp"

namespace lockstep::targets {

/// What is asked of a target for one kernel.
struct Asked {
  Settings settings = {};  ///< of the target's own options
  std::optional<unsigned> chunk_lanes = std::nullopt;
  bool has_folder = false;   ///< of code: files, not a text for standard output
  bool is_bundle = false;    ///< of code: with inputs, what is expected, and a driver, in that folder
  std::string scratch = {};  ///< the folder in which a compiler's files are made; empty: the system's
};

/// Why a target cannot do what is asked.
struct Unfit {
  std::string sentence;
  bool is_missing = false;  ///< something that it needs is not there
};

// ---- kernels as they are written --------------------------------------------------------------------------------------------------------

/// A file of kernels, and the one that is wanted.
struct SourceKernel {
  std::string text;  ///< OpenCL C, in front of the preprocessor
  std::string name;  ///< of the kernel
  std::vector<std::pair<std::string, std::string>> defines;
  unsigned wg_size = 1;
  /// Of its __local parameters, where they stand in the list of parameters as it is written, by ascending position.
  struct LocalParameter {
    std::size_t position = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<LocalParameter> local_parameters = {};
  launch::WrittenParameters written_parameters = {};
  std::array<unsigned, 3> shape = {1, 1, 1};         ///< how the items of a group lie
  std::array<std::uint64_t, 3> grid = {1, 1, 1};     ///< groups
  bool is_ragged = false;                            ///< the last groups have fewer items
  unsigned dimensions = 1;                           ///< that the launch is written with
  std::array<std::uint64_t, 3> offset{};             ///< get_global_offset()
  std::optional<std::size_t> group_parameters = {};  ///< of the interpreter's arguments, two that the text does not declare
};

// ---- code for people ----------------------------------------------------------------------------------------------------------------

/// Why there is no code.
struct Unmade {
  std::string sentence;
  bool is_limit = false;  ///< neither the kernel nor what is asked for is wrong
};

struct MadeCode {
  std::string text;  ///< for standard output
  std::vector<host::TextFile> files;
};

/// What goes around the code in a bundle.
struct Surroundings {
  std::string driver;    ///< the name of its file
  std::string headers;   ///< #include lines
  std::string if_equal;  ///< a statement
  host::TextFile makefile;
  std::string entry = {};  ///< what is called; empty: the kernel's name
  bool is_hosted = false;  ///< that wants the number of elements behind each pointer, and returns an error, 0 for none
  std::vector<host::TextFile> more = {};
};

// ---- code that is run -----------------------------------------------------------------------------------------------------------------

/// A kernel's machine code in this process, which goes with the last copy of it.
struct Code {
  differential::MachineCode call;
  std::string evidence;     ///< whose word its results are: "hardware, g++ 12"
  std::string caveat = {};  ///< as Ran has it
  differential::Alignment alignment = differential::Alignment::Elements;
};

/// Why a kernel has no machine code.
struct NoCode {
  enum class Kind : std::uint8_t {
    Refused,   ///< by the emitter, which takes every kernel that a pack of one group leaves small enough
    TooLarge,  ///< for a compiler to be given
    Broken,    ///< the compiler says that it is at its own wits' end
    Rejected,  ///< the compiler does not take what the emitter makes
    Endless,   ///< the compiler has not come to an end with it
    Cancelled,
    Missing  ///< there is no compiler, or it does not work at all
  } kind = Kind::Refused;
  std::string sentence;
  std::string evidence = {};  ///< who says so: "the compiler g++"
};

struct Job {
  const infreg::Kernel& kernel;
  const Asked& asked;
};

// ---- campaigns ------------------------------------------------------------------------------------------------------------------------

/// A kernel that is about to be made, and how it will be compiled.
struct Shape {
  std::uint64_t number = 0;  ///< of the kernel
  unsigned max_lanes = 1;    ///< WG_SIZE times WG_PACK
  bool has_crev = false;
  unsigned wg_size = 1;
  unsigned groups = 0;  ///< 0: any few
  unsigned wg_pack = 1;
  std::optional<unsigned> chunk_lanes = std::nullopt;
  Settings settings = {};
};

/// How campaigns of random kernels treat a target.
struct Campaigning {
  std::uint64_t kernels = 1000;  ///< if nobody says how many
  std::uint64_t full_kernels = 10'000;
  /// So many kernels are compiled at a time. If several: by a process that takes long for any file, and is told of the end; each is run in
  /// a process of its own.
  unsigned most_together = 1;
  std::string meaning = {};  ///< a line for --help; may be empty
  /// Called once, before there are processes.
  std::function<void()> prepare = nullptr;
  /// Chooses settings, and changes what it likes of the shape.
  std::function<void(Shape&, generate::Choices&)> choose = nullptr;
};

/// A kernel that has been lowered, in packs of so many groups; nothing if it cannot be.
using InPacks = std::function<std::optional<infreg::Kernel>(unsigned wg_pack)>;

// ---- the descriptor --------------------------------------------------------------------------------------------------------------------

/// Empty functions: the target has nothing of the kind. One that is run has `compile`, or `run` if it makes no code that this process can
/// call, or `run_source` if it does not come from InfReg-IR.
struct Target {
  std::string_view name;
  std::string_view meaning;   ///< for --help
  bool is_evaluator = false;  ///< runs InfReg-IR itself: tells whether passes or an emitter are to blame
  std::vector<Option> options = {};
  /// Why what is asked cannot be done.
  std::function<std::optional<Unfit>(Use, const Asked&)> complaint = nullptr;
  std::function<unsigned(const infreg::Kernel&, const Asked&)> choose_pack = nullptr;
  std::function<std::expected<MadeCode, Unmade>(const infreg::Kernel&, const LoweringVerdict&, const Asked&)> emit = nullptr;
  /// Of a target that has bundles.
  std::function<Surroundings(const infreg::Kernel&, const InPacks&, const Asked&)> surroundings = nullptr;
  /// One answer for each job. If this process is asked to end meanwhile, those that are left are cancelled.
  std::function<std::vector<std::expected<Code, NoCode>>(const std::vector<Job>&)> compile = nullptr;
  std::function<std::expected<differential::Ran, differential::NotRun>(const infreg::Kernel&, const differential::Reference&, const Asked&)>
      run = nullptr;
  /// Of a target that has a front end of its own for plain OpenCL C. It is compared with the interpreter as OpenCL has kernels: every item
  /// on its own, and no operation contracted.
  std::function<std::expected<differential::Ran, differential::NotRun>(const SourceKernel&, const differential::Reference&, const Asked&)>
      run_source = nullptr;
  Campaigning campaigning = {};
};

/// Whether the target reads kernels themselves.
inline bool reads_source(const Target& target) { return target.run_source != nullptr; }

/// Whether the target can be used so. Whatever is run can be tried by campaigns.
bool is_for(const Target& target, Use use);

/// The target with that name, if it can be used so; null if there is none.
const Target* find(const std::vector<Target>& targets, std::string_view name, Use use);

/// The list (list.cpp).
std::vector<Target> all_targets();
/// Those that are taken if nobody chooses.
std::string_view usual_targets(Use use);

// ---- what emitters have in common
// ---------------------------------------------------------------------------------------------------------

/// What files say of the proof, as a comment in front of them.
std::string with_verdict(std::string_view comment, const LoweringVerdict& verdict, const std::string& text);

/// `#include "header"`
std::string include_line(std::string_view header);

/// A text with words in place of their marks.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& words);

}  // namespace lockstep::targets
