#include "interpreter/debug/kernel/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "semantics/typed/print.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep {

using launch::Fragment;
using launch::Pirch;
using musimd::RuleId;

namespace {

/// Numbers as "0,2" or "0-3".
std::string numbers_text(const std::vector<std::uint64_t>& numbers) {
  std::string out;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    out += k == 0 ? "" : ",";
    out += last < k + 2 ? std::to_string(numbers[k]) : fmt::format("{}-{}", numbers[k], numbers[last]);
    k = last < k + 2 ? k + 1 : last + 1;
  }
  return out;
}

std::string groups_text(const std::vector<std::uint64_t>& groups) {
  return (groups.size() == 1 ? "group " : "groups ") + numbers_text(groups);
}

/// The items of group `g` of the pack that are in `set`.
LaneSet items_of(const launch::Lanes& lanes, const LaneSet& set, unsigned g) {
  LaneSet items(lanes.wg_size);
  for (unsigned i = 0; i < lanes.wg_size; ++i) {
    if (set.contains(g * lanes.wg_size + i)) {
      items.insert(i);
    }
  }
  return items;
}

std::string place_text(const KernelLines& lines, typed::Label pc) { return "line " + lines.name_of(pc); }

std::string word_of(const typed::Program& program, typed::Label pc) {
  if (pc >= program.code.size()) {
    return "";
  }
  const std::string text = typed::print(program, typed::function_at(program, pc), program.code[pc].instruction);
  return text.substr(0, text.find(' '));
}

/// "IT/BP" or "BF, BD": what the warps of a fragment used.
std::string rules_text(const KernelRun::RuleCounts& fired) {
  const bool data = fired[static_cast<std::size_t>(RuleId::IT)] != 0;
  std::string out;
  for (const musimd::RuleInfo& rule : musimd::rule_table) {
    if (rule.id != RuleId::IT && fired[static_cast<std::size_t>(rule.id)] != 0) {
      out += fmt::format("{}{}{}", out.empty() ? "" : ", ", data ? "IT/" : "", rule.name);
    }
  }
  return out.empty() ? "waits" : out;
}

}  // namespace

std::string set_text(const KernelView& view, const LaneSet& set) {
  const launch::Lanes& lanes = view.lanes();
  if (lanes.groups == 1 || set.empty()) {
    return to_text(items_of(lanes, set, 0));
  }
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> parts;
  for (unsigned g = 0; g < lanes.groups; ++g) {
    const LaneSet items = items_of(lanes, set, g);
    if (items.empty()) {
      continue;
    }
    const std::string text = to_text(items);
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == text; });
    if (same == parts.end()) {
      parts.push_back({text, {lanes.first_group + g}});
    } else {
      same->second.push_back(lanes.first_group + g);
    }
  }
  std::string out;
  for (const auto& [text, groups] : parts) {
    out += fmt::format("{}{} in {}", out.empty() ? "" : ", ", text, groups_text(groups));
  }
  return out;
}

std::string fragment_text(const KernelView& view, const Fragment& fragment) {
  const launch::Lanes& lanes = view.lanes();
  std::vector<std::uint64_t> groups;
  bool whole = true;
  for (unsigned g = 0; g < lanes.groups; ++g) {
    const unsigned count = items_of(lanes, fragment.lanes, g).size();
    if (count != 0) {
      groups.push_back(lanes.first_group + g);
      whole = whole && count == lanes.wg_size;
    }
  }
  if (whole) {
    return groups_text(groups);
  }
  return groups.size() == 1
             ? fmt::format("group {}, items {}", groups.front(),
                           to_text(items_of(lanes, fragment.lanes, static_cast<unsigned>(groups.front() - lanes.first_group))))
             : "items " + set_text(view, fragment.lanes);
}

std::string instruction_text(const typed::Program& program, typed::Label pc) {
  if (pc >= program.code.size()) {
    return "(behind the last instruction)";
  }
  std::string out;
  for (const typed::LabelDefinition& label : program.labels) {
    out += label.pc == pc ? label.name + ": " : "";
  }
  return out + typed::print(program, typed::function_at(program, pc), program.code[pc].instruction);
}

std::string source_text(const typed::Program& program, std::uint32_t line) {
  const std::string_view text = trimmed(program.source->line_text(line));
  return printable(text.substr(0, shown::bytes)) + (text.size() > shown::bytes ? "…" : "");
}

