#pragma once
// What the two steppers have in common: reading commands, and the commands that are the same for programs and kernels.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/debug/commands.hpp"
#include "interpreter/debug/patience.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

/// What `break [PLACE | rule RULE] [if CONDITION]` says; `in …` alone may stand for a condition that holds there.
struct BreakRequest {
  std::string_view place;                     ///< empty: none is named
  std::optional<std::string_view> rule;       ///< its name
  std::optional<std::string_view> condition;  ///< empty: none stands behind `if`
  bool says_if = true;                        ///< not so in `break 12 in item 3`
  std::string wrong;                          ///< what is wrong with what stands behind the place or rule

  /// "if k == 2"
  std::string condition_text() const { return (says_if ? "if " : "") + printable(condition.value_or("")); }
  bool is_here() const { return place.empty() && !rule && !condition; }
};
BreakRequest parse_break(std::string_view arguments);

/// The first word of an instruction's text.
inline std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

/// The base of a stepper `Self`. Nothing that a user types is fatal: what cannot be done is said, and the next command is read. Self has a
/// table commands() of Command, and
///   void tell_place()               says where the history is, and forgets that it was interrupted
///   bool cannot_go_on()             at the end; tells it
///   bool told_step()                one step, told; false if there was none
///   std::string undone_text(step)   what `back` says of the step that it has undone
///   bool add_break(arguments, temporary), bool continue_run(arguments), void tell_hits(hits)
template <class Self, class AnyHistory, class AnyStop>
class StepperCommands {
 public:
  /// Executes one line. False if it was `quit`. Empty lines and lines that begin with # do nothing.
  bool execute(std::string_view line);

  /// The line that an empty line on a terminal repeats: the last step, next, back, … or "".
  const std::string& repeatable() const { return repeatable_; }

  /// Who hears of commands that take long, and may end them.
  void set_patience(Patience& patience) { history_.set_patience(patience); }

  const AnyHistory& history() const { return history_; }

 protected:
  using Action = bool (Self::*)(std::string_view arguments);  // false: quit
  struct Command : CommandInfo {
    Action action;
  };
  using Topic = std::pair<std::string_view, void (Self::*)()>;

  /// Answers go to `out`; the history is made of the rest.
  template <class... OfHistory>
  explicit StepperCommands(std::ostream& out, OfHistory&&... of_history) : out_(out), history_(std::forward<OfHistory>(of_history)...) {}

  bool step(std::string_view arguments);
  bool back(std::string_view arguments);
  bool go_to(std::string_view arguments);
  bool run(std::string_view arguments);
  bool restart(std::string_view arguments);
  bool set_break(std::string_view arguments) { return self().add_break(arguments, false); }
  bool set_temporary_break(std::string_view arguments) { return self().add_break(arguments, true); }
  bool delete_stop(std::string_view arguments);
  bool help(std::string_view arguments);
  bool quit(std::string_view) { return false; }

  void info_break();
  /// Shows the topic that `arguments` begins; `all` names them all.
  template <class Topics>
  bool show_topic(const Topics& topics, std::string_view arguments, const std::string& all);

  /// To the last position before this one at which `check` stops, else to the start. Says what it met, but not where it is.
  template <class Check>
  void backward(Check&& check);
  /// Names and keeps a breakpoint or watch.
  bool add_stop(AnyStop stop, const std::string& told);
  /// Deletes the temporary ones among those that were met.
  template <class Hits>
  void forget_met(const Hits& hits);

  bool fail(const std::string& message);
  /// Says what is wrong with an expression, and where.
  void fail_at(std::string_view text, const ConditionError& error);
  std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t otherwise);

  std::ostream& out_;
  AnyHistory history_;
  std::vector<AnyStop> breakpoints_;
  std::uint32_t listed_until_ = 0;

 private:
  /// `step N` tells what each step did up to this N; beyond, only where it led.
  static constexpr std::uint64_t told_steps = 100;

  Self& self() { return static_cast<Self&>(*this); }
  void tell_start() { out_ << "this is the start of the run\n"; }

  int next_id_ = 1;
  std::string repeatable_;
};

