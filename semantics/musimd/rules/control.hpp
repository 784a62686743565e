#pragma once
// Fig. 4: stop, jmp, jmp_mask, everywhere, end_everywhere. One struct per rule: `premises` asks them in the order of
// rules.def and says whether to go on, `conclude` is the rule's effect on a state in which all of them hold. The recursive
// last premise of the printed big-step rules is the next configuration, which is what conclude makes.

#include "semantics/musimd/rules/stacks.hpp"

namespace lockstep::musimd::rules {

/// What premises speak of besides the state: nothing.
struct NoFacts {};

struct SP {
  static constexpr RuleId id = RuleId::SP;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const Halt<D>&, const NoFacts&) {
    return ask(id, 2, d.truth(s.sync_empty())) && (d.printed(Erratum::E8) || ask(id, 3, d.truth(s.context.empty())));
  }
  template <class D>
  static void conclude(D&, State<D>&, const Halt<D>&, const NoFacts&) {}
};

struct JP {
  static constexpr RuleId id = RuleId::JP;

  template <class A, class D>
  static bool premises(A&, const D&, const State<D>&, const Jmp<D>&, const NoFacts&) {
    return true;
  }
  template <class D>
  static void conclude(D&, State<D>& s, [[maybe_unused]] const Jmp<D>& i, const NoFacts&) {
    s.pc = i.target;
  }
};

/// jmp_mask's operand: its values, and whether they are one number in all of Θ; then, whether that number is in Θ'.
template <class D>
struct MaskFacts {
  typename D::Values thread;
  typename D::Set not_uniform;  ///< threads of Θ whose operand is poison or differs from the first thread's
  typename D::Bool in_mask;     ///< e ∈ Θ'; means nothing while Λ = [] or not_uniform is not empty
};

template <class D>
MaskFacts<D> facts(D& d, const State<D>& s, const JmpMask<D>& i) {
  MaskFacts<D> f{d.evaluate(s, i.thread), d.not_uniform(s, f.thread), d.truth(false)};
  if (!s.context.empty()) {
    f.in_mask = d.first_value_in(s, f.thread, s.context.back().mask);
  }
  return f;
}

/// The premises that BA and BI share.
template <class A, class D>
bool mask_operand(A& ask, RuleId id, const D& d, const State<D>& s, const MaskFacts<D>& f) {
  return ask(id, 2, d.truth(!s.context.empty())) && ask.threads(RuleId::MV, 2, f.thread.uninitialised) &&
         ask.threads(RuleId::BP, 2, f.thread.zero_divisor) && ask.threads(id, 3, f.not_uniform);
}

struct BA {
  static constexpr RuleId id = RuleId::BA;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const JmpMask<D>&, const MaskFacts<D>& f) {
    return mask_operand(ask, id, d, s, f) && ask(id, 4, f.in_mask);
  }
  template <class D>
  static void conclude(D&, State<D>& s, [[maybe_unused]] const JmpMask<D>& i, const MaskFacts<D>&) {
    s.pc = i.target;
  }
};

struct BI {
  static constexpr RuleId id = RuleId::BI;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const JmpMask<D>&, const MaskFacts<D>& f) {
    return mask_operand(ask, id, d, s, f) && ask(id, 4, !f.in_mask);
  }
  template <class D>
  static void conclude(D&, State<D>& s, [[maybe_unused]] const JmpMask<D>& i, const MaskFacts<D>&) {
    s.pc = s.pc + 1;
  }
};

struct EB {
  static constexpr RuleId id = RuleId::EB;

  template <class A, class D>
  static bool premises(A&, const D&, const State<D>&, const EnterBlock<D>&, const NoFacts&) {
    return true;
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const EnterBlock<D>&, const NoFacts&) {
    s.context.push_back({s.active, s.frame_base});
    s.frame_base = s.sync.size();
    s.active = d.all();
    s.pc = s.pc + 1;
  }
};

/// Whether no entry of the frame's Π has threads that are done or wait (E3).
template <class D>
typename D::Bool converged(const D& d, const State<D>& s) {
  typename D::Bool all = d.truth(true);
  for (std::size_t k = s.frame_base; k < s.sync.size(); ++k) {
    all = all && d.empty(s.sync[k].done) && d.empty(s.sync[k].todo);
  }
  return all;
}

struct EE {
  static constexpr RuleId id = RuleId::EE;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const LeaveBlock<D>&, const NoFacts&) {
    return ask(id, 2, d.truth(!s.context.empty())) &&
           (d.printed(Erratum::E3) ? ask(id, 4, d.truth(s.sync_empty())) : ask(id, 3, converged(d, s)));
  }
  template <class D>
  static void conclude(D&, State<D>& s, const LeaveBlock<D>&, const NoFacts&) {
    s.sync.erase(s.sync.begin() + static_cast<std::ptrdiff_t>(s.frame_base), s.sync.end());
    s.active = s.context.back().mask;
    s.frame_base = s.context.back().sync_base;
    s.context.pop_back();
    s.pc = s.pc + 1;
  }
};

}  // namespace lockstep::musimd::rules
