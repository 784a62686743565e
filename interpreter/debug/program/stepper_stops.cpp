// The stepper's commands about breakpoints and watches.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/program/display.hpp"
#include "interpreter/debug/program/stepper.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

using namespace musimd;

bool Stepper::add_break(std::string_view arguments, bool temporary) {
  Breakpoint b;
  b.temporary = temporary;
  b.text = printable(arguments);
  const BreakRequest request = parse_break(arguments);
  if (request.is_here()) {
    b.pcs = {machine().state().pc};
  } else if (request.rule) {
    b.rule = rule_named(*request.rule);
    if (!b.rule) {
      return fail(
          fmt::format("there is no rule '{}'; rules are SP, JP, BT, BF, BD, BA, BI, SS, SI.sync, EB, EE, IT, …", shortened(*request.rule)));
    }
  } else if (!request.place.empty()) {
    const auto pc = pc_of_place(request.place);
    if (!pc) {
      return true;
    }
    b.pcs = {*pc};
  }
  if (request.condition && request.condition->empty()) {
    return fail("if what? For example 'break if v3 == 2' or 'break Loop if mem[4] > 0'");
  }
  if (request.condition) {
    b.condition = parse_condition(*request.condition);
    if (!b.condition) {
      return true;
    }
  } else if (!request.wrong.empty()) {
    return fail(request.wrong);
  }
  std::string told = b.text;
  if (!b.pcs.empty()) {
    const bool is_place = arguments.empty() || number_in(arguments);  // nothing but what is told of the place anyway
    told = fmt::format("{}line {}: {}", is_place ? "" : told + ", ", line_of(b.pcs.front()), instruction_text(program(), b.pcs.front()));
    b.text = is_place ? fmt::format("line {}", line_of(b.pcs.front())) : b.text;
  }
  return add_stop(std::move(b), told);
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
  const std::string told = b.text;
  return add_stop(std::move(b), told);
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
