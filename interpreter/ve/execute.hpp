#pragma once
// Scalar and vector instructions from the functions that their rows name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "interpreter/ve/machine.hpp"
#include "semantics/ve/fields.hpp"
#include "semantics/ve/operations.hpp"

namespace lockstep::ve_machine {

/// F of words, which are as many as it takes.
template <class F, std::size_t count>
std::uint64_t apply([[maybe_unused]] const ve::Instruction& instruction, const std::array<std::uint64_t, count>& words) {
  return std::apply(
      [&](auto... w) {
        if constexpr (F::rounded) {
          return F::value(static_cast<ve::RoundingMode>(instruction.condition), w...);
        } else {
          return F::value(w...);
        }
      },
      words);
}

/// Whether the architecture leaves the result open.
template <class F, std::size_t count>
bool is_open([[maybe_unused]] const ve::Instruction& instruction, [[maybe_unused]] const std::array<std::uint64_t, count>& words) {
  if constexpr (F::may_open) {
    return std::apply([&](auto... w) { return F::open(static_cast<ve::RoundingMode>(instruction.condition), w...); }, words);
  }
  return false;
}

/// Whether there is no result.
template <class F, std::size_t count>
bool has_none([[maybe_unused]] const std::array<std::uint64_t, count>& words) {
  if constexpr (F::may_fail) {
    return std::apply([&](auto... w) { return F::fails(w...); }, words);
  }
  return false;
}

template <class F>
bool execute_scalar(Machine& machine, const ve::Instruction& instruction) {
  std::array<std::uint64_t, F::count> bits{};
  std::array<std::uint64_t, F::count> undefined{};
  bool unknown = false;
  for (std::size_t k = 0; k < F::count; ++k) {
    const Word word = machine.read(instruction.sources[k]);
    bits[k] = word.bits;
    undefined[k] = word.undefined;
    unknown = unknown || (word.undefined & F::reads[k]) != 0;
  }
  Word result = defined(0);
  if constexpr (F::bitwise) {
    result.undefined = F::Function::undefined(bits, undefined);
  } else {
    result.undefined = unknown || is_open<F>(instruction, bits) ? ~std::uint64_t{0} : 0;
  }
  if (has_none<F>(bits)) {
    return machine.fail(FaultKind::DivisionByZero, unknown ? "the divisor depends on what was never written" : "division by zero");
  }
  result.bits = apply<F>(instruction, bits);
  machine.write(instruction.result, result);
  return true;
}

/// An operand of a vector instruction: the elements of a register, or one number in each.
struct Elements {
  const std::uint64_t* data = nullptr;
  Lanes undefined{};
  alignas(64) std::array<std::uint64_t, ve::max_length> copies;  // NOLINT(cppcoreguidelines-pro-type-member-init): written where needed

