#include "interpreter/ve/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "semantics/base/internal_error.hpp"

namespace lockstep::ve_machine {

using ve::Operand;

namespace {

/// " (element 5)"
std::string element_text(std::optional<unsigned> element) { return element ? fmt::format(" (element {})", *element) : std::string(); }

bool is_counted_by_length(ve::Class c) { return c != ve::Class::Scalar && c != ve::Class::Memory && c != ve::Class::Control; }

}  // namespace

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::OutOfBounds:
      return "out-of-bounds";
    case FaultKind::Misaligned:
      return "misaligned";
    case FaultKind::Forbidden:
      return "forbidden";
    case FaultKind::UndefinedAddress:
      return "undefined-address";
    case FaultKind::UndefinedCondition:
      return "undefined-condition";
    case FaultKind::UndefinedLength:
      return "undefined-length";
    case FaultKind::UndefinedMask:
      return "undefined-mask";
    case FaultKind::UndefinedStored:
      return "undefined-stored";
    case FaultKind::UndefinedPassed:
      return "undefined-passed";
    case FaultKind::BadLength:
      return "bad-length";
    case FaultKind::BadElement:
      return "bad-element";
    case FaultKind::BadJump:
      return "bad-jump";
    case FaultKind::DivisionByZero:
      return "division-by-zero";
    case FaultKind::StackLimit:
      return "stack-limit";
    case FaultKind::StepLimit:
      return "step-limit";
  }
  return "";
}

bool is_limit(FaultKind kind) { return kind == FaultKind::StackLimit || kind == FaultKind::StepLimit; }

bool Machine::fail(FaultKind kind, std::string message) {
  fault = Fault{kind, state.place, std::move(message)};
  return false;
}

Word Machine::read(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::Scalar:
      return state.scalars[operand.number];
    case Operand::Kind::Number:
      return defined(operand.value);
    default:
      throw InternalError("an operand of VE is no scalar");
  }
}

void Machine::write(const Operand& operand, const Word& word) {
  if (operand.kind != Operand::Kind::Scalar) {
    throw InternalError("a result of VE is no scalar register");
  }
  state.scalars[operand.number] = word;
}

void Machine::write_mask(const Operand& operand, const Mask& mask) {
  if (operand.number != 0) {
    state.masks[operand.number] = mask;
  }
}

std::optional<unsigned> Machine::length() {
  if (state.length.undefined != 0) {
    fail(FaultKind::UndefinedLength, "the vector length is undefined: no lvl has come before, or a call has");
    return std::nullopt;
  }
  return static_cast<unsigned>(state.length.bits);
}

namespace {

/// Into `made`, where it stays: it is asked for by each vector instruction.
void find_active(const State& state, unsigned count, const ve::Instruction& instruction, Machine::Active& made) {
  made.length = count;
  const Lanes below = lanes_below(count);
  made.upper = below;
  made.lower = below;
  const Operand& mask = instruction.mask;
  if (mask.kind != Operand::Kind::None) {
    const auto both = [](std::uint64_t a, std::uint64_t b) { return a & b; };
    const Mask& upper = state.masks[mask.number];
    const Mask& lower = state.masks[mask.number + (mask.kind == Operand::Kind::MaskPair ? 1U : 0U)];
    made.all = false;
    made.upper = each_word(both, below, upper.elements);
    made.lower = each_word(both, below, lower.elements);
    made.undefined =
        each_word([](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a & (b | c); }, below, upper.undefined, lower.undefined);
  }
}

}  // namespace

std::optional<Machine::Active> Machine::active(const ve::Instruction& instruction) {
  std::optional<Active> made;
  if (const auto count = length()) {
    find_active(state, *count, instruction, made.emplace());
  }
  return made;
}

Machine::Active Machine::active_below(unsigned count, const ve::Instruction& instruction) const {
  Active made;
  find_active(state, count, instruction, made);
  return made;
}

Machine::Access Machine::locate(const Word& address, unsigned bytes, unsigned alignment, bool writes, std::optional<unsigned> element) {
  if (address.undefined != 0) {
    fail(FaultKind::UndefinedAddress, fmt::format("the address depends on what was never written{}", element_text(element)));
    return {};
  }
  MemoryObject* object = memory.object_at(address.bits);
  if (object == nullptr) {
    fail(FaultKind::OutOfBounds, fmt::format("nothing lies at the address 0x{:x}{}", address.bits, element_text(element)));
    return {};
  }
  const std::int64_t offset = memory::offset_of(address.bits);
  const auto wrong = memory::misaccess<bool>(offset, bytes, alignment, object->bytes, object->rights, writes);
  if (wrong.outside) {
    fail(FaultKind::OutOfBounds,
         fmt::format("byte {} is outside of {}, which has {} bytes{}", offset, object->name, object->bytes, element_text(element)));
  } else if (wrong.misaligned) {
    fail(FaultKind::Misaligned, fmt::format("byte {} of {} is no place for {} bytes: it is no multiple of that{}", offset, object->name,
                                            bytes, element_text(element)));
  } else if (wrong.forbidden) {
    fail(FaultKind::Forbidden, fmt::format("{} may not be {}{}", object->name, writes ? "written" : "read", element_text(element)));
  } else {
    return {object, static_cast<std::uint64_t>(offset)};
  }
  return {};
}

