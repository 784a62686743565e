#pragma once
// The trace of a run as one HTML page that works from a file system: the lines of trace_json.hpp, and a script that shows the
// state after any step. docs/traces.md says how to read it.

#include "interpreter/observe/trace_json.hpp"

namespace lockstep {

/// Writes the page as the run goes on. The page is complete once the run has ended.
class TraceHtml : public Observer {
 public:
  /// What a page may hold. Recording stops when one of the two is reached, the run goes on; the page says so.
  struct Limits {
    std::uint64_t steps = 100'000;
    std::uint64_t bytes = std::uint64_t{64} << 20;  ///< of the lines about steps
  };

  /// `out`, `source` and `notes` must outlive the run; a line on `notes` tells that recording has stopped.
  TraceHtml(std::ostream& out, const SourceFile& source, std::ostream& notes, Limits limits)
      : out_(out), source_(source), notes_(notes), limits_(limits), lines_(out, source, TraceJson::Reader::Page) {}
  TraceHtml(std::ostream& out, const SourceFile& source, std::ostream& notes) : TraceHtml(out, source, notes, Limits()) {}

  Interest interest() const override { return {.premises = !full_, .stores_only = false}; }
  void before_step(const Machine& machine) override;
  void asked(const Machine& machine, std::span<const CandidateReport> candidates) override;
  void after_step(const Machine& machine, const StepEvent& event) override;
  void ended(const Machine& machine, const Ending& ending) override;

 private:
  void begin();

  std::ostream& out_;
  const SourceFile& source_;
  std::ostream& notes_;
  Limits limits_;
  TraceJson lines_;
  bool begun_ = false;
  bool full_ = false;
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_before_ = 0;  // of the first line
};

}  // namespace lockstep
