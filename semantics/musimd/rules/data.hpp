#pragma once
// Fig. 5: the rules under IT and TL. `facts` is TL's first phase: every t ∈ Θ computes from the state before; `conclude` is
// its second: all write. See control.hpp for the form.

#include "semantics/musimd/rules/control.hpp"

namespace lockstep::musimd::rules {

/// IT has no instruction of its own; its premises are asked before those of the rule at the root.
struct IT {
  static constexpr RuleId id = RuleId::IT;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s) {
    return !d.printed(Erratum::E4) || ask(id, 2, d.truth(!s.context.empty()));
  }
};

template <class D>
struct ValueFacts {
  typename D::Values value;
};

template <class D>
[[gnu::always_inline]] inline ValueFacts<D> facts(D& d, const State<D>& s, const Assignment<D>& i) {
  return {d.evaluate(s, i.value)};
}

/// v = c
struct CT {
  static constexpr RuleId id = RuleId::CT;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>&, const Assignment<D>& i, const ValueFacts<D>&) {
    return ask(id, 1, d.truth(d.is_constant(i.value)));
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Assignment<D>& i, const ValueFacts<D>& f) {
    d.assign(s, i.dst, f.value, s.active);
  }
};

/// v = v' (MV or MT)
struct AS {
  static constexpr RuleId id = RuleId::AS;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>&, const Assignment<D>& i, const ValueFacts<D>& f) {
    return ask(id, 1, d.truth(d.is_copy(i.value))) && ask.threads(RuleId::MV, 2, f.value.uninitialised);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Assignment<D>& i, const ValueFacts<D>& f) {
    d.assign(s, i.dst, f.value, s.active);
  }
};

/// v = ⊕(c…), the operands looked up by MV, MT and constants, or operations themselves
struct BP {
  static constexpr RuleId id = RuleId::BP;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>&, const Assignment<D>& i, const ValueFacts<D>& f) {
    return ask(id, 1, d.truth(d.is_operation(i.value))) && ask.threads(RuleId::MV, 2, f.value.uninitialised) &&
           ask.threads(id, 2, f.value.zero_divisor);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Assignment<D>& i, const ValueFacts<D>& f) {
    const typename D::Set& theta = s.active;
    d.assign(s, i.dst, f.value, theta);
  }
};

// The facts below are built in place, each from the ones before it (initialisers run in order): copying them costs more than
// finding them out.
template <class D>
struct LoadFacts {
  typename D::Values address;
  typename D::Set bad_address;  ///< threads of Θ whose address is poison or negative
  typename D::Values cell;      ///< what Σ holds there; `uninitialised` are the threads that meet an uninitialised cell
};

template <class D>
[[gnu::always_inline]] inline LoadFacts<D> facts(D& d, const State<D>& s, const Ld<D>& i) {
  LoadFacts<D> f{d.evaluate(s, i.address), d.bad_addresses(s, f.address), d.load(s, f.address, f.bad_address)};
  return f;
}

struct LD {
  static constexpr RuleId id = RuleId::LD;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Ld<D>&, const LoadFacts<D>& f) {
    return ask.threads(RuleId::MV, 2, f.address.uninitialised) && ask.threads(RuleId::BP, 2, f.address.zero_divisor) &&
           ask.threads(id, 2, f.bad_address) && ask.threads(RuleId::MM, 2, f.cell.uninitialised);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Ld<D>& i, const LoadFacts<D>& f) {
    d.assign(s, i.dst, f.cell, s.active);
  }
};

template <class D>
struct StoreFacts {
  typename D::Values address;
  typename D::Set bad_address;
  typename D::Values value;
};

template <class D>
[[gnu::always_inline]] inline StoreFacts<D> facts(D& d, const State<D>& s, const St<D>& i) {
  StoreFacts<D> f{d.evaluate(s, i.address), d.bad_addresses(s, f.address), d.evaluate_second(s, i.value)};
  return f;
}

