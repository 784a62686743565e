#pragma once
// From an instruction to the rules that may apply to it: the small-step relation, over any state domain.

#include "semantics/musimd/rules/branch.hpp"
#include "semantics/musimd/rules/control.hpp"
#include "semantics/musimd/rules/data.hpp"

namespace lockstep::musimd {

template <class... R>
struct RuleList {};

// The candidates of each instruction, in the order in which they are tried. At most one applies (property 1), so that the
// order matters only for the printed BD of erratum E1, which overlaps BT and BF.
template <class D>
RuleList<rules::SP> candidates(const Halt<D>&) {
  return {};
}
template <class D>
RuleList<rules::JP> candidates(const Jmp<D>&) {
  return {};
}
template <class D>
RuleList<rules::BT, rules::BF, rules::BD> candidates(const Bz<D>&) {
  return {};
}
template <class D>
RuleList<rules::BA, rules::BI> candidates(const JmpMask<D>&) {
  return {};
}
template <class D>
RuleList<rules::SS, rules::SI_sync> candidates(const SyncPoint<D>&) {
  return {};
}
template <class D>
RuleList<rules::EB> candidates(const EnterBlock<D>&) {
  return {};
}
template <class D>
RuleList<rules::EE> candidates(const LeaveBlock<D>&) {
  return {};
}
template <class D>
RuleList<rules::CT, rules::AS, rules::BP> candidates(const Assignment<D>&) {
  return {};
}
template <class D>
RuleList<rules::LD> candidates(const Ld<D>&) {
  return {};
}
template <class D>
RuleList<rules::ST> candidates(const St<D>&) {
  return {};
}
template <class D>
RuleList<rules::SV, rules::SI_shfl> candidates(const Shfl<D>&) {
  return {};
}

template <class I>
inline constexpr bool is_control_flow = true;
template <class D>
inline constexpr bool is_control_flow<Assignment<D>> = false;
template <class D>
inline constexpr bool is_control_flow<Ld<D>> = false;
template <class D>
inline constexpr bool is_control_flow<St<D>> = false;
template <class D>
inline constexpr bool is_control_flow<Shfl<D>> = false;

namespace rules {
// Instructions without operands have nothing to find out before their premises are asked.
template <class D, class I>
NoFacts facts(D&, const State<D>&, const I&) {
  return {};
}
}  // namespace rules

/// Asks the premises of `R` (IT's before those of a data instruction's rule); true if all hold. `ask` decides what is done
/// with the answers; see Applies for its interface.
template <class R, class A, class D, class I, class F>
bool premises_hold(A& ask, const D& d, const State<D>& s, const I& i, const F& f) {
  if constexpr (!is_control_flow<I>) {
    if (!rules::IT::premises(ask, d, s)) {
      return false;
    }
  }
  return R::premises(ask, d, s, i, f);
}

/// The effect of rule `R` in a state where its premises hold. For data instructions this is TL with all threads' rules, and IT.
template <class R, class D, class I, class F>
void conclude(D& d, State<D>& s, const I& i, const F& f) {
  if constexpr (is_control_flow<I>) {
    R::conclude(d, s, i, f);
  } else {
    if constexpr (std::is_same_v<I, Shfl<D>>) {
      if (d.printed(Erratum::E5)) {
        rules::shuffle_thread_by_thread(d, s, i);
      } else {
        rules::SV::conclude(d, s, i, f);
        rules::SI_shfl::conclude(d, s, i, f);
      }
    } else {
      R::conclude(d, s, i, f);
    }
    s.pc = s.pc + 1;
  }
}

template <class R, class I>
constexpr Fired fired() {
  return is_control_flow<I> ? Fired{R::id, R::id} : Fired{RuleId::IT, R::id};
}

/// The way of asking that only wants the answer; each way of asking has these three. All return whether to go on.
struct Applies {
  /// A premise about the whole state.
  bool operator()(RuleId /*rule*/, int /*number*/, bool holds) const { return holds; }
  /// A premise about every thread of Θ; `failing` are those where it does not hold.
  template <class Set>
  bool threads(RuleId rule, int number, const Set& failing) const {
    return (*this)(rule, number, failing.empty());
  }
  /// A premise by which the threads of the fourth argument choose between rules; the rule applies if it holds for some of them.
  template <class Set>
  bool some_thread(RuleId, int, const Set& holding, const Set&) const {
    return !holding.empty();
  }
};

namespace detail {

template <class D, class I, class F, class... R>
[[gnu::always_inline]] inline bool fire_first(RuleList<R...>, D& d, State<D>& s, const I& i, const F& f, Fired& out) {
  const Applies ask;
  return ((premises_hold<R>(ask, d, s, i, f) ? (conclude<R>(d, s, i, f), out = fired<R, I>(), true) : false) || ...);
}

template <class A, class D, class I, class F, class... R>
void ask_each(RuleList<R...>, A& ask, const D& d, const State<D>& s, const I& i, const F& f) {
  (ask.candidate(fired<R, I>(), [&](auto& each) { return premises_hold<R>(each, d, s, i, f); }), ...);
}

}  // namespace detail

/// Takes the step that a candidate of `i` allows: changes `s`, says which rule it was. False, with `s` as it was, if none
/// applies (stuck or undefined: ask_candidates tells why).
template <class D, class I>
[[gnu::always_inline]] inline bool fire(D& d, State<D>& s, const I& i, Fired& out) {
  using rules::facts;
  const auto f = facts(d, s, i);
  return detail::fire_first(candidates(i), d, s, i, f, out);
}

/// Asks every candidate of `i`, changing nothing: calls ask.candidate(fired, premises) for each in order, where
/// premises(ask) asks them and returns whether all hold.
template <class A, class D, class I>
void ask_candidates(A& ask, D& d, const State<D>& s, const I& i) {
  using rules::facts;
  const auto f = facts(d, s, i);
  detail::ask_each(candidates(i), ask, d, s, i, f);
}

}  // namespace lockstep::musimd
