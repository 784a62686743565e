#pragma once
// What the steppers' expressions compute with: numbers of C's types, and why there may be none.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/launch/objects.hpp"
#include "interpreter/launch/pack.hpp"
#include "semantics/ops/op.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep {

/// What an expression is in one item: a scalar or pointer, or an array. Without a number, `why` may say more than that something is
/// uninitialised or poison.
struct KernelValue {
  launch::CellState state = launch::CellState::Uninitialised;
  typed::ValueType type;   ///< of the value; of an array's elements
  std::uint64_t bits = 0;  ///< as core::Literal, or a pointer (objects.hpp)
  std::string_view why;
  bool absent = false;  ///< it is of a variable whose call has not begun or has returned
  bool is_array = false;
  const launch::Frame* frame = nullptr;  ///< of an array of registers
  typed::RegisterId reg = 0;
  const launch::Object* object = nullptr;  ///< of an array that is not of registers
  std::uint64_t first = 0;                 ///< element at which the array begins: arrays may be rows of others
  std::uint64_t count = 0;
  std::span<const std::uint64_t> extents;  ///< of a row of an array of several dimensions: empty for the innermost

  bool is_number() const { return state == launch::CellState::Number && !is_array; }
  static KernelValue number(launch::CellState state, typed::ValueType type, std::uint64_t bits) {
    KernelValue v;
    v.state = state;
    v.type = type;
    v.bits = bits;
    return v;
  }
  static KernelValue scalar(ScalarType type, std::uint64_t bits) { return number(launch::CellState::Number, {type, false, {}}, bits); }
  static KernelValue nothing(std::string_view why) {
    KernelValue v;
    v.why = why;
    return v;
  }
};

inline KernelValue count(std::uint64_t n) { return KernelValue::scalar(ScalarType::ULong, n); }
inline KernelValue truth(bool b) { return KernelValue::scalar(ScalarType::Int, b ? 1 : 0); }

/// A number as it is shown, of registers and memory that have no pointers: "*" without one.
std::string text_of(const KernelValue& value);

/// Whether it is a number other than 0, or a pointer that is not null.
bool is_true(const KernelValue& v);

/// The number as one of another type, by C's rules.
KernelValue converted(const KernelValue& v, ScalarType to);

/// An operation on operands that may have no value; the first that has none is the result, and `?:` looks only at what it chooses.
KernelValue apply_operator(Op op, std::span<const KernelValue> operands);

}  // namespace lockstep
