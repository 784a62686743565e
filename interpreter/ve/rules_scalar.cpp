// Addresses, scalar memory, control.

#include <bit>

#include "interpreter/ve/parts.hpp"
#include "interpreter/ve/rules.hpp"

namespace lockstep::ve_machine {

using ve::Instruction;
using ve::Part;

namespace {

Part part_of(const Instruction& instruction) { return ve::info(instruction.row).part; }

/// The sum, all of it undefined where something of a part is.
Word sum(const Word& a, const Word& b) { return {a.bits + b.bits, (a.undefined | b.undefined) == 0 ? 0 : ~std::uint64_t{0}}; }

Word address(const Machine& machine, const Instruction& instruction, std::size_t parts) {
  Word made = defined(0);
  for (std::size_t k = 0; k < parts; ++k) {
    made = sum(made, machine.read(instruction.sources[k]));
  }
  return made;
}

template <class F>
bool compares(ve::Condition condition, std::uint64_t a, std::uint64_t b) {
  return ve::holds(condition, F::get(a), F::get(b));
}

/// Whether two numbers compare as the instruction's condition says; none after a fault.
std::optional<bool> decide(Machine& machine, const Instruction& instruction, const Word& a, const Word& b) {
  const auto condition = static_cast<ve::Condition>(instruction.condition);
  const auto ask = [&]<class F>(F) -> std::optional<bool> {
    if (((a.undefined | b.undefined) & F::mask) != 0) {
      machine.fail(FaultKind::UndefinedCondition, "the condition depends on what was never written");
      return std::nullopt;
    }
    return compares<F>(condition, a.bits, b.bits);
  };
  switch (part_of(instruction)) {
    case Part::Signed4:
      return ask(ve::I32{});
    case Part::Float8:
      return ask(ve::F64{});
    case Part::Upper4:
      return ask(ve::F32{});
    default:
      return ask(ve::I64{});
  }
}

}  // namespace

Word accessed_address(const Machine& machine, const Instruction& instruction) {
  const ve::Kind kind = ve::info(instruction.row).kind;
  return address(machine, instruction, kind == ve::Kind::Load || kind == ve::Kind::Store ? 3 : 2);
}

bool load_address(Machine& machine, const Instruction& instruction) {
  machine.write(instruction.result, address(machine, instruction, 3));
  return true;
}

bool load_address_high(Machine& machine, const Instruction& instruction) {
  Word made = address(machine, instruction, 2);
  made.bits += machine.read(instruction.sources[2]).bits << 32U;
  machine.write(instruction.result, made);
  return true;
}

bool conditional_move(Machine& machine, const Instruction& instruction) {
  // An undefined condition makes the result undefined: what is decided by it may never be looked at.
  const Word condition = machine.read(instruction.sources[0]);
  const std::uint64_t read = part_of(instruction) == Part::Signed4  ? ve::I32::mask
                             : part_of(instruction) == Part::Upper4 ? ve::F32::mask
                                                                    : ve::U64::mask;
  if ((condition.undefined & read) != 0) {
    machine.write(instruction.result, Word{});
    return true;
  }
  const auto taken = decide(machine, instruction, condition, defined(0));
  if (taken.value_or(false)) {
    machine.write(instruction.result, machine.read(instruction.sources[1]));
  }
  return taken.has_value();
}

bool load(Machine& machine, const Instruction& instruction) {
  const Part part = part_of(instruction);
  const unsigned bytes = ve::bytes_of(part);
  const auto [object, offset] = machine.locate(accessed_address(machine, instruction), bytes, 1, false);
  if (object == nullptr) {
    return false;
  }
  machine.counters.bytes_read += bytes;
  machine.write(instruction.result, widened(part, read(*object, offset, bytes)));
  return true;
}

bool store(Machine& machine, const Instruction& instruction) {
  const Part part = part_of(instruction);
  const unsigned bytes = ve::bytes_of(part);
  const auto [object, offset] = machine.locate(accessed_address(machine, instruction), bytes, 1, true);
  if (object == nullptr) {
    return false;
  }
  const Word word = narrowed(part, machine.read(instruction.sources[3]));
  if (!machine.may_store(*object, word, bytes)) {
    return false;
  }
  machine.counters.bytes_written += bytes;
  write(*object, offset, bytes, word);
  return true;
}

bool compare_and_swap(Machine& machine, const Instruction& instruction) {
  const Part part = part_of(instruction);
  const unsigned bytes = ve::bytes_of(part);
  const auto [object, offset] = machine.locate(accessed_address(machine, instruction), bytes, bytes, true);
  if (object == nullptr) {
    return false;
  }
  const Word old = widened(part, read(*object, offset, bytes));
  const Word expected = machine.read(instruction.sources[2]);
  const std::uint64_t compared = ~std::uint64_t{0} >> (64 - 8 * bytes);
  if (((old.undefined | expected.undefined) & compared) != 0) {
    return machine.fail(FaultKind::UndefinedCondition, "what is compared depends on what was never written");
  }
  if (((old.bits ^ expected.bits) & compared) == 0) {
    const Word stored = machine.read(instruction.result);
    if (!machine.may_store(*object, stored, bytes)) {
      return false;
    }
    write(*object, offset, bytes, stored);
    machine.counters.bytes_written += bytes;
  }
  machine.counters.bytes_read += bytes;
  machine.write(instruction.result, old);
  return true;
}

bool exchange_bytes(Machine& machine, const Instruction& instruction) {
  const Part part = part_of(instruction);
  const unsigned bytes = ve::bytes_of(part);
  const auto [object, offset] = machine.locate(accessed_address(machine, instruction), bytes, bytes, true);
  if (object == nullptr) {
    return false;
  }
  const Word chosen = machine.read(instruction.sources[2]);
  if (chosen.undefined != 0) {
    return machine.fail(FaultKind::UndefinedCondition, "which bytes are exchanged depends on what was never written");
  }
  const Word old = read(*object, offset, bytes);
  const Word given = machine.read(instruction.result);
  std::uint64_t exchanged = 0;
  for (unsigned k = 0; k < bytes; ++k) {
    exchanged |= (chosen.bits >> k & 1U) != 0 ? std::uint64_t{0xff} << (8 * k) : 0;
  }
  const Word stored = {(given.bits & exchanged) | (old.bits & ~exchanged), (given.undefined & exchanged) | (old.undefined & ~exchanged)};
  if (!machine.may_store(*object, stored, bytes)) {
    return false;
  }
  write(*object, offset, bytes, stored);
  machine.counters.bytes_read += bytes;
  machine.counters.bytes_written += bytes;
  machine.write(instruction.result, widened(part, old));
  return true;
}

bool nothing(Machine&, const Instruction&) { return true; }

bool branch(Machine& machine, const Instruction& instruction) {
  const auto taken = decide(machine, instruction, machine.read(instruction.sources[0]), defined(0));
  if (!taken) {
    return false;
  }
  return !*taken || machine.jump(sum(machine.read(instruction.sources[1]), machine.read(instruction.sources[2])));
}

bool branch_always(Machine& machine, const Instruction& instruction) { return machine.jump(address(machine, instruction, 2)); }

bool branch_relative(Machine& machine, const Instruction& instruction) {
  const auto taken = decide(machine, instruction, machine.read(instruction.sources[0]), machine.read(instruction.sources[1]));
  if (!taken) {
    return false;
  }
  return !*taken || machine.jump_relative(std::bit_cast<std::int64_t>(instruction.sources[2].value));
}

bool branch_relative_always(Machine& machine, const Instruction& instruction) {
  return machine.jump_relative(std::bit_cast<std::int64_t>(instruction.sources[0].value));
}

bool call(Machine& machine, const Instruction& instruction) {
  const Word target = address(machine, instruction, 3);
  const std::uint64_t back =
      memory::pointer_to(machine.sections[machine.next.section], static_cast<std::int64_t>(machine.next.index * ve::instruction_bytes));
  const Word before = machine.read(instruction.result);
  machine.write(instruction.result, defined(back));
  if (!machine.jump(target)) {
    if (machine.fault) {
      machine.write(instruction.result, before);
    }
    return false;
  }
  return true;
}

bool monitor_call(Machine& machine, const Instruction&) {
  return machine.fail(FaultKind::StackLimit, "the stack is used up (--frame-memory)");
}

}  // namespace lockstep::ve_machine
