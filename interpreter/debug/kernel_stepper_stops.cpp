// The commands about breakpoints and watches.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/kernel_stepper.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

bool KernelStepper::set_break(std::string_view arguments) { return add_break(arguments, false); }
bool KernelStepper::set_temporary_break(std::string_view arguments) { return add_break(arguments, true); }

/// The instructions of a line (or the next one with code), a function or a label. False: said why there is no such place.
bool KernelStepper::place_of_break(std::string_view word, KernelBreakpoint& b) {
  const auto line_of_beginning = [&](typed::Label pc) {
    while (pc < program().code.size() && !lines_.is_beginning(pc)) {
      ++pc;
    }
    return pc;
  };
  if (const auto line = number_in(word)) {
    const auto found = *line == 0 ? std::nullopt : lines_.line_with_code(*line);
    if (!found) {
      fail(fmt::format("there is no code at or behind line {}; the text has {} lines", *line, program().source->line_count()));
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
  std::string_view rest = arguments;
  std::string_view word = take_word(rest);
  if (word == "at") {
    word = take_word(rest);
  }
  if (word.empty()) {
    const launch::Fragment* f = view().next();
    if (f == nullptr) {
      return fail("the run has ended; name a line");
    }
    b.pcs = {f->state.pc};
  } else if (word == "rule") {
    const std::string_view rule = take_word(rest);
    b.rule = musimd::rule_named(rule);
    if (!b.rule) {
      return fail(fmt::format("there is no rule '{}'; rules are SP, JP, BT, BF, BD, BA, BI, SS, SI.sync, EB, EE, IT, CALL, RET, …",
                              shortened(rule)));
    }
    word = take_word(rest);
  } else if (word != "if") {
    if (!place_of_break(word, b)) {
      return true;
    }
    word = take_word(rest);
  }
  if (!b.pcs.empty()) {
    const typed::Function& function = typed::function_at(program(), b.pcs.front());
    where.function = static_cast<typed::FunctionId>(&function - program().functions.data());
    where.place = program().code[b.pcs.front()].span.begin;
  }
  if (word == "if" && rest.empty()) {
    return fail("if what? For example 'break if k == 2 in item 3' or 'break 12 if a[0] > 0'");
  }
  if (word == "if") {
    b.condition = parse_expression(rest, where);
    if (!b.condition) {
      return true;
    }
  } else if (!word.empty()) {
    return fail(fmt::format("expected 'if' instead of '{}'", shortened(word)));
  }
  b.id = next_id_++;
  std::string told = b.text;
  if (!b.pcs.empty()) {
    const std::uint32_t line = lines_.line_of(b.pcs.front());
    told = fmt::format("line {}: {}{}", line, source_text(program(), line),
                       b.condition ? fmt::format("   if {}", printable(rest)) : std::string());
    b.text = b.condition ? fmt::format("line {} if {}", line, printable(rest)) : fmt::format("line {}", line);
  }
  out_ << fmt::format("breakpoint {}: {}\n", b.id, told);
  breakpoints_.push_back(std::move(b));
  return true;
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
  b.id = next_id_++;
  out_ << fmt::format("watch {}: {}\n", b.id, b.text);
  breakpoints_.push_back(std::move(b));
  return true;
}

bool KernelStepper::delete_stop(std::string_view arguments) {
  if (arguments.empty()) {
    out_ << fmt::format("{} deleted\n", breakpoints_.size());
    breakpoints_.clear();
    return true;
  }
  const auto id = number_in(arguments);
  const auto deleted =
      std::erase_if(breakpoints_, [&](const KernelBreakpoint& b) { return id && static_cast<std::uint64_t>(b.id) == *id; });
  return deleted != 0 || fail(fmt::format("there is no breakpoint or watch '{}'", shortened(arguments)));
}

void KernelStepper::info_break() {
  bool any = false;
  for (const KernelBreakpoint& b : breakpoints_) {
    if (!b.watched) {
      out_ << fmt::format("{}: {}{}\n", b.id, b.text, b.temporary ? " (once)" : "");
      any = true;
    }
  }
  out_ << (any ? "" : "no breakpoints\n");
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
