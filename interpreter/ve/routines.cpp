// The library functions that clang calls of its own accord.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "interpreter/ve/machine.hpp"
#include "semantics/ve/operations.hpp"

namespace lockstep::ve_machine {

using ve::F32;
using ve::F64;

namespace {

// Of the ABI: where things lie in a call.
constexpr unsigned link = 10;
constexpr unsigned stack_pointer = 11;

constexpr std::array<std::string_view, routine_count> names = {"",       "fma",     "fmaf",   "sqrt",           "sqrtf",
                                                               "memcpy", "memmove", "memset", "__ve_grow_stack"};

/// Registers that a call may change, but %s0: the ABI's, whatever the function here does.
void forget_registers(Machine& machine) {
  for (unsigned k = 1; k < ve::scalar_registers; ++k) {
    const bool kept = (k >= 8 && k <= 11) || (k >= 14 && k <= 33);
    if (!kept) {
      machine.state.scalars[k] = Word{};
    }
  }
  for (Vector& vector : machine.state.vectors) {
    vector.undefined = all_lanes;
  }
  for (Mask& mask : machine.state.masks) {
    mask.undefined = all_lanes;
  }
  machine.state.masks[0] = {all_lanes, Lanes{}};
  machine.state.length = Word{};
}

/// The first `count` arguments; false after a fault.
bool are_defined(Machine& machine, Routine routine, unsigned count, std::uint64_t bits) {
  for (unsigned k = 0; k < count; ++k) {
    if ((machine.state.scalars[k].undefined & bits) != 0) {
      return machine.fail(FaultKind::UndefinedPassed,
                          fmt::format("argument {} of {} depends on what was never written", k, name_of(routine)));
    }
  }
  return true;
}

/// A result that is undefined where an argument is.
template <class F, class Function>
void compute(Machine& machine, unsigned count, Function function) {
  const auto& s = machine.state.scalars;
  std::uint64_t undefined = 0;
  for (unsigned k = 0; k < count; ++k) {
    undefined |= s[k].undefined & F::mask;
  }
  const auto value = function(F::get(s[0].bits), F::get(s[1].bits), F::get(s[2].bits));
  machine.state.scalars[0] = {F::put(ve::finished(value)), undefined == 0 ? 0 : ~std::uint64_t{0}};
}

/// memcpy, memmove, memset. Byte by byte, so that what is undefined stays it.
bool move_bytes(Machine& machine, Routine routine) {
  const bool sets = routine == Routine::MemorySet;
  const std::array<Word, 3> given = {machine.state.scalars[0], machine.state.scalars[1], machine.state.scalars[2]};
  if (!are_defined(machine, routine, 1, ~std::uint64_t{0}) || (!sets && !are_defined(machine, routine, 2, ~std::uint64_t{0}))) {
    return false;
  }
  if (given[2].undefined != 0) {
    return machine.fail(FaultKind::UndefinedPassed, fmt::format("argument 2 of {} depends on what was never written", name_of(routine)));
  }
  const std::uint64_t count = given[2].bits;
  // Both ends are looked at first: nothing changes where one is wrong, and no more bytes are held than an object has.
  for (const bool writes : {true, false}) {
    for (const std::uint64_t at : {std::uint64_t{0}, count - 1}) {
      if (count != 0 && (writes || !sets) &&
          machine.locate(defined((writes ? given[0] : given[1]).bits + at), 1, 1, writes).object == nullptr) {
        return false;
      }
    }
  }
  if (count >= static_cast<std::uint64_t>(memory::offset_limit)) {
    return machine.fail(FaultKind::OutOfBounds, fmt::format("no object has the {} bytes that {} is asked for", count, name_of(routine)));
  }
  std::vector<Word> bytes(count, given[1]);
  for (std::uint64_t k = 0; k < count && !sets; ++k) {
    const auto [object, offset] = machine.locate(defined(given[1].bits + k), 1, 1, false);
    bytes[k] = read(*object, offset, 1);
  }
  MemoryObject& target = *machine.memory.object_at(given[0].bits);
  for (const Word& byte : bytes) {
    if (!machine.may_store(target, byte, 1)) {
      return false;
    }
  }
  const auto begin = static_cast<std::uint64_t>(memory::offset_of(given[0].bits));
  for (std::uint64_t k = 0; k < count; ++k) {
    write(target, begin + k, 1, bytes[k]);
  }
  machine.counters.bytes_read += sets ? 0 : count;
  machine.counters.bytes_written += count;
  return true;
}

/// Room on the stack for as many bytes as %s0 says; it changes no register but the stack pointer.
bool grow_stack(Machine& machine) {
  if (!are_defined(machine, Routine::GrowStack, 1, ~std::uint64_t{0})) {
    return false;
  }
  Word& top = machine.state.scalars[stack_pointer];
  const std::uint64_t bytes = machine.state.scalars[0].bits;
  const std::uint64_t limit = machine.state.scalars[8].bits;
  if (top.bits < limit || top.bits - limit < bytes) {
    return machine.fail(FaultKind::StackLimit, "the stack is used up (--frame-memory)");
  }
  top.bits = (top.bits - bytes) & ~std::uint64_t{15};
  return true;
}

bool execute(Machine& machine, Routine routine) {
  switch (routine) {
    case Routine::Return:
      machine.halted = true;
      return true;
    case Routine::Fma:
      compute<F64>(machine, 3, [](double a, double b, double c) { return std::fma(a, b, c); });
      break;
    case Routine::FmaFloat:
      compute<F32>(machine, 3, [](float a, float b, float c) { return std::fma(a, b, c); });
      break;
    case Routine::SquareRoot:
      compute<F64>(machine, 1, [](double a, double, double) { return std::sqrt(a); });
      break;
    case Routine::SquareRootFloat:
      compute<F32>(machine, 1, [](float a, float, float) { return std::sqrt(a); });
      break;
    case Routine::MemoryCopy:
    case Routine::MemoryMove:
    case Routine::MemorySet:
      if (!move_bytes(machine, routine)) {
        return false;
      }
      break;
    case Routine::GrowStack:
      return grow_stack(machine);
  }
  forget_registers(machine);
  return true;
}

}  // namespace

std::string_view name_of(Routine routine) { return names.at(static_cast<std::size_t>(routine)); }

bool Machine::call_routine(Routine routine) {
  if (!execute(*this, routine)) {
    return false;
  }
  if (halted) {
    return true;
  }
  const Word back = state.scalars[link];
  const bool returns = memory::object_of(back.bits) == routines && memory::offset_of(back.bits) == 0;
  if (back.undefined == 0 && memory::object_of(back.bits) == routines && !returns) {
    return fail(FaultKind::BadJump, "a library function would return into another one");
  }
  return jump(back);
}

}  // namespace lockstep::ve_machine
