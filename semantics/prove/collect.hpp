#pragma once
// What premises amount to, asked of terms (musimd::Applies says what a way of asking is): for the theorems about the rules.

#include <optional>
#include <vector>

#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/prove/symbolic.hpp"

namespace lockstep::prove {

/// A premise that a broken rule does not ask.
struct Skipped {
  musimd::RuleId rule;
  int number = 0;
};

/// It goes on unless a premise is constantly false, because what follows may then mean nothing.
struct Collect {
  Candidate& out;
  std::optional<Skipped> skipped = std::nullopt;

  bool operator()(musimd::RuleId rule, int number, const Truth& holds) {
    if (skipped && skipped->rule == rule && skipped->number == number) {
      return true;
    }
    const musimd::PremiseKind kind = musimd::premise_table[musimd::premise_index(rule, number)].kind;
    out.asked.push_back({rule, number, holds});
    out.applies = out.applies && holds;
    if (kind == musimd::PremiseKind::Defined) {
      out.defined = out.defined && holds;
    }
    if (holds.known() == false) {
      out.failed = kind;
      return false;
    }
    return true;
  }
  bool threads(musimd::RuleId rule, int number, const ThreadSet& failing) { return (*this)(rule, number, empty(failing)); }
  bool some_thread(musimd::RuleId rule, int number, const ThreadSet& holding, const ThreadSet&) {
    out.threads = holding;  // the last such premise speaks of the threads for which those before hold
    return (*this)(rule, number, !empty(holding));
  }
};

inline Candidate new_candidate(musimd::Fired rule) { return {rule, Truth(true), Truth(true), {}, std::nullopt}; }

/// Asks all candidates through musimd::ask_candidates.
struct CollectAll {
  std::optional<Skipped> skipped = std::nullopt;
  std::vector<Candidate> all;

  template <class P>
  void candidate(musimd::Fired rule, P&& premises) {
    Collect ask{all.emplace_back(new_candidate(rule)), skipped};
    premises(ask);
  }
};

}  // namespace lockstep::prove
