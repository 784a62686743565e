#pragma once
// The debugger behind `lockstep step` for kernels and typed programs: executes commands, forwards and backwards (docs/step.md). Its
// commands are those of stepper.hpp wherever there is the same thing to do.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/kernel/history.hpp"
#include "interpreter/debug/kernel/lines.hpp"
#include "interpreter/debug/kernel/stops.hpp"
#include "interpreter/debug/kernel/text.hpp"
#include "interpreter/debug/launch_stepper.hpp"

namespace lockstep {

/// The commands of LaunchStepper and those below.
class KernelStepper : public LaunchStepper<KernelStepper, KernelHistory, KernelExpression> {
 public:
  /// A launch at its start, of at least one group; answers go to `out`. The error is a sentence about arguments or options, or the
  /// diagnostic of a kernel that is too large.
  static std::expected<std::unique_ptr<KernelStepper>, std::string> make(const typed::Program& program, const launch::Arguments& arguments,
                                                                         const launch::LaunchOptions& options, std::ostream& out);

  /// One line about the launch, and where control is.
  void greet();

  using StepperCommands::history;
  KernelHistory& history() { return history_; }

 private:
  KernelStepper(const std::shared_ptr<const typed::Program>& program, const launch::Arguments& arguments,
                const launch::LaunchOptions& options, std::ostream& out);

  friend StepperCommands;
  friend LaunchStepper;
  static constexpr std::string_view lane_word = "item";
  static const std::vector<Command>& commands();

  // Moving (kernel_stepper_move.cpp).
  bool until(std::string_view arguments);
  bool finish(std::string_view arguments);
  bool told_step();
  std::string undone_text(std::uint64_t step);
  Until another_line();
  void tell_place();
  std::string who_text(unsigned lane);
  std::string value_text(const KernelValue& value) { return text_of(view(), value); }
  std::string race_text(const launch::Race& race) const { return launch::render(program(), race); }

  // Breakpoints (kernel_stepper_stops.cpp).
  bool watch(std::string_view arguments);
  bool add_break(std::string_view arguments, bool temporary);
  bool place_of_break(std::string_view word, KernelBreakpoint& b);
  void info_watch();

  // Showing (kernel_stepper_show.cpp).
  bool info(std::string_view arguments);
  bool list(std::string_view arguments);
  bool explain(std::string_view arguments);
  bool where(std::string_view arguments);
  bool backtrace(std::string_view arguments);
  bool stacks(std::string_view arguments);
  bool groups(std::string_view arguments);
  bool mask(std::string_view arguments);
  bool look_at_group(std::string_view arguments);
  bool look_at_item(std::string_view arguments);
  bool look_at_frame(std::string_view arguments);
  void info_active();
  void info_sync();
  void info_context();
  void info_rule();
  void info_locals();
  void info_shared();
  void info_line();

  // Values (kernel_stepper_print.cpp).
  bool print_value(std::string_view arguments);
  bool memory(std::string_view arguments);
  void print_range(std::string_view text, std::size_t bracket, std::size_t dots);
  void print_all(const KernelExpression& e, std::string_view name);
  void print_one(const KernelExpression& e, std::string_view name);
  void show_cells(std::string_view name, const std::vector<std::string>& texts, std::int64_t first);
  void show_object(const launch::Object& object, unsigned lane);

  // What is looked at.
  KernelView view() { return KernelView(history_.run().pack()); }
  KernelMoment moment() { return {view(), history_.run().arguments().values, history_.position(), level_.value_or(SIZE_MAX)}; }
  unsigned first_lane();                        // of the group that is looked at
  bool is_present(const KernelExpression& e);   // whether its `in group`, if any, names one of the pack; else says that it does not
  unsigned lane_of(const KernelExpression& e);  // the lane that speaks for an expression with `in item`
  const launch::Fragment* looked_at();          // null where its items have ended
  KernelScope scope();

  const typed::Program& program() const { return *program_; }
  std::optional<KernelExpression> parse_expression(std::string_view text, const KernelScope& scope);

  std::shared_ptr<const typed::Program> program_;
  std::uint64_t groups_;
  KernelLines lines_;
  std::optional<std::uint64_t> group_;  // looked at, if somebody chose one
  std::optional<unsigned> item_;
  std::optional<std::size_t> level_;  // of the calls, from the kernel's; a move forgets it
};

}  // namespace lockstep
