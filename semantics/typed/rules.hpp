#pragma once
// The rules of the typed extension (docs/typed-mus.md), over any typed state domain, in the form of semantics/musimd/rules: control
// instructions are those of μ-SIMD itself and share its rules; data instructions have typed operands, places and memory.
//
// A typed domain D is a state domain (semantics/musimd/state.hpp) that has besides
//   types    Place (a destination), Target (a place whose index has been found out), Access (an address that has been found out),
//            Function (what a call names), Result (where a call's result goes), Register
//   Values and Target and Access have `uninitialised` (MV fails there) and `zero_divisor` (an operation is undefined there)
// and the operations that the rules below name. Its Bank β is the stack of call frames.

#include <optional>
#include <vector>

#include "semantics/musimd/step.hpp"
#include "semantics/ops/atomic.hpp"

namespace lockstep::typed {

using musimd::RuleId;
using musimd::State;

/// `p = e`
template <class D>
struct Move {
  typename D::Place dst;
  typename D::Operand value;
};
/// `forget v`
template <class D>
struct Drop {
  typename D::Register dst;
};
/// `p = ld b[e]`
template <class D>
struct Fetch {
  typename D::Place dst;
  typename D::Operand base;
  typename D::Operand index;
};
/// `st b[e] = e`
template <class D>
struct Put {
  typename D::Operand base;
  typename D::Operand index;
  typename D::Operand value;
};
/// `v = atomic.op(b[e], e1)`, `atomic.compare(b[e], e2, e1)`, with or without `v =`
template <class D>
struct Change {
  AtomicOp op = AtomicOp::Exchange;
  typename D::Result dst;
  typename D::Operand base;
  typename D::Operand index;
  std::optional<typename D::Operand> compare;
  typename D::Operand value;

  /// Whether anybody looks at what the element is before.
  bool asks_old() const { return dst.has_value() || op != AtomicOp::Exchange; }
};
/// `v = shfl.active(v1, e)`
template <class D>
struct Exchange {
  typename D::Register dst;
  typename D::Source source;
  typename D::Operand lane;
};
/// `v = any.active(e)`, `all.active`, `ballot.active`, `any.group`, `all.group`
template <class D>
struct Poll {
  typename D::Vote vote;
  typename D::Register dst;
  typename D::Operand value;
};
/// `call f(e…)`, `v = call f(e…)`
template <class D>
struct Enter {
  typename D::Function function;
  std::vector<typename D::Operand> arguments;
  typename D::Result result;
};
/// `ret`, `ret e`
template <class D>
struct Leave {
  bool has_value = false;
  typename D::Operand value;
};
/// `barrier`
template <class D>
struct Wait {};

namespace rules {

/// The premises of an operand: what it reads is initialised (MV), what it does is defined (BP).
template <class A, class V>
bool operand(A& ask, const V& v) {
  return ask.threads(RuleId::MV, 2, v.uninitialised) && ask.threads(RuleId::BP, 3, v.zero_divisor);
}

template <class D>
struct MoveFacts {
  typename D::Target target;
  typename D::Values value;
};
template <class D>
[[gnu::always_inline]] inline MoveFacts<D> facts(D& d, const State<D>& s, const Move<D>& i) {
  MoveFacts<D> f{d.target(s, i.dst), d.evaluate(s, i.value)};
  return f;
}

/// CT, AS and BP with typed operands and places: the operand's shape decides.
template <RuleId Id>
struct Assigning {
  static constexpr RuleId id = Id;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>&, const Move<D>& i, const MoveFacts<D>& f) {
    const bool shape = Id == RuleId::CT ? d.is_constant(i.value) : Id == RuleId::AS ? d.is_copy(i.value) : d.is_operation(i.value);
    return ask(id, 1, d.truth(shape)) && operand(ask, f.target) && operand(ask, f.value);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Move<D>& i, const MoveFacts<D>& f) {
    d.assign(s, i.dst, f.target, f.value, s.active);
  }
};

/// A declaration without initialiser: under AS, the value being none.
struct Dropping {
  static constexpr RuleId id = RuleId::AS;

