#pragma once
// The instructions of typed programs as the rules see them, over the typed domain of the prover.

#include <variant>

#include "semantics/prove/typed_domain.hpp"
#include "semantics/typed/program.hpp"
#include "semantics/typed/rules.hpp"

namespace lockstep::prove {

using TypedInstruction =
    std::variant<musimd::Bz<TypedSymbolic>, musimd::Jmp<TypedSymbolic>, musimd::JmpMask<TypedSymbolic>, musimd::SyncPoint<TypedSymbolic>,
                 musimd::Halt<TypedSymbolic>, musimd::EnterBlock<TypedSymbolic>, musimd::LeaveBlock<TypedSymbolic>,
                 musimd::Shfl<TypedSymbolic>, typed::Move<TypedSymbolic>, typed::Drop<TypedSymbolic>, typed::Fetch<TypedSymbolic>,
                 typed::Put<TypedSymbolic>, typed::Change<TypedSymbolic>, typed::Exchange<TypedSymbolic>, typed::Poll<TypedSymbolic>,
                 typed::Enter<TypedSymbolic>, typed::Leave<TypedSymbolic>, typed::Wait<TypedSymbolic>>;

/// It points into `instruction`.
TypedInstruction translate(const typed::Instruction& instruction);

}  // namespace lockstep::prove
