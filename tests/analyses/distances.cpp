// Distances of indices (codegen/passes/distances.hpp), whose numbers wrap.

#include "codegen/passes/distances.hpp"

#include "semantics/prove/whole.hpp"
#include "tests/analyses/analysis.hpp"

namespace lockstep::analyses {

namespace {

using passes::InOneItem;
using passes::Touching;
using prove::Truth;
using prove::Whole;

/// What a claim about touches allows rounds that are `rounds` apart and items that are `items` apart.
struct Meeting {
  int later = 0;          ///< s - r
  int items = 0;          ///< v - w
  bool is_exact = false;  ///< over the integers, too
};

constexpr unsigned small_word = 5;

/// Whether they touch one element, modulo 2^small_word.
bool meet(int round, int item, int difference, Meeting m) {
  return ((m.later * round + m.items * item - difference) & ((1 << small_word) - 1)) == 0;
}

std::string describe(const char* what, int round, int item, int difference, Meeting m) {
  return std::string(what) + ": rounds apart by " + std::to_string(round) + ", items by " + std::to_string(item) + ", difference " +
         std::to_string(difference) + ": meet in round +" + std::to_string(m.later) + ", item +" + std::to_string(m.items);
}

/// `claim` of all touches in words of five bits, against all rounds and items.
template <class Claim, class Allowed>
Exhausted exhaust_touches(const char* what, const Claim& claim, const Allowed& allowed) {
  Exhausted result;
  constexpr int half = 1 << (small_word - 1);
  for (int round = -half; round < half; ++round) {
    for (int item = -half; item < half; ++item) {
      for (int difference = -half; difference < half; ++difference) {
        for (int rounds = 1; rounds <= 6; ++rounds) {
          for (int items = 1; items <= 5; ++items) {
            if (!claim(Touching<Wide>{round, item, difference, rounds, items, small_word})) {
              result.note(true, [] { return std::string(); });
              continue;
            }
            for (int later = 1 - rounds; later < rounds; ++later) {
              for (int across = 1 - items; across < items; ++across) {
                const Meeting m{later, across, later * round + across * item == difference};
                result.note(!meet(round, item, difference, m) || allowed(m), [&] { return describe(what, round, item, difference, m); });
              }
            }
          }
        }
      }
    }
  }
  return result;
}

/// The same, of one item, with differences in a range.
template <class Claim, class Allowed>
Exhausted exhaust_one_item(const char* what, const Claim& claim, const Allowed& allowed) {
  Exhausted result;
  constexpr int half = 1 << (small_word - 1);
  for (int round = -half; round < half; ++round) {
    for (int least = -half; least < half; ++least) {
      for (int most = least; most < half; ++most) {
        for (int rounds = 1; rounds <= 6; ++rounds) {
          const InOneItem<Wide> t{round, least, most, rounds, small_word};
          const bool is_claimed = claim(t);
          for (int difference = least; difference <= most; ++difference) {
            for (int later = 1 - rounds; later < rounds; ++later) {
              const Meeting m{later, 0, later * round == difference};
              result.note(!is_claimed || !meet(round, 0, difference, m) || allowed(m),
                          [&] { return describe(what, round, 0, difference, m); });
            }
          }
        }
      }
    }
  }
  return result;
}

/// The same numbers as terms, with what the header says of them; s - r and v - w are unknowns.
struct Terms {
  Whole round = named("round");
  Whole item = named("item");
  Whole difference = named("difference");
  Whole rounds = named("rounds");
  Whole items = named("items");
  Whole later = named("later");
  Whole across = named("across");
  Whole wraps = named("wraps");
  Whole zero = whole(round, 0);

