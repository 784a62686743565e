#pragma once
// The debugger behind `lockstep step`: executes commands, forwards and backwards (docs/stepper.md).

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/program/history.hpp"
#include "interpreter/debug/program/stops.hpp"
#include "interpreter/debug/stepper_commands.hpp"
#include "semantics/base/source.hpp"

namespace lockstep {

/// The commands of StepperCommands and those below, on a program that a machine runs.
class Stepper : public StepperCommands<Stepper, History, Breakpoint> {
 public:
  /// `machine` is at its start, `source` is the text that its program was parsed from. Answers go to `out`.
  Stepper(std::unique_ptr<Machine> machine, const SourceFile& source, std::ostream& out, std::uint64_t max_steps);

  /// One line about the program, and where control is.
  void greet();

 private:
  friend StepperCommands;
  static const std::vector<Command>& commands();

  // Moving (stepper_move.cpp).
  bool next(std::string_view arguments);
  bool continue_run(std::string_view arguments);
  bool until(std::string_view arguments);
  bool finish(std::string_view arguments);
  bool reverse_continue(std::string_view arguments);

  // Breakpoints (stepper_stops.cpp).
  bool watch(std::string_view arguments);
  void info_watch();
  bool add_break(std::string_view arguments, bool temporary);

  // Showing (stepper_show.cpp).
  bool info(std::string_view arguments);
  bool print_value(std::string_view arguments);
  bool list(std::string_view arguments);
  bool explain(std::string_view arguments);
  bool where(std::string_view arguments);
  void info_active();
  void info_sync();
  void info_context();
  void info_rule();
  void info_locals();
  void info_shared();
  void info_line();
  void print_range(std::string_view text, std::size_t dots);
  void print_operands();
  /// Of an expression that is not per_thread().
  std::string value_text(const Condition& expression) const;

  bool told_step();
  std::string undone_text(std::uint64_t step);
  void forward(std::function<bool(const Machine&)> until);
  void tell_hits(const std::vector<Hit>& hits);
  void tell_place();
  bool cannot_go_on();
  const Machine& machine() const { return *machine_; }
  const musimd::Program& program() const { return machine_->program(); }
  std::uint32_t line_of(musimd::Label pc) const;
  std::optional<musimd::Label> pc_of_line(std::uint64_t line) const;
  std::optional<musimd::Label> pc_of_place(std::string_view place);
  std::optional<Condition> parse_condition(std::string_view text);

  std::unique_ptr<Machine> machine_;
  const SourceFile& source_;
};

}  // namespace lockstep
