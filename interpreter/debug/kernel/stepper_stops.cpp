// The commands about breakpoints and watches.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/kernel/stepper.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

/// The instructions of a line (or the next one with code), a function or a label. False: said why there is no such place.
bool KernelStepper::place_of_break(std::string_view word, KernelBreakpoint& b) {
  const auto line_of_beginning = [&](typed::Label pc) {
    while (pc < program().code.size() && !lines_.is_beginning(pc)) {
      ++pc;
    }
    return pc;
  };
  if (number_in(word) || word.find(':') != std::string_view::npos) {
    const auto line = lines_.line_named(word);
    const auto found = line ? lines_.line_with_code(*line) : std::nullopt;
    if (!found) {
      fail(fmt::format("there is no code at or behind line {}; the text has {} lines", shortened(word), program().source->line_count()));
      return false;
    }
    b.pcs = lines_.beginnings_of(*found);
    return true;
  }
  std::vector<std::string_view> names;
  for (const typed::Function& function : program().functions) {
    names.push_back(function.name);
    if (function.name == word) {
      b.pcs = {line_of_beginning(function.begin)};
    }
  }
  for (const typed::LabelDefinition& label : program().labels) {
    if (b.pcs.empty() && label.name == word) {
      b.pcs = {label.pc};
    }
  }
  if (b.pcs.empty()) {
    fail(fmt::format("'{}' is no line, function or label{}", shortened(word), suggestion(word, names)));
  }
  return !b.pcs.empty();
}

bool KernelStepper::add_break(std::string_view arguments, bool temporary) {
  KernelBreakpoint b;
  b.temporary = temporary;
  b.text = printable(arguments);
  KernelScope where = scope();
  std::string_view words = arguments;
  const BreakRequest request = parse_break(take_word(words) == "at" ? words : arguments);
  if (request.is_here()) {
    const launch::Fragment* f = view().next();
    if (f == nullptr) {
      return fail("the run has ended; name a line");
    }
    b.pcs = {f->state.pc};
  } else if (request.rule) {
    b.rule = musimd::rule_named(*request.rule);
    if (!b.rule) {
      return fail(fmt::format("there is no rule '{}'; rules are SP, JP, BT, BF, BD, BA, BI, SS, SI.sync, EB, EE, IT, CALL, RET, …",
                              shortened(*request.rule)));
    }
  } else if (!request.place.empty() && !place_of_break(request.place, b)) {
    return true;
  }
  if (!b.pcs.empty()) {
    const typed::Function& function = typed::function_at(program(), b.pcs.front());
    where.function = static_cast<typed::FunctionId>(&function - program().functions.data());
    where.place = program().code[b.pcs.front()].span.begin;
  }
  if (request.condition && request.condition->empty()) {
    return fail("if what? For example 'break if k == 2 in item 3' or 'break 12 if a[0] > 0'");
  }
  if (request.condition) {
    b.condition = parse_expression(*request.condition, where);
    if (!b.condition) {
      return true;
    }
  } else if (!request.wrong.empty()) {
    return fail(request.wrong);
  }
  std::string told = b.text;
  if (!b.pcs.empty()) {
    const std::uint32_t line = lines_.line_of(b.pcs.front());
    told = fmt::format("line {}: {}{}", lines_.name(line), source_text(program(), line),
                       b.condition ? "   " + request.condition_text() : std::string());
    b.text = b.condition ? fmt::format("line {} {}", lines_.name(line), request.condition_text()) : "line " + lines_.name(line);
  }
  return add_stop(std::move(b), told);
}

bool KernelStepper::watch(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("watch what? For example 'watch sum', 'watch a[1] in item 3' or 'watch out[4]'");
  }
  KernelBreakpoint b;
  b.watched = parse_expression(arguments, scope());
  if (!b.watched) {
    return true;
  }
  if (b.watched->value(moment(), first_lane()).is_array) {
    return fail("an array has no value; watch one of its elements");
  }
  b.text = printable(arguments);
  const std::string told = b.text;
  return add_stop(std::move(b), told);
}

void KernelStepper::info_watch() {
  bool any = false;
  for (const KernelBreakpoint& b : breakpoints_) {
    if (b.watched) {
      out_ << fmt::format("{}: ", b.id);
      if (is_present(*b.watched)) {
        print_one(*b.watched, b.text);
      }
      any = true;
    }
  }
  out_ << (any ? "" : "no watches\n");
}

}  // namespace lockstep
