// The vector length, single elements, and masks as words.

#include <fmt/format.h>

#include <bit>

#include "interpreter/ve/rules.hpp"
#include "semantics/ve/operations.hpp"

namespace lockstep::ve_machine {

using ve::Instruction;

namespace {

/// An operand that says which element or word is meant; none after a fault.
std::optional<unsigned> position(Machine& machine, const ve::Operand& operand, unsigned count, const char* what) {
  const Word word = machine.read(operand);
  if (word.undefined != 0) {
    machine.fail(FaultKind::BadElement, fmt::format("which {} is meant depends on what was never written", what));
    return std::nullopt;
  }
  if (word.bits >= count) {
    machine.fail(FaultKind::BadElement, fmt::format("there is no {} {}, there are {}", what, static_cast<std::int64_t>(word.bits), count));
    return std::nullopt;
  }
  return static_cast<unsigned>(word.bits);
}

/// In registers the leftmost bit is that of the first element.
std::uint64_t mirrored(std::uint64_t bits) { return ve::ReverseBits::value(bits); }

}  // namespace

bool set_length(Machine& machine, const Instruction& instruction) {
  const Word word = machine.read(instruction.sources[0]);
  if (word.undefined != 0) {
    return machine.fail(FaultKind::UndefinedLength, "the vector length depends on what was never written");
  }
  if (word.bits > ve::max_length) {
    return machine.fail(FaultKind::BadLength,
                        fmt::format("a vector length of {}; it can be 0 to {}", static_cast<std::int64_t>(word.bits), ve::max_length));
  }
  machine.state.length = word;
  return true;
}

bool length(Machine& machine, const Instruction& instruction) {
  machine.write(instruction.result, machine.state.length);
  return true;
}

bool max_length(Machine& machine, const Instruction& instruction) {
  machine.write(instruction.result, defined(ve::max_length));
  return true;
}

bool set_element(Machine& machine, const Instruction& instruction) {
  const auto i = position(machine, instruction.sources[0], ve::max_length, "element");
  if (!i) {
    return false;
  }
  const Word word = machine.read(instruction.sources[1]);
  Vector& vector = machine.state.vectors[instruction.result.number];
  vector.elements[*i] = word.bits;
  (word.undefined == 0 ? remove : add)(vector.undefined, *i);
  return true;
}

bool get_element(Machine& machine, const Instruction& instruction) {
  const auto i = position(machine, instruction.sources[1], ve::max_length, "element");
  if (!i) {
    return false;
  }
  const Vector& vector = machine.state.vectors[instruction.sources[0].number];
  machine.write(instruction.result, {vector.elements[*i], has(vector.undefined, *i) ? ~std::uint64_t{0} : 0});
  return true;
}

bool set_mask_word(Machine& machine, const Instruction& instruction) {
  const auto k = position(machine, instruction.sources[0], ve::max_length / 64, "word of a mask");
  if (!k) {
    return false;
  }
  const Word word = machine.read(instruction.sources[1]);
  Mask mask = machine.state.masks[instruction.result.number];
  mask.elements[*k] = mirrored(word.bits);
  mask.undefined[*k] = mirrored(word.undefined);
  machine.write_mask(instruction.result, mask);
  return true;
}

bool get_mask_word(Machine& machine, const Instruction& instruction) {
  const auto k = position(machine, instruction.sources[1], ve::max_length / 64, "word of a mask");
  if (!k) {
    return false;
  }
  const Mask& mask = machine.state.masks[instruction.sources[0].number];
  machine.write(instruction.result, {mirrored(mask.elements[*k]), mirrored(mask.undefined[*k])});
  return true;
}

bool count_mask(Machine& machine, const Instruction& instruction) {
  const auto count = machine.length();
  if (!count) {
    return false;
  }
  const Mask& mask = machine.state.masks[instruction.sources[0].number];
  unsigned ones = 0;
  unsigned first = *count;
  std::optional<unsigned> last;
  bool known = true;
  for (unsigned i = 0; i < *count; ++i) {
    known = known && !has(mask.undefined, i);
    if (has(mask.elements, i)) {
      ++ones;
      first = last ? first : i;
      last = i;
    }
  }
  const ve::Kind kind = ve::info(instruction.row).kind;
  known = known && (kind != ve::Kind::TrailingMask || last);  // of no element there is no last one
  const std::uint64_t result = kind == ve::Kind::CountMask ? ones : kind == ve::Kind::LeadingMask ? first : last.value_or(0);
  machine.write(instruction.result, {result, known ? 0 : ~std::uint64_t{0}});
  return true;
}

bool form_constant_mask(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active) {
    return false;
  }
  const bool full = ve::info(instruction.row).kind == ve::Kind::FormFullMask;
  const Lanes below = lanes_below(active->length);
  Mask made = machine.state.masks[instruction.result.number];
  const auto replaced = [](std::uint64_t old, std::uint64_t b, std::uint64_t now) { return (old & ~b) | (b & now); };
  made.elements = each_word(replaced, made.elements, below, full ? active->upper : Lanes{});
  made.undefined = each_word(replaced, made.undefined, below, full ? active->undefined : Lanes{});
  machine.write_mask(instruction.result, made);
  return true;
}

}  // namespace lockstep::ve_machine