bool Machine::may_store(const MemoryObject& object, const Word& word, unsigned bytes, std::optional<unsigned> element) {
  const std::uint64_t stored = ~std::uint64_t{0} >> (64 - 8 * bytes);
  if (object.states.empty() && (word.undefined & stored) != 0) {
    return fail(FaultKind::UndefinedStored,
                fmt::format("what is stored in {} depends on what was never written{}", object.name, element_text(element)));
  }
  return true;
}

bool Machine::jump(const Word& address) {
  if (address.undefined != 0) {
    return fail(FaultKind::UndefinedAddress, "the address to go to depends on what was never written");
  }
  const std::uint32_t number = memory::object_of(address.bits);
  const std::int64_t offset = memory::offset_of(address.bits);
  if (number == routines && routines != 0) {
    if (offset < 0 || offset >= routine_bytes * static_cast<std::int64_t>(routine_count) || offset % routine_bytes != 0) {
      return fail(FaultKind::BadJump, "the address to go to lies inside of a library function");
    }
    return call_routine(static_cast<Routine>(offset / routine_bytes));
  }
  const auto section = std::ranges::find(sections, number);
  if (section == sections.end()) {
    return fail(FaultKind::BadJump, fmt::format("there is no code at the address 0x{:x}", address.bits));
  }
  if (offset < 0 || offset % ve::instruction_bytes != 0) {
    return fail(FaultKind::BadJump, fmt::format("no instruction begins at byte {} of its section", offset));
  }
  next = {static_cast<std::size_t>(section - sections.begin()), static_cast<std::size_t>(offset) / ve::instruction_bytes};
  return true;
}

bool Machine::jump_relative(std::int64_t bytes) {
  const auto here = static_cast<std::int64_t>(state.place.index * ve::instruction_bytes);
  if (bytes % std::int64_t{ve::instruction_bytes} != 0 || here + bytes < 0) {
    return fail(FaultKind::BadJump, fmt::format("no instruction begins {} bytes from here", bytes));
  }
  next = {state.place.section, static_cast<std::size_t>(here + bytes) / ve::instruction_bytes};
  return true;
}

namespace {

/// Until so many instructions have been executed in all, or as `run`.
void run_until(Machine& machine, const ve::Code& code, std::uint64_t max_steps, std::uint64_t end) {
  const std::vector<Execute>& execute = executes();
  Counters& counters = machine.counters;
  State& state = machine.state;
  while (!machine.halted && counters.steps != end) {
    const std::vector<ve::Instruction>& section = code[state.place.section];
    if (state.place.index >= section.size()) {
      machine.fail(FaultKind::BadJump, "there is no code here: the section ends, or holds data");
      return;
    }
    if (counters.steps == max_steps) {
      machine.fail(FaultKind::StepLimit, fmt::format("the step limit of {} is reached (--max-steps)", max_steps));
      return;
    }
    const ve::Instruction& instruction = section[state.place.index];
    machine.next = {state.place.section, state.place.index + 1};
    const auto row = static_cast<std::size_t>(instruction.row);
    machine.cost.add(machine, instruction);
    if (!execute[row](machine, instruction)) {
      return;
    }
    ++counters.steps;
    ++counters.rows[row];
    if (is_counted_by_length(ve::rows()[row].kind_class) && state.length.undefined == 0) {
      ++counters.lengths[state.length.bits];
      counters.elements += state.length.bits;
    }
    state.place = machine.next;
  }
}

}  // namespace

bool step(Machine& machine, const ve::Code& code, std::uint64_t max_steps) {
  run_until(machine, code, max_steps, machine.counters.steps + 1);
  return !machine.fault;
}

void run(Machine& machine, const ve::Code& code, std::uint64_t max_steps) {
  if (!machine.fault) {
    run_until(machine, code, max_steps, std::numeric_limits<std::uint64_t>::max());
  }
}

}  // namespace lockstep::ve_machine
