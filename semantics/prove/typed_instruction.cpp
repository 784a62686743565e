#include "semantics/prove/typed_instruction.hpp"

namespace lockstep::prove {

namespace {

using D = TypedSymbolic;

struct Translate {
  TypedInstruction operator()(const typed::BranchZero& i) const { return musimd::Bz<D>{&i.condition, i.target}; }
  TypedInstruction operator()(const typed::Jump& i) const { return musimd::Jmp<D>{i.target}; }
  TypedInstruction operator()(const typed::JumpMask& i) const { return musimd::JmpMask<D>{&i.thread, i.target}; }
  TypedInstruction operator()(const typed::Assign& i) const { return typed::Move<D>{&i.place, &i.value}; }
  TypedInstruction operator()(const typed::Forget& i) const { return typed::Drop<D>{i.id}; }
  TypedInstruction operator()(const typed::Load& i) const { return typed::Fetch<D>{&i.place, &i.base, &i.index}; }
  TypedInstruction operator()(const typed::Store& i) const { return typed::Put<D>{&i.base, &i.index, &i.value}; }
  TypedInstruction operator()(const typed::Atomic& i) const {
    typed::Change<D> change{i.op, i.dst, &i.base, &i.index, std::nullopt, &i.value};
    if (i.compare) {
      change.compare = &*i.compare;
    }
    return change;
  }
  TypedInstruction operator()(const typed::Shuffle& i) const {
    return i.active ? TypedInstruction(typed::Exchange<D>{i.dst, i.source, &i.lane}) : musimd::Shfl<D>{i.dst, i.source, &i.lane};
  }
  TypedInstruction operator()(const typed::Vote& i) const { return typed::Poll<D>{i.kind, i.dst, &i.value}; }
  TypedInstruction operator()(const typed::Call& i) const {
    typed::Enter<D> enter{i.function, {}, i.result};
    for (const typed::Expr& argument : i.arguments) {
      enter.arguments.push_back(&argument);
    }
    return enter;
  }
  TypedInstruction operator()(const typed::Return& i) const { return i.value ? typed::Leave<D>{true, &*i.value} : typed::Leave<D>{}; }
  TypedInstruction operator()(const typed::Sync&) const { return musimd::SyncPoint<D>{}; }
  TypedInstruction operator()(const typed::Stop&) const { return musimd::Halt<D>{}; }
  TypedInstruction operator()(const typed::Everywhere&) const { return musimd::EnterBlock<D>{}; }
  TypedInstruction operator()(const typed::EndEverywhere&) const { return musimd::LeaveBlock<D>{}; }
  TypedInstruction operator()(const typed::Barrier&) const { return typed::Wait<D>{}; }
};

}  // namespace

TypedInstruction translate(const typed::Instruction& instruction) { return std::visit(Translate{}, instruction); }

}  // namespace lockstep::prove