  template <class A, class D>
  static bool premises(A&, const D&, const State<D>&, const Drop<D>&, const musimd::rules::NoFacts&) {
    return true;
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Drop<D>& i, const musimd::rules::NoFacts&) {
    d.forget(s, i.dst, s.active);
  }
};

template <class D>
struct FetchFacts {
  typename D::Target target;
  typename D::Values base;
  typename D::Values index;
  typename D::Access access;
  typename D::Values cell;
};
template <class D>
[[gnu::always_inline]] inline FetchFacts<D> facts(D& d, const State<D>& s, const Fetch<D>& i) {
  FetchFacts<D> f{d.target(s, i.dst), d.evaluate_base(s, i.base), d.evaluate(s, i.index), d.access(s, f.base, f.index),
                  d.fetch(s, f.access)};
  return f;
}
struct Fetching {
  static constexpr RuleId id = RuleId::LD;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Fetch<D>&, const FetchFacts<D>& f) {
    return operand(ask, f.target) && operand(ask, f.base) && operand(ask, f.index) && ask.threads(id, 3, f.access.undefined) &&
           ask.threads(RuleId::MM, 2, f.cell.uninitialised);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Fetch<D>& i, const FetchFacts<D>& f) {
    d.assign(s, i.dst, f.target, f.cell, s.active);
  }
};

template <class D>
struct PutFacts {
  typename D::Values base;
  typename D::Values index;
  typename D::Values value;
  typename D::Access access;  ///< the cell is met when it is written, after the value (docs/kernel-language.md)
};
template <class D>
[[gnu::always_inline]] inline PutFacts<D> facts(D& d, const State<D>& s, const Put<D>& i) {
  PutFacts<D> f{d.evaluate_base(s, i.base), d.evaluate(s, i.index), d.evaluate_second(s, i.value), d.access(s, f.base, f.index)};
  return f;
}
struct Putting {
  static constexpr RuleId id = RuleId::ST;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Put<D>&, const PutFacts<D>& f) {
    return operand(ask, f.base) && operand(ask, f.index) && operand(ask, f.value) && ask.threads(id, 4, f.access.undefined);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Put<D>&, const PutFacts<D>& f) {
    d.put(s, f.access, f.value);
  }
};

template <class D>
struct ChangeFacts {
  typename D::Values base;
  typename D::Values index;
  std::optional<typename D::Values> compare;
  typename D::Values value;
  typename D::Access access;
  typename D::Set missing;  ///< threads whose element has no number yet, where that is asked for
};
template <class D>
[[gnu::always_inline]] inline ChangeFacts<D> facts(D& d, const State<D>& s, const Change<D>& i) {
  ChangeFacts<D> f{d.evaluate_base(s, i.base), d.evaluate(s, i.index), std::nullopt, {}, {}, d.none()};
  if (i.compare) {
    f.compare = d.evaluate_third(s, *i.compare);
  }
  f.value = d.evaluate_second(s, i.value);
  f.access = d.access(s, f.base, f.index);
  if (i.asks_old()) {
    f.missing = d.missing(s, f.access);
  }
  return f;
}
/// AT. Threads that meet at an element change it one after the other, in the order of TL.
struct AT {
  static constexpr RuleId id = RuleId::AT;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Change<D>&, const ChangeFacts<D>& f) {
    const bool has_place = operand(ask, f.base) && operand(ask, f.index);
    return has_place && (!f.compare || operand(ask, *f.compare)) && operand(ask, f.value) && ask.threads(id, 2, f.access.undefined) &&
           ask.threads(id, 3, f.missing);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Change<D>& i, const ChangeFacts<D>& f) {
    const typename D::Values old = d.change(s, i.op, f.access, f.compare ? &*f.compare : nullptr, f.value);
    if (i.dst) {
      d.assign(s, *i.dst, old, s.active);
    }
  }
};

/// SVA: collectives whose mask is Θ.
template <class D>
struct ExchangeFacts {
  typename D::Values lane;
  typename D::Set in_mask;
  typename D::Set found;
  typename D::Values value;
};
template <class D>
[[gnu::always_inline]] inline ExchangeFacts<D> facts(D& d, const State<D>& s, const Exchange<D>& i) {
  ExchangeFacts<D> f{d.evaluate(s, i.lane), d.lanes_in(s, f.lane, s.active), d.none(), d.shuffle(s, i.source, f.lane, f.in_mask, f.found)};
  return f;
}
template <class D>
struct PollFacts {
  typename D::Values value;
};
template <class D>
[[gnu::always_inline]] inline PollFacts<D> facts(D& d, const State<D>& s, const Poll<D>& i) {
  return {d.evaluate(s, i.value)};
}
struct SVA {
  static constexpr RuleId id = RuleId::SVA;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Exchange<D>&, const ExchangeFacts<D>& f) {
    return operand(ask, f.lane);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Exchange<D>& i, const ExchangeFacts<D>& f) {
    d.assign(s, i.dst, f.value, f.found);
    d.assign_poison(s, i.dst, s.active - f.found);
  }
  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Poll<D>&, const PollFacts<D>& f) {
    return operand(ask, f.value) && ask.threads(id, 2, f.value.poison);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Poll<D>& i, const PollFacts<D>& f) {
    d.vote(s, i.vote, i.dst, f.value);
  }
};

