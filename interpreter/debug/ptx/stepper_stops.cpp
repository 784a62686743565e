// The commands about breakpoints and watches in PTX.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/ptx/stepper.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

/// `saxpy.cu:5`. False, and said why: there is no such place.
bool PtxStepper::source_place(std::string_view word, PtxBreakpoint& b) {
  const std::size_t colon = word.rfind(':');
  const auto line = number_in(word.substr(colon + 1));
  if (!line) {
    return fail(fmt::format("'{}' is no FILE:LINE", shortened(word))) && false;
  }
  const std::string_view file = word.substr(0, colon);
  b.pcs = program().places_of_source(file, *line);
  if (!b.pcs.empty()) {
    return true;
  }
  const auto& files = program().module().files;
  std::vector<std::string_view> names;
  for (const ptx::File& f : files) {
    names.push_back(f.name);
  }
  fail(fmt::format("no instruction was compiled from line {} of '{}'{}", *line, shortened(file), suggestion(file, names)));
  return false;
}

/// The instructions of a line (or the next one with code), a function, a label, or a line of the source. False: said why there is no such
/// place.
bool PtxStepper::place_of_break(std::string_view word, PtxBreakpoint& b) {
  if (const auto line = number_in(word)) {
    const auto found = *line == 0 ? std::nullopt : program().line_with_code(*line);
    if (!found) {
      fail(fmt::format("there is no instruction at or behind line {}; the text has {} lines", *line, program().source().line_count()));
      return false;
    }
    b.pcs = program().beginnings_of(*found);
    return true;
  }
  if (word.find(':') != std::string_view::npos) {
    return source_place(word, b);
  }
  std::vector<std::string_view> names;
  const auto& functions = program().module().functions;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (functions[f].defined) {
      names.push_back(functions[f].name);
      if (functions[f].name == word) {
        b.pcs = {program().place(f, 0)};
      }
    }
  }
  for (const PtxProgram::LabelPlace& label : program().labels()) {
    names.push_back(label.name);
    if (label.name == word) {
      b.pcs.push_back(label.place);
    }
  }
  if (b.pcs.empty()) {
    fail(fmt::format("'{}' is no line, function, label or FILE:LINE{}", shortened(word), suggestion(word, names)));
  }
  return !b.pcs.empty();
}

bool PtxStepper::add_break(std::string_view arguments, bool temporary) {
  PtxBreakpoint b;
  b.temporary = temporary;
  b.text = printable(arguments);
  PtxScope where = scope();
  std::string_view words = arguments;
  const BreakRequest request = parse_break(take_word(words) == "at" ? words : arguments);
  if (request.rule) {
    return fail("PTX has no rules; name a line, a function, a label or FILE:LINE");
  }
  if (request.is_here()) {
    const auto place = history_.run().next_place();
    if (!place) {
      return fail("the run has ended; name a line");
    }
    b.pcs = {*place};
  } else if (!request.place.empty() && !place_of_break(request.place, b)) {
    return true;
  }
  if (!b.pcs.empty()) {
    where.function = program().function_at(b.pcs.front());
  }
  if (request.condition && request.condition->empty()) {
    return fail("if what? For example 'break if %r3 == 2 in thread 3' or 'break 12 if out[0] > 0'");
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
    told = place_text(b.pcs.front()) + (b.condition ? "   " + request.condition_text() : std::string());
    b.text = fmt::format("line {}{}", program().line_of(b.pcs.front()), b.condition ? " " + request.condition_text() : std::string());
  }
  return add_stop(std::move(b), told);
}

bool PtxStepper::watch(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("watch what? For example 'watch %r3', 'watch %r3 in thread 5' or 'watch out[4]'");
  }
  PtxBreakpoint b;
  b.watched = parse_expression(arguments, scope());
  if (!b.watched) {
    return true;
  }
  b.text = printable(arguments);
  const std::string told = b.text;
  return add_stop(std::move(b), told);
}

void PtxStepper::info_watch() {
  bool any = false;
  for (const PtxBreakpoint& b : breakpoints_) {
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
