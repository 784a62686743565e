// The commands that show the present state.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/kernel/stepper.hpp"
#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

namespace {}  // namespace

bool KernelStepper::info(std::string_view arguments) {
  static const Topic topics[] = {{"active", &KernelStepper::info_active},   {"sync", &KernelStepper::info_sync},
                                 {"context", &KernelStepper::info_context}, {"rule", &KernelStepper::info_rule},
                                 {"breaks", &KernelStepper::info_break},    {"watch", &KernelStepper::info_watch},
                                 {"locals", &KernelStepper::info_locals},   {"shared", &KernelStepper::info_shared},
                                 {"line", &KernelStepper::info_line},       {"races", &KernelStepper::info_races}};
  if (arguments == "groups") {
    return groups({});
  }
  return show_topic(topics, arguments, "active, sync, context, rule, break, watch, locals, shared, line, groups or races");
}

bool KernelStepper::mask(std::string_view) {
  info_active();
  return true;
}

void KernelStepper::info_active() {
  const KernelView v = view();
  const unsigned first = first_lane();
  const auto active = [&](unsigned item) { return v.active(first + item); };
  LaneSet set(v.lanes().wg_size);
  for (unsigned i = 0; i < v.lanes().wg_size; ++i) {
    if (active(i)) {
      set.insert(i);
    }
  }
  out_ << fmt::format("group {}: Θ = {}, {} of {} items\n", v.group_of(first), to_text(set), set.size(), v.lanes().wg_size);
  out_ << table_text("item", v.lanes().wg_size, active, {});
}

void KernelStepper::info_sync() {
  const launch::Fragment* f = looked_at();
  if (f == nullptr || f->state.sync_empty()) {
    out_ << "Π = []\n";
    return;
  }
  out_ << "Π, from the top:\n";
  const std::size_t count = f->state.sync.size() - f->state.frame_base;
  for (std::size_t i = 0; i < std::min(count, shown::entries); ++i) {
    out_ << "  " << entry_text(view(), lines_, f->state.sync[f->state.sync.size() - 1 - i]) << "\n";
  }
  out_ << (count > shown::entries ? fmt::format("  … {} more\n", count - shown::entries) : "");
}

void KernelStepper::info_context() {
  const launch::Fragment* f = looked_at();
  if (f == nullptr || f->state.context.empty()) {
    out_ << "Λ = []\n";
    return;
  }
  std::vector<StackPart> parts = stack_parts(f->state);
  std::erase_if(parts, [](const StackPart& part) { return part.kind != StackPart::Kind::Context; });
  out_ << "Λ, from the top:\n";
  for (std::size_t i = 0; i < std::min(parts.size(), shown::entries); ++i) {
    const StackPart& part = parts[parts.size() - 1 - i];
    out_ << fmt::format("  (Θ {}, Π {})\n", set_text(view(), f->state.context[part.index].mask),
                        sync_text(view(), lines_, f->state, part, 3));
  }
  out_ << (parts.size() > shown::entries ? fmt::format("  … {} more\n", parts.size() - shown::entries) : "");
}

bool KernelStepper::stacks(std::string_view) {
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    return fail("the items that are looked at have ended: there are no stacks");
  }
  const KernelView v = view();
  const launch::Pirch::State& s = f->state;
  const std::vector<StackPart> parts = stack_parts(s);
  out_ << fmt::format("{}, Θ {}\n", fragment_text(v, *f), set_text(v, s.active));
  for (std::size_t i = 0; i < std::min(parts.size(), shown::entries); ++i) {
    const StackPart& part = parts[parts.size() - 1 - i];
    if (part.kind == StackPart::Kind::Present) {
      out_ << "present";
    } else if (part.kind == StackPart::Kind::Context) {
      out_ << fmt::format("Λ: everywhere, Θ before it {}", set_text(v, s.context[part.index].mask));
    } else {
      const launch::CallRecord& call = s.bank.calls()[part.index];
      out_ << fmt::format("call of {} in line {}, Θ {}", program().functions[call.frame->function].name, lines_.name_of(call.return_pc - 1),
                          set_text(v, call.active));
    }
    out_ << fmt::format(", Π {}", part.begin == part.end ? "[]\n" : "from the top:\n");
    for (std::size_t k = 0; k < std::min(part.end - part.begin, shown::entries); ++k) {
      out_ << "  " << entry_text(v, lines_, s.sync[part.end - 1 - k]) << "\n";
    }
    out_ << (part.end - part.begin > shown::entries ? fmt::format("  … {} more\n", part.end - part.begin - shown::entries) : "");
  }
  out_ << (parts.size() > shown::entries ? fmt::format("… {} more\n", parts.size() - shown::entries) : "");
  return true;
}

