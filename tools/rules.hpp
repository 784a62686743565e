#pragma once
// The parts of `lockstep rules`: what programs cover, and the pages of docs/rules.

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/observe/coverage.hpp"
#include "semantics/base/source.hpp"
#include "tools/source_kind.hpp"

namespace lockstep::tools {

/// The first step at which a rule fired in a program, for its page.
struct Firing {
  std::string text;  ///< the instruction and what it changed, several lines; empty if the rule did not fire
};

/// What the runs of one file cover.
struct FileCoverage {
  std::string path;
  Coverage coverage;                               ///< of all runs
  std::array<Firing, musimd::rule_count> firings;  ///< of the runs of an untyped program under the reference rules
};

/// The `.mus` and `.cl` files among and below `paths`, each once: in the order given, folders sorted. The error names a path that does not
/// exist.
std::expected<std::vector<std::string>, std::string> program_files(const std::vector<std::string>& paths);

/// Runs the files as their directives say (docs/file-tests.md); files that must not parse are left out, and with a note so are kernels and
/// typed programs that do not say how they run. False if a file cannot be read, parsed or run, which has been said on standard error then.
bool run_files(const std::vector<std::string>& files, std::vector<FileCoverage>& out);

/// Adds to `coverage` what the runs of a kernel file or typed program cover; false if it does not say how it is run. The error says, in
/// whole lines, why a run cannot begin.
std::expected<bool, std::string> cover_kernels(const std::shared_ptr<const SourceFile>& source, SourceKind kind, Coverage& coverage);

/// The table of `lockstep rules --coverage`, with what is missing at the end.
std::string coverage_table(const Coverage& coverage, std::size_t files);
std::string coverage_json(const Coverage& coverage, std::size_t files);

/// "BD.4 is never false", …; nothing of what does not concern the programs that ran.
std::vector<std::string> uncovered(const Coverage& coverage);

/// A line of a source file that pages link to.
struct SourceLine {
  std::string path;
  std::size_t line = 0;  ///< 0: the file as a whole
  std::string text;      ///< what is there: names of theorems, of a test's case
};

/// Where the sources speak of a rule.
struct RuleSources {
  std::vector<SourceLine> code;      ///< the rule, for untyped and for typed programs; where it is met, if it has no code of its own
  std::vector<SourceLine> theorems;  ///< the lines that state them
  std::vector<SourceLine> tests;     ///< the files of the cases that name it or one of its premises
};

/// The rules that are premises of others: MM, MT and MV.
bool is_leaf(musimd::RuleId rule);

/// Looks through the sources, in the project's folder. The error is a sentence: a file cannot be read, or a rule has no code, theorem or
/// test.
std::expected<std::array<RuleSources, musimd::rule_count>, std::string> rule_sources();

/// Writes one page per rule and index.md into `folder`, which is made if need be; the error is a sentence. They say what is in the sources
/// of the present folder.
std::expected<void, std::string> write_rule_pages(const std::string& folder, const std::vector<FileCoverage>& files);

}  // namespace lockstep::tools
