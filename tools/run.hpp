#pragma once
// The parts of `lockstep run`: what was asked for, how it ended, and the two ways to say so.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "interpreter/observe/races.hpp"
#include "interpreter/observe/uninitialised.hpp"
#include "semantics/base/source.hpp"
#include "tools/kernel_options.hpp"
#include "tools/machine_options.hpp"
#include "tools/ptx_options.hpp"
#include "tools/source_kind.hpp"
#include "tools/values.hpp"
#include "tools/ve_options.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// The options of `run` as they were given.
struct RunOptions {
  std::string file;
  std::string sim;  ///< a file that says what is launched; empty: none
  MachineFlags machine;
  FrontEndFlags front_end;
  LaunchFlags launch;
  bool json = false;
  bool quiet = false;
  std::string trace;
  std::string trace_out = "-";
  std::string races = "on";
  bool strict = false;
  std::vector<std::string> dumps;
  PtxFlags ptx;
  VeFlags ve;
};

/// A dump whose numbers have been looked up in Σ.
struct Dump {
  DumpRequest request;
  std::int64_t base = 0;
  std::uint64_t length = 0;
};

/// A run that has ended.
struct RunReport {
  const SourceFile& source;
  const Machine& machine;
  const Ending& ending;
  const RaceObserver* races;  ///< null: nobody looked for any
  const UninitialisedObserver& uninitialised;
  std::string status;  ///< halted, stuck, error or limit; error also for races under --strict
  std::string reason;
};

/// "fig6.mus:18:9", the place of an instruction; behind the last one the text's end.
std::string place_text(const RunReport& report, musimd::Label pc);
SourceSpan span_of(const musimd::Program& program, const SourceFile& source, musimd::Label pc);

/// The summary for people, on standard output. Its length is bounded whatever the run did.
void print_summary(const RunReport& report);

/// One JSON object on standard output (docs/run.md).
void print_json(const RunReport& report, const std::vector<Dump>& dumps);

using RuleCounts = std::array<std::uint64_t, musimd::rule_count>;

/// "IT 3, BP 2", in the order of the table; "none".
std::string rules_text(const RuleCounts& counts);

/// {"IT":3,"BP":2}
std::string rules_json(const RuleCounts& counts);

/// Why this many cells cannot be dumped, wherever they begin; or, where `base` is known, from there.
std::optional<std::string> too_many_cells(std::int64_t length, std::int64_t base = 0);

/// Looks up the base and length of a dump. The error says why they name no cells.
std::expected<Dump, std::string> locate(const DumpRequest& request, const Cells& shared);

/// Prints or writes a dump; with `heading` a line before it says what it is. The error is a sentence.
std::optional<std::string> write_dump(const Dump& dump, const Cells& shared, bool heading);

/// The observer that writes a trace of this form ("table", …) to `out`; null if there is no such form. Both arguments, the
/// program's text being one, must outlive it.
std::unique_ptr<Observer> make_trace(const std::string& form, std::ostream& out, const SourceFile& source);

/// A sentence about a file that a run would both read and write.
std::optional<std::string> check_overwriting(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

/// A sentence about an output that cannot be opened: before the run, not behind it.
std::optional<std::string> check_writable(const std::vector<std::string>& outputs);

/// `run` of a kernel or typed program, from its text to its exit status.
int run_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind, RunOptions options);

/// `run` of a PTX module, from its text to its exit status.
int run_ptx(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, const RunOptions& options);

/// `run` of an object file of VE, or of a C file that clang makes one of, to its exit status.
int run_ve(const CLI::App& command, const SourceFile& source, const RunOptions& options);

/// The names that make_trace knows.
std::vector<std::string> trace_forms();

}  // namespace lockstep::tools