void KernelStepper::info_rule() {
  const KernelRun& run = history_.run();
  out_ << "fired so far:";
  for (const musimd::RuleInfo& rule : musimd::rule_table) {
    if (const std::uint64_t count = run.rule_count(rule.id); count != 0) {
      out_ << fmt::format(" {} {}", rule.name, count);
    }
  }
  out_ << (history_.position() == 0 ? " nothing\n" : "\n");
}

void KernelStepper::info_locals() {
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    out_ << "the items that are looked at have ended: they have no variables\n";
    return;
  }
  const KernelView v = view();
  const KernelScope where = scope();
  const typed::Function& function = program().functions[where.function];
  const unsigned first = first_lane();
  std::vector<TableRow> rows;
  for (typed::RegisterId id = 0; id < function.registers.size(); ++id) {
    const typed::RegisterInfo& info = function.registers[id];
    if (info.variable.empty()) {
      continue;
    }
    for (std::uint64_t e = 0; e < std::min(info.count.value_or(1), shown::rows); ++e) {
      rows.push_back({info.count ? fmt::format("{}[{}]", info.name, e) : info.name, [=, this](unsigned item) {
                        const unsigned lane = first + item;
                        KernelValue array = v.read(v.frame_of(lane, where.function, level_.value_or(SIZE_MAX)), where.function, id, lane);
                        array.extents = {};
                        return text_of(v, array.is_array ? v.element(array, static_cast<std::int64_t>(e), lane) : array);
                      }});
    }
  }
  out_ << fmt::format("{}, group {}\n", function.name, v.group_of(first));
  out_ << table_text("item", v.lanes().wg_size, [&](unsigned item) { return v.active(first + item); }, rows);
}

void KernelStepper::info_shared() { memory({}); }

void KernelStepper::info_line() {
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    out_ << "the items that are looked at have ended\n";
    return;
  }
  out_ << fmt::format("line {} of {}, pc {}\n", lines_.name_of(f->state.pc), printable(program().source->name()), f->state.pc);
}

bool KernelStepper::list(std::string_view arguments) {
  constexpr std::uint32_t around = 5;
  const SourceFile& source = *program().source;
  const KernelView v = view();
  const launch::Fragment* next = history_.at_end() && !history_.fault() ? nullptr : v.next();
  const std::uint32_t here = next == nullptr ? 1 : lines_.line_of(next->state.pc);
  std::uint64_t begin = listed_until_ != 0 ? listed_until_ : here > around ? here - around : 1;
  if (!arguments.empty()) {
    const auto line = lines_.line_named(arguments);
    if (!line) {
      return fail(fmt::format("there is no line '{}'; there are {}", shortened(arguments), source.line_count()));
    }
    begin = *line > around ? *line - around : 1;
  }
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(source.line_count() + 1, begin + 2 * around + 1));
  for (auto line = static_cast<std::uint32_t>(begin); line < end; ++line) {
    std::string who;
    for (const launch::Fragment& f : v.pack().fragments()) {
      if (lines_.line_of(f.state.pc) == line) {
        who += fmt::format("{}Θ {}", who.empty() ? "   ← " : ", ", set_text(v, f.state.active));
      }
      for (std::size_t k = f.state.frame_base; k < f.state.sync.size(); ++k) {
        if (!f.state.sync[k].todo.empty() && lines_.line_of(f.state.sync[k].resume_at) == line) {
          who += fmt::format("{}{} later", who.empty() ? "   ← " : ", ", set_text(v, f.state.sync[k].todo));
        }
      }
    }
    out_ << fmt::format("{} {:>4}  {}{}\n", next != nullptr && line == here ? "→" : " ", lines_.name(line),
                        printable(source.line_text(line)), who);
  }
  listed_until_ = end > source.line_count() ? 0 : end;
  return true;
}