  void set(const Machine& machine, const ve::Operand& operand, unsigned length) {
    if (operand.kind == ve::Operand::Kind::Vector) {
      const Vector& vector = machine.state.vectors[operand.number];
      data = vector.elements.data();
      undefined = vector.undefined;
      return;
    }
    const Word word = machine.read(operand);
    for (unsigned i = 0; i < length; ++i) {
      copies[i] = word.bits;
    }
    data = copies.data();
    undefined = word.undefined == 0 ? Lanes{} : all_lanes;
  }
};

/// What of an instruction's result is undefined: where it is written, what `made` says; elsewhere, what was before.
void set_undefined(Vector& result, const Machine::Active& active, const Lanes& made);

/// Whether a mask that says what is accessed, or where elements go, is known; false after a fault.
bool is_known(Machine& machine, const Machine::Active& active);

/// The bits of element i that are written.
inline std::uint64_t written_bits(const Machine::Active& active, unsigned i) {
  return (has(active.upper, i) ? 0xffffffff00000000U : 0U) | (has(active.lower, i) ? 0xffffffffU : 0U);
}

template <class F>
bool execute_vector(Machine& machine, const ve::Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  std::array<Elements, F::count> sources;
  Lanes undefined = active->undefined;
  for (std::size_t k = 0; k < F::count; ++k) {
    sources[k].set(machine, instruction.sources[k], active->length);
    undefined = each_word([](std::uint64_t a, std::uint64_t b) { return a | b; }, undefined, sources[k].undefined);
  }
  const auto words = [&sources](unsigned i) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return std::array<std::uint64_t, F::count>{sources[k].data[i]...};
    }(std::make_index_sequence<F::count>{});
  };
  if constexpr (F::may_fail || F::may_open) {
    for (unsigned i = 0; i < active->length; ++i) {
      if (written_bits(*active, i) == 0) {
        continue;
      }
      if (has_none<F>(words(i))) {
        return machine.fail(FaultKind::DivisionByZero,
                            has(undefined, i) ? "the divisor depends on what was never written (element " + std::to_string(i) + ")"
                                              : "division by zero (element " + std::to_string(i) + ")");
      }
      if (is_open<F>(instruction, words(i))) {
        add(undefined, i);
      }
    }
  }
  Vector& result = machine.state.vectors[instruction.result.number];
  std::uint64_t* const to = result.elements.data();
  if (active->all) {
    for (unsigned i = 0; i < active->length; ++i) {
      to[i] = apply<F>(instruction, words(i));
    }
  } else {
    for (unsigned i = 0; i < active->length; ++i) {
      const std::uint64_t written = written_bits(*active, i);
      if (written != 0) {
        to[i] = (apply<F>(instruction, words(i)) & written) | (to[i] & ~written);
      }
    }
  }
  set_undefined(result, *active, undefined);
  if constexpr (F::approximate) {
    machine.counters.approximations += active->length;
  }
  return true;
}

/// F from element to element, in ascending order; of no element, an undefined result.
template <class F>
bool execute_reduce(Machine& machine, const ve::Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  const Vector& source = machine.state.vectors[instruction.sources[0].number];
  Word result;
  bool some = false;
  for (unsigned i = 0; i < active->length; ++i) {
    if (has(active->undefined, i) || (has(active->upper, i) && has(source.undefined, i))) {
      result.undefined = ~std::uint64_t{0};
      some = true;
      break;
    }
    if (has(active->upper, i)) {
      // 32 bits of the first element are extended as well.
      result = defined(some ? F::value(result.bits, source.elements[i]) : F::alone(source.elements[i]));
      some = true;
    }
  }
  if (active->length != 0) {
    Vector& to = machine.state.vectors[instruction.result.number];
    to.elements[0] = result.bits;
    remove(to.undefined, 0);
    if (result.undefined != 0) {
      add(to.undefined, 0);
    }
  }
  return true;
}

/// F on the words of masks.
template <class F>
bool execute_mask(Machine& machine, const ve::Instruction& instruction) {
  Mask made;
  for (std::size_t word = 0; word < made.elements.size(); ++word) {
    std::array<std::uint64_t, F::count> bits{};
    std::array<std::uint64_t, F::count> undefined{};
    for (std::size_t k = 0; k < F::count; ++k) {
      const Mask& source = machine.state.masks[instruction.sources[k].number];
      bits[k] = source.elements[word];
      undefined[k] = source.undefined[word];
    }
    made.elements[word] = apply<F>(instruction, bits);
    made.undefined[word] = F::Function::undefined(bits, undefined);
  }
  machine.write_mask(instruction.result, made);
  return true;
}

/// The elements below the length whose field compares with 0 as the condition says; under a mask, of those that it has.
template <class F>
bool execute_form_mask(Machine& machine, const ve::Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  const Vector& source = machine.state.vectors[instruction.sources[0].number];
  Mask made = machine.state.masks[instruction.result.number];
  const auto condition = static_cast<ve::Condition>(instruction.condition);
  for (unsigned i = 0; i < active->length; ++i) {
    remove(made.elements, i);
    remove(made.undefined, i);
    if (has(active->undefined, i) || (has(active->upper, i) && has(source.undefined, i))) {
      add(made.undefined, i);
    } else if (has(active->upper, i) && ve::holds(condition, F::get(source.elements[i]), typename F::Number{})) {
      add(made.elements, i);
    }
  }
  machine.write_mask(instruction.result, made);
  return true;
}

}  // namespace lockstep::ve_machine
