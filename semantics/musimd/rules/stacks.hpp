#pragma once
// push of Fig. 3 on the present frame's Π.

#include "semantics/musimd/state.hpp"

namespace lockstep::musimd {

/// Whether Fig. 3's push has a clause for this state as it is printed: every clause wants the top entry's done set empty
/// (erratum E2). The reference push is defined everywhere.
template <class D>
typename D::Bool push_defined_as_printed(const D& d, const State<D>& s) {
  return s.sync_empty() ? typename D::Bool(d.truth(true)) : d.empty(s.sync.back().done);
}

/// push(T, at, l): the top entry's todo grows if it is this branch's, whatever its done set is (E2); else a new entry.
template <class D>
void push(D& d, State<D>& s, const typename D::Set& todo, const typename D::Label& at, const typename D::Label& resume) {
  const bool merges = !s.sync_empty() && d.decide(s.sync.back().branch_pc == at);
  if (merges) {
    SyncEntry<D>& top = s.sync.back();
    top.todo = top.todo | todo;
    return;
  }
  s.sync.push_back({at, d.none(), resume, todo});
}

}  // namespace lockstep::musimd
