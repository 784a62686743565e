#pragma once
// The parts of `lockstep run`: what was asked for, how it ended, and the two ways to say so.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "interpreter/observe/races.hpp"
#include "interpreter/observe/uninitialised.hpp"
#include "semantics/base/source.hpp"
#include "tools/machine_options.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

/// The options of `run` as they were given.
struct RunOptions {
  std::string file;
  MachineFlags machine;
  bool json = false;
  bool quiet = false;
  std::string trace;
  std::string trace_out = "-";
  std::string races = "on";
  bool strict = false;
  std::vector<std::string> dumps;
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

/// Why this many cells cannot be dumped, wherever they begin; or, where `base` is known, from there.
std::optional<std::string> too_many_cells(std::int64_t length, std::int64_t base = 0);

/// Looks up the base and length of a dump. The error says why they name no cells.
std::expected<Dump, std::string> locate(const DumpRequest& request, const Cells& shared);

/// Prints or writes a dump; with `heading` a line before it says what it is. The error is a sentence.
std::optional<std::string> write_dump(const Dump& dump, const Cells& shared, bool heading);

/// The observer that writes a trace of this form ("table", …) to `out`; null if there is no such form. Both arguments, the
/// program's text being one, must outlive it.
std::unique_ptr<Observer> make_trace(const std::string& form, std::ostream& out, const SourceFile& source);

/// The names that make_trace knows.
std::vector<std::string> trace_forms();

}  // namespace lockstep::tools
