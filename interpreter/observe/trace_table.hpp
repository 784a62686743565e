#pragma once
// The trace of a run as the table of the CREV paper's Fig. 7: a row for each executed instruction with the variable that it
// wrote, that variable's value in every thread (branches: T where it is taken, F elsewhere) and the threads that ran it.

#include <iosfwd>
#include <string>
#include <string_view>

#include "interpreter/machine/observer.hpp"
#include "interpreter/store/cells.hpp"

namespace lockstep {

/// Writes the table as the run goes on. Up to `narrow` threads have columns of their own; more are told in runs of equal
/// values, of which the first few are shown, so that no row is longer than its widest columns.
///
/// A variable's value is shown for every thread, as the row leaves it: `*` uninitialised, `?` poison. A branch shows • for a
/// thread that did not take part. The marks at the end are Θ before the instruction.
class TraceTable : public Observer {
 public:
  static constexpr unsigned narrow = 16;

  /// `out` must outlive the run.
  explicit TraceTable(std::ostream& out) : out_(out) {}

  void before_step(const Machine& machine) override;
  void after_step(const Machine& machine, const StepEvent& event) override;
  void ended(const Machine& machine, const Ending& ending) override;

 private:
  void begin(const Machine& machine);
  void columns(const Machine& machine, const StepEvent& event);
  void runs(const Machine& machine, const StepEvent& event);

  std::ostream& out_;
  bool begun_ = false;
  std::size_t label_width_ = 0;
  std::size_t text_width_ = 0;
  std::size_t variable_width_ = 0;
  std::size_t value_width_ = 2;  ///< of one thread's column; grows with the values
};

/// What a table shows of a cell: the number, `*` uninitialised, `?` poison.
std::string short_text(const Cell& cell);

/// The members of a set: "0-3,8"; after `most` ranges "… (20 of 64)".
std::string ranges_text(const LaneSet& set, std::size_t most = 6);

/// Which rules ran: "reference semantics 1", or with errata switched back "semantics 1 as printed in E1, E3".
std::string semantics_text(musimd::AsPrinted printed);

/// The thread order of TL: "ascending", "descending", or the list, cut off where it is long.
std::string order_text(const std::vector<unsigned>& order);

}  // namespace lockstep
