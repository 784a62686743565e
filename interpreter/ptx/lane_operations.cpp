#include "interpreter/ptx/lane_operations.hpp"

#include <string>
#include <string_view>

#include "interpreter/ptx/lane_cold.hpp"
#include "interpreter/ptx/lane_kernels.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/ptx/operations/halves.hpp"

namespace lockstep::ptx_machine {
namespace {

using ptx::Form;
using ptx::Modifier;
using ptx::Modifiers;

Rounding rounding_of(const Modifiers& modifiers) {
  switch (modifiers.of(ptx::ModifierGroup::Rounding).value_or(Modifier::Rn)) {
    case Modifier::Rz:
    case Modifier::Rzi:
      return Rounding::TowardZero;
    case Modifier::Rm:
    case Modifier::Rmi:
      return Rounding::Down;
    case Modifier::Rp:
    case Modifier::Rpi:
      return Rounding::Up;
    case Modifier::Rna:
      return Rounding::NearestAway;
    default:
      return Rounding::Nearest;
  }
}

PermuteMode permute_of(const Modifiers& modifiers) {
  return modifiers.has(Modifier::F4e)    ? PermuteMode::F4e
         : modifiers.has(Modifier::B4e)  ? PermuteMode::B4e
         : modifiers.has(Modifier::Rc8)  ? PermuteMode::Rc8
         : modifiers.has(Modifier::Ecl)  ? PermuteMode::Ecl
         : modifiers.has(Modifier::Ecr)  ? PermuteMode::Ecr
         : modifiers.has(Modifier::Rc16) ? PermuteMode::Rc16
                                         : PermuteMode::Index;
}
Property property_of(const Modifiers& modifiers) {
  return modifiers.has(Modifier::Infinite)     ? Property::Infinite
         : modifiers.has(Modifier::Number)     ? Property::Number
         : modifiers.has(Modifier::Notanumber) ? Property::NotANumber
         : modifiers.has(Modifier::Normal)     ? Property::Normal
         : modifiers.has(Modifier::Subnormal)  ? Property::Subnormal
                                               : Property::Finite;
}

/// A comparison as a relation, its operands exchanged or not, or the opposite of that.
struct Comparison {
  Relation relation;
  bool exchanged = false;
  bool opposite = false;
};
Comparison comparison_of_floats(Modifier modifier) {
  switch (modifier) {
    case Modifier::Ne:
      return {Relation::NotEqual};
    case Modifier::Lt:
      return {Relation::Less};
    case Modifier::Le:
      return {Relation::LessEqual};
    case Modifier::Gt:
      return {Relation::Less, true};
    case Modifier::Ge:
      return {Relation::LessEqual, true};
    case Modifier::Equ:
      return {Relation::NotEqual, false, true};
    case Modifier::Neu:
      return {Relation::Equal, false, true};
    case Modifier::Ltu:
      return {Relation::LessEqual, true, true};
    case Modifier::Leu:
      return {Relation::Less, true, true};
    case Modifier::Gtu:
      return {Relation::LessEqual, false, true};
    case Modifier::Geu:
      return {Relation::Less, false, true};
    case Modifier::Num:
      return {Relation::Ordered};
    case Modifier::Nan:
      return {Relation::Ordered, false, true};
    default:
      return {Relation::Equal};
  }
}
Comparison comparison_of_integers(Modifier modifier) {
  switch (modifier) {
    case Modifier::Ne:
      return {Relation::Equal, false, true};
    case Modifier::Lt:
    case Modifier::Lo:
      return {Relation::Less};
    case Modifier::Le:
    case Modifier::Ls:
      return {Relation::Less, true, true};
    case Modifier::Gt:
    case Modifier::Hi:
      return {Relation::Less, true};
    case Modifier::Ge:
    case Modifier::Hs:
      return {Relation::Less, false, true};
    default:
      return {Relation::Equal};
  }
}
BoolOperator combined_by(const Modifiers& modifiers) {
  return modifiers.has(Modifier::And)   ? BoolOperator::And
         : modifiers.has(Modifier::Or)  ? BoolOperator::Or
         : modifiers.has(Modifier::Xor) ? BoolOperator::Xor
                                        : BoolOperator::None;
}

/// The width of the first operand of the kind in bytes: its register's, else its type's.
std::uint8_t bytes_of_first(bool written, const ptx::resolved::Instruction& instruction,
                            std::span<const ptx::resolved::RegisterInfo> registers) {
  const auto& shapes = info(instruction.form).operands;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if ((shapes[i].role == ptx::OperandRole::Written) == written) {
      if (const auto* r = std::get_if<ptx::resolved::Register>(&instruction.operands[i])) {
        return static_cast<std::uint8_t>(registers[r->index].bytes());
      }
      return static_cast<std::uint8_t>(ptx::bytes_of(ptx::type_of(shapes[i], instruction.types).value_or(ptx::Type::B32)));
    }
  }
  return 0;
}

LaneKey key_of(const ptx::resolved::Instruction& instruction, std::span<const ptx::resolved::RegisterInfo> registers) {
  const ptx::FormInfo& form = info(instruction.form);
  const Modifiers& modifiers = instruction.modifiers;
  LaneKey key;
  for (std::size_t i = 0; i < instruction.types.size(); ++i) {
    key.types[i] = instruction.types[i];
  }
  key.to_bytes = bytes_of_first(true, instruction, registers);
  key.from_bytes = bytes_of_first(false, instruction, registers);
  key.rounding = rounding_of(modifiers);
  key.permute = permute_of(modifiers);
  key.property = property_of(modifiers);
  if (form.mnemonic == "set" || form.mnemonic == "setp") {
    const bool floats = ptx::is_float(instruction.types[instruction.types.size() - 1]);
    const Comparison comparison = floats ? comparison_of_floats(modifiers[0]) : comparison_of_integers(modifiers[0]);
    key.relation = comparison.relation;
    key.exchanged = comparison.exchanged;
    key.opposite = comparison.opposite;
  }
  key.combined = combined_by(modifiers);
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const auto* r = std::get_if<ptx::resolved::Register>(&instruction.operands[i]);
    key.negated = key.negated || (form.operands[i].role == ptx::OperandRole::Predicate && r != nullptr && r->negated);
  }
  key.ftz = modifiers.has(Modifier::Ftz);
  key.sat = modifiers.has(Modifier::Sat);
  key.relu = modifiers.has(Modifier::Relu);
  key.satfinite = modifiers.has(Modifier::Satfinite);
  key.nan = modifiers.has(Modifier::PropagateNan);
  key.abs = modifiers.has(Modifier::Abs);
  key.xorsign = modifiers.has(Modifier::Xorsign);
  key.high = modifiers.has(Modifier::Hi);
  key.clamp = modifiers.has(Modifier::Clamp);
  return key;
}

