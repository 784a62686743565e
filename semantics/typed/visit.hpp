#pragma once
// Walking over the parts of typed instructions.

#include <optional>
#include <type_traits>
#include <variant>

#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// Calls visit(expression) for every expression of an instruction, in the order of evaluation.
template <class Visit>
void for_each_expression(const Instruction& instruction, Visit visit) {
  const auto if_any = [&](const std::optional<Expr>& expression) {
    if (expression) {
      visit(*expression);
    }
  };
  const auto visit_instruction = [&]<class I>(const I& i) {
    if constexpr (std::is_same_v<I, BranchZero>) {
      visit(i.condition);
    } else if constexpr (std::is_same_v<I, JumpMask>) {
      visit(i.thread);
    } else if constexpr (std::is_same_v<I, Assign>) {
      if_any(i.place.index);
      visit(i.value);
    } else if constexpr (std::is_same_v<I, Load>) {
      if_any(i.place.index);
      visit(i.base);
      visit(i.index);
    } else if constexpr (std::is_same_v<I, Store>) {
      visit(i.base);
      visit(i.index);
      visit(i.value);
    } else if constexpr (std::is_same_v<I, Atomic>) {
      visit(i.base);
      visit(i.index);
      if_any(i.compare);
      visit(i.value);
    } else if constexpr (std::is_same_v<I, Shuffle>) {
      visit(i.lane);
    } else if constexpr (std::is_same_v<I, Vote>) {
      visit(i.value);
    } else if constexpr (std::is_same_v<I, Call>) {
      for (const Expr& argument : i.arguments) {
        visit(argument);
      }
    } else if constexpr (std::is_same_v<I, Return>) {
      if_any(i.value);
    }
  };
  std::visit(visit_instruction, instruction);
}

/// The register that an instruction writes, and whether it becomes new as a whole (no other element keeps its value).
struct Written {
  RegisterId id = 0;
  bool whole = true;
};

/// Nothing for instructions that write no register.
inline std::optional<Written> written_by(const Instruction& instruction) {
  if (const auto* assign = std::get_if<Assign>(&instruction)) {
    return Written{assign->place.id, !assign->place.index};
  }
  if (const auto* load = std::get_if<Load>(&instruction)) {
    return Written{load->place.id, !load->place.index};
  }
  if (const auto* forget = std::get_if<Forget>(&instruction)) {
    return Written{forget->id, true};
  }
  if (const auto* atomic = std::get_if<Atomic>(&instruction)) {
    return atomic->dst ? std::optional(Written{*atomic->dst, true}) : std::nullopt;
  }
  if (const auto* shuffle = std::get_if<Shuffle>(&instruction)) {
    return Written{shuffle->dst, true};
  }
  if (const auto* vote = std::get_if<Vote>(&instruction)) {
    return Written{vote->dst, true};
  }
  const auto* call = std::get_if<Call>(&instruction);
  return call != nullptr && call->result ? std::optional(Written{*call->result, true}) : std::nullopt;
}

/// The pointer to what an instruction changes in memory; null if it is none that does.
inline const Expr* stored_base(const Instruction& instruction) {
  if (const auto* atomic = std::get_if<Atomic>(&instruction)) {
    return &atomic->base;
  }
  const auto* store = std::get_if<Store>(&instruction);
  return store != nullptr ? &store->base : nullptr;
}

/// How atomic instructions of a program depend on which item comes first.
enum class AtomicOrder : std::uint8_t {
  None,     ///< there are none
  Free,     ///< what memory holds in the end is the same in every order, and nobody looks before
  Matters,  ///< somebody asks for what was there before, or changes do not commute
};
/// Buffers that are different arguments are taken for different memory, as everywhere in the semantics.
AtomicOrder atomic_order(const Program& program);

/// The register that a node names, if it does.
inline std::optional<RegisterId> register_of(const ExprNode& node) {
  if (const auto* single = std::get_if<Register>(&node.node)) {
    return single->id;
  }
  if (const auto* element = std::get_if<Element>(&node.node)) {
    return element->array;
  }
  const auto* address = std::get_if<RegisterAddress>(&node.node);
  return address != nullptr ? std::optional(address->array) : std::nullopt;
}

}  // namespace lockstep::typed