template <class D>
struct EnterFacts {
  typename D::ArgumentValues arguments;  ///< its sets are those of the first argument that has any
};
template <class D>
[[gnu::always_inline]] inline EnterFacts<D> facts(D& d, const State<D>& s, const Enter<D>& i) {
  return {d.evaluate_arguments(s, i.arguments)};
}
struct CALL {
  static constexpr RuleId id = RuleId::CALL;

  template <class A, class D>
  static bool premises(A& ask, const D&, const State<D>&, const Enter<D>&, const EnterFacts<D>& f) {
    return operand(ask, f.arguments);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Enter<D>& i, const EnterFacts<D>& f) {
    d.push_frame(s, i.function, i.result, f.arguments);  // remembers Θ, |Λ| and the return pc
    s.frame_base = s.sync.size();                        // Π = []
    s.pc = d.entry(i.function);
  }
};

template <class D>
struct LeaveFacts {
  typename D::Values value;
};
template <class D>
[[gnu::always_inline]] inline LeaveFacts<D> facts(D& d, const State<D>& s, const Leave<D>& i) {
  if (i.has_value) {
    return {d.evaluate(s, i.value)};
  }
  return {};
}
/// The items that are given the result, those of the call, are those that are active at `ret`: Π is empty here, and a rule neither takes an
/// item from a frame nor adds one (theorems reconvergence.calls.typed). A function that leaves its caller's block, which no well-formed
/// program has, is another matter: |Λ| can be as at the call, and Θ not.
struct RET {
  static constexpr RuleId id = RuleId::RET;

  template <class A, class D>
  static bool premises(A& ask, const D& d, const State<D>& s, const Leave<D>&, const LeaveFacts<D>& f) {
    return ask(id, 2, d.truth(s.sync_empty())) && ask(id, 3, d.truth(d.contexts_as_at_call(s))) && ask(id, 4, d.truth(d.has_caller(s))) &&
           operand(ask, f.value);
  }
  template <class D>
  static void conclude(D& d, State<D>& s, const Leave<D>& i, const LeaveFacts<D>& f) {
    d.pop_frame(s, i.has_value ? &f.value : nullptr);  // restores Θ, Π's base and pc
  }
};

/// BR as one warp sees it; that it waits for the others of its group is the scheduler's part.
struct BR {
  static constexpr RuleId id = RuleId::BR;

  template <class A, class D>
  static bool premises(A&, const D&, const State<D>&, const Wait<D>&, const musimd::rules::NoFacts&) {
    return true;
  }
  template <class D>
  static void conclude(D&, State<D>& s, const Wait<D>&, const musimd::rules::NoFacts&) {
    s.pc = s.pc + 1;
  }
};

}  // namespace rules

using rules::facts;

template <class D>
musimd::RuleList<rules::Assigning<RuleId::CT>, rules::Assigning<RuleId::AS>, rules::Assigning<RuleId::BP>> candidates(const Move<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::Dropping> candidates(const Drop<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::Fetching> candidates(const Fetch<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::Putting> candidates(const Put<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::AT> candidates(const Change<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::SVA> candidates(const Exchange<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::SVA> candidates(const Poll<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::CALL> candidates(const Enter<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::RET> candidates(const Leave<D>&) {
  return {};
}
template <class D>
musimd::RuleList<rules::BR> candidates(const Wait<D>&) {
  return {};
}

}  // namespace lockstep::typed

namespace lockstep::musimd {

// These are under IT, as the data instructions of μ-SIMD are.
template <class D>
inline constexpr bool is_control_flow<typed::Move<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Drop<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Fetch<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Put<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Change<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Exchange<D>> = false;
template <class D>
inline constexpr bool is_control_flow<typed::Poll<D>> = false;

}  // namespace lockstep::musimd
