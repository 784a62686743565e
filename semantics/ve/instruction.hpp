#pragma once
// A decoded instruction.

#include <array>
#include <cstdint>

#include "semantics/ve/fields.hpp"
#include "semantics/ve/table.hpp"

namespace lockstep::ve {

inline constexpr unsigned instruction_bytes = 8;
inline constexpr unsigned scalar_registers = 64;
inline constexpr unsigned vector_registers = 64;
inline constexpr unsigned mask_registers = 16;
inline constexpr unsigned max_length = 256;  ///< elements of a vector register

/// What an instruction reads or writes.
struct Operand {
  enum class Kind : std::uint8_t {
    None,
    Scalar,
    Quad,  ///< an even scalar register with the upper half of 128 bits, and the next one
    Vector,
    Mask,
    MaskPair,  ///< an even mask register for upper halves of elements, and the next one for lower halves
    Number,
  };
  Kind kind = Kind::None;
  std::uint8_t number = 0;  ///< of the register
  std::uint64_t value = 0;  ///< of a Number: all 64 bits
};

/// No instruction reads more than this.
inline constexpr std::size_t max_sources = 4;

struct Instruction {
  Row row{};
  Operand result;
  std::array<Operand, max_sources> sources;
  Operand mask;                ///< None: all elements
  std::uint8_t condition = 0;  ///< a condition (Condition) or a rounding (RoundingMode)
};

/// Conditions on one number, or on two, as LLVM numbers them.
enum class Condition : std::uint8_t {
  Greater,
  Less,
  NotEqual,
  Equal,
  GreaterEqual,
  LessEqual,
  Never,
  FloatGreater,
  FloatLess,
  FloatNotEqual,
  FloatEqual,
  FloatGreaterEqual,
  FloatLessEqual,
  Ordered,
  NotANumber,
  GreaterOrNaN,
  LessOrNaN,
  NotEqualOrNaN,
  EqualOrNaN,
  GreaterEqualOrNaN,
  LessEqualOrNaN,
  Always,
};
inline constexpr unsigned condition_count = 22;

/// Whether two numbers compare as the condition says. The conditions of integers and of floats without NaN are the same ones.
template <class T>
constexpr bool holds(Condition condition, T a, T b) {
  const bool nan = is_nan(a) || is_nan(b);
  switch (condition) {
    case Condition::Greater:
    case Condition::FloatGreater:
      return a > b;
    case Condition::Less:
    case Condition::FloatLess:
      return a < b;
    case Condition::NotEqual:
    case Condition::FloatNotEqual:
      return !nan && a != b;
    case Condition::Equal:
    case Condition::FloatEqual:
      return a == b;
    case Condition::GreaterEqual:
    case Condition::FloatGreaterEqual:
      return a >= b;
    case Condition::LessEqual:
    case Condition::FloatLessEqual:
      return a <= b;
    case Condition::Never:
      return false;
    case Condition::Ordered:
      return !nan;
    case Condition::NotANumber:
      return nan;
    case Condition::GreaterOrNaN:
      return nan || a > b;
    case Condition::LessOrNaN:
      return nan || a < b;
    case Condition::NotEqualOrNaN:
      return nan || a != b;
    case Condition::EqualOrNaN:
      return nan || a == b;
    case Condition::GreaterEqualOrNaN:
      return nan || a >= b;
    case Condition::LessEqualOrNaN:
      return nan || a <= b;
    case Condition::Always:
      return true;
  }
  return false;
}

}  // namespace lockstep::ve
