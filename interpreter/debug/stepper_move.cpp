// The stepper's commands that move, forwards and backwards.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/display.hpp"
#include "interpreter/debug/stepper.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// `step N` tells what each step did up to this N; beyond, only where it led.
constexpr std::uint64_t told_steps = 100;

std::string ending_text(const Ending& ending) {
  if (std::holds_alternative<Halted>(ending)) {
    return "the program has halted";
  }
  const std::string_view word = std::holds_alternative<Stuck>(ending) ? "stuck: " : "stopped: ";
  return std::string(word) + reason(ending);
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

void Stepper::greet() {
  out_ << fmt::format("{}: {} instructions, {} threads\n", printable(source_.name()), program().code.size(), machine().threads());
  tell_place();
}

void Stepper::tell_place() {
  if (history_.interrupted()) {
    out_ << "interrupted\n";
    history_.forget_interrupted();
  }
  const Label pc = machine().state().pc;
  if (const auto& ending = machine().ending()) {
    out_ << fmt::format("after {} steps: {}\n", history_.position(), ending_text(*ending));
    if (std::holds_alternative<Halted>(*ending)) {
      return;
    }
  }
  const std::string line = pc < program().code.size() ? fmt::format("line {}: ", line_of(pc)) : "";
  out_ << fmt::format("at step {}, {}{}\n", history_.position(), line, instruction_text(program(), pc));
  if (history_.at_limit()) {
    out_ << "the step limit is reached (--max-steps)\n";
  }
  listed_until_ = 0;
}

bool Stepper::cannot_go_on() {
  if (history_.at_end() || history_.at_limit()) {
    tell_place();
    return true;
  }
  return false;
}

bool Stepper::step(std::string_view arguments) {
  const auto count = parse_count(arguments, 1);
  if (!count || cannot_go_on()) {
    return true;
  }
  if (*count > told_steps) {
    history_.go_to(*count > UINT64_MAX - history_.position() ? UINT64_MAX : history_.position() + *count);
  } else {
    for (std::uint64_t i = 0; i < *count; ++i) {
      StepRecord record;
      if (!history_.step(&record)) {
        break;
      }
      out_ << record.text(machine(), false);
    }
  }
  tell_place();
  return true;
}

void Stepper::tell_hits(const std::vector<Hit>& hits) {
  std::vector<int> met;
  for (const Hit& hit : hits) {
    const Breakpoint& b = *hit.breakpoint;
    out_ << fmt::format("{} {}: {}\n", b.watched ? "watch" : "breakpoint", b.id, b.text);
    if (b.watched && b.watched->per_thread()) {
      out_ << lanes_table(machine(), {{"before", [&](unsigned t) { return hit.old_values[t]; }},
                                      {"now", [&](unsigned t) { return b.watched->value(machine(), t); }}});
    } else if (b.watched) {
      out_ << fmt::format("  {} → {}\n", cell_text(hit.old_values[0]), cell_text(b.watched->value(machine(), 0)));
    }
    if (b.temporary) {
      met.push_back(b.id);
    }
  }
  std::erase_if(breakpoints_, [&](const Breakpoint& b) { return std::find(met.begin(), met.end(), b.id) != met.end(); });
}

void Stepper::forward(std::function<bool(const Machine&)> until) {
  if (cannot_go_on()) {
    return;
  }
  StopCheck check(breakpoints_, machine(), std::move(until));
  if (check.nothing_to_check()) {
    history_.go_to(UINT64_MAX);
  } else if (history_.run_until(check)) {
    tell_hits(check.hits());
  }
  tell_place();
}

bool Stepper::next(std::string_view) {
  const std::size_t depth = machine().state().context.size();
  const std::uint32_t line = line_of(machine().state().pc);
  forward([this, depth, line](const Machine& m) { return m.state().context.size() <= depth && line_of(m.state().pc) != line; });
  return true;
}

bool Stepper::continue_run(std::string_view) {
  forward({});
  return true;
}

bool Stepper::until(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("until what? For example 'until sync', 'until Done' or 'until BD'");
  }
  std::vector<bool> wanted(program().code.size() + 1);
  for (Label pc = 0; pc < program().code.size(); ++pc) {
    const std::string text = print(program(), program().code[pc].instruction);
    wanted[pc] = first_word(text) == arguments && !text.substr(arguments.size()).starts_with(" = ");  // a variable may have that name
  }
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) {
    const auto rule = rule_named(arguments);
    const bool is_label = std::any_of(program().labels.begin(), program().labels.end(), [&](const auto& l) { return l.name == arguments; });
    if (rule && !is_label) {
      const auto index = static_cast<std::size_t>(*rule);
      forward([index, count = machine().rule_counts()[index]](const Machine& m) { return m.rule_counts()[index] != count; });
      return true;
    }
    if (!number_in(arguments) && !is_label) {
      return fail(fmt::format("'{}' is no label, line, rule or first word of an instruction of this program", shortened(arguments)));
    }
    const auto pc = pc_of_place(arguments);
    if (!pc) {
      return true;
    }
    wanted[*pc] = true;
  }
  forward([wanted = std::move(wanted)](const Machine& m) { return wanted[m.state().pc]; });
  return true;
}

bool Stepper::finish(std::string_view) {
  const std::size_t depth = machine().state().context.size();
  if (depth == 0) {
    return fail("control is not inside an everywhere block");
  }
  forward([depth](const Machine& m) { return m.state().context.size() < depth; });
  return true;
}

bool Stepper::back(std::string_view arguments) {
  const auto count = parse_count(arguments, 1);
  if (!count) {
    return true;
  }
  if (history_.position() == 0) {
    out_ << "this is the start of the run\n";
    return true;
  }
  const std::uint64_t target = history_.position() - std::min(*count, history_.position());
  history_.go_to(target);
  if (*count == 1 && !history_.interrupted()) {
    StepRecord record;
    history_.step(&record);
    history_.go_to(target);
    out_ << (history_.interrupted() ? "" : record.text(machine(), true));
  }
  tell_place();
  return true;
}

bool Stepper::reverse_continue(std::string_view) {
  StopCheck check(breakpoints_, machine());
  const auto stop = check.nothing_to_check() ? std::nullopt : history_.last_stop_before_here(check);
  if (history_.interrupted()) {
    tell_place();
    return true;
  }
  if (!stop) {
    history_.go_to(0);
    out_ << "this is the start of the run\n";
  } else {
    history_.go_to(*stop - 1);
    if (history_.interrupted()) {
      tell_place();
      return true;
    }
    check.begin(machine());
    history_.step();
    check.after_step(machine());
    tell_hits(check.hits());
  }
  tell_place();
  return true;
}

bool Stepper::go_to(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("goto which step? For example 'goto 0'");
  }
  if (const auto target = parse_count(arguments, 0)) {
    history_.go_to(*target);
    tell_place();
  }
  return true;
}

bool Stepper::run(std::string_view) {
  history_.go_to(0);
  forward({});
  return true;
}

bool Stepper::restart(std::string_view) {
  history_.go_to(0);
  tell_place();
  return true;
}

}  // namespace lockstep
