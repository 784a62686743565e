#pragma once
// The directive comments of a `.mus` file (docs/file-tests.md): how its runs are set up and what is expected of them. To the
// language they are comments; the file tests, the coverage report and the generated rule pages read them.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// How a run is set up: the keys of `;@ machine` and `;@ run`.
struct RunSettings {
  unsigned threads = 0;          ///< 0: as the program says
  std::vector<unsigned> active;  ///< the initial Θ; empty: Θall
  std::vector<unsigned> order;   ///< thread order of TL; empty: ascending
  bool descending = false;       ///< order=descending, whatever the number of threads
  AsPrinted printed;
  std::uint64_t max_steps = 1'000'000;
};

/// The thread order of TL that `settings` asks for with this number of threads; empty for ascending.
std::vector<unsigned> thread_order(const RunSettings& settings, unsigned threads);

/// A premise as messages name it: BT.4.
struct PremiseName {
  RuleId rule = RuleId::SP;
  int number = 0;

  bool operator==(const PremiseName&) const = default;
};

/// What a cell or variable should hold at the end: a number, `*` (uninitialised) or `?` (poison).
struct ExpectedValue {
  enum class Kind : std::uint8_t { Number, Uninitialised, Poison };
  Kind kind = Kind::Number;
  std::int64_t number = 0;
};

struct ExpectHalts {};
/// Exactly these premises fail, one for each candidate; none at all if there is no instruction at pc.
struct ExpectStuck {
  std::vector<PremiseName> premises;
};
struct ExpectUndefined {
  PremiseName premise;
  std::optional<unsigned> thread;
};
struct ExpectLimit {
  enum class What : std::uint8_t { Steps, Memory, Stacks };
  What what = What::Steps;
};
struct ExpectCells {
  std::int64_t base = 0;
  std::vector<ExpectedValue> values;
};
struct ExpectVariable {
  std::string name;
  std::vector<ExpectedValue> values;  ///< one a thread
};
struct ExpectSteps {
  std::uint64_t count = 0;
};
struct ExpectRaces {
  std::uint64_t count = 0;
};
/// These rules fire.
struct ExpectCovers {
  std::vector<RuleId> rules;
};
/// The rule that the instruction on this line takes, visit by visit; under IT the rule of Fig. 5.
struct ExpectRules {
  std::vector<RuleId> visits;
};
/// For each visit of the branch on this line, for each thread: T, F, or - where the thread is not active.
struct ExpectTaken {
  std::vector<std::string> visits;
};
/// The Fig. 7 table of the run, as text.
struct ExpectTrace {
  std::vector<std::string> lines;
  std::uint32_t first_line = 0;  ///< the source line behind `;@ begin trace`
  std::uint32_t end_line = 0;    ///< the source line of `;@ end trace`
};

using Expected = std::variant<ExpectHalts, ExpectStuck, ExpectUndefined, ExpectLimit, ExpectCells, ExpectVariable, ExpectSteps, ExpectRaces,
                              ExpectCovers, ExpectRules, ExpectTaken, ExpectTrace>;

struct Expectation {
  Expected expected;
  SourceSpan span;
  std::optional<std::uint32_t> line;  ///< set if the directive stands behind other text on its line: it speaks of that line
};

/// A run with what is expected of it.
struct RunTest {
  RunSettings settings;
  std::vector<Expectation> expectations;
  SourceSpan span;
};

/// What is expected of the text: `;@ malformed` (one for each error of the parser), `;@ illformed`, `;@ wellformed`.
struct TextExpectation {
  enum class Kind : std::uint8_t { Malformed, Illformed, Wellformed };
  Kind kind = Kind::Wellformed;
  std::string message;  ///< what the message begins with
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> column;
  SourceSpan span;
};

struct FileDirectives {
  std::vector<RunTest> runs;
  std::vector<TextExpectation> text;
};

/// Reads the directives of a text, which need not be a program. Unknown directives, keys and values are errors. There is at
/// least one run, with the machine's defaults, unless the text is expected to be malformed.
std::expected<FileDirectives, Diagnostics> read_directives(const SourceFile& source);

}  // namespace lockstep::musimd