// ---- which loop --------------------------------------------------------------------------------------------------------

/// Of a function of forms.def, by its kind in lane_functions.def.
namespace found {
#define HOT(name) \
  LaneLoop name(const LaneKey& key, const LaneKernels& kernels) { return kernels.name(key); }
#define COLD(name) \
  LaneLoop name(const LaneKey& key, const LaneKernels& /*kernels*/) { return cold::name(key); }
#define BOTH(name)                                                \
  LaneLoop name(const LaneKey& key, const LaneKernels& kernels) { \
    const LaneLoop hot = kernels.name(key);                       \
    return hot.function != nullptr ? hot : cold::name(key);       \
  }
#include "interpreter/ptx/lane_functions.def"
}  // namespace found

LaneLoop loop_of(Form form, const LaneKey& key, const LaneKernels& kernels) {
  switch (form) {
#define COMPUTE(id, mnemonic, modifiers, types, operands, function, specified, sentence) \
  case Form::id:                                                                         \
    return found::function(key, kernels);
#define RULE(id, mnemonic, modifiers, types, operands, kind, sentence)
#define REFUSED(id, mnemonic, modifiers, types, operands, sentence)
#include "semantics/ptx/forms.def"
    default:
      return {};
  }
}

// ---- what PTX leaves open ----------------------------------------------------------------------------------------------