bool KernelStepper::explain(std::string_view) {
  const KernelView v = view();
  const launch::Fragment* f = v.next();
  if (f == nullptr) {
    out_ << "all groups have halted; no rule is asked\n";
    return true;
  }
  if (f->state.pc >= program().code.size()) {
    out_ << "there is no instruction at pc, so no rule applies\n";
    return true;
  }
  const launch::Pirch::State& s = f->state;
  out_ << instruction_text(program(), s.pc) << "\n";
  out_ << fmt::format("Θ {}\nΠ {}\nΛ {}\n", set_text(v, s.active), sync_text(v, lines_, s, stack_parts(s).back(), 3),
                      context_text(v, lines_, s, 3));
  for (const launch::CandidateReport& report : v.pack().explain()) {
    const musimd::RuleInfo& root = musimd::info(report.fired.root);
    const std::string name =
        report.fired.rule == report.fired.root ? std::string(root.name) : fmt::format("{}/{}", musimd::name(report.fired.rule), root.name);
    out_ << fmt::format("{} {} ({}): {}\n", report.applies ? "✓" : "✗", name, root.figure, root.statement);
    for (const launch::CandidateReport::Premise& premise : report.premises) {
      const std::size_t index = musimd::premise_index(premise.rule, premise.number);
      out_ << fmt::format("    {} {}.{} '{}'", premise.holds ? "✓" : "✗", musimd::name(premise.rule), premise.number,
                          index < musimd::premise_table.size() ? musimd::premise_table[index].text : "");
      out_ << (premise.failing.empty() ? "\n" : fmt::format(", not in {}\n", set_text(v, premise.failing)));
    }
  }
  return true;
}

bool KernelStepper::where(std::string_view) {
  tell_place();
  if (const launch::Fragment* f = looked_at()) {
    const KernelView v = view();
    if (f != v.next()) {
      const std::uint32_t line = lines_.line_of(f->state.pc);
      out_ << fmt::format("looking at {}, line {}: {}\n", fragment_text(v, *f), lines_.name(line), source_text(program(), line));
    }
    out_ << fmt::format("Θ {}\nΠ {}\nΛ {}\n", set_text(v, f->state.active), sync_text(v, lines_, f->state, stack_parts(f->state).back(), 3),
                        context_text(v, lines_, f->state, 3));
  }
  return true;
}

bool KernelStepper::backtrace(std::string_view) {
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    return fail("the items that are looked at have ended: there are no calls");
  }
  const KernelView v = view();
  const auto& calls = f->state.bank.calls();
  typed::Label pc = f->state.pc;
  LaneSet active = f->state.active;
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const launch::CallRecord& call = calls[calls.size() - 1 - n];
    if (n < shown::calls || n + 1 == calls.size()) {
      const std::uint32_t line = lines_.line_of(pc);
      const bool looked = calls.size() - 1 - n == std::min(level_.value_or(SIZE_MAX), calls.size() - 1);
      out_ << fmt::format("{}#{} {}, line {}: {}   Θ {}\n", looked ? "→" : " ", n, program().functions[call.frame->function].name,
                          lines_.name(line), source_text(program(), line), set_text(v, active));
    } else if (n == shown::calls) {
      out_ << fmt::format("  … {} more\n", calls.size() - shown::calls - 1);
    }
    if (n + 1 < calls.size()) {
      pc = call.return_pc - 1;
      active = call.active;
    }
  }
  return true;
}

bool KernelStepper::look_at_frame(std::string_view arguments) {
  const launch::Fragment* f = looked_at();
  if (arguments.empty()) {
    level_.reset();
    return backtrace({});
  }
  const auto n = number_in(arguments);
  const std::size_t depth = f == nullptr ? 0 : f->state.bank.depth();
  if (!n || *n >= depth) {
    return fail(depth == 0 ? "the items that are looked at have ended: there are no calls"
                           : fmt::format("there is no call '{}'; backtrace shows 0 to {}", shortened(arguments), depth - 1));
  }
  level_ = depth - 1 - static_cast<std::size_t>(*n);
  return backtrace({});
}

