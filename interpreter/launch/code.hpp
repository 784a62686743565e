#pragma once
// A typed program made ready for one pack: operands with their kernels and constants, instructions as the rules see them.

#include <variant>
#include <vector>

#include "interpreter/launch/domain.hpp"
#include "semantics/typed/rules.hpp"

namespace lockstep::launch {

using Instruction = std::variant<musimd::Bz<Pirch>, musimd::Jmp<Pirch>, musimd::JmpMask<Pirch>, musimd::SyncPoint<Pirch>,
                                 musimd::Halt<Pirch>, musimd::EnterBlock<Pirch>, musimd::LeaveBlock<Pirch>, musimd::Shfl<Pirch>,
                                 typed::Move<Pirch>, typed::Drop<Pirch>, typed::Fetch<Pirch>, typed::Put<Pirch>, typed::Change<Pirch>,
                                 typed::Exchange<Pirch>, typed::Poll<Pirch>, typed::Enter<Pirch>, typed::Leave<Pirch>, typed::Wait<Pirch>>;

/// The instructions of `program` for `domain`, which keeps the constants. The program must outlive both.
std::vector<Instruction> load(const typed::Program& program, Pirch& domain);

}  // namespace lockstep::launch
