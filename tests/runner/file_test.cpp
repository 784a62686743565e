#include "tests/runner/file_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interpreter/observe/races.hpp"
#include "semantics/musimd/check.hpp"
#include "semantics/musimd/parse.hpp"
#include "semantics/musimd/print.hpp"
#include "tests/runner/agree.hpp"
#include "tests/runner/expectations.hpp"

namespace lockstep::runner {

using namespace musimd;

namespace {

class FileTest {
 public:
  FileTest(const SourceFile& source, bool bless) : source_(source), bless_(bless) {}

  Report run() {
    const auto directives = read_directives(source_);
    if (!directives) {
      fail(render(source_, directives.error()));
      return std::move(report_);
    }
    const auto program = parse(source_);
    const bool malformed = std::any_of(directives->text.begin(), directives->text.end(), is_malformed);
    if (malformed || !program) {
      check_errors(*directives, program ? Diagnostics{} : program.error());
      return std::move(report_);
    }
    program_ = std::make_shared<const Program>(*program);
    round_trip();
    check_well_formed(*directives);
    for (const RunTest& test : directives->runs) {
      check_run(test);
    }
    bless_traces();
    return std::move(report_);
  }

 private:
  static bool is_malformed(const TextExpectation& t) { return t.kind == TextExpectation::Kind::Malformed; }

  void fail(const std::string& message) { report_.failures.push_back(message); }
  void fail(SourceSpan span, const std::string& message) {
    fail(fmt::format("{}:{}: {}", source_.name(), source_.place(span.begin).line, message));
  }

  /// Each error is expected, and each expectation is met by the error of the same number.
  void check_errors(const FileDirectives& directives, const Diagnostics& errors) {
    if (!directives.runs.empty() || directives.text.size() != errors.size() ||
        !std::all_of(directives.text.begin(), directives.text.end(), is_malformed)) {
      fail(fmt::format("{}: {} errors are expected, and nothing else may be; there are {}:\n{}", source_.name(), directives.text.size(),
                       errors.size(), render(source_, errors)));
      return;
    }
    for (std::size_t k = 0; k < errors.size(); ++k) {
      compare(directives.text[k], errors[k]);
    }
  }

  void compare(const TextExpectation& expected, const Diagnostic& found) {
    const LineColumn place = source_.place(found.span.begin);
    if (!found.message.starts_with(expected.message) || (expected.line && *expected.line != place.line) ||
        (expected.column && *expected.column != place.column)) {
      fail(expected.span, "another message was expected than\n" + render(source_, found));
    }
  }

  void round_trip() {
    const std::string text = print(*program_);
    const auto again = parse(SourceFile("printed", text));
    if (!again || !same(*program_, *again) || print(*again) != text) {
      fail(source_.name() + ": the printed program is not the same program");
    }
  }

  void check_well_formed(const FileDirectives& directives) {
    findings_ = check(*program_);
    Diagnostics errors;
    std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(errors),
                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
    std::size_t met = 0;
    for (const TextExpectation& expected : directives.text) {
      if (expected.kind == TextExpectation::Kind::Wellformed) {
        if (!errors.empty()) {
          fail(expected.span, "the program is ill-formed:\n" + render(source_, errors));
        }
      } else if (met == errors.size()) {
        fail(expected.span, fmt::format("the checker finds only {} errors", errors.size()));
      } else {
        compare(expected, errors[met++]);
      }
    }
    if (met != 0 && met != errors.size()) {
      fail(fmt::format("{}: the checker finds {} errors, {} are expected:\n{}", source_.name(), errors.size(), met,
                       render(source_, errors)));
    }
  }