/// words: bit t is whether test(operand `from` of lane t) holds.
template <class T, std::size_t from, auto test>
void tested(std::uint64_t* words, const LaneRows& rows, std::size_t lanes) {
  const T* a = static_cast<const T*>(rows.from[from]);
  for (std::size_t word = 0; word < lanes / 64; ++word) {
    std::uint64_t bits = 0;
    for (std::size_t t = 0; t < 64; ++t) {
      bits |= static_cast<std::uint64_t>(test(a[64 * word + t])) << t;
    }
    words[word] = bits;
  }
}
constexpr auto is_zero = [](auto a) { return a == 0; };
constexpr auto is_above_31 = [](auto a) { return a > 31; };
constexpr auto is_float_nan = [](auto a) { return is_nan(a); };
template <class F>
constexpr auto has_nan = [](auto halves) {
  return half_is_nan<F>(static_cast<Half>(halves)) ||
         (sizeof(halves) == 4 && half_is_nan<F>(static_cast<Half>(std::uint32_t{halves} >> 16)));
};

LaneTest division_by_zero(std::uint32_t bytes) {
  return bytes == 2   ? tested<std::uint16_t, 1, is_zero>
         : bytes == 4 ? tested<std::uint32_t, 1, is_zero>
                      : tested<std::uint64_t, 1, is_zero>;
}
/// abs and neg: "NaN inputs yield an unspecified NaN".
LaneTest operand_is_nan(Type type) {
  switch (type) {
    case Type::F16:
      return tested<std::uint16_t, 0, has_nan<F16>>;
    case Type::F16x2:
      return tested<std::uint32_t, 0, has_nan<F16>>;
    case Type::BF16:
      return tested<std::uint16_t, 0, has_nan<BF16>>;
    case Type::BF16x2:
      return tested<std::uint32_t, 0, has_nan<BF16>>;
    case Type::F64:
      return tested<double, 0, is_float_nan>;
    default:
      return tested<float, 0, is_float_nan>;
  }
}

void set_unspecified(LaneOperation& operation, const ptx::resolved::Instruction& instruction) {
  if (instruction.modifiers.has(Modifier::Oob)) {  // which bits the NaN of elements out of bounds has, the ISA does not say
    operation.unspecified = Unspecified::Everywhere;
    return;
  }
  switch (info(instruction.form).specified) {
    case ptx::Specified::Always:
      break;
    case ptx::Specified::Never:
      operation.unspecified = Unspecified::Everywhere;
      return;
    case ptx::Specified::IfRounded:
      if (!instruction.modifiers.of(ptx::ModifierGroup::Rounding)) {
        operation.unspecified = Unspecified::Everywhere;
        return;
      }
      break;
    case ptx::Specified::DivisorNotZero:
      operation.test = division_by_zero(ptx::bytes_of(instruction.types[0]));
      break;
  }
  switch (instruction.form) {
    case Form::AbsFloat:
    case Form::NegFloat:
    case Form::AbsHalf:
    case Form::NegHalf:
      operation.test = operand_is_nan(instruction.types[0]);
      break;
    case Form::Fns:
      operation.test = tested<std::uint32_t, 1, is_above_31>;
      break;
    default:
      break;
  }
  operation.unspecified = operation.test == nullptr ? Unspecified::Nowhere : Unspecified::Somewhere;
}

}  // namespace

std::optional<LaneOperation> lane_operation(const ptx::resolved::Instruction& instruction,
                                            std::span<const ptx::resolved::RegisterInfo> registers, const LaneKernels& kernels) {
  const ptx::FormInfo& form = info(instruction.form);
  if (form.kind != ptx::Kind::Compute) {
    return std::nullopt;
  }
  const LaneLoop loop = loop_of(instruction.form, key_of(instruction, registers), kernels);
  if (loop.function == nullptr) {
    throw InternalError("no loop for an instruction of PTX that is read: " + std::string(form.id));
  }
  LaneOperation operation{loop.function, loop.numbers};
  set_unspecified(operation, instruction);
  return operation;
}

std::optional<LaneOperation> lane_operation(const ptx::resolved::Instruction& instruction,
                                            std::span<const ptx::resolved::RegisterInfo> registers) {
  return lane_operation(instruction, registers, lane_kernels());
}

}  // namespace lockstep::ptx_machine
