#include "interpreter/machine/explain.hpp"

#include <fmt/format.h>

#include "interpreter/machine/machine.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// A value for people: the number, or what stands instead.
std::string text(const Concrete::Values& v, unsigned thread) {
  if (static_cast<const LaneSet&>(v.poison).contains(thread)) {
    return "poison";
  }
  return v.lanes == nullptr ? "?" : std::to_string(v.lanes[thread]);
}

std::string in_thread(const char* what, const Concrete::Values& v, const LaneSet& failing) {
  return failing.empty() ? std::string() : fmt::format("{} = {}", what, text(v, failing.first()));
}

/// The variable of an operand that is uninitialised in `thread`.
std::string missing_variable(const Machine& m, const Concrete::Operand& o, unsigned thread) {
  for (const Concrete::Node& node : o.nodes) {
    if (node.kind == Concrete::Node::Kind::Variable && m.state().bank.read(node.variable, thread).state == CellState::Uninitialised) {
      return m.program().variables[node.variable] + " is uninitialised";
    }
  }
  return {};
}

std::string missing_variable(const Machine& m, std::initializer_list<const Concrete::Operand*> operands, const LaneSet& failing) {
  for (const Concrete::Operand* o : operands) {
    if (failing.empty()) {
      break;
    }
    if (std::string found = missing_variable(m, *o, failing.first()); !found.empty()) {
      return found;
    }
  }
  return {};
}

/// An entry of Π for people.
std::string text(const SyncEntry<Concrete>& entry) {
  return fmt::format("branch at pc {}, done {}, todo {}", entry.branch_pc, to_text(entry.done), to_text(entry.todo));
}

/// The top of the present frame's Π.
std::string sync_text(const Machine::State& s) {
  const std::size_t count = s.sync.size() - s.frame_base;
  return count == 0
             ? "Π = []"
             : fmt::format("Π has {}, the top one: {}", count == 1 ? "1 entry" : fmt::format("{} entries", count), text(s.sync.back()));
}

std::string context_text(const Machine::State& s) {
  const std::size_t count = s.context.size();
  return count == 0 ? "Λ = []" : fmt::format("Λ has {}", count == 1 ? "1 frame" : fmt::format("{} frames", count));
}

/// The first entry of the present frame's Π at which threads are done or wait.
std::string pending_text(const Machine::State& s) {
  for (std::size_t k = s.frame_base; k < s.sync.size(); ++k) {
    if (!s.sync[k].done.empty() || !s.sync[k].todo.empty()) {
      return text(s.sync[k]);
    }
  }
  return {};
}

/// What premises about Π and Λ say of them. `rule` is one of Fig. 4.
std::string stack_text(const Machine::State& s, RuleId rule, int number) {
  switch (rule) {
    case RuleId::SP:
      return number == 2 ? sync_text(s) : context_text(s);
    case RuleId::SS:
    case RuleId::SI_sync:
      return sync_text(s);
    case RuleId::EE:
      return number == 2 ? context_text(s) : number == 3 ? pending_text(s) : sync_text(s);
    case RuleId::BA:
    case RuleId::BI:
    case RuleId::IT:
      return context_text(s);
    default:
      return {};
  }
}

/// What premises about values say of them, for each kind of instruction.
struct Details {
  const Machine& m;

  std::string operand(RuleId rule, const LaneSet& failing, std::initializer_list<const Concrete::Operand*> operands) const {
    if (rule == RuleId::MV) {
      return missing_variable(m, operands, failing);
    }
    return rule == RuleId::BP && !failing.empty() ? "the divisor is 0" : "";
  }