  void check_run(const RunTest& test) {
    const RunSettings& settings = test.settings;
    const unsigned threads = settings.threads != 0 ? settings.threads : program_->threads.value_or(default_threads);
    const MachineOptions options{.threads = settings.threads,
                                 .active = settings.active,
                                 .order = thread_order(settings, threads),
                                 .printed = settings.printed,
                                 .checking = true};
    auto machine = Machine::make(program_, options);
    if (!machine) {
      fail(test.span, machine.error());
      return;
    }
    Finished run{source_, **machine, Halted{}, {}, {}};
    RaceObserver races;
    (*machine)->attach(run.recording);
    (*machine)->attach(races);
    run.ending = (*machine)->run(settings.max_steps);
    (*machine)->detach(races);
    (*machine)->detach(run.recording);
    const auto* limit = std::get_if<LimitReached>(&run.ending);
    if (limit == nullptr || limit->what == LimitReached::What::Steps) {  // the evaluator has no other limits
      run.reference = evaluate(*program_, settings, threads);
      if (const std::string text = difference(**machine, run.ending, run.recording, *run.reference); !text.empty()) {
        fail(test.span, "the big-step evaluator disagrees: " + text);
      }
      if (races.count() != run.reference->races) {
        fail(test.span, fmt::format("the big-step evaluator finds {} races, the observer {}", run.reference->races, races.count()));
      }
    }
    if (std::holds_alternative<Stuck>(run.ending) && settings.printed.empty() && well_formed(findings_)) {
      fail(test.span, "a well-formed program is stuck: " + reason(run.ending));
    }
    for (const Expectation& expectation : test.expectations) {
      if (const auto text = unmet(run, expectation)) {
        fail(expectation.span, *text);
      }
    }
    check_completeness(test, run);
    compare_traces(test, threads);
  }

  /// A run whose ending is not expected would pass whatever it does; races nobody expects are mistakes.
  void check_completeness(const RunTest& test, const Finished& run) {
    const auto has = [&](auto... kinds) {
      return std::any_of(test.expectations.begin(), test.expectations.end(),
                         [&](const Expectation& e) { return (std::holds_alternative<decltype(kinds)>(e.expected) || ...); });
    };
    if (!has(ExpectHalts{}, ExpectStuck{}, ExpectUndefined{}, ExpectLimit{})) {
      fail(test.span, "no ending is expected; this run ends so: " + std::string(status_word(run.ending)) + " " + reason(run.ending));
    }
    if (run.reference && run.reference->races != 0 && !has(ExpectRaces{})) {
      fail(test.span, fmt::format("there are {} races, and no ';@ races'", run.reference->races));
    }
  }

  void compare_traces(const RunTest& test, unsigned threads) {
    for (const Expectation& expectation : test.expectations) {
      const auto* expected = std::get_if<ExpectTrace>(&expectation.expected);
      if (expected == nullptr) {
        continue;
      }
      const std::vector<std::string> now = trace_lines(program_, test.settings, threads);
      if (now == expected->lines) {
        continue;
      }
      blessings_.push_back({*expected, now});
      if (!bless_) {
        fail(expectation.span,
             "the trace differs; `file_tests --bless` writes the present one into the file:\n" + fmt::format("{}", fmt::join(now, "\n")));
      }
    }
  }

  void bless_traces() {
    if (blessings_.empty()) {
      return;
    }
    std::string out;
    std::uint32_t line = 1;
    for (const auto& [old, now] : blessings_) {
      for (; line < old.first_line; ++line) {
        out += fmt::format("{}\n", source_.line_text(line));
      }
      for (const std::string& text : now) {
        out += text.empty() ? ";\n" : fmt::format("; {}\n", text);
      }
      line = old.end_line;
    }
    for (; line <= source_.line_count(); ++line) {
      out += fmt::format("{}\n", source_.line_text(line));
    }
    report_.blessed = std::move(out);
  }

  const SourceFile& source_;
  bool bless_;
  std::shared_ptr<const Program> program_;
  Diagnostics findings_;
  std::vector<std::pair<ExpectTrace, std::vector<std::string>>> blessings_;
  Report report_;
};

}  // namespace

Report run_file_test(const SourceFile& source, bool bless) { return FileTest(source, bless).run(); }

}  // namespace lockstep::runner
