#include "interpreter/debug/kernel/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

std::expected<std::unique_ptr<KernelStepper>, std::string> KernelStepper::make(const typed::Program& program,
                                                                               const launch::Arguments& arguments,
                                                                               const launch::LaunchOptions& options, std::ostream& out) {
  if (const auto wrong = launch::complaint(program, arguments, options)) {
    return std::unexpected(*wrong);
  }
  if (options.groups == 0) {
    return std::unexpected("a launch of no groups (--groups 0) has no steps");
  }
  if (const auto fault = launch::too_large(program, options)) {
    return std::unexpected(fault->message);
  }
  return std::unique_ptr<KernelStepper>(
      new KernelStepper(std::make_shared<const typed::Program>(typed::with_all_watched(program)), arguments, options, out));
}

KernelStepper::KernelStepper(const std::shared_ptr<const typed::Program>& program, const launch::Arguments& arguments,
                             const launch::LaunchOptions& options, std::ostream& out)
    : LaunchStepper(out, program, arguments, options), program_(program), groups_(options.groups), lines_(*program) {}

const std::vector<KernelStepper::Command>& KernelStepper::commands() {
  using S = KernelStepper;
  static const std::vector<Command> table = {
      {"step", "s", "[N]", "execute one instruction, or N; tell the rule and what changed", "step 3", true, &S::step},
      {"next", "n", "[N]", "go on to another line, or to the Nth; a call or an everywhere block is part of its line", "next", true,
       &S::next},
      {"continue", "c", "", "go on to the next breakpoint or the end", "continue", true, &S::continue_run},
      {"until", "u", "PLACE|RULE", "go on to a line, a function, an instruction (sync, bz, …), or until a rule has fired", "until 12", true,
       &S::until},
      {"finish", "fin", "", "go on until the present call, or the everywhere block in it, has been left", "finish", true, &S::finish},
      {"back", "ba", "[N]", "undo one step, or N", "back 3", true, &S::back},
      {"reverse-next", "rn", "[N]", "go back to the line before, or to the Nth before", "reverse-next", true, &S::reverse_next},
      {"reverse-continue", "rc", "", "go back to the previous breakpoint or the start", "reverse-continue", true, &S::reverse_continue},
      {"goto", "g", "STEP", "go to the state after STEP steps, forwards or backwards", "goto 3", false, &S::go_to},
      {"run", "r", "", "start again and continue", "run", false, &S::run},
      {"restart", "", "", "go back to the start", "restart", false, &S::restart},
      {"break", "b", "[PLACE | rule RULE] [if CONDITION]", "stop at a line or function or behind a rule, or where a condition becomes true",
       "break 12 if a[0] == 3 in item 2", false, &S::set_break},
      {"tbreak", "tb", "[PLACE | rule RULE] [if CONDITION]", "as break, but it is deleted when it is met", "tbreak rule BD", false,
       &S::set_temporary_break},
      {"watch", "w", "EXPRESSION", "stop when the value changes, in any item", "watch sum in item 3", false, &S::watch},
      {"delete", "d", "[N]", "delete breakpoint or watch N, or all", "delete 1", false, &S::delete_stop},
      {"info", "i", "active|sync|context|rule|break|watch|locals|shared|line|groups|races", "show a part of the state: Θ, Π, Λ, …",
       "info sync", false, &S::info},
      {"print", "p", "EXPRESSION | ARRAY[*] | ARRAY[A..B]", "show a value in all items side by side, or with 'in item I' in one",
       "print a[*] in item 2", false, &S::print_value},
      {"list", "l", "[LINE]", "show the source, with who is at which line", "list 8", false, &S::list},
      {"explain", "e rule", "", "show the rules that could apply here, with each premise as it is now", "explain", false, &S::explain},
      {"where", "wh", "", "show where control is, with Θ, Π and Λ", "where", false, &S::where},
      {"backtrace", "bt", "", "show the calls that have not returned", "backtrace", false, &S::backtrace},
      {"frame", "f", "[N]", "look at the Nth call of backtrace; without N, at the innermost again", "frame 1", false, &S::look_at_frame},
      {"stacks", "", "", "show Π and Λ with their sets, and which calls saved them", "stacks", false, &S::stacks},
      {"groups", "packs", "", "show which groups of the pack run together, and where each one is", "groups", false, &S::groups},
      {"group", "", "[N]", "look at group N of the pack; without N, at the one that runs", "group 3", false, &S::look_at_group},
      {"item", "", "[I]", "look at item I alone; without I, at all of them", "item 2", false, &S::look_at_item},
      {"mask", "", "", "show Θ", "mask", false, &S::mask},
      {"memory", "mem", "[NAME]", "show buffers and __local variables, or one of them", "memory out", false, &S::memory},
      {"help", "h ?", "[COMMAND]", "list the commands, or tell about one", "help break", false, &S::help},
      {"quit", "q", "", "leave", "quit", false, &S::quit},
  };
  return table;
}

