#pragma once
// The machine state (CREV paper, Fig. 2) and the instructions as the rules see them, over a state domain D.
//
// A state domain says what a thread set, a label and a lane of values are, so that one text of the rules serves the
// interpreter (arrays and bit sets: interpreter/machine/concrete.hpp) and the prover (Z3 terms: semantics/prove). It has
//   types    Bool, Set (with |, &, -), Label, Bank (β), Cells (Σ), Operand (an expression, ready to be evaluated),
//            Destination (a variable), Source (a variable or tid), Values (an operand's value in every thread of Θ)
//   decide(b)          the truth of a Bool; the prover follows both answers
//   empty(set), none() and all()                           Θall is all()
//   zeros(values)      the threads of Θ whose value is 0
//   printed(e)         whether erratum e is switched back to the printed reading
// and the operations that the rules below name; Values has the sets `uninitialised` (threads that read an uninitialised
// variable), `zero_divisor` and `poison`, all within Θ.

#include <cstddef>
#include <vector>

#include "semantics/musimd/rule_table.hpp"

namespace lockstep::musimd {

/// An entry of Π: the branch that pushed it, the threads that have reached the sync, where and for whom to resume.
template <class D>
struct SyncEntry {
  typename D::Label branch_pc;
  typename D::Set done;
  typename D::Label resume_at;
  typename D::Set todo;
};

/// An entry of Λ: Θ before the everywhere block; its Π is the part of State::sync from `sync_base` up to the next frame's.
template <class D>
struct ContextFrame {
  typename D::Set mask;
  std::size_t sync_base = 0;
};

/// (Θ, β, Σ, Π, Λ, pc); P is fixed and stands elsewhere. The Π of all frames lie in one vector, the present one from
/// `frame_base` on, so that entering a block moves nothing.
template <class D>
struct State {
  typename D::Set active;
  typename D::Bank bank;
  typename D::Cells shared;
  std::vector<SyncEntry<D>> sync;
  std::vector<ContextFrame<D>> context;
  std::size_t frame_base = 0;
  typename D::Label pc;

  bool sync_empty() const { return sync.size() == frame_base; }
};

template <class D>
struct Bz {
  typename D::Operand condition;
  typename D::Label target;
};
template <class D>
struct Jmp {
  typename D::Label target;
};
template <class D>
struct JmpMask {
  typename D::Operand thread;
  typename D::Label target;
};
/// `v = e`; the operand's shape decides between CT, AS and BP.
template <class D>
struct Assignment {
  typename D::Destination dst;
  typename D::Operand value;
};
template <class D>
struct Ld {
  typename D::Destination dst;
  typename D::Operand address;
};
template <class D>
struct St {
  typename D::Operand address;
  typename D::Operand value;
};
template <class D>
struct Shfl {
  typename D::Destination dst;
  typename D::Source source;
  typename D::Operand lane;
};
template <class D>
struct SyncPoint {};
template <class D>
struct Halt {};
template <class D>
struct EnterBlock {};
template <class D>
struct LeaveBlock {};

/// The rule of Fig. 4 that a step took and, under IT, the rule of Fig. 5 at the root of its derivation (else the same).
struct Fired {
  RuleId rule = RuleId::SP;
  RuleId root = RuleId::SP;

  bool operator==(const Fired&) const = default;
};

}  // namespace lockstep::musimd