  static Whole named(const char* name) { return Whole::named(Whole::Form::Integer, name); }
  Touching<Whole> touching() const { return {round, item, difference, rounds, items, 64}; }
  /// They touch one element.
  std::vector<Truth> premises() const {
    return {zero - rounds < later,
            later < rounds,
            zero - items < across,
            across < items,
            whole(zero, 0) < rounds,
            zero < items,
            later * round + across * item - difference == wraps * whole(zero, Wide{1} << 64)};
  }
};

/// `wraps`: the indices may wrap. That they do not where never_wraps says so is the first theorem, on which the others rely.
template <class Claim, class Allowed, class Twin>
Proved prove_touches(const Claim& claim, const Allowed& allowed, const Twin& twin, bool wraps = false) {
  Proved proof;
  const Terms t;
  std::vector<Truth> premises = t.premises();
  premises.push_back(claim(t.touching()));
  if (!wraps) {
    premises.push_back(t.wraps == t.zero);
  }
  proof.ask("touching", premises, allowed(t), twin(t));
  return proof;
}

template <class Claim, class Allowed, class Twin>
Proved prove_one_item(const Claim& claim, const Allowed& allowed, const Twin& twin) {
  Proved proof;
  Terms t;
  t.item = t.zero;
  t.across = t.zero;
  std::vector<Truth> premises = t.premises();
  const Whole least = Terms::named("least");
  const Whole most = Terms::named("most");
  premises.push_back(least <= t.difference && t.difference <= most);
  const InOneItem<Whole> touching{t.round, least, most, t.rounds, 64};
  premises.push_back(is_decided(touching));
  premises.push_back(t.wraps == t.zero);
  proof.ask("in one item", premises, implies(claim(touching), allowed(t)), twin(t, touching));
  return proof;
}

/// What a multiple is.
Truth defined(const Whole& n, const Whole& of, const Whole& m) { return implies(n == m * of, is_multiple(n, of)); }

/// If they meet, and nothing wraps ("indices never wrap"), the difference is a multiple of what rounds are apart: then the claim is not
/// made.
Proved prove_never_meet() {
  Proved proof;
  const Terms t;
  const InOneItem<Whole> touching{t.round, t.difference, Terms::named("most"), t.rounds, 64};
  proof.ask("in one item", {t.later * t.round == t.difference, defined(t.difference, t.round, t.later)}, !never_meet(touching),
            is_multiple(t.difference, t.later));
  return proof;
}

/// If two items meet, and nothing wraps, the difference is a multiple of what items are apart.
Proved prove_separate() {
  Proved proof;
  Terms t;
  t.rounds = whole(t.zero, 1);
  std::vector<Truth> premises = t.premises();
  premises.push_back(t.wraps == t.zero);
  premises.push_back(defined(t.difference, t.item, t.across));
  proof.ask("across items", premises, some_items_meet(t.touching()), is_multiple(t.difference, t.across));
  return proof;
}

}  // namespace

std::vector<TransferFunction> of_distances() {
  const auto never_wraps = [](const auto& t) { return passes::never_wraps(t); };
  const auto one_item = [](const auto& t) { return meet_in_one_item(t); };
  const auto one_round = [](const auto& t) { return meet_in_one_round(t); };
  const auto apart = [](const auto& t) { return are_all_apart(t); };
  const auto separate = [](const Touching<Wide>& t) { return t.rounds == 1 && !some_items_meet(t); };
  const auto not_later = [](const auto& t) { return is_decided(t) && !second_may_be_later(t); };
  const auto not_earlier = [](const auto& t) { return is_decided(t) && !second_may_be_earlier(t); };
  const auto never = [](const auto& t) { return never_meet(t); };
  const auto is_nothing = [](const Terms& t) { return !(t.later == t.later); };
  return {
      {"indices never wrap", [=] { return exhaust_touches("wrap", never_wraps, [](Meeting m) { return m.is_exact; }); },
       [=] {
         return prove_touches(
             never_wraps, [](const Terms& t) { return t.wraps == t.zero; }, [](const Terms& t) { return t.later == t.zero; }, true);
       }},
      {"touches in one item only", [=] { return exhaust_touches("one item", one_item, [](Meeting m) { return m.items == 0; }); },
       [=] {
         return prove_touches(
             one_item, [](const Terms& t) { return t.across == t.zero; }, [](const Terms& t) { return t.later == t.zero; });
       }},
      {"touches in one round only", [=] { return exhaust_touches("one round", one_round, [](Meeting m) { return m.later == 0; }); },
       [=] {
         return prove_touches(
             one_round, [](const Terms& t) { return t.later == t.zero; }, [](const Terms& t) { return t.across == t.zero; });
       }},
      {"elements that lie apart", [=] { return exhaust_touches("apart", apart, [](Meeting m) { return m.items == 0 && m.later == 0; }); },
       [=] { return prove_touches(apart, [](const Terms& t) { return t.across == t.zero && t.later == t.zero; }, is_nothing); }},
      {"items that do not meet", [=] { return exhaust_touches("separate", separate, [](Meeting) { return false; }); }, prove_separate},
      {"the second touch is not later", [=] { return exhaust_one_item("not later", not_later, [](Meeting m) { return m.later <= 0; }); },
       [=] {
         return prove_one_item(
             not_later, [](const Terms& t) { return t.later <= t.zero; },
             [=](const Terms& t, const auto& x) { return implies(not_later(x), t.later == t.zero); });
       }},
      {"the second touch is not earlier",
       [=] { return exhaust_one_item("not earlier", not_earlier, [](Meeting m) { return m.later >= 0; }); },
       [=] {
         return prove_one_item(
             not_earlier, [](const Terms& t) { return t.zero <= t.later; },
             [=](const Terms& t, const auto& x) { return implies(not_earlier(x), t.later == t.zero); });
       }},
      {"touches that never meet", [=] { return exhaust_one_item("never", never, [](Meeting) { return false; }); }, prove_never_meet},
  };
}

}  // namespace lockstep::analyses