unsigned KernelStepper::first_lane() {
  const KernelView v = view();
  const launch::Lanes& lanes = v.lanes();
  if (group_ && *group_ >= lanes.first_group && *group_ < lanes.first_group + lanes.groups) {
    return static_cast<unsigned>(*group_ - lanes.first_group) * lanes.wg_size;
  }
  const launch::Fragment* f = v.next();
  return f == nullptr ? 0 : f->lanes.first() / lanes.wg_size * lanes.wg_size;
}

const launch::Fragment* KernelStepper::looked_at() {
  const KernelView v = view();
  const unsigned first = first_lane();
  if (item_) {
    return v.fragment_of(first + *item_);
  }
  const launch::Fragment* next = v.next();
  const unsigned size = v.lanes().wg_size;
  for (unsigned lane = first; lane < first + size; ++lane) {
    if (next != nullptr && next->lanes.contains(lane)) {
      return next;
    }
  }
  for (unsigned lane = first; lane < first + size; ++lane) {
    if (const launch::Fragment* f = v.fragment_of(lane)) {
      return f;
    }
  }
  return nullptr;
}

KernelScope KernelStepper::scope() {
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    return {program(), 0, UINT32_MAX};
  }
  const auto& calls = f->state.bank.calls();
  const std::size_t level = std::min(level_.value_or(SIZE_MAX), calls.size() - 1);
  const typed::Label pc = level + 1 == calls.size() ? f->state.pc : calls[level + 1].return_pc - 1;
  const std::uint32_t place = pc < program().code.size() ? program().code[pc].span.begin : UINT32_MAX;
  return {program(), calls[level].frame->function, place};
}

unsigned KernelStepper::lane_of(const KernelExpression& e) {
  const launch::Lanes& lanes = view().lanes();
  const unsigned first = e.group() ? static_cast<unsigned>(*e.group() - lanes.first_group) * lanes.wg_size : first_lane();
  return first + e.item().value_or(item_.value_or(0));
}

bool KernelStepper::is_present(const KernelExpression& e) {
  const launch::Lanes& lanes = view().lanes();
  if (!e.group() || (*e.group() >= lanes.first_group && *e.group() < lanes.first_group + lanes.groups)) {
    return true;
  }
  fail(fmt::format("group {} is not in the pack that runs (groups {} to {})", *e.group(), lanes.first_group,
                   lanes.first_group + lanes.groups - 1));
  return false;
}

std::optional<KernelExpression> KernelStepper::parse_expression(std::string_view text, const KernelScope& scope) {
  auto expression = KernelExpression::parse(text, scope);
  if (!expression) {
    fail_at(text, expression.error());
    return std::nullopt;
  }
  if (expression->group() && *expression->group() >= groups_) {
    fail(fmt::format("there is no group {}; the launch has groups 0 to {}", *expression->group(), groups_ - 1));
    return std::nullopt;
  }
  return std::move(*expression);
}

}  // namespace lockstep
