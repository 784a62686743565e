// The commands that move, forwards and backwards.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/kernel/stepper.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/print.hpp"

namespace lockstep {

void KernelStepper::greet() {
  const KernelRun& run = history_.run();
  out_ << fmt::format("{}: kernel {}, {} group{} of {} items", printable(program().source->name()), program().kernel().name, groups_,
                      groups_ == 1 ? "" : "s", program().wg_size);
  out_ << (run.width() > 1 ? fmt::format(", {} in a pack\n", run.width()) : "\n");
  tell_place();
}

void KernelStepper::tell_place() {
  level_.reset();
  listed_until_ = 0;
  if (history_.interrupted()) {
    out_ << "interrupted\n";
    history_.forget_interrupted();
  }
  const KernelView v = view();
  if (history_.at_end()) {
    if (!history_.fault()) {
      out_ << fmt::format("after {} steps: all groups have halted\n", history_.position());
      return;
    }
    out_ << fmt::format("after {} steps the run ends:\n{}", history_.position(), launch::render(program(), *history_.fault()));
  }
  const launch::Fragment* f = v.next();
  if (f == nullptr) {
    return;
  }
  const typed::Label pc = f->state.pc;
  const std::uint32_t line = lines_.line_of(pc);
  out_ << fmt::format("at step {}, {}, line {}: {}\n", history_.position(), fragment_text(v, *f), lines_.name(line),
                      source_text(program(), line));
  out_ << fmt::format("  pc {}: {}   Θ {}\n", pc, instruction_text(program(), pc), set_text(v, f->state.active));
}

bool KernelStepper::told_step() {
  if (history_.at_end()) {
    return false;
  }
  const KernelRecord record(view(), lines_, history_.run().number(), group_);
  KernelRun::RuleCounts fired{};
  if (!history_.step(&fired)) {
    return false;
  }
  out_ << record.text(history_.run(), history_.position(), fired);
  tell_races();
  return true;
}

std::string KernelStepper::undone_text(std::uint64_t step) {
  return KernelRecord(view(), lines_, history_.run().number(), group_).undone_text(view(), step);
}

std::string KernelStepper::who_text(unsigned lane) {
  const KernelView v = view();
  return fmt::format("item {} of group {}", v.item_of(lane), v.group_of(lane));
}

/// Whether the next fragment is at the beginning of another line than now, of the same call or one further out, and has an item of the
/// group that is looked at if somebody chose one.
KernelStepper::Until KernelStepper::another_line() {
  const launch::Fragment* f = view().next();
  const std::uint32_t line = f == nullptr ? 0 : lines_.line_of(f->state.pc);
  const std::size_t depth = f == nullptr ? SIZE_MAX : f->state.bank.depth();
  const std::size_t contexts = f == nullptr ? SIZE_MAX : f->state.context.size();
  const std::optional<std::uint64_t> group = group_;
  const std::uint64_t pack = history_.run().number();
  return [this, line, depth, contexts, group, pack](const KernelHistory&) {
    const KernelView v = view();
    const launch::Fragment* g = v.next();
    if (g == nullptr || !lines_.is_beginning(g->state.pc)) {
      return false;
    }
    if (history_.run().number() != pack) {
      return true;
    }
    bool has_group = !group;
    g->lanes.for_each([&](unsigned lane) { has_group = has_group || v.group_of(lane) == *group; });
    return has_group && lines_.line_of(g->state.pc) != line && g->state.bank.depth() <= depth && g->state.context.size() <= contexts;
  };
}

bool KernelStepper::until(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("until what? For example 'until 12', 'until sync' or 'until BD'");
  }
  std::vector<bool> wanted(program().code.size() + 1);
  bool any = false;
  for (typed::Label pc = 0; pc < program().code.size(); ++pc) {
    const std::string text = typed::print(program(), typed::function_at(program(), pc), program().code[pc].instruction);
    wanted[pc] = first_word(text) == arguments && !text.substr(arguments.size()).starts_with(" = ");  // a variable may have that name
    any = any || wanted[pc];
  }
  Until reached = [this, &wanted](const KernelHistory&) {
    const launch::Fragment* f = view().next();
    return f != nullptr && wanted[std::min<std::size_t>(f->state.pc, wanted.size() - 1)];
  };
  if (const auto rule = musimd::rule_named(arguments); rule && !any) {
    const std::uint64_t count = history_.run().rule_count(*rule);
    reached = [rule, count](const KernelHistory& h) { return h.run().rule_count(*rule) != count; };
  } else if (!any) {
    KernelBreakpoint place;
    if (!place_of_break(arguments, place)) {
      return true;
    }
    for (const typed::Label pc : place.pcs) {
      wanted[pc] = true;
    }
  }
  if (!cannot_go_on()) {
    forward(reached);
    tell_place();
  }
  return true;
}

bool KernelStepper::finish(std::string_view) {
  const launch::Fragment* f = looked_at();
  if (f == nullptr || (f->state.bank.depth() == 1 && f->state.context.empty())) {
    return fail("control is neither inside a call nor inside an everywhere block");
  }
  const launch::CallRecord& call = f->state.bank.calls().back();
  const bool in_block = f->state.context.size() > call.contexts;
  const std::size_t depth = f->state.bank.depth();
  const std::size_t contexts = f->state.context.size();
  const unsigned lane = f->lanes.first();
  const std::uint64_t pack = history_.run().number();
  if (!cannot_go_on()) {
    forward([=, this](const KernelHistory& h) {
      const launch::Fragment* now = h.run().number() == pack ? view().fragment_of(lane) : nullptr;
      return now == nullptr || now->state.bank.depth() < depth || (in_block && now->state.context.size() < contexts);
    });
    tell_place();
  }
  return true;
}

}  // namespace lockstep