struct ST {
  static constexpr RuleId id = RuleId::ST;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>&, const St<D>& i, const StoreFacts<D>& f) {
    return (!d.printed(Erratum::E7) || ask(id, 2, d.truth(!d.is_constant(i.address) && !d.is_constant(i.value)))) &&
           ask.threads(RuleId::MV, 2, f.address.uninitialised) && ask.threads(RuleId::BP, 2, f.address.zero_divisor) &&
           ask.threads(id, 3, f.bad_address) && ask.threads(RuleId::MV, 2, f.value.uninitialised) &&
           ask.threads(RuleId::BP, 2, f.value.zero_divisor);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const St<D>&, const StoreFacts<D>& f) {
    d.store(s, f.address, f.value, s.active);
  }
};

/// The shuffle mask (E4: Θ while Λ is empty) and, per thread of Θ, which of SV and SI.shfl it takes.
template <class D>
struct ShuffleFacts {
  typename D::Values lane;
  typename D::Set source_uninitialised;  ///< threads of Θ that have not initialised v1 themselves (E10 asks)
  typename D::Set in_mask;               ///< threads of Θ whose lane is a number in the mask
  typename D::Set found;                 ///< those of in_mask whose lane has a number in v1
  typename D::Values value;              ///< what they find there
};

/// `mask` is Θ' on top of Λ; with Λ = [] it is Θ.
template <class D>
[[gnu::always_inline]] inline ShuffleFacts<D> shuffle_facts(D& d, const State<D>& s, const Shfl<D>& i, const typename D::Set& mask) {
  ShuffleFacts<D> f{d.evaluate(s, i.lane), d.uninitialised_source(s, i.source), d.lanes_in(s, f.lane, mask), d.none(),
                    d.shuffle(s, i.source, f.lane, f.in_mask, f.found)};
  return f;
}

template <class D>
[[gnu::always_inline]] inline ShuffleFacts<D> facts(D& d, const State<D>& s, const Shfl<D>& i) {
  return shuffle_facts(d, s, i, s.context.empty() ? s.active : s.context.back().mask);
}

/// The premises that SV and SI.shfl share.
template <class A, class D>
bool shuffle_operands(A& ask, RuleId id, const D& d, const Shfl<D>& i, const ShuffleFacts<D>& f) {
  return (!d.printed(Erratum::E7) || ask(id, 2, d.truth(!d.is_constant(i.lane)))) && ask.threads(RuleId::MV, 2, f.lane.uninitialised) &&
         ask.threads(RuleId::BP, 2, f.lane.zero_divisor) && (!d.printed(Erratum::E10) || ask.threads(id, 3, f.source_uninitialised));
}

/// v = shfl(v1, e) in the threads whose lane gives a number. Threads choose between SV and SI.shfl one by one.
struct SV {
  static constexpr RuleId id = RuleId::SV;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const Shfl<D>& i, const ShuffleFacts<D>& f) {
    return shuffle_operands(ask, id, d, i, f) && ask.some_thread(id, 4, f.in_mask, s.active) && ask.some_thread(id, 5, f.found, f.in_mask);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Shfl<D>& i, const ShuffleFacts<D>& f) {
    d.assign(s, i.dst, f.value, f.found);
  }
};

struct SI_shfl {
  static constexpr RuleId id = RuleId::SI_shfl;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const Shfl<D>& i, const ShuffleFacts<D>& f) {
    return shuffle_operands(ask, id, d, i, f) && ask.some_thread(id, 4, s.active - f.found, s.active);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Shfl<D>& i, const ShuffleFacts<D>& f) {
    d.assign_poison(s, i.dst, s.active - f.found);
  }
};

/// TL as printed (E5): one thread after the other computes and writes, so that a later one may read what an earlier one wrote.
template <class D>
void shuffle_thread_by_thread(D& d, State<D>& s, const Shfl<D>& i) {
  const typename D::Set theta = s.active;
  const typename D::Set mask = s.context.empty() ? s.active : s.context.back().mask;
  d.for_each_thread(theta, [&](const typename D::Set& one) {
    s.active = one;
    const ShuffleFacts<D> f = shuffle_facts(d, s, i, mask);
    SV::conclude(d, s, i, f);
    SI_shfl::conclude(d, s, i, f);
  });
  s.active = theta;
}

}  // namespace lockstep::musimd::rules
