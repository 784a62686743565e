#pragma once
// The trace of a run as lines of JSON, one event a line. docs/traces.md describes every field.

#include <iosfwd>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/machine/observer.hpp"
#include "semantics/base/source.hpp"

namespace lockstep {

/// Writes a first line about program, options and the state at the start, a line for each executed step, and a last line
/// about the ending. A line is written when its step is over; nothing is kept.
class TraceJson : public Observer {
 public:
  /// Changes whenever a field changes its meaning or goes away.
  static constexpr int format_version = 1;
  /// Of the sync entries of all frames a step line shows this many, the innermost; of the frames of Λ as many.
  static constexpr std::size_t most_entries = 64;

  /// For whom the lines are. A page is read by JavaScript, whose numbers are exact up to 2^53 only: larger ones are written as
  /// strings, `<` never appears (so that no text can end the script element around the lines), the premises of every step are
  /// told, fields that the page finds in the program are left out, and so are initial cells beyond `page_cells`.
  enum class Reader : std::uint8_t { Tool, Page };
  static constexpr std::size_t page_cells = 1'000'000;

  /// `out` must outlive the run; `source` is looked at in the first step or ending only.
  TraceJson(std::ostream& out, const SourceFile& source, Reader reader = Reader::Tool) : out_(out), source_(source), reader_(reader) {}

  Interest interest() const override { return {.premises = reader_ == Reader::Page, .stores_only = false}; }
  void before_step(const Machine& machine) override;
  void asked(const Machine& machine, std::span<const CandidateReport> reports) override;
  void after_step(const Machine& machine, const StepEvent& event) override;
  void ended(const Machine& machine, const Ending& ending) override;

  /// Bytes written so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// What every execution of an instruction writes alike, and what it reads.
  struct Fixed {
    std::string fields;
    std::vector<musimd::VarId> reads;
    std::optional<musimd::VarId> shuffled;
  };

  void begin(const Machine& machine);
  void header(const Machine& machine);
  void initial_state(const Machine& machine);
  void initial_memories(const Machine& machine);
  Fixed fixed_part(const musimd::Program& program, musimd::Label pc) const;
  void variable(std::string& out, const Machine& machine, musimd::VarId id, const LaneSet& threads) const;
  void cells(std::string& out, const CellAccess& access, const LaneSet& threads) const;
  void string(std::string& out, std::string_view text) const;
  void number(std::string& out, std::int64_t n) const;
  void candidates(std::string& out, std::span<const CandidateReport> reports) const;
  void write_line();

  std::ostream& out_;
  const SourceFile& source_;
  Reader reader_;
  bool begun_ = false;
  std::uint64_t bytes_ = 0;
  std::vector<Fixed> fixed_;  // by pc
  std::string line_;
  std::string reads_;  // of the step that is about to run
  std::string asked_;  // likewise: the field about its premises, or nothing
  std::unordered_map<std::string, std::size_t> known_answers_;
};

}  // namespace lockstep
