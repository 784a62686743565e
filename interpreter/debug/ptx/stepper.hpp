#pragma once
// The debugger behind `lockstep step` for PTX: executes commands, forwards and backwards (docs/ptx.md). Its commands are those of
// stepper.hpp and kernel_stepper.hpp wherever there is the same thing to do.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/launch_stepper.hpp"
#include "interpreter/debug/ptx/history.hpp"
#include "interpreter/debug/ptx/stops.hpp"
#include "interpreter/debug/table.hpp"

namespace lockstep {

/// The commands of LaunchStepper and those below.
class PtxStepper : public LaunchStepper<PtxStepper, PtxHistory, PtxExpression> {
 public:
  /// A launch at its start; answers go to `out`. The error is a sentence about arguments or options.
  static std::expected<std::unique_ptr<PtxStepper>, std::string> make(PtxProgram program, const ptx_machine::Arguments& arguments,
                                                                      const ptx_machine::LaunchOptions& options, std::ostream& out);

  /// One line about the launch, and where control is.
  void greet();

  using StepperCommands::history;
  PtxHistory& history() { return history_; }

 private:
  PtxStepper(const std::shared_ptr<const PtxProgram>& program, const ptx_machine::Arguments& arguments,
             const ptx_machine::LaunchOptions& options, std::ostream& out)
      : LaunchStepper(out, program, arguments, options), program_(program) {}

  friend StepperCommands;
  friend LaunchStepper;
  static constexpr std::string_view lane_word = "thread";
  static const std::vector<Command>& commands();

  // Moving (ptx_stepper_move.cpp).
  bool until(std::string_view arguments);
  bool finish(std::string_view arguments);
  bool told_step();
  std::string undone_text(std::uint64_t step);
  Until another_line();
  void tell_place();
  std::string who_text(unsigned lane);
  static std::string value_text(const KernelValue& value) { return text_of(value); }
  std::string race_text(const ptx_machine::Race& race) const { return ptx_machine::render(program().module(), race); }

  // Breakpoints (ptx_stepper_stops.cpp).
  bool watch(std::string_view arguments);
  bool add_break(std::string_view arguments, bool temporary);
  bool place_of_break(std::string_view word, PtxBreakpoint& b);
  bool source_place(std::string_view word, PtxBreakpoint& b);
  void info_watch();

  // Showing (ptx_stepper_show.cpp).
  bool info(std::string_view arguments);
  bool list(std::string_view arguments);
  bool explain(std::string_view arguments);
  bool where(std::string_view arguments);
  bool backtrace(std::string_view arguments);
  bool warps(std::string_view arguments);
  bool mask(std::string_view arguments);
  bool look_at_warp(std::string_view arguments);
  bool look_at_thread(std::string_view arguments);
  bool look_at_frame(std::string_view arguments);
  void info_active();
  void info_sync();
  void info_line();
  void info_open();

  // Values (ptx_stepper_print.cpp).
  bool print_value(std::string_view arguments);
  bool memory(std::string_view arguments);
  void info_locals();
  void info_shared() { memory({}); }
  void print_elements(std::string_view text, std::size_t bracket, std::size_t end, std::uint64_t first, std::optional<std::uint64_t> last);
  void print_range(std::string_view text, std::size_t bracket, std::size_t dots);
  void print_one(const PtxExpression& e, std::string_view name);
  void show_cells(std::string_view name, const std::vector<std::string>& texts, std::uint64_t first);
  void show_object(const ptx_machine::Object& object);

  // What is looked at.
  PtxView view() const { return PtxView(history_.run()); }
  PtxMoment moment() const { return {view(), history_.position(), level_.value_or(SIZE_MAX)}; }
  unsigned warp() const;  // that is looked at
  unsigned first_lane() const { return warp() * ptx_machine::warp_threads; }
  unsigned lane_of(const PtxExpression& e) const;  // the lane that speaks for an expression
  bool is_present(const PtxExpression& e);         // whether its `in block`, if any, names the one that runs; else says so
  const ptx_machine::Fragment* looked_at() const;  // null where its threads have ended
  PtxScope scope() const;
  std::string warp_table(unsigned warp, const std::vector<TableRow>& rows) const;
  std::string warp_tables(unsigned warp, const std::vector<TableRow>& narrow, const std::vector<TableRow>& wide) const;
  std::string place_text(PtxProgram::Place place) const;  // "line 12: add.s32 …"

  const PtxProgram& program() const { return *program_; }
  std::optional<PtxExpression> parse_expression(std::string_view text, const PtxScope& scope);

  std::shared_ptr<const PtxProgram> program_;
  std::optional<unsigned> warp_;      // looked at, if somebody chose one
  std::optional<unsigned> thread_;    // likewise; it is of that warp
  std::optional<std::size_t> level_;  // of the calls, from the kernel's; a move forgets it
};

}  // namespace lockstep
