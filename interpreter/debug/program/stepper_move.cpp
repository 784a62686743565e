// The stepper's commands that move, forwards and backwards.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/program/display.hpp"
#include "interpreter/debug/program/stepper.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

std::string ending_text(const Ending& ending) {
  if (std::holds_alternative<Halted>(ending)) {
    return "the program has halted";
  }
  const std::string_view word = std::holds_alternative<Stuck>(ending) ? "stuck: " : "stopped: ";
  return std::string(word) + reason(ending);
}

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

bool Stepper::told_step() {
  StepRecord record;
  const bool taken = history_.step(&record);
  out_ << (taken ? record.text(machine(), false) : "");
  return taken;
}

std::string Stepper::undone_text(std::uint64_t step) {
  StepRecord record;
  history_.step(&record);
  history_.go_to(step - 1);
  return history_.interrupted() ? "" : record.text(machine(), true);
}

void Stepper::tell_hits(const std::vector<Hit>& hits) {
  for (const Hit& hit : hits) {
    const Breakpoint& b = *hit.breakpoint;
    out_ << fmt::format("{} {}: {}\n", b.watched ? "watch" : "breakpoint", b.id, b.text);
    if (b.watched && b.watched->per_thread()) {
      out_ << lanes_table(machine(), {{"before", [&](unsigned t) { return hit.old_values[t]; }},
                                      {"now", [&](unsigned t) { return b.watched->value(machine(), t); }}});
    } else if (b.watched) {
      out_ << fmt::format("  {} → {}\n", cell_text(hit.old_values[0]), cell_text(b.watched->value(machine(), 0)));
    }
  }
  forget_met(hits);
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

bool Stepper::reverse_continue(std::string_view) {
  backward(StopCheck(breakpoints_, machine()));
  tell_place();
  return true;
}

}  // namespace lockstep
