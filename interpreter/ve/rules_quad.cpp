// Floats of 128 bits, in pairs of registers: the even one has the upper half.

#include "interpreter/ve/rules.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ve/operations.hpp"

namespace lockstep::ve_machine {

using ve::Instruction;
using ve::Kind;
using ve::Operand;

namespace {

__extension__ typedef __float128 Quad;             // NOLINT(modernize-use-using): a using-declaration takes no __extension__
__extension__ typedef unsigned __int128 QuadBits;  // NOLINT(modernize-use-using)

struct QuadWord {
  Quad value = 0;
  bool known = false;
};

QuadWord read_quad(const Machine& machine, const Operand& operand) {
  if (operand.kind != Operand::Kind::Quad) {  // a number: 64 bits, and zeros behind them
    return {__builtin_bit_cast(Quad, QuadBits{operand.value} << 64U), true};
  }
  const Word upper = machine.state.scalars[operand.number];
  const Word lower = machine.state.scalars[operand.number + 1U];
  return {__builtin_bit_cast(Quad, QuadBits{upper.bits} << 64U | lower.bits), (upper.undefined | lower.undefined) == 0};
}

void write_quad(Machine& machine, const Operand& operand, Quad value, bool known) {
  const bool has_order = value < 0 || value >= 0;  // a NaN has none
  const QuadBits bits = has_order ? __builtin_bit_cast(QuadBits, value) : ~QuadBits{0} >> 1U;
  const std::uint64_t undefined = known ? 0 : ~std::uint64_t{0};
  machine.state.scalars[operand.number] = {static_cast<std::uint64_t>(bits >> 64U), undefined};
  machine.state.scalars[operand.number + 1U] = {static_cast<std::uint64_t>(bits), undefined};
}

Word word_of(std::uint64_t bits, bool known) { return {bits, known ? 0 : ~std::uint64_t{0}}; }

}  // namespace

bool quad(Machine& machine, const Instruction& instruction) {
  const Kind kind = ve::info(instruction.row).kind;
  const Operand& first = instruction.sources[0];
  if (kind == Kind::QuadFromDouble || kind == Kind::QuadFromFloat) {
    const Word word = machine.read(first);
    const bool single = kind == Kind::QuadFromFloat;
    const Quad value = single ? Quad{ve::F32::get(word.bits)} : Quad{ve::F64::get(word.bits)};
    write_quad(machine, instruction.result, value, (word.undefined & (single ? ve::F32::mask : ve::F64::mask)) == 0);
    return true;
  }
  const QuadWord a = read_quad(machine, first);
  if (kind == Kind::DoubleFromQuad) {
    machine.write(instruction.result, word_of(ve::F64::put(ve::finished(static_cast<double>(a.value))), a.known));
    return true;
  }
  if (kind == Kind::FloatFromQuad) {
    machine.write(instruction.result, word_of(ve::F32::put(ve::finished(static_cast<float>(a.value))), a.known));
    return true;
  }
  const QuadWord b = read_quad(machine, instruction.sources[1]);
  const bool known = a.known && b.known;
  switch (kind) {
    case Kind::QuadAdd:
      write_quad(machine, instruction.result, a.value + b.value, known);
      return true;
    case Kind::QuadSubtract:
      write_quad(machine, instruction.result, a.value - b.value, known);
      return true;
    case Kind::QuadMultiply:
      write_quad(machine, instruction.result, a.value * b.value, known);
      return true;
    case Kind::QuadCompare: {
      const double order = a.value < b.value ? -1 : b.value < a.value ? 1 : a.value == b.value ? 0 : ve::quiet_nan<double>;
      machine.write(instruction.result, word_of(ve::F64::put(order), known));
      return true;
    }
    default:
      throw InternalError("a rule of 128 bits for something else");
  }
}

}  // namespace lockstep::ve_machine
