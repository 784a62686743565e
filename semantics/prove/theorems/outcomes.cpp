// What a step can come to: stuck, undefined, or with poison that was not there. Nothing else than the table says, and all of that.

#include "semantics/prove/theorems/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"

namespace lockstep::prove {

using musimd::PremiseKind;
using musimd::RuleId;

namespace {

constexpr std::array table = {
    Outcome{RuleId::SP, false, "SP.2, SP.3", ""},
    Outcome{RuleId::JP},
    Outcome{RuleId::BT, false, "", "MV.2, BP.2, BT.3"},
    Outcome{RuleId::BF, false, "", "MV.2, BP.2, BF.3"},
    Outcome{RuleId::BD, false, "", "MV.2, BP.2, BD.3"},
    Outcome{RuleId::BA, false, "BA.2", "MV.2, BP.2, BA.3"},
    Outcome{RuleId::BI, false, "BI.2", "MV.2, BP.2, BI.3"},
    Outcome{RuleId::SS, false, "SS.2", ""},
    Outcome{RuleId::SI_sync, false, "SI.sync.2", ""},
    Outcome{RuleId::EB},
    Outcome{RuleId::EE, false, "EE.2, EE.3", ""},
    Outcome{RuleId::IT},
    Outcome{RuleId::MM, false, "", "MM.2"},
    Outcome{RuleId::MT},
    Outcome{RuleId::MV, false, "", "MV.2"},
    Outcome{RuleId::TL},
    Outcome{RuleId::BP, false, "", "MV.2, BP.3"},
    Outcome{RuleId::SV, false, "", "MV.2, BP.2"},
    Outcome{RuleId::CT, false, "", "MV.2, BP.3"},
    Outcome{RuleId::SI_shfl, true, "", "MV.2, BP.2"},
    Outcome{RuleId::AS, false, "", "MV.2, BP.3"},
    Outcome{RuleId::LD, false, "", "MV.2, BP.3, LD.3, MM.2"},
    Outcome{RuleId::ST, false, "", "MV.2, BP.3, ST.4"},
    Outcome{RuleId::CALL, false, "", "MV.2, BP.3"},
    Outcome{RuleId::RET, false, "RET.2, RET.3, RET.4", "MV.2, BP.3"},
    Outcome{RuleId::SVA, true, "", "MV.2, BP.3, SVA.2"},
    Outcome{RuleId::AT, false, "", "MV.2, BP.3, AT.2, AT.3"},
    Outcome{RuleId::BR},
};
static_assert(table.size() == musimd::rule_count);

/// What a twin breaks.
struct OutcomesSetup {
  bool table_is_empty = false;
  bool needs_a_frame = false;  ///< all rules ask for a pair on Λ, as IT did as it is printed
};

/// A premise of a candidate that is the first one to fail.
struct Failure {
  RuleId rule;  ///< the candidate's
  std::string premise;
  PremiseKind kind;
  Truth here;
};

std::vector<Failure> failures_of(const Candidate& candidate) {
  std::vector<Failure> all;
  Truth before(true);
  for (const Asked& asked : candidate.asked) {
    const PremiseKind kind = musimd::premise_table[musimd::premise_index(asked.rule, asked.number)].kind;
    all.push_back({candidate.rule.root, premise_name(asked.rule, asked.number), kind, before && !asked.holds});
    before = before && asked.holds;
  }
  return all;
}

/// No rule applies, and it is not that something is undefined.
Truth stuck(const std::vector<Candidate>& candidates) {
  Truth result = !any(candidates);
  for (const Candidate& each : candidates) {
    for (const Failure& failure : failures_of(each)) {
      result = result && (failure.kind == PremiseKind::Defined ? !failure.here : Truth(true));
    }
  }
  return result;
}

void expect(Obligation& result, bool listed, const std::string& name, const Truth& event) {
  if (listed) {
    result.reachable.push_back({name, event});
  } else if (event.known() != false) {
    result.goals.push_back(!event);
  }
}

void add_failures(Obligation& result, const std::vector<Candidate>& candidates, const OutcomesSetup& setup) {
  const Truth is_stuck = stuck(candidates);
  for (const Candidate& candidate : candidates) {
    const Outcome row = setup.table_is_empty ? Outcome{candidate.rule.root} : outcome(candidate.rule.root);
    for (const Failure& failure : failures_of(candidate)) {
      const std::string name = fmt::format("{}: {}", musimd::name(failure.rule), failure.premise);
      if (failure.kind == PremiseKind::Defined) {
        expect(result, names(row.undefined_by, failure.premise), name, failure.here);
      } else {
        expect(result, names(row.stuck_by, failure.premise), name, failure.here && is_stuck);
      }
    }
  }
}

/// Of a shuffle, whose two rules conclude as one, the registers of the items that take the rule; of another instruction everything.
Truth some_poison(const Candidate& candidate, const TypedSuccessor& after) {
  if (candidate.threads.size() == 0) {
    return !no_poison(after.state, after.memory);
  }
  Truth result(false);
  for (const std::vector<Cell>& cells : after.state.bank.back().registers) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      result = result || (candidate.threads[k % candidate.threads.size()] && cells[k].poison);
    }
  }
  return result;
}

