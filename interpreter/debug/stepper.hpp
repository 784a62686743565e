#pragma once
// The debugger behind `lockstep step`: executes commands, forwards and backwards (docs/stepper.md).

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/commands.hpp"
#include "interpreter/debug/history.hpp"
#include "interpreter/debug/stops.hpp"
#include "semantics/base/source.hpp"

namespace lockstep {

/// Nothing that a user types is fatal: what cannot be done is said, and the next command is read.
class Stepper {
 public:
  /// `machine` is at its start, `source` is the text that its program was parsed from. Answers go to `out`.
  Stepper(std::unique_ptr<Machine> machine, const SourceFile& source, std::ostream& out, std::uint64_t max_steps);

  /// One line about the program, and where control is.
  void greet();

  /// Executes one line. False if it was `quit`. Empty lines and lines that begin with # do nothing.
  bool execute(std::string_view line);

  /// The line that an empty line on a terminal repeats: the last step, next, back, … or "".
  const std::string& repeatable() const { return repeatable_; }

  /// Who hears of commands that take long, and may end them.
  void set_patience(Patience& patience) { history_.set_patience(patience); }

  const History& history() const { return history_; }

 private:
  using Action = bool (Stepper::*)(std::string_view arguments);  // false: quit

  struct Command : CommandInfo {
    Action action;
  };
  static const std::vector<Command>& commands();

  // Moving (stepper_move.cpp).
  bool step(std::string_view arguments);
  bool next(std::string_view arguments);
  bool continue_run(std::string_view arguments);
  bool until(std::string_view arguments);
  bool finish(std::string_view arguments);
  bool back(std::string_view arguments);
  bool reverse_continue(std::string_view arguments);
  bool go_to(std::string_view arguments);
  bool run(std::string_view arguments);
  bool restart(std::string_view arguments);

  // Breakpoints (stepper_stops.cpp).
  bool set_break(std::string_view arguments);
  bool set_temporary_break(std::string_view arguments);
  bool watch(std::string_view arguments);
  bool delete_stop(std::string_view arguments);
  void info_break();
  void info_watch();
  bool add_break(std::string_view arguments, bool temporary);

  // Showing (stepper_show.cpp).
  bool info(std::string_view arguments);
  bool print_value(std::string_view arguments);
  bool list(std::string_view arguments);
  bool explain(std::string_view arguments);
  bool where(std::string_view arguments);
  bool help(std::string_view arguments);
  bool quit(std::string_view arguments);
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

  void forward(std::function<bool(const Machine&)> until);
  void tell_hits(const std::vector<Hit>& hits);
  void tell_place();
  bool cannot_go_on();
  bool fail(const std::string& message);
  const Machine& machine() const { return *machine_; }
  const musimd::Program& program() const { return machine_->program(); }
  std::uint32_t line_of(musimd::Label pc) const;
  std::optional<musimd::Label> pc_of_line(std::uint64_t line) const;
  std::optional<musimd::Label> pc_of_place(std::string_view place);
  std::optional<Condition> parse_condition(std::string_view text);
  std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t otherwise);

  std::unique_ptr<Machine> machine_;
  const SourceFile& source_;
  std::ostream& out_;
  History history_;
  std::vector<Breakpoint> breakpoints_;
  int next_id_ = 1;
  std::uint32_t listed_until_ = 0;
  std::string repeatable_;
};

}  // namespace lockstep
