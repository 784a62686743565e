#include "interpreter/launch/fragments.hpp"

namespace lockstep::launch {

bool same_calls(const Bank& a, const Bank& b, std::size_t depth) {
  for (std::size_t k = 0; k < depth; ++k) {
    if (a.calls()[k].frame != b.calls()[k].frame) {
      return false;
    }
  }
  return true;
}

bool behind(const Fragment& a, const Fragment& b) {
  const auto& x = a.state.bank.calls();
  const auto& y = b.state.bank.calls();
  const std::size_t common = std::min(x.size(), y.size());
  for (std::size_t k = 0; k < common; ++k) {
    if (x[k].frame != y[k].frame) {
      return x[k].return_pc < y[k].return_pc;
    }
  }
  const typed::Label at_a = x.size() > common ? x[common].return_pc - 1 : a.state.pc;
  const typed::Label at_b = y.size() > common ? y[common].return_pc - 1 : b.state.pc;
  return at_a != at_b ? at_a < at_b : x.size() > y.size();
}

bool same_place(const Pirch::State& a, const Pirch::State& b) {
  const auto same_return = [](const CallRecord& x, const CallRecord& y) { return x.return_pc == y.return_pc; };
  return a.pc == b.pc && std::ranges::equal(a.bank.calls(), b.bank.calls(), same_return);
}

bool same_shape(const Fragment& a, const Fragment& b) {
  const Pirch::State& x = a.state;
  const Pirch::State& y = b.state;
  if (x.pc != y.pc || x.bank.depth() != y.bank.depth() || x.sync.size() != y.sync.size() || x.context.size() != y.context.size() ||
      x.frame_base != y.frame_base || !same_calls(x.bank, y.bank, x.bank.depth())) {
    return false;
  }
  for (std::size_t k = 0; k < x.sync.size(); ++k) {
    if (x.sync[k].branch_pc != y.sync[k].branch_pc || x.sync[k].resume_at != y.sync[k].resume_at) {
      return false;
    }
  }
  for (std::size_t k = 0; k < x.context.size(); ++k) {
    if (x.context[k].sync_base != y.context[k].sync_base) {
      return false;
    }
  }
  return true;
}

std::size_t set_count(const Fragment& f) { return 2 + 2 * f.state.sync.size() + f.state.context.size() + f.state.bank.depth(); }

void unite(Pirch::State& a, const Pirch::State& b) {
  a.active |= b.active;
  for (std::size_t k = 0; k < a.sync.size(); ++k) {
    a.sync[k].done |= b.sync[k].done;
    a.sync[k].todo |= b.sync[k].todo;
  }
  for (std::size_t k = 0; k < a.context.size(); ++k) {
    a.context[k].mask |= b.context[k].mask;
  }
  for (std::size_t k = 0; k < a.bank.depth(); ++k) {
    a.bank.active_at_call(k) |= b.bank.calls()[k].active;
  }
}

}  // namespace lockstep::launch
