// What every candidate of the next instruction says, for the stepper; and why a pack has ended early.

#include <string>
#include <utility>

#include "interpreter/launch/pack.hpp"
#include "interpreter/launch/report.hpp"

namespace lockstep::launch {

using musimd::Fired;
using musimd::RuleId;

namespace {

/// The way of asking that records.
class Recorder {
 public:
  explicit Recorder(std::vector<CandidateReport>& out) : out_(out) {}

  template <class Premises>
  void candidate(Fired fired, Premises premises) {
    out_.push_back({fired, false, {}});
    out_.back().applies = premises(*this);
  }
  bool operator()(RuleId rule, int number, bool holds) { return record(rule, number, holds, {}); }
  bool threads(RuleId rule, int number, const LaneSet& failing) { return record(rule, number, failing.empty(), failing); }
  bool some_thread(RuleId rule, int number, const LaneSet& holding, const LaneSet& choosing) {
    return record(rule, number, !holding.empty(), choosing - holding);
  }

 private:
  bool record(RuleId rule, int number, bool holds, LaneSet failing) {
    out_.back().premises.push_back({rule, number, holds, std::move(failing)});
    return holds;
  }

  std::vector<CandidateReport>& out_;
};

}  // namespace

std::vector<CandidateReport> Pack::explain() {
  const std::size_t present = present_fragment();
  std::vector<CandidateReport> reports;
  if (present != fragments_.size()) {
    reports = candidates_at(fragments_[present].state);
    domain_.forget_trouble();
  }
  return reports;
}

/// What the candidates of the instruction say in this state. What they find wrong is noted in the domain.
std::vector<CandidateReport> Pack::candidates_at(const Pirch::State& s) {
  std::vector<CandidateReport> reports;
  if (s.pc < code_.size()) {
    Recorder recorder(reports);
    std::visit([&](const auto& i) { ask_candidates(recorder, domain_, s, i); }, code_[s.pc]);
  }
  return reports;
}

/// A sentence about a fragment that no rule takes on.
std::string Pack::why_stuck(const Fragment& f) {
  if (!in_function(f)) {
    return "control has run off the end of '" + program_.functions[f.state.bank.top().function].name + "'";
  }
  std::string reasons;
  for (const CandidateReport& report : candidates_at(f.state)) {
    for (const CandidateReport::Premise& premise : report.premises) {
      const musimd::PremiseInfo& info = musimd::premise_table[musimd::premise_index(premise.rule, premise.number)];
      if (!premise.holds && info.kind != musimd::PremiseKind::Match) {
        reasons += (reasons.empty() ? "" : "; ") + std::string(musimd::name(premise.rule)) + " wants " + std::string(info.text);
      }
    }
  }
  return "no rule applies: " + reasons;
}

/// The fault that ends the pack: of this kind at the present instruction; without one, what the domain has noted; without that, that no
/// rule applies. The party is the first active item.
void Pack::fail(const Fragment& f, std::optional<FaultKind> kind) {
  const Lanes& lanes = domain_.lanes();
  const typed::Label pc = domain_.present_pc;
  Fault fault;
  const std::optional<Pirch::Trouble>& trouble = domain_.trouble();
  LaneSet where = f.state.active;
  fault.party.span = pc < program_.code.size() ? program_.code[pc].span : SourceSpan{};
  if (kind) {
    fault.kind = *kind;
    fault.message = sentence(fault.kind, options_);
  } else if (trouble) {
    fault.kind = trouble->kind;
    where = trouble->lanes;
    if (trouble->has_place) {
      fault.party.span = trouble->span;
    }
    fault.variable = trouble->variable;
    fault.value = trouble->has_value ? text_of_value(trouble->value_type, trouble->value) : std::string();
    fault.message = sentence(*trouble);
    if (ends_without_value(program_, pc, *trouble)) {
      const typed::Function& function = typed::function_at(program_, pc);
      fault.variable = function.name;
      fault.message = sentence_of_missing_value(function);
      fault.party.span = program_.code[f.state.bank.calls().back().return_pc - 1].span;
    }
  } else {
    fault.kind = FaultKind::Stuck;
    fault.message = why_stuck(f);
  }
  const unsigned lane = where.empty() ? f.lanes.first() : where.first();
  fault.party.group = lanes.first_group + lane / lanes.wg_size;
  fault.party.item = lane % lanes.wg_size;
  fault_ = std::move(fault);
}

}  // namespace lockstep::launch
