#pragma once
// What the steppers of launches have in common: moving by lines and to breakpoints, and telling what was met.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/debug/launch_stops.hpp"
#include "interpreter/debug/stepper_commands.hpp"

namespace lockstep {

/// The base of a stepper `Self` of a launch; beside what StepperCommands wants, Self has
///   Until another_line()             whether the next fragment is at the beginning of another line than now, for `next`
///   std::string who_text(lane)       "item 3 of group 0"
///   std::string value_text(value)
///   std::string race_text(race)
template <class Self, class History, class Expression>
class LaunchStepper : public StepperCommands<Self, History, AnyBreakpoint<Expression>> {
 protected:
  using Breakpoint = AnyBreakpoint<Expression>;
  using Base = StepperCommands<Self, History, Breakpoint>;
  using Stops = LaunchStops<History, Expression>;
  using Until = typename Stops::Until;
  using Base::history_;
  using Base::out_;

  bool next(std::string_view arguments);
  bool continue_run(std::string_view arguments);
  bool reverse_next(std::string_view arguments);
  bool reverse_continue(std::string_view arguments);

  /// Whether `until`, rather than a breakpoint, a race or the end, stopped it. Says what it met, but not where it is.
  bool forward(const Until& until);
  void tell_hits(const std::vector<typename Stops::Hit>& hits);
  void tell_races();
  void info_races();
  bool cannot_go_on();

 private:
  static constexpr std::size_t told_changes = 8;
  static constexpr std::size_t told_races = 3;

  friend Self;
  template <class... OfHistory>
  explicit LaunchStepper(std::ostream& out, OfHistory&&... of_history) : Base(out, std::forward<OfHistory>(of_history)...) {}
  Self& self() { return static_cast<Self&>(*this); }
};

template <class Self, class History, class Expression>
void LaunchStepper<Self, History, Expression>::tell_races() {
  const auto races = history_.races_here();
  for (std::size_t k = 0; k < std::min(races.size(), told_races); ++k) {
    out_ << self().race_text(races[k]);
  }
  if (races.size() > told_races) {
    out_ << fmt::format("… {} more races by this step ('info races')\n", races.size() - told_races);
  }
}

template <class Self, class History, class Expression>
void LaunchStepper<Self, History, Expression>::info_races() {
  out_ << fmt::format("{} race{} so far\n", history_.race_count(), history_.race_count() == 1 ? "" : "s");
  for (const auto& race : history_.races()) {
    out_ << self().race_text(race);
  }
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::cannot_go_on() {
  if (history_.at_end()) {
    self().tell_place();
    return true;
  }
  return false;
}

template <class Self, class History, class Expression>
void LaunchStepper<Self, History, Expression>::tell_hits(const std::vector<typename Stops::Hit>& hits) {
  for (const auto& hit : hits) {
    const Breakpoint& b = *hit.breakpoint;
    out_ << fmt::format("{} {}: {}\n", b.watched ? "watch" : "breakpoint", b.id, b.text);
    for (std::size_t k = 0; k < std::min(hit.changes.size(), told_changes); ++k) {
      const ValueChange& change = hit.changes[k];
      out_ << fmt::format("  {}{} → {}\n", b.watched->per_item() ? self().who_text(change.lane) + ": " : std::string(),
                          self().value_text(change.before), self().value_text(change.now));
    }
    if (hit.changes.size() > told_changes) {
      out_ << fmt::format("  … {} more {}s\n", hit.changes.size() - told_changes, Self::lane_word);
    }
  }
  tell_races();
  this->forget_met(hits);
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::forward(const Until& until) {
  Stops check(this->breakpoints_, history_, until);
  if (!history_.run_until(check)) {
    return false;
  }
  const bool alone = check.hits().empty() && history_.races_here().empty();
  tell_hits(check.hits());
  return alone;
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::next(std::string_view arguments) {
  const auto count = this->parse_count(arguments, 1);
  if (!count || cannot_go_on()) {
    return true;
  }
  for (std::uint64_t i = 0; i < *count && forward(self().another_line()); ++i) {
  }
  self().tell_place();
  return true;
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::continue_run(std::string_view) {
  if (!cannot_go_on()) {
    forward({});
    self().tell_place();
  }
  return true;
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::reverse_next(std::string_view arguments) {
  const auto count = this->parse_count(arguments, 1);
  if (!count) {
    return true;
  }
  for (std::uint64_t i = 0; i < *count && history_.position() > 0 && !history_.interrupted(); ++i) {
    this->backward(Stops(this->breakpoints_, history_, self().another_line()));
  }
  self().tell_place();
  return true;
}

template <class Self, class History, class Expression>
bool LaunchStepper<Self, History, Expression>::reverse_continue(std::string_view) {
  this->backward(Stops(this->breakpoints_, history_));
  self().tell_place();
  return true;
}

}  // namespace lockstep
