// Property 11: laws of shuffles, for Θ within the mask.

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using musimd::AsPrinted;
using musimd::Erratum;

namespace {

struct ShuffleLawsSetup {
  AsPrinted printed;
  bool within_mask = true;
  bool restricted = true;  ///< the law's own hypothesis about the lanes
};

/// v := shfl(v1, lane) with v := v1 := variable `v`.
Instruction shuffle_in_place(musimd::VarId v, const std::vector<Word>& lanes) {
  Symbolic::Values values;
  values.value = lanes;
  return musimd::Shfl<Symbolic>{v, {false, v}, {Symbolic::Shape::Operation, values}};
}

std::vector<Word> lanes(const Symbolic& d, const std::string& name) {
  std::vector<Word> result;
  result.reserve(d.width());
  for (unsigned t = 0; t < d.width(); ++t) {
    result.push_back(Word::named(name + "_" + std::to_string(t)));
  }
  return result;
}

/// The truth that `w` is the number of a thread for which `f(thread)` holds.
template <class F>
Truth is_thread_where(const Symbolic& d, const Word& w, F f) {
  Truth result(false);
  for (unsigned u = 0; u < d.width(); ++u) {
    result = result || (equal(w, Word(static_cast<std::int64_t>(u))) && f(u));
  }
  return result;
}

struct Law {
  Symbolic d;
  State s;
  Obligation result;

  Law(const Case& c, const ShuffleLawsSetup& setup) : d(c.threads, setup.printed), s(arbitrary_state(d, c)) {
    result.hypotheses.push_back(!empty(s.active));
    if (setup.within_mask && !s.context.empty()) {
      result.hypotheses.push_back(subset(s.active, s.context.back().mask));
    }
    show(result.shown, "before", s);
  }

  State after(const State& before, const Instruction& i) {
    append(result.fires, firings(candidates_of(d, before, i)));
    return data_effect(d, before, before, i);
  }
};

/// v0 := shfl(v0, tid) leaves numbers and poison, and makes poison of uninitialised variables.
Obligation identity(const Case& c, const ShuffleLawsSetup& setup) {
  Law law(c, setup);
  musimd::Expr tid;
  tid.nodes = {musimd::ThreadId{}};
  const State after = law.after(law.s, musimd::Shfl<Symbolic>{0, {false, 0}, {Symbolic::Shape::Copy, tid}});
  law.result.fires.push_back({musimd::RuleId::MT, law.result.fires.front().where});
  for (unsigned t = 0; t < c.threads; ++t) {
    const CellTerm& old = law.s.bank[0][t];
    const CellTerm& now = after.bank[0][t];
    law.result.goal = law.result.goal && choose(law.s.active[t] && !old.written, now.is_poison(), same(old, now));
  }
  return law.result;
}

/// v0 := shfl(v0, p); v0 := shfl(v0, q) with p a permutation of Θ and q its inverse.
Obligation inverse(const Case& c, const ShuffleLawsSetup& setup) {
  Law law(c, setup);
  const std::vector<Word> p = lanes(law.d, "p");
  const std::vector<Word> q = lanes(law.d, "q");
  for (unsigned t = 0; t < c.threads; ++t) {
    const auto active = [&](unsigned u) { return law.s.active[u]; };
    const auto p_leads_back = [&](unsigned u) {
      return law.s.active[u] && (setup.restricted ? equal(p[u], Word(static_cast<std::int64_t>(t))) : Truth(true));
    };
    law.result.hypotheses.push_back(
        implies(law.s.active[t], is_thread_where(law.d, p[t], active) && is_thread_where(law.d, q[t], p_leads_back)));
  }
  const State after = law.after(law.after(law.s, shuffle_in_place(0, p)), shuffle_in_place(0, q));
  for (unsigned t = 0; t < c.threads; ++t) {
    const CellTerm& old = law.s.bank[0][t];
    law.result.goal = law.result.goal && implies(old.written || !law.s.active[t], same(old, after.bank[0][t]));
  }
  law.result.reachable.push_back({"not-the-identity", law.s.active[0] && !equal(p[0], Word(0))});
  return law.result;
}

/// v0 := shfl(v0, c), twice and once, with one lane c of the mask for all threads.
Obligation broadcast(const Case& c, const ShuffleLawsSetup& setup) {
  Law law(c, setup);
  std::vector<Word> lane = lanes(law.d, "lane");
  if (setup.restricted) {
    lane.assign(c.threads, Word::named("lane"));
  }
  const Instruction i = shuffle_in_place(0, lane);
  const State once = law.after(law.s, i);
  law.result.goal = same_data(once, law.after(once, i));
  law.result.reachable.push_back({"a-lane-of-theta", law.s.active[0] && equal(lane[0], Word(0)) && law.s.bank[0][0].is_number()});
  return law.result;
}

constexpr int shuffle_laws_property = 11;

Theorem make(Obligation (*law)(const Case&, const ShuffleLawsSetup&), const std::string& name, const std::string& statement,
             const std::string& twin_of, const ShuffleLawsSetup& setup, std::source_location where = std::source_location::current()) {
  const auto rules = [law] {
    using musimd::RuleId;
    Rules of_shfl = {RuleId::IT, RuleId::TL, RuleId::SV, RuleId::SI_shfl};  // lanes are numbers: no premise of MV or BP is asked
    if (law == identity) {
      of_shfl.insert(RuleId::MT);
    }
    return of_shfl;
  };
  return {name, shuffle_laws_property, statement, twin_of, data_cases(), [law, setup](const Case& c) { return law(c, setup); }, rules,
          where};
}

}  // namespace

std::vector<Theorem> shuffle_theorems() {
  return {
      make(identity, "shuffle.identity", "shfl(v, tid) is v where v is initialised, else poison", "", {}),
      make(inverse, "shuffle.inverse", "shuffling by a permutation of Θ and then by its inverse changes no initialised value", "", {}),
      make(broadcast, "shuffle.broadcast", "a second broadcast of the same lane changes nothing", "", {}),
  };
}

std::vector<Theorem> shuffle_twins() {
  const ShuffleLawsSetup outside{{}, false, true};
  const ShuffleLawsSetup unrestricted{{}, true, false};
  const ShuffleLawsSetup one_phase{{Erratum::E5}, true, true};
  return {
      make(identity, "shuffle.identity/outside-the-mask", "Θ may have threads outside the mask", "shuffle.identity", outside),
      make(inverse, "shuffle.inverse/printed-E5", "threads read what earlier ones wrote", "shuffle.inverse", one_phase),
      make(inverse, "shuffle.inverse/no-inverse", "the second shuffle goes by any lanes", "shuffle.inverse", unrestricted),
      make(broadcast, "shuffle.broadcast/any-lanes", "the lanes differ between threads", "shuffle.broadcast", unrestricted),
  };
}

}  // namespace lockstep::prove
