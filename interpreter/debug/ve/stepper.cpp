#include "interpreter/debug/ve/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/ve/record.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

std::expected<std::unique_ptr<VeStepper>, std::string> VeStepper::make(VeProgram program, const ve_machine::Arguments& arguments,
                                                                       const VeRun::Options& options, std::ostream& out) {
  if (const auto wrong = VeRun::complaint(program, arguments, options)) {
    return std::unexpected(*wrong);
  }
  return std::unique_ptr<VeStepper>(new VeStepper(std::make_shared<const VeProgram>(std::move(program)), arguments, options, out));
}

const std::vector<VeStepper::Command>& VeStepper::commands() {
  using S = VeStepper;
  static const std::vector<Command> table = {
      {"step", "s", "[N]", "execute one instruction, or N; tell what changed", "step 3", true, &S::step},
      {"next", "n", "[N]", "go on to another line of the source, or to the Nth; without debug information, to another instruction", "next",
       true, &S::next},
      {"continue", "c", "", "go on to the next breakpoint or the end", "continue", true, &S::continue_run},
      {"until", "u", "PLACE", "go on to a place, or to an instruction of a name (vst, lvl, …)", "until vst", true, &S::until},
      {"back", "ba", "[N]", "undo one step, or N", "back 3", true, &S::back},
      {"reverse-next", "rn", "[N]", "go back to the line before, or to the Nth before", "reverse-next", true, &S::reverse_next},
      {"reverse-continue", "rc", "", "go back to the previous breakpoint or the start", "reverse-continue", true, &S::reverse_continue},
      {"goto", "g", "STEP", "go to the state after STEP steps, forwards or backwards", "goto 3", false, &S::go_to},
      {"run", "r", "", "start again and continue", "run", false, &S::run},
      {"restart", "", "", "go back to the start", "restart", false, &S::restart},
      {"break", "b", "[PLACE] [if CONDITION]",
       "stop at a place, or where a condition becomes true; a place is FUNCTION, FUNCTION+0x38, 0x38, LINE, FILE:LINE or an instruction",
       "break saxpy+0x38 if vl == 88", false, &S::set_break},
      {"tbreak", "tb", "[PLACE] [if CONDITION]", "as break, but it is deleted when it is met", "tbreak vst", false,
       &S::set_temporary_break},
      {"watch", "w", "EXPRESSION", "stop when the value changes, in any element", "watch %v1 in element 5", false, &S::watch},
      {"delete", "d", "[N]", "delete breakpoint or watch N, or all", "delete 1", false, &S::delete_stop},
      {"info", "i", "registers|vectors|masks|break|watch|line", "show a part of the state", "info vectors", false, &S::info},
      {"print", "p", "EXPRESSION | NAME[*] | NAME[A..B]", "show a value; .f64, .f32, .i64, .i32 and so on say as what",
       "print %v1.f32[0..9]", false, &S::print_value},
      {"list", "l", "[PLACE]", "show the code, with the lines that it comes from", "list saxpy", false, &S::list},
      {"explain", "e", "", "show what the next instruction does, and its operands", "explain", false, &S::explain},
      {"where", "wh", "", "show where control is", "where", false, &S::where},
      {"memory", "mem", "[POSITION]", "show the buffers, or that of an argument", "memory 2", false, &S::memory},
      {"help", "h ?", "[COMMAND]", "list the commands, or tell about one", "help break", false, &S::help},
      {"quit", "q", "", "leave", "quit", false, &S::quit},
  };
  return table;
}

std::optional<VeExpression> VeStepper::parse_expression(std::string_view text) {
  auto expression = VeExpression::parse(text, history_.run());
  if (!expression) {
    fail_at(text, expression.error());
    return std::nullopt;
  }
  return std::move(*expression);
}

std::string VeStepper::place_text(VeProgram::Place place) const {
  return fmt::format("{}: {}", program().name_of(place), program().instruction_text(place));
}

std::string VeStepper::source_text(VeProgram::Place place) const {
  const std::string name = program().line_name(place);
  const std::string text = program().line_text(place);
  return name.empty() || text.empty() ? name : fmt::format("{}: {}", name, shortened(trimmed(text)));
}

// ---- moving -------------------------------------------------------------------------------------------------------------

void VeStepper::greet() {
  out_ << fmt::format("{}: function {}, {}\n", printable(program().object().name), shortened(program().kernel().name),
                      counted(program().places(), "instruction"));
  tell_place();
}

