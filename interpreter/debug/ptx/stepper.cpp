#include "interpreter/debug/ptx/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/base/diagnostic.hpp"

namespace lockstep {

using ptx_machine::Fragment;
using ptx_machine::warp_threads;

std::expected<std::unique_ptr<PtxStepper>, std::string> PtxStepper::make(PtxProgram program, const ptx_machine::Arguments& arguments,
                                                                         const ptx_machine::LaunchOptions& options, std::ostream& out) {
  if (const auto wrong = PtxRun::complaint(program, arguments, options)) {
    return std::unexpected(*wrong);
  }
  return std::unique_ptr<PtxStepper>(new PtxStepper(std::make_shared<const PtxProgram>(std::move(program)), arguments, options, out));
}

const std::vector<PtxStepper::Command>& PtxStepper::commands() {
  using S = PtxStepper;
  static const std::vector<Command> table = {
      {"step", "s", "[N]", "execute one instruction, or N; tell who took it and what changed", "step 3", true, &S::step},
      {"next", "n", "[N]", "go on to another line, or to the Nth; a call is part of its line", "next", true, &S::next},
      {"continue", "c", "", "go on to the next breakpoint or the end", "continue", true, &S::continue_run},
      {"until", "u", "PLACE", "go on to a line, a function, a label, FILE:LINE of the source, or an instruction (shfl, bar.sync, …)",
       "until shfl", true, &S::until},
      {"finish", "fin", "", "go on until the present call has been left", "finish", true, &S::finish},
      {"back", "ba", "[N]", "undo one step, or N", "back 3", true, &S::back},
      {"reverse-next", "rn", "[N]", "go back to the line before, or to the Nth before", "reverse-next", true, &S::reverse_next},
      {"reverse-continue", "rc", "", "go back to the previous breakpoint or the start", "reverse-continue", true, &S::reverse_continue},
      {"goto", "g", "STEP", "go to the state after STEP steps, forwards or backwards", "goto 3", false, &S::go_to},
      {"run", "r", "", "start again and continue", "run", false, &S::run},
      {"restart", "", "", "go back to the start", "restart", false, &S::restart},
      {"break", "b", "[PLACE] [if CONDITION | in thread T]", "stop at a place, or where a condition becomes true",
       "break 12 if %r3 == 4 in thread 5", false, &S::set_break},
      {"tbreak", "tb", "[PLACE] [if CONDITION | in thread T]", "as break, but it is deleted when it is met", "tbreak 12 in thread 5", false,
       &S::set_temporary_break},
      {"watch", "w", "EXPRESSION", "stop when the value changes, in any thread", "watch %r3 in thread 5", false, &S::watch},
      {"delete", "d", "[N]", "delete breakpoint or watch N, or all", "delete 1", false, &S::delete_stop},
      {"info", "i", "active|sync|break|watch|locals|shared|line|warps|races|open", "show a part of the state", "info sync", false,
       &S::info},
      {"print", "p", "EXPRESSION | NAME[*] | NAME[A..B]", "show a value in all threads of the warp side by side, or 'in thread T' in one",
       "print %r3", false, &S::print_value},
      {"list", "l", "[LINE]", "show the text, with who is at which line", "list 8", false, &S::list},
      {"explain", "e", "", "show what the next instruction does, its operands, and who waits where for whom", "explain", false,
       &S::explain},
      {"where", "wh", "", "show where control is, and who waits", "where", false, &S::where},
      {"backtrace", "bt", "", "show the calls that have not returned", "backtrace", false, &S::backtrace},
      {"frame", "f", "[N]", "look at the Nth call of backtrace; without N, at the innermost again", "frame 1", false, &S::look_at_frame},
      {"warps", "groups", "", "show which threads of the block run together, where they are, and whom they wait for", "warps", false,
       &S::warps},
      {"warp", "group", "[N]", "look at warp N of the block; without N, at the one that runs", "warp 3", false, &S::look_at_warp},
      {"thread", "item", "[T]", "look at a thread alone, T or X,Y,Z; without it, at all of the warp", "thread 5", false,
       &S::look_at_thread},
      {"mask", "", "", "show who takes the next step", "mask", false, &S::mask},
      {"memory", "mem", "[NAME]", "show buffers and variables, or one of them", "memory out", false, &S::memory},
      {"help", "h ?", "[COMMAND]", "list the commands, or tell about one", "help break", false, &S::help},
      {"quit", "q", "", "leave", "quit", false, &S::quit},
  };
  return table;
}

unsigned PtxStepper::warp() const {
  const Fragment* f = view().next();
  return warp_                                ? *warp_
         : f != nullptr                       ? f->lanes.first() / warp_threads
         : view().block().fragments().empty() ? 0
                                              : view().block().fragments().front().lanes.first() / warp_threads;
}

const Fragment* PtxStepper::looked_at() const {
  const PtxView v = view();
  if (thread_) {
    return v.fragment_of(*thread_);
  }
  const unsigned first = first_lane();
  const unsigned end = first + v.warp_size(warp());
  const Fragment* found = nullptr;
  for (unsigned lane = first; lane < end; ++lane) {
    const Fragment* f = v.fragment_of(lane);
    found = found == nullptr || (f != nullptr && f == v.next()) ? f : found;
  }
  return found;
}

PtxScope PtxStepper::scope() const {
  const Fragment* f = looked_at();
  const PtxRun& run = history_.run();
  return {run, f == nullptr ? run.program().kernel_index() : PtxView::function_at(*f, level_.value_or(SIZE_MAX))};
}

unsigned PtxStepper::lane_of(const PtxExpression& e) const {
  return e.thread() ? *e.thread() : e.warp() ? *e.warp() * warp_threads : thread_.value_or(first_lane());
}

bool PtxStepper::is_present(const PtxExpression& e) {
  const std::uint64_t present = view().block().index();
  if (e.block().value_or(present) == present) {
    return true;
  }
  fail(fmt::format(
      "block {0} is not the one that runs, which is {1}; 'break if block == {0}' and 'continue' or 'reverse-continue' lead to it",
      *e.block(), present));
  return false;
}

std::optional<PtxExpression> PtxStepper::parse_expression(std::string_view text, const PtxScope& scope) {
  auto expression = PtxExpression::parse(text, scope);
  if (!expression) {
    fail_at(text, expression.error());
    return std::nullopt;
  }
  return std::move(*expression);
}

std::string PtxStepper::warp_table(unsigned warp, const std::vector<TableRow>& rows) const {
  const PtxView v = view();
  const unsigned first = warp * warp_threads;
  return table_text("thread", v.warp_size(warp), [&](unsigned lane) { return v.active(first + lane); }, rows, first);
}

/// Numbers of 64 bits have a table of their own, for addresses have many digits.
std::string PtxStepper::warp_tables(unsigned warp, const std::vector<TableRow>& narrow, const std::vector<TableRow>& wide) const {
  return (narrow.empty() ? std::string() : warp_table(warp, narrow)) + (wide.empty() ? std::string() : warp_table(warp, wide));
}

std::string PtxStepper::place_text(PtxProgram::Place place) const {
  return fmt::format("line {}: {}", program().line_of(place), program().instruction_text(place));
}

}  // namespace lockstep
