// What is asked only where an operand may have no number. Apart from what each operation asks (concrete.cpp): inlined there it takes a
// fifth of the speed of machines with few threads.

#include "interpreter/machine/concrete.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep {

using musimd::VarId;

void Concrete::note_missing(Scratch& scratch, std::size_t slot, const State& s, VarId id, Values& result) {
  const auto active = s.active.words();
  const auto numbers = s.bank.numbers(id);
  const auto poison = s.bank.poison(id);
  if (result.uninitialised.empty()) {
    scratch.uninitialised = none();
  }
  for (std::size_t w = 0; w < active.size(); ++w) {
    scratch.uninitialised.words()[w] |= active[w] & ~numbers[w] & ~poison[w];
    scratch.poison[slot].words()[w] = active[w] & poison[w];
  }
  result.uninitialised = RareSet(scratch.uninitialised);
  stack_[slot].poison = RareSet(scratch.poison[slot]);
}

void Concrete::check_divisor(Scratch& scratch, const State& s, const Waiting& divisor, Values& result) {
  LaneSet zero = none();
  kernels_->equal_to(zero.words().data(), divisor.lanes, 0, lanes_);
  zero = (zero & s.active) - divisor.poison;
  if (!zero.empty()) {
    scratch.zero_divisor = result.zero_divisor.empty() ? zero : scratch.zero_divisor | zero;
    result.zero_divisor = RareSet(scratch.zero_divisor);
  }
}

Concrete::RareSet Concrete::combined_poison(Scratch& scratch, std::size_t slot, const Node& node) {
  const Waiting* operands = &stack_[slot];
  LaneSet poison = operands[0].poison;
  if (node.op == Op::Select) {  // the arm that is not chosen does not count
    LaneSet zero = none();
    kernels_->equal_to(zero.words().data(), operands[0].lanes, 0, lanes_);
    poison = ops::poison_of_choice<LaneSet>(poison, all() - zero, operands[1].poison, operands[2].poison);
  } else if (node.arity > 1) {
    poison = ops::poison_of<LaneSet, LaneSet>(poison, operands[1].poison);
  }
  scratch.poison[slot] = poison | none();  // of full width
  return RareSet(scratch.poison[slot]);
}

}  // namespace lockstep
