// A lemma for masked execution: where Θ is empty, an instruction that is no control flow changes nothing and is defined.

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

namespace {

enum class Writers { Active, All };

Obligation nothing_happens(Kind kind, const Case& c, Writers writers) {
  Symbolic d(c.threads);
  const State s = arbitrary_state(d, c);
  Obligation result;
  result.hypotheses.push_back(empty(s.active));
  show(result.shown, "before", s);
  for (const Subject& subject : subjects(kind, d, s)) {
    State onto = s;
    if (writers == Writers::All) {
      onto.active = d.all();
    }
    State after = data_effect(d, s, onto, subject.instruction);
    if (writers == Writers::All) {
      after.active = s.active;
    }
    result.goal = result.goal && same_data(s, after) && same_control(s, after) && after.pc == s.pc + 1;
    std::vector<Candidate> candidates = candidates_of(d, s, subject.instruction);
    for (Candidate& each : candidates) {
      result.goal = result.goal && each.defined;
      if (kind == Kind::Shfl) {  // its rules ask for a thread: nobody takes one, and what the two conclude is concluded for nobody
        each.applies = each.defined;
      }
    }
    append(result.fires, firings(candidates));
  }
  return result;
}

constexpr int empty_mask_property = 0;  // a lemma, not one of the numbered properties

}  // namespace

std::vector<Theorem> empty_mask_theorems() {
  std::vector<Theorem> result;
  for (const Kind kind : data_kinds) {
    result.push_back({"empty_mask." + name(kind), empty_mask_property, name(kind) + " with Θ = ∅ is defined and changes only pc", "",
                      data_cases(), [kind](const Case& c) { return nothing_happens(kind, c, Writers::Active); },
                      [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> empty_mask_twins() {
  std::vector<Theorem> result;
  for (const Kind kind : data_kinds) {
    const std::string of = "empty_mask." + name(kind);
    result.push_back({of + "/writes-all", empty_mask_property, "all threads write", of, data_cases(),
                      [kind](const Case& c) { return nothing_happens(kind, c, Writers::All); }});
  }
  return result;
}

}  // namespace lockstep::prove