void add_poison(Obligation& result, TypedKind kind, const World& world, const std::vector<Candidate>& candidates,
                const OutcomesSetup& setup) {
  const bool may_make = kind != TypedKind::Poll && !setup.table_is_empty;  // SVA speaks of votes too, and they make none
  const std::vector<TypedSuccessor> after = step(world);
  for (const Candidate& candidate : candidates) {
    if (candidate.applies.known() == false) {
      continue;
    }
    const auto own = std::ranges::find(after, candidate.rule.root, [](const TypedSuccessor& each) { return each.rule.root; });
    const TypedSuccessor& next = candidate.threads.size() == 0 ? *own : after.front();
    const Truth made = no_poison(world.state, *world.memory) && candidate.applies && some_poison(candidate, next);
    expect(result, may_make && outcome(candidate.rule.root).makes_poison, fmt::format("{}: poison", musimd::name(candidate.rule.root)),
           made);
  }
}

Obligation outcomes(TypedKind kind, const Case& c, const OutcomesSetup& setup) {
  Obligation result;
  for (const TypedSubject& subject : typed_subjects(kind)) {
    if (!fits(subject.line, c)) {
      continue;
    }
    const World world = arbitrary_world(c, subject.line);
    if (result.hypotheses.empty()) {
      result.hypotheses.push_back(typed_invariant(world.state));
      show(result.shown, world);
    }
    std::vector<Candidate> candidates = candidates_of(world);
    if (setup.needs_a_frame) {
      for (Candidate& each : candidates) {
        const Truth has_frame(!world.state.context.empty());
        each.asked.insert(each.asked.begin(), {RuleId::IT, 2, has_frame});
        each.applies = each.applies && has_frame;
      }
    }
    append(result.fires, firings(world, candidates));
    add_failures(result, candidates, setup);
    add_poison(result, kind, world, candidates, setup);
  }
  return result;
}

/// In a function that is called, in its block, in the kernel's block, and outside of all; with an entry on Π, and with none.
std::vector<Case> outcome_cases() {
  return {{1, {0}, {}},        {1, {0, 0}, {}}, {1, {0, 0}, {true}},          {1, {0, 1}, {}}, {1, {0, 1}, {true}}, {2, {0, 0}, {}},
          {2, {0, 0}, {true}}, {2, {0, 1}, {}}, {2, {0, 0, 0}, {true, false}}};
}

/// Those that always come to a next state without new poison.
bool is_harmless(TypedKind kind) {
  return kind == TypedKind::Jmp || kind == TypedKind::Everywhere || kind == TypedKind::Drop || kind == TypedKind::Wait;
}

std::string cell(std::string_view list) { return list.empty() ? "-" : std::string(list); }

}  // namespace

const Outcome& outcome(RuleId rule) { return *std::ranges::find(table, rule, &Outcome::rule); }

std::string premise_name(RuleId rule, int number) { return fmt::format("{}.{}", musimd::name(rule), number); }

bool names(std::string_view list, std::string_view premise) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    if (list.substr(0, comma) == premise) {
      return true;
    }
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return false;
}

std::string outcome_table() {
  std::string out = "| rule | makes poison | is stuck by | is undefined by |\n|---|---|---|---|\n";
  for (const Outcome& row : table) {
    const std::string_view rule = musimd::name(row.rule);
    out += fmt::format("| [{0}](rules/{0}.md) | {1} | {2} | {3} |\n", rule, row.makes_poison ? "yes" : "-", cell(row.stuck_by),
                       cell(row.undefined_by));
  }
  return out;
}

std::vector<Theorem> outcome_theorems() {
  std::vector<Theorem> result;
  for (const TypedKind kind : typed_kinds) {
    result.push_back({"outcomes." + name(kind), 2,
                      name(kind) + " under Inv: it can be stuck, undefined, and make poison as the table says, and no more", "",
                      outcome_cases(), [kind](const Case& c) { return outcomes(kind, c, {}); }, [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> outcome_twins() {
  std::vector<Theorem> result;
  for (const TypedKind kind : typed_kinds) {
    const OutcomesSetup setup = is_harmless(kind) ? OutcomesSetup{.needs_a_frame = true} : OutcomesSetup{.table_is_empty = true};
    const std::string of = "outcomes." + name(kind);
    result.push_back({of + (setup.needs_a_frame ? "/needs-a-frame" : "/empty-table"), 2,
                      "the table has no entry, or the rule asks for a pair on Λ", of, outcome_cases(),
                      [kind, setup](const Case& c) { return outcomes(kind, c, setup); }});
  }
  return result;
}

}  // namespace lockstep::prove
