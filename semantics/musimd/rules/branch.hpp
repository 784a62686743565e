#pragma once
// Fig. 4: bz and sync, the rules that move threads between Θ and Π. See control.hpp for the form.

#include "semantics/musimd/rules/control.hpp"

namespace lockstep::musimd::rules {

/// split of Fig. 3: the operand in every active thread, Θ0 and Θn.
template <class D>
struct Split {
  typename D::Values condition;
  typename D::Set zero;
  typename D::Set nonzero;
};

template <class D>
[[gnu::always_inline]] inline Split<D> facts(D& d, const State<D>& s, const Bz<D>& i) {
  Split<D> f{d.evaluate(s, i.condition), d.zeros(s, f.condition), s.active - f.zero};
  return f;
}

/// The premises that BT, BF and BD share.
template <class A, class D>
bool condition_operand(A& ask, RuleId id, const D& d, const Bz<D>& i, const Split<D>& f) {
  return (!d.printed(Erratum::E7) || ask(id, 2, d.truth(!d.is_constant(i.condition)))) &&
         ask.threads(RuleId::MV, 2, f.condition.uninitialised) && ask.threads(RuleId::BP, 2, f.condition.zero_divisor) &&
         ask.threads(id, 3, f.condition.poison);
}

struct BT {
  static constexpr RuleId id = RuleId::BT;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>& f) {
    return condition_operand(ask, id, d, i, f) && ask(id, 4, d.empty(f.nonzero)) &&
           (!d.printed(Erratum::E2) || ask(id, 5, push_defined_as_printed(d, s)));
  }
  template <class D>
  static void conclude(D& d, State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>&) {
    push(d, s, d.none(), s.pc, i.target);
    s.pc = i.target;
  }
};

struct BF {
  static constexpr RuleId id = RuleId::BF;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>& f) {
    return condition_operand(ask, id, d, i, f) && ask(id, 4, d.empty(f.zero)) &&
           (!d.printed(Erratum::E2) || ask(id, 5, push_defined_as_printed(d, s)));
  }
  template <class D>
  static void conclude(D& d, State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>&) {
    push(d, s, d.none(), s.pc, i.target);
    s.pc = s.pc + 1;
  }
};

/// As printed (E1) the two sets change places and "both non-empty" is missing; the fall-through runs first either way.
struct BD {
  static constexpr RuleId id = RuleId::BD;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>& f) {
    return condition_operand(ask, id, d, i, f) &&
           (d.printed(Erratum::E1) || (ask(id, 4, !d.empty(f.zero)) && ask(id, 5, !d.empty(f.nonzero)))) &&
           (!d.printed(Erratum::E2) || ask(id, 6, push_defined_as_printed(d, s)));
  }
  template <class D>
  static void conclude(D& d, State<D>& s, [[maybe_unused]] const Bz<D>& i, const Split<D>& f) {
    const bool swapped = d.printed(Erratum::E1);
    push(d, s, swapped ? f.nonzero : f.zero, s.pc, i.target);
    s.active = swapped ? f.zero : f.nonzero;
    s.pc = s.pc + 1;
  }
};

struct SS {
  static constexpr RuleId id = RuleId::SS;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const SyncPoint<D>&, const NoFacts&) {
    return ask(id, 2, d.truth(!s.sync_empty())) && ask(id, 3, !d.empty(s.sync.back().todo));
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const SyncPoint<D>&, const NoFacts&) {
    SyncEntry<D>& top = s.sync.back();
    const typename D::Set todo = top.todo;
    top.done = top.done | s.active;
    top.todo = d.none();
    s.active = todo;
    s.pc = top.resume_at;
  }
};

struct SI_sync {
  static constexpr RuleId id = RuleId::SI_sync;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const SyncPoint<D>&, const NoFacts&) {
    return ask(id, 2, d.truth(!s.sync_empty())) && ask(id, 3, d.empty(s.sync.back().todo));
  }
  template <class D>
  static void conclude(D&, State<D>& s, const SyncPoint<D>&, const NoFacts&) {
    s.active = s.active | s.sync.back().done;
    s.sync.pop_back();
    s.pc = s.pc + 1;
  }
};

}  // namespace lockstep::musimd::rules