  std::string operator()(const Bz<Concrete>& i, const rules::Split<Concrete>& f, RuleId rule, int number, const LaneSet& failing) const {
    if (rule == RuleId::MV || rule == RuleId::BP || number < 3) {
      return operand(rule, failing, {&i.condition});
    }
    if (number == 3) {
      return in_thread("e", f.condition, failing);
    }
    if (number == (rule == RuleId::BD ? 6 : 5)) {
      return sync_text(m.state());
    }
    const bool about_zero = rule == RuleId::BF || (rule == RuleId::BD && number == 4);
    return about_zero ? "Θ0 = " + to_text(f.zero) : "Θn = " + to_text(f.nonzero);
  }
  std::string operator()(const JmpMask<Concrete>& i, const rules::MaskFacts<Concrete>& f, RuleId rule, int number,
                         const LaneSet& failing) const {
    if (rule == RuleId::MV || rule == RuleId::BP) {
      return operand(rule, failing, {&i.thread});
    }
    if (number == 2) {
      return context_text(m.state());
    }
    const unsigned first = m.state().active.first();
    if (!failing.empty() && failing.first() != first) {
      return fmt::format("e = {} in thread {} and {} in thread {}", text(f.thread, first), first, text(f.thread, failing.first()),
                         failing.first());
    }
    return fmt::format("e = {}", text(f.thread, first));
  }
  std::string operator()(const Assignment<Concrete>& i, const rules::ValueFacts<Concrete>&, RuleId rule, int number,
                         const LaneSet& failing) const {
    return number == 1 ? std::string() : operand(rule, failing, {&i.value});
  }
  std::string operator()(const Ld<Concrete>& i, const rules::LoadFacts<Concrete>& f, RuleId rule, int, const LaneSet& failing) const {
    if (rule == RuleId::MM && !failing.empty()) {
      return fmt::format("Σ({}) is uninitialised", text(f.address, failing.first()));
    }
    return rule == RuleId::LD ? in_thread("a", f.address, failing) : operand(rule, failing, {&i.address});
  }
  std::string operator()(const St<Concrete>& i, const rules::StoreFacts<Concrete>& f, RuleId rule, int number,
                         const LaneSet& failing) const {
    return rule == RuleId::ST && number == 3 ? in_thread("a", f.address, failing) : operand(rule, failing, {&i.address, &i.value});
  }
  std::string operator()(const Shfl<Concrete>& i, const rules::ShuffleFacts<Concrete>& f, RuleId rule, int number,
                         const LaneSet& failing) const {
    if ((rule == RuleId::SV || rule == RuleId::SI_shfl) && number == 4) {
      return in_thread("lane", f.lane, failing);
    }
    if ((rule == RuleId::SV || rule == RuleId::SI_shfl) && number == 3 && !failing.empty()) {
      return m.program().variables[i.source.variable] + " is uninitialised";
    }
    return operand(rule, failing, {&i.lane});
  }
  template <class I>
  std::string operator()(const I&, const rules::NoFacts&, RuleId rule, int number, const LaneSet&) const {
    return stack_text(m.state(), rule, number);
  }
};

}  // namespace

std::vector<CandidateReport> Machine::explain() {
  std::vector<CandidateReport> reports;
  if (state_.pc >= code_.size()) {
    return reports;
  }
  std::visit(
      [&](const auto& i) {
        using rules::facts;
        const auto f = facts(domain_, state_, i);
        Recorder recorder(reports, [&](RuleId rule, int number, const LaneSet& failing) {
          return rule == RuleId::IT ? stack_text(state_, rule, number) : Details{*this}(i, f, rule, number, failing);
        });
        detail::ask_each(candidates(i), recorder, domain_, state_, i, f);
      },
      code_[state_.pc]);
  return reports;
}

std::string premise_text(RuleId rule, int number) {
  const std::size_t index = premise_index(rule, number);
  return fmt::format("{}.{} '{}'", name(rule), number, index < premise_table.size() ? premise_table[index].text : "");
}

std::string_view status_word(const Ending& ending) {
  static constexpr std::string_view words[] = {"halted", "stuck", "error", "limit"};
  return words[ending.index()];
}

namespace {

std::string stuck_reason(const Stuck& stuck) {
  if (stuck.candidates.empty()) {
    return fmt::format("no rule applies: there is no instruction at pc {}", stuck.pc);
  }
  std::string out = "no rule applies: ";
  const char* separator = "";
  for (const CandidateReport& candidate : stuck.candidates) {
    const AskedPremise* failed = nullptr;
    for (const AskedPremise& premise : candidate.premises) {
      if (!premise.holds) {
        failed = &premise;
      }
    }
    if (failed == nullptr || (failed->number == 1 && stuck.candidates.size() > 1)) {
      continue;
    }
    out += fmt::format("{}{} fails", separator, premise_text(failed->rule, failed->number));
    if (!failed->detail.empty()) {
      out += fmt::format(" ({})", failed->detail);
    }
    separator = "; ";
  }
  return out;
}

std::string undefined_reason(const Undefined& u) {
  std::string out = fmt::format("undefined behaviour in thread {}: {} fails", u.thread, premise_text(u.premise.rule, u.premise.number));
  if (u.premise.rule != u.rule.root) {
    out += fmt::format(" (for {})", name(u.rule.root));
  }
  return u.premise.detail.empty() ? out : out + ": " + u.premise.detail;
}

}  // namespace

std::string reason(const Ending& ending) {
  if (const auto* stuck = std::get_if<Stuck>(&ending)) {
    return stuck_reason(*stuck);
  }
  if (const auto* undefined = std::get_if<Undefined>(&ending)) {
    return undefined_reason(*undefined);
  }
  if (const auto* limit = std::get_if<LimitReached>(&ending)) {
    switch (limit->what) {
      case LimitReached::What::Steps:
        return "the step limit is reached";
      case LimitReached::What::Memory:
        return "the memory limit of the shared memory is reached";
      case LimitReached::What::Stacks:
        return "the limit of the sync and context stacks is reached";
    }
  }
  return {};
}

}  // namespace lockstep
