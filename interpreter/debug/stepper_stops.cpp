// The stepper's commands about breakpoints and watches.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/display.hpp"
#include "interpreter/debug/stepper.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

using namespace musimd;

bool Stepper::set_break(std::string_view arguments) { return add_break(arguments, false); }
bool Stepper::set_temporary_break(std::string_view arguments) { return add_break(arguments, true); }

bool Stepper::add_break(std::string_view arguments, bool temporary) {
  Breakpoint b;
  b.temporary = temporary;
  b.text = printable(arguments);
  std::string_view rest = arguments;
  std::string_view word = take_word(rest);
  if (word.empty()) {
    b.pc = machine().state().pc;
  } else if (word == "rule") {
    const std::string_view rule = take_word(rest);
    b.rule = rule_named(rule);
    if (!b.rule) {
      return fail(fmt::format("there is no rule '{}'; rules are SP, JP, BT, BF, BD, BA, BI, SS, SI.sync, EB, EE, IT, …", shortened(rule)));
    }
    word = take_word(rest);
  } else if (word != "if") {
    b.pc = pc_of_place(word);
    if (!b.pc) {
      return true;
    }
    word = take_word(rest);
  }
  if (word == "if" && rest.empty()) {
    return fail("if what? For example 'break if v3 == 2' or 'break Loop if mem[4] > 0'");
  }
  if (word == "if") {
    b.condition = parse_condition(rest);
    if (!b.condition) {
      return true;
    }
  } else if (!word.empty()) {
    return fail(fmt::format("expected 'if' instead of '{}'", shortened(word)));
  }
  b.id = next_id_++;
  std::string told = b.text;
  if (b.pc) {
    const bool is_place = arguments.empty() || number_in(arguments);  // nothing but what is told of the place anyway
    told = fmt::format("{}line {}: {}", is_place ? "" : told + ", ", line_of(*b.pc), instruction_text(program(), *b.pc));
    b.text = is_place ? fmt::format("line {}", line_of(*b.pc)) : b.text;
  }
  out_ << fmt::format("breakpoint {}: {}\n", b.id, told);
  breakpoints_.push_back(std::move(b));
  return true;
}

bool Stepper::watch(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("watch what? For example 'watch v3' or 'watch mem[4]'");
  }
  Breakpoint b;
  b.watched = parse_condition(arguments);
  if (!b.watched) {
    return true;
  }
  b.text = printable(arguments);
  b.id = next_id_++;
  out_ << fmt::format("watch {}: {}\n", b.id, b.text);
  breakpoints_.push_back(std::move(b));
  return true;
}

bool Stepper::delete_stop(std::string_view arguments) {
  if (arguments.empty()) {
    out_ << fmt::format("{} deleted\n", breakpoints_.size());
    breakpoints_.clear();
    return true;
  }
  const auto id = number_in(arguments);
  const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                                  [&](const Breakpoint& b) { return id && static_cast<std::uint64_t>(b.id) == *id; });
  if (found == breakpoints_.end()) {
    return fail(fmt::format("there is no breakpoint or watch '{}'", shortened(arguments)));
  }
  breakpoints_.erase(found);
  return true;
}

void Stepper::info_break() {
  bool any = false;
  for (const Breakpoint& b : breakpoints_) {
    if (!b.watched) {
      out_ << fmt::format("{}: {}{}\n", b.id, b.text, b.temporary ? " (once)" : "");
      any = true;
    }
  }
  out_ << (any ? "" : "no breakpoints\n");
}

void Stepper::info_watch() {
  std::vector<LaneRow> rows;  // of watches that follow each other: one table
  const auto show_rows = [&] {
    out_ << (rows.empty() ? "" : lanes_table(machine(), rows));
    rows.clear();
  };
  bool any = false;
  for (const Breakpoint& b : breakpoints_) {
    if (b.watched && b.watched->per_thread()) {
      rows.push_back({fmt::format("{}: {}", b.id, b.text), [&](unsigned t) { return b.watched->value(machine(), t); }});
    } else if (b.watched) {
      show_rows();
      out_ << fmt::format("{}: {} = {}\n", b.id, b.text, value_text(*b.watched));
    }
    any = any || b.watched;
  }
  show_rows();
  out_ << (any ? "" : "no watches\n");
}

}  // namespace lockstep