void VeStepper::tell_place() {
  listed_until_ = 0;
  if (history_.interrupted()) {
    out_ << "interrupted\n";
    history_.forget_interrupted();
  }
  if (history_.at_end()) {
    if (!history_.fault()) {
      const ve_machine::Word& result = view().state().scalars[0];
      out_ << fmt::format("after {}: the function has returned{}\n", counted(history_.position(), "step"),
                          result.undefined == 0 ? fmt::format(", %s0 = 0x{:016x}", result.bits) : "");
      return;
    }
    out_ << fmt::format("after {} the run ends:\n{}", counted(history_.position(), "step"),
                        ve_machine::render(program().object(), program().decoder(), *history_.fault()));
  }
  const auto place = program().place(view().state().place);
  if (!place) {
    return;
  }
  const std::string source = source_text(*place);
  out_ << fmt::format("at step {}, {}\n{}", history_.position(), place_text(*place), source.empty() ? source : "  " + source + "\n");
}

bool VeStepper::told_step() {
  if (history_.at_end()) {
    return false;
  }
  std::optional<VeRecord> record;
  if (history_.run().next() != nullptr) {
    record.emplace(view());
  }
  if (!history_.step()) {
    return false;
  }
  out_ << record->text(view(), history_.position());
  return true;
}

std::string VeStepper::undone_text(std::uint64_t step) { return VeRecord(view()).undone_text(view(), step); }

std::string VeStepper::who_text(unsigned lane) { return fmt::format("element {}", lane); }

VeStepper::Until VeStepper::another_line() {
  const auto here = history_.run().next_place();
  return [this, here](const VeHistory& h) {
    const auto place = h.run().next_place();
    return place && program().is_beginning(*place) &&
           (!here || program().line_of(*place).number == 0 || program().line_of(*place) != program().line_of(*here));
  };
}

std::vector<VeProgram::Place> VeStepper::places_named(std::string_view word) {
  auto found = program().places_named(word);
  if (found.empty()) {
    fail(fmt::format("there is no place '{}'; one is FUNCTION, FUNCTION+0x38, 0x38, LINE, FILE:LINE or the name of an instruction{}",
                     shortened(word), program().places() == 0 || program().line_name(0).empty() ? "; lines of C are there with -g" : ""));
  }
  return found;
}

bool VeStepper::until(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("until what? For example 'until vst', 'until saxpy+0x38' or 'until saxpy.c:8'");
  }
  std::vector<bool> wanted(program().places());
  const auto places = places_named(arguments);
  for (const VeProgram::Place place : places) {
    wanted[place] = true;
  }
  if (!places.empty() && !cannot_go_on()) {
    forward([&wanted](const VeHistory& h) {
      const auto place = h.run().next_place();
      return place && wanted[*place];
    });
    tell_place();
  }
  return true;
}

// ---- breakpoints and watches --------------------------------------------------------------------------------------------

bool VeStepper::add_break(std::string_view arguments, bool temporary) {
  VeBreakpoint b;
  b.temporary = temporary;
  b.text = printable(arguments);
  const BreakRequest request = parse_break(arguments);
  if (request.rule) {
    return fail("VE has no rules; name a function, an address, a line or an instruction");
  }
  if (request.is_here()) {
    const auto place = history_.run().next_place();
    if (!place) {
      return fail("the run has ended; name a place");
    }
    b.pcs = {*place};
    b.text = program().name_of(*place);
  } else if (!request.place.empty()) {
    b.pcs = places_named(request.place);
    if (b.pcs.empty()) {
      return true;
    }
  }
  if (request.condition && request.condition->empty()) {
    return fail("if what? For example 'break if vl == 88' or 'break vst if %v1[0] > 0'");
  }
  if (request.condition) {
    b.condition = parse_expression(*request.condition);
    if (!b.condition) {
      return true;
    }
  } else if (!request.wrong.empty()) {
    return fail(request.wrong);
  }
  std::string told = b.text;
  if (!b.pcs.empty()) {
    told = place_text(b.pcs.front()) + (b.pcs.size() > 1 ? fmt::format(", and {} more", b.pcs.size() - 1) : "") +
           (b.condition ? "   " + request.condition_text() : std::string());
  }
  return add_stop(std::move(b), told);
}

bool VeStepper::watch(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("watch what? For example 'watch %s3', 'watch %v1 in element 5' or 'watch arg2[4]'");
  }
  VeBreakpoint b;
  b.watched = parse_expression(arguments);
  if (!b.watched) {
    return true;
  }
  b.text = printable(arguments);
  const std::string told = b.text;
  return add_stop(std::move(b), told);
}

void VeStepper::info_watch() {
  bool any = false;
  for (const VeBreakpoint& b : breakpoints_) {
    if (b.watched) {
      out_ << fmt::format("{}: ", b.id);
      print_one(*b.watched, b.text);
      any = true;
    }
  }
  out_ << (any ? "" : "no watches\n");
}

}  // namespace lockstep