std::vector<StackPart> stack_parts(const Pirch::State& state) {
  std::vector<StackPart> parts;
  const auto& calls = state.bank.calls();
  std::size_t contexts = 0;
  const auto add_contexts = [&](std::size_t until) {
    for (; contexts < until; ++contexts) {
      parts.push_back({StackPart::Kind::Context, contexts, state.context[contexts].sync_base, 0});
    }
  };
  for (std::size_t k = 1; k < calls.size(); ++k) {
    add_contexts(calls[k].contexts);
    parts.push_back({StackPart::Kind::Call, k, calls[k].frame_base, 0});
  }
  add_contexts(state.context.size());
  parts.push_back({StackPart::Kind::Present, 0, state.frame_base, 0});
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].end = k + 1 < parts.size() ? parts[k + 1].begin : state.sync.size();
  }
  return parts;
}

std::string entry_text(const KernelView& view, const KernelLines& lines, const musimd::SyncEntry<Pirch>& entry) {
  return fmt::format("({} {}, done {}, resume {}, todo {})", place_text(lines, entry.branch_pc), word_of(view.program(), entry.branch_pc),
                     set_text(view, entry.done), place_text(lines, entry.resume_at), set_text(view, entry.todo));
}

std::string sync_text(const KernelView& view, const KernelLines& lines, const Pirch::State& state, const StackPart& part,
                      std::size_t most) {
  std::string out = "[";
  for (std::size_t i = part.end; i-- > part.begin;) {
    if (part.end - i > most) {
      return out + fmt::format(", … {} more]", i - part.begin + 1);
    }
    out += (i + 1 == part.end ? "" : ", ") + entry_text(view, lines, state.sync[i]);
  }
  return out + "]";
}

std::string context_text(const KernelView& view, const KernelLines& lines, const Pirch::State& state, std::size_t most) {
  std::vector<StackPart> parts = stack_parts(state);
  std::erase_if(parts, [](const StackPart& part) { return part.kind != StackPart::Kind::Context; });
  std::string out = "[";
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (parts.size() - i > most) {
      return out + fmt::format(", … {} more]", i + 1);
    }
    out += fmt::format("{}(Θ {}, Π {})", i + 1 == parts.size() ? "" : ", ", set_text(view, state.context[parts[i].index].mask),
                       sync_text(view, lines, state, parts[i], most));
  }
  return out + "]";
}

KernelRecord::KernelRecord(const KernelView& view, const KernelLines& lines, std::uint64_t pack, std::optional<std::uint64_t> group)
    : lines_(lines), pack_(pack) {
  const Fragment& f = *view.next();
  const unsigned size = view.lanes().wg_size;
  const std::uint64_t first = view.lanes().first_group;
  const unsigned g =
      group && *group >= first && *group < first + view.lanes().groups ? static_cast<unsigned>(*group - first) : f.lanes.first() / size;
  begin_ = g * size;
  end_ = begin_ + size;
  pc_ = f.state.pc;
  active_ = f.state.active;
  lanes_of_fragment_ = f.lanes;
  frame_ = &f.state.bank.top();
  function_ = frame_->function;
  depth_ = f.state.bank.depth();
  before_ = stacks(view, f);
  parts_ = parts_text(view);
  if (pc_ >= view.program().code.size()) {
    return;
  }
  const typed::Instruction& i = view.program().code[pc_].instruction;
  if (const auto* load = std::get_if<typed::Load>(&i)) {
    note_access(view, load->base, load->index);
  } else if (const auto* store = std::get_if<typed::Store>(&i)) {
    stores_ = true;
    note_access(view, store->base, store->index);
  } else if (const auto* atomic = std::get_if<typed::Atomic>(&i)) {
    stores_ = true;
    note_access(view, atomic->base, atomic->index);
  } else if (const auto* assign = std::get_if<typed::Assign>(&i); assign != nullptr && assign->place.index) {
    stores_ = true;
    active_.for_each([&](unsigned lane) {
      const KernelValue index = view.evaluate(*assign->place.index, *frame_, lane);
      if (lane >= begin_ && lane < end_ && index.is_number()) {
        pointers_.emplace_back(lane, KernelView::in_one_row(view.read(frame_, function_, assign->place.id, lane)));
        indices_.push_back(static_cast<std::int64_t>(index.bits));
      }
    });
  }
}

void KernelRecord::note_access(const KernelView& view, const typed::Expr& base, const typed::Expr& index) {
  active_.for_each([&](unsigned lane) {
    if (lane < begin_ || lane >= end_) {
      return;
    }
    const KernelValue pointer = view.evaluate(base, *frame_, lane);
    const KernelValue at = view.evaluate(index, *frame_, lane);
    if (pointer.is_number() && at.is_number()) {
      pointers_.emplace_back(lane, pointer);
      indices_.push_back(static_cast<std::int64_t>(at.bits));
    }
  });
}

KernelRecord::Stacks KernelRecord::stacks(const KernelView& view, const Fragment& f) const {
  const Pirch::State& s = f.state;
  return {set_text(view, s.active), sync_text(view, lines_, s, stack_parts(s).back(), shown::entries_in_line),
          context_text(view, lines_, s, shown::entries_in_line), std::to_string(s.bank.depth())};
}

