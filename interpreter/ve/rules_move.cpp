// Elements that change their places.

#include "interpreter/ve/execute.hpp"
#include "interpreter/ve/rules.hpp"

namespace lockstep::ve_machine {

using ve::Instruction;

namespace {

/// Element `from` of a vector becomes element `to` of another one.
void copy(const Vector& source, unsigned from, Vector& target, unsigned to) {
  target.elements[to] = source.elements[from];
  (has(source.undefined, from) ? add : remove)(target.undefined, to);
}

}  // namespace

bool is_known(Machine& machine, const Machine::Active& active) {
  return is_empty(active.undefined) || machine.fail(FaultKind::UndefinedMask, "the mask depends on what was never written");
}

void set_undefined(Vector& result, const Machine::Active& active, const Lanes& made) {
  result.undefined = each_word([](std::uint64_t old, std::uint64_t upper, std::uint64_t lower, std::uint64_t unknown,
                                  std::uint64_t now) { return (old & ~(upper & lower)) | ((upper | lower | unknown) & now); },
                               result.undefined, active.upper, active.lower, active.undefined, made);
}

bool sequence(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  const ve::Part part = ve::info(instruction.row).part;
  const std::uint64_t step = part == ve::Part::Float8 ? 0x100000001U : part == ve::Part::Upper4 ? 0x100000000U : 1;
  Vector& result = machine.state.vectors[instruction.result.number];
  for (unsigned i = 0; i < active->length; ++i) {
    const std::uint64_t written = written_bits(*active, i);
    result.elements[i] = (i * step & written) | (result.elements[i] & ~written);
  }
  set_undefined(result, *active, active->undefined);
  return true;
}

bool move_elements(Machine& machine, const Instruction& instruction) {
  const auto count = machine.length();
  if (!count) {
    return false;
  }
  const Word distance = machine.read(instruction.sources[0]);
  if (distance.undefined != 0) {
    return machine.fail(FaultKind::BadElement, "how far elements move depends on what was never written");
  }
  const Vector source = machine.state.vectors[instruction.sources[1].number];
  Vector& result = machine.state.vectors[instruction.result.number];
  const Mask* mask = instruction.mask.kind == ve::Operand::Kind::None ? nullptr : &machine.state.masks[instruction.mask.number];
  for (unsigned i = 0; i < *count; ++i) {
    const auto from = static_cast<unsigned>((i + distance.bits) % ve::max_length);
    if (mask != nullptr && has(mask->undefined, from)) {
      add(result.undefined, i);
    } else if (mask == nullptr || has(mask->elements, from)) {
      copy(source, from, result, i);
    }
  }
  return true;
}

bool merge_elements(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  Elements y;
  Elements z;
  y.set(machine, instruction.sources[0], active->length);
  z.set(machine, instruction.sources[1], active->length);
  Vector& result = machine.state.vectors[instruction.result.number];
  for (unsigned i = 0; i < active->length; ++i) {
    const std::uint64_t second = written_bits(*active, i);
    const bool unknown = has(active->undefined, i) || (second != 0 && has(z.undefined, i)) || (~second != 0 && has(y.undefined, i));
    result.elements[i] = (z.data[i] & second) | (y.data[i] & ~second);
    (unknown ? add : remove)(result.undefined, i);
  }
  return true;
}

bool compress(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active || !is_known(machine, *active)) {
    return false;
  }
  const Vector source = machine.state.vectors[instruction.sources[0].number];
  Vector& result = machine.state.vectors[instruction.result.number];
  unsigned to = 0;
  for (unsigned i = 0; i < active->length; ++i) {
    if (has(active->upper, i)) {
      copy(source, i, result, to++);
    }
  }
  return true;
}

bool expand(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active || !is_known(machine, *active)) {
    return false;
  }
  const Vector source = machine.state.vectors[instruction.sources[0].number];
  Vector& result = machine.state.vectors[instruction.result.number];
  unsigned from = 0;
  for (unsigned i = 0; i < active->length; ++i) {
    if (has(active->upper, i)) {
      copy(source, from++, result, i);
    }
  }
  return true;
}

}  // namespace lockstep::ve_machine
