#pragma once
// What the command line knows of the targets that kernels are compiled to: a row each. A new target brings a file of its own in this
// folder and a row in targets.cpp; subcommands know none by name (docs/design.md, "A new target").

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
#include "semantics/infreg/kernel.hpp"
#include "tools/command.hpp"
#include "tools/diff.hpp"
#include "tools/lower.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// The subcommand that asks.
enum class Use : std::uint8_t { Emit, Diff };

/// What is asked for beside a target's own options.
struct Asked {
  bool has_folder = false;  ///< of emit: files, not a text for standard output
  bool is_bundle = false;   ///< of emit: with inputs, what is expected, and a driver, in that folder
  std::optional<unsigned> chunk_lanes;
};

/// Why a target cannot do what is asked.
struct Unfit {
  std::string sentence;
  bool is_missing = false;  ///< something that it needs is not there
};

/// Why there is no code, and the exit status.
struct Unmade {
  std::string sentence;
  Status status = bad_input;
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
};

/// A target together with its options on one command line. Empty functions: the target has nothing of the kind.
struct Target {
  std::string_view name;
  std::string_view meaning;   ///< for --help
  bool is_evaluator = false;  ///< runs InfReg-IR itself: tells whether passes or an emitter are to blame
  std::function<void(CLI::App&, Use)> add_options = nullptr;
  /// Called once when options have been read, before anything below.
  std::function<std::optional<Unfit>(Use, const Asked&)> complete = nullptr;
  PackChoice choose_pack = nullptr;
  std::function<std::expected<MadeCode, Unmade>(const infreg::Kernel&, const LoweringVerdict&, const Asked&)> emit = nullptr;
  std::function<Surroundings(const infreg::Kernel&)> surroundings = nullptr;  ///< of each target with code
  std::function<std::expected<Ran, NotRun>(const infreg::Kernel&, const Reference&)> run = nullptr;
};

/// All of them, with options of their own.
std::vector<Target> all_targets();

/// Whether the subcommand has the target.
bool is_for(const Target& target, Use use);

/// "llvm, avx512"
std::string names_of(const std::vector<Target>& targets, Use use);
/// "llvm, machine code for this processor; avx512, …"
std::string meanings_of(const std::vector<Target>& targets, Use use);

/// The heading of --help under which the options stand that only this target has.
std::string group_of(std::string_view target);

/// `--chunk-lanes`, for all targets.
void add_chunk_lanes_option(CLI::App& command, std::optional<unsigned>& lanes);

/// A sentence about an option that was given and belongs to another target than these, by name.
std::optional<std::string> misplaced_for_targets(const CLI::App& command, const std::vector<Target>& targets,
                                                 const std::vector<std::string>& chosen);

/// What files say of the proof, as a comment in front of them.
std::string with_verdict(std::string_view comment, const LoweringVerdict& verdict, const std::string& text);

/// `#include "header"`
std::string include_line(std::string_view header);

/// A text with words in place of their marks.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& words);

// The rows.
Target infreg_target();
Target llvm_target();
Target avx512_target();

}  // namespace lockstep::tools