bool KernelStepper::groups(std::string_view) {
  const KernelView v = view();
  const KernelRun& run = history_.run();
  const launch::Lanes& lanes = v.lanes();
  const std::string which = lanes.groups == 1 ? fmt::format("group {}", lanes.first_group)
                                              : fmt::format("groups {}-{}", lanes.first_group, lanes.first_group + lanes.groups - 1);
  out_ << fmt::format("pack {} of {}: {}\n", run.number(), run.count(), which);
  const launch::Fragment* next = history_.at_end() && !history_.fault() ? nullptr : v.next();
  LaneSet ended = LaneSet::all(lanes.width());
  std::vector<const launch::Fragment*> fragments;
  for (const launch::Fragment& f : v.pack().fragments()) {
    fragments.push_back(&f);
    ended -= f.lanes;
  }
  std::sort(fragments.begin(), fragments.end(), [](const auto* a, const auto* b) { return a->lanes.first() < b->lanes.first(); });
  for (std::size_t k = 0; k < std::min(fragments.size(), shown::fragments); ++k) {
    const launch::Fragment& f = *fragments[k];
    const std::uint32_t line = lines_.line_of(f.state.pc);
    out_ << fmt::format("{} {}: {}, line {}: {}   Θ {}{}\n", &f == next ? "→" : " ", fragment_text(v, f),
                        program().functions[f.state.bank.top().function].name, lines_.name(line), source_text(program(), line),
                        set_text(v, f.state.active), f.at_barrier ? ", waits at a barrier" : "");
  }
  if (fragments.size() > shown::fragments) {
    out_ << fmt::format("  … {} more\n", fragments.size() - shown::fragments);
  }
  if (!ended.empty()) {
    launch::Fragment gone;
    gone.lanes = ended;
    out_ << fmt::format("  {}: ended\n", fragment_text(v, gone));
  }
  return true;
}

bool KernelStepper::look_at_group(std::string_view arguments) {
  if (arguments.empty()) {
    group_.reset();
    out_ << "looking at the group that runs\n";
    return true;
  }
  const auto g = number_in(arguments);
  if (!g || *g >= groups_) {
    return fail(fmt::format("there is no group '{}'; the launch has groups 0 to {}", shortened(arguments), groups_ - 1));
  }
  const launch::Lanes& lanes = view().lanes();
  if (*g < lanes.first_group || *g >= lanes.first_group + lanes.groups) {
    return fail(
        fmt::format("group {} is not in the pack that runs (groups {} to {}); 'break if group == {}' and 'continue' or "
                    "'reverse-continue' lead to it",
                    *g, lanes.first_group, lanes.first_group + lanes.groups - 1, *g));
  }
  group_ = g;
  level_.reset();
  const launch::Fragment* f = looked_at();
  if (f == nullptr) {
    out_ << fmt::format("group {} has ended\n", *g);
    return true;
  }
  const std::uint32_t line = lines_.line_of(f->state.pc);
  out_ << fmt::format("group {}, line {}: {}\n", *g, lines_.name(line), source_text(program(), line));
  info_active();
  return true;
}

bool KernelStepper::look_at_item(std::string_view arguments) {
  if (arguments.empty() || arguments == "all") {
    item_.reset();
    out_ << "looking at all items\n";
    return true;
  }
  const auto i = number_in(arguments);
  if (!i || *i >= program().wg_size) {
    return fail(fmt::format("there is no item '{}'; a group has items 0 to {}", shortened(arguments), program().wg_size - 1));
  }
  item_ = static_cast<unsigned>(*i);
  level_.reset();
  const KernelView v = view();
  const unsigned lane = first_lane() + *item_;
  const launch::Fragment* f = v.fragment_of(lane);
  if (f == nullptr) {
    out_ << fmt::format("item {} of group {} has ended\n", *item_, v.group_of(lane));
  } else {
    const std::uint32_t line = lines_.line_of(f->state.pc);
    out_ << fmt::format("item {} of group {}, {}, line {}: {}\n", *item_, v.group_of(lane),
                        f->state.active.contains(lane) ? "active" : "waiting", lines_.name(line), source_text(program(), line));
  }
  return true;
}

}  // namespace lockstep
