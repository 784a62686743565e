#include "interpreter/debug/program/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/program/display.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

using namespace musimd;

Stepper::Stepper(std::unique_ptr<Machine> machine, const SourceFile& source, std::ostream& out, std::uint64_t max_steps)
    : StepperCommands(out, *machine, max_steps), machine_(std::move(machine)), source_(source) {}

const std::vector<Stepper::Command>& Stepper::commands() {
  using S = Stepper;
  static const std::vector<Command> table = {
      {"step", "s", "[N]", "execute one instruction, or N; tell the rule and what changed", "step 3", true, &S::step},
      {"next", "n", "", "go on to another source line; an everywhere block is one line", "next", true, &S::next},
      {"continue", "c", "", "go on to the next breakpoint or the end", "continue", true, &S::continue_run},
      {"until", "u", "PLACE|RULE", "go on until control is at a label, a line or an instruction (sync, bz, …), or a rule has fired",
       "until sync", true, &S::until},
      {"finish", "fin", "", "go on until the present everywhere block has been left", "finish", true, &S::finish},
      {"back", "ba", "[N]", "undo one step, or N", "back 3", true, &S::back},
      {"reverse-continue", "rc", "", "go back to the previous breakpoint or the start", "reverse-continue", true, &S::reverse_continue},
      {"goto", "g", "STEP", "go to the state after STEP steps, forwards or backwards", "goto 3", false, &S::go_to},
      {"run", "r", "", "start again and continue", "run", false, &S::run},
      {"restart", "", "", "go back to the start", "restart", false, &S::restart},
      {"break", "b", "[PLACE | rule RULE] [if CONDITION]", "stop at a line, a label or behind a rule, or where a condition becomes true",
       "break Loop if v8[0] == 3", false, &S::set_break},
      {"tbreak", "tb", "[PLACE | rule RULE] [if CONDITION]", "as break, but it is deleted when it is met", "tbreak rule BD", false,
       &S::set_temporary_break},
      {"watch", "w", "EXPRESSION", "stop when the value changes, in any thread", "watch v3", false, &S::watch},
      {"delete", "d", "[N]", "delete breakpoint or watch N, or all", "delete 1", false, &S::delete_stop},
      {"info", "i", "active|sync|context|rule|break|watch|locals|shared|line", "show a part of the state: Θ, Π, Λ, …", "info sync", false,
       &S::info},
      {"print", "p", "EXPRESSION | mem[A..B]", "show a value, in all threads side by side", "print mem[4..19]", false, &S::print_value},
      {"list", "l", "[LINE]", "show the program's text", "list 8", false, &S::list},
      {"explain", "e", "", "show the rules that could apply here, with each premise as it is now", "explain", false, &S::explain},
      {"where", "wh", "", "show where control is, with Θ, Π and Λ", "where", false, &S::where},
      {"help", "h ?", "[COMMAND]", "list the commands, or tell about one", "help break", false, &S::help},
      {"quit", "q", "", "leave", "quit", false, &S::quit},
  };
  return table;
}

std::uint32_t Stepper::line_of(Label pc) const {
  return pc < program().code.size() ? source_.place(program().code[pc].span.begin).line : source_.line_count() + 1;
}

std::optional<Label> Stepper::pc_of_line(std::uint64_t line) const {
  for (Label pc = 0; pc < program().code.size(); ++pc) {
    if (line_of(pc) >= line) {
      return pc;
    }
  }
  return std::nullopt;
}

std::optional<Label> Stepper::pc_of_place(std::string_view place) {
  if (const auto line = number_in(place)) {
    if (const auto pc = pc_of_line(*line); pc && *line > 0) {
      return pc;
    }
    fail(fmt::format("there is no instruction at or behind line {}", *line));
    return std::nullopt;
  }
  for (const LabelDefinition& label : program().labels) {
    if (label.name == place) {
      return label.pc;
    }
  }
  fail(fmt::format("there is no label '{}'", shortened(place)));
  return std::nullopt;
}

std::optional<Condition> Stepper::parse_condition(std::string_view text) {
  auto condition = Condition::parse(text, program(), machine().threads());
  if (condition) {
    return std::move(*condition);
  }
  fail_at(text, condition.error());
  return std::nullopt;
}

}  // namespace lockstep