// ---- commands -----------------------------------------------------------------------------------------------------------

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::execute(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') {
    return true;
  }
  std::string_view arguments = line;
  const auto command = find_command(Self::commands(), take_word(arguments));
  if (!command) {
    return fail(command.error());
  }
  if ((*command)->arguments.empty() && !arguments.empty()) {
    return fail(fmt::format("{} takes no arguments", (*command)->name));
  }
  repeatable_ = (*command)->repeats ? std::string(line) : "";
  return (self().*(*command)->action)(arguments);
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::help(std::string_view arguments) {
  out_ << help_text(Self::commands(), arguments);
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::fail(const std::string& message) {
  out_ << "error: " << message << "\n";
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
void StepperCommands<Self, AnyHistory, AnyStop>::fail_at(std::string_view text, const ConditionError& error) {
  fail(fmt::format("column {}: {}", error.column + 1, error.message));
  out_ << pointed_at(text, error.column);
}

template <class Self, class AnyHistory, class AnyStop>
std::optional<std::uint64_t> StepperCommands<Self, AnyHistory, AnyStop>::parse_count(std::string_view text, std::uint64_t otherwise) {
  if (text.empty()) {
    return otherwise;
  }
  const auto count = number_in(text);
  if (!count) {
    fail(fmt::format("'{}' is not a number of steps", shortened(text)));
  }
  return count;
}

template <class Self, class AnyHistory, class AnyStop>
template <class Topics>
bool StepperCommands<Self, AnyHistory, AnyStop>::show_topic(const Topics& topics, std::string_view arguments, const std::string& all) {
  if (arguments.empty()) {
    return fail("info about what? " + all);
  }
  for (const auto& [topic, show] : topics) {
    if (topic.starts_with(arguments)) {
      (self().*show)();
      return true;
    }
  }
  for (const auto& [topic, show] : topics) {
    if (may_mean(arguments, topic)) {
      return fail(fmt::format("there is no 'info {}'; did you mean 'info {}'?", shortened(arguments), topic));
    }
  }
  return fail(fmt::format("there is no 'info {}', but {}", shortened(arguments), all));
}

// ---- moving -------------------------------------------------------------------------------------------------------------

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::step(std::string_view arguments) {
  const auto count = parse_count(arguments, 1);
  if (!count || self().cannot_go_on()) {
    return true;
  }
  if (*count > told_steps) {
    history_.go_to(*count > UINT64_MAX - history_.position() ? UINT64_MAX : history_.position() + *count);
  } else {
    for (std::uint64_t i = 0; i < *count && self().told_step(); ++i) {
    }
  }
  self().tell_place();
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::back(std::string_view arguments) {
  const auto count = parse_count(arguments, 1);
  if (!count) {
    return true;
  }
  const std::uint64_t step = history_.position();
  if (step == 0) {
    tell_start();
    return true;
  }
  history_.go_to(step - std::min(*count, step));
  if (*count == 1 && !history_.interrupted()) {
    out_ << self().undone_text(step);
  }
  self().tell_place();
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
template <class Check>
void StepperCommands<Self, AnyHistory, AnyStop>::backward(Check&& check) {
  const auto stop = check.nothing_to_check() ? std::nullopt : history_.last_stop_before_here(check);
  if (history_.interrupted()) {
    return;
  }
  if (!stop) {
    history_.go_to(0);
    tell_start();
    return;
  }
  history_.go_to(*stop - 1);
  if (history_.interrupted()) {
    return;
  }
  check.begin();
  history_.step();
  check.after_step();
  self().tell_hits(check.hits());
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::go_to(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("goto which step? For example 'goto 0'");
  }
  if (const auto target = parse_count(arguments, 0)) {
    history_.go_to(*target);
    self().tell_place();
  }
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::run(std::string_view) {
  history_.go_to(0);
  return self().continue_run({});
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::restart(std::string_view) {
  history_.go_to(0);
  self().tell_place();
  return true;
}

// ---- breakpoints and watches ----------------------------------------------------------------------------------------------

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::add_stop(AnyStop stop, const std::string& told) {
  stop.id = next_id_++;
  out_ << fmt::format("{} {}: {}\n", stop.watched ? "watch" : "breakpoint", stop.id, told);
  breakpoints_.push_back(std::move(stop));
  return true;
}

template <class Self, class AnyHistory, class AnyStop>
template <class Hits>
void StepperCommands<Self, AnyHistory, AnyStop>::forget_met(const Hits& hits) {
  std::vector<int> met;
  for (const auto& hit : hits) {
    if (hit.breakpoint->temporary) {
      met.push_back(hit.breakpoint->id);
    }
  }
  std::erase_if(breakpoints_, [&](const AnyStop& b) { return std::find(met.begin(), met.end(), b.id) != met.end(); });
}

template <class Self, class AnyHistory, class AnyStop>
bool StepperCommands<Self, AnyHistory, AnyStop>::delete_stop(std::string_view arguments) {
  if (arguments.empty()) {
    out_ << fmt::format("{} deleted\n", breakpoints_.size());
    breakpoints_.clear();
    return true;
  }
  const auto id = number_in(arguments);
  const auto deleted = std::erase_if(breakpoints_, [&](const AnyStop& b) { return id && static_cast<std::uint64_t>(b.id) == *id; });
  return deleted != 0 || fail(fmt::format("there is no breakpoint or watch '{}'", shortened(arguments)));
}

template <class Self, class AnyHistory, class AnyStop>
void StepperCommands<Self, AnyHistory, AnyStop>::info_break() {
  bool any = false;
  for (const AnyStop& b : breakpoints_) {
    if (!b.watched) {
      out_ << fmt::format("{}: {}{}\n", b.id, b.text, b.temporary ? " (once)" : "");
      any = true;
    }
  }
  out_ << (any ? "" : "no breakpoints\n");
}

}  // namespace lockstep