/// Which warps are together, where there is more than one.
std::string KernelRecord::parts_text(const KernelView& view) const {
  std::vector<std::pair<unsigned, std::string>> parts;
  for (const Fragment& f : view.pack().fragments()) {
    parts.emplace_back(f.lanes.first(), fragment_text(view, f) + (f.at_barrier ? " at a barrier" : ""));
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const auto& [lane, text] : parts) {
    out += (out.empty() ? "" : " | ") + text;
  }
  return out.empty() ? "ended" : out;
}

std::string KernelRecord::row(const KernelView& view, const launch::Frame* frame, typed::FunctionId function, typed::RegisterId id,
                              const char* arrow) const {
  std::string out = fmt::format("  {} {}", view.program().functions[function].registers[id].name, arrow);
  const unsigned shown = std::min(end_, begin_ + shown::lanes);
  for (unsigned lane = begin_; lane < shown; ++lane) {
    out += " " + (active_.contains(lane) ? text_of(view, view.read(frame, function, id, lane)) : std::string("•"));
  }
  return out + (end_ > shown ? fmt::format(" … {} more items\n", end_ - shown) : "\n");
}

std::string KernelRecord::cells(const KernelView& view, const char* arrow) const {
  std::string out;
  for (std::size_t k = 0; k < std::min(pointers_.size(), shown::cells_in_line); ++k) {
    const auto& [lane, array] = pointers_[k];
    out += (k == 0 ? "" : ", ") + view.place_text(array, indices_[k]);
    out += stores_ ? fmt::format(" {} {}", arrow, text_of(view, view.element(array, indices_[k], lane))) : "";
  }
  if (out.empty()) {
    return out;
  }
  const std::string more =
      pointers_.size() > shown::cells_in_line ? fmt::format(", … {} more", pointers_.size() - shown::cells_in_line) : "";
  return (stores_ ? "  " : "  read ") + out + more + "\n";
}

std::string KernelRecord::values(const KernelView& view, const char* arrow) const {
  const typed::Instruction& i = view.program().code[pc_].instruction;
  std::string out = cells(view, arrow);
  const std::optional<typed::Written> written = typed::written_by(i);
  const bool is_shown = written && written->whole && !std::holds_alternative<typed::Forget>(i) && !std::holds_alternative<typed::Call>(i);
  return out + (is_shown ? row(view, frame_, function_, written->id, arrow) : "");
}

std::string KernelRecord::text(KernelRun& run, std::uint64_t step, const KernelRun::RuleCounts& fired) const {
  const KernelView view(run.pack());
  const typed::Program& program = view.program();
  std::string out = fmt::format("step {}: {}  {}\n", step, rules_text(fired), instruction_text(program, pc_));
  const bool same_pack = run.number() == pack_;
  const Fragment* after = same_pack ? view.fragment_of(lanes_of_fragment_.first()) : nullptr;
  if (after != nullptr) {
    const typed::Instruction& i = program.code[pc_].instruction;
    const Pirch::State& s = after->state;
    if (const auto* call = std::get_if<typed::Call>(&i); call != nullptr && s.bank.depth() > depth_) {
      for (typed::RegisterId p = 0; p < program.functions[call->function].parameter_count; ++p) {
        out += row(view, &s.bank.top(), call->function, p, ":=");
      }
    } else if (std::holds_alternative<typed::Return>(i) && s.bank.depth() < depth_) {
      const auto* back_at = s.pc == 0 ? nullptr : std::get_if<typed::Call>(&program.code[s.pc - 1].instruction);
      out += back_at != nullptr && back_at->result ? row(view, &s.bank.top(), s.bank.top().function, *back_at->result, ":=") : "";
    } else {
      out += values(view, ":=");
    }
    const Stacks now = stacks(view, *after);
    out += change_text("Θ", before_.active, now.active) + change_text("Π", before_.sync, now.sync) +
           change_text("Λ", before_.context, now.context) + change_text("calls", before_.calls, now.calls);
  }
  const std::string parts = same_pack ? parts_text(view) : "ended";
  return out + change_text("together:", parts_, parts);
}

std::string KernelRecord::undone_text(const KernelView& view, std::uint64_t step) const {
  std::string rule;
  for (const launch::CandidateReport& report : view.pack().explain()) {
    if (report.applies) {
      KernelRun::RuleCounts fired{};
      fired[static_cast<std::size_t>(report.fired.rule)] = 1;
      fired[static_cast<std::size_t>(report.fired.root)] = 1;
      rule = rules_text(fired);
      break;
    }
  }
  return fmt::format("undone: step {}: {}  {}\n", step, rule, instruction_text(view.program(), pc_)) +
         (pc_ < view.program().code.size() ? values(view, "is again") : "");
}

}  // namespace lockstep
