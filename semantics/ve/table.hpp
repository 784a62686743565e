#pragma once
// The instructions of VE that run, as data: instructions.def.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::ve {

/// What an instruction is counted as.
enum class Class : std::uint8_t {
  Scalar,
  Memory,  ///< scalar loads and stores
  Control,
  VectorMove,
  VectorInteger,
  VectorFloat,
  VectorDivide,  ///< quotients and square roots
  Reduction,
  Mask,
  VectorLoad,
  VectorStore,
  Gather,
  Scatter,
};
inline constexpr std::size_t class_count = 13;

/// "vector-load"
std::string_view name_of(Class c);

/// Whose rule an instruction is.
enum class Kind : std::uint8_t {
  Scalar,    ///< a function of scalar operands
  Vector,    ///< a function of elements
  Reduce,    ///< a function from element to element
  Mask,      ///< a function of masks
  FormMask,  ///< a mask from a condition on elements
  FormFullMask,
  FormEmptyMask,
  QuadAdd,
  QuadSubtract,
  QuadMultiply,
  QuadCompare,
  QuadFromDouble,
  QuadFromFloat,
  DoubleFromQuad,
  FloatFromQuad,
  LoadAddress,
  LoadAddressHigh,
  ConditionalMove,
  Load,
  Store,
  CompareAndSwap,
  ExchangeBytes,
  Nothing,
  Branch,
  BranchAlways,
  BranchRelative,
  BranchRelativeAlways,
  Call,
  MonitorCall,
  SetLength,
  Length,
  MaxLength,
  SetElement,
  GetElement,
  SetMaskWord,
  GetMaskWord,
  CountMask,
  LeadingMask,
  TrailingMask,
  VectorLoad,
  VectorLoad2D,
  VectorStore,
  VectorStore2D,
  Gather,
  Scatter,
  Sequence,
  MoveElements,
  MergeElements,
  Compress,
  Expand,
};

/// How much of a register is meant, and how it lies in memory: so many bytes, extended by the sign or by zeros, or in the upper half.
enum class Part : std::uint8_t { Whole8, Float8, Upper4, Signed4, Unsigned4, Signed2, Unsigned2, Signed1, Unsigned1 };

constexpr unsigned bytes_of(Part part) {
  switch (part) {
    case Part::Whole8:
    case Part::Float8:
      return 8;
    case Part::Upper4:
    case Part::Signed4:
    case Part::Unsigned4:
      return 4;
    case Part::Signed2:
    case Part::Unsigned2:
      return 2;
    case Part::Signed1:
    case Part::Unsigned1:
      return 1;
  }
  return 8;
}

/// The number of a row, in the order of the table.
enum class Row : std::uint16_t {
#define LOCKSTEP_VE_ROW(name, ...) name,
#define SCALAR(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#define VECTOR(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#define REDUCE(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#define MASK(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#define FORM_MASK(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#define RULE(...) LOCKSTEP_VE_ROW(__VA_ARGS__)
#include "semantics/ve/instructions.def"
#undef LOCKSTEP_VE_ROW
};

/// One row of instructions.def. The texts are as they stand there.
struct RowInfo {
  Row row{};
  std::string_view name;
  std::string_view mnemonic;
  std::string_view operands;
  Class kind_class = Class::Scalar;
  Kind kind = Kind::Scalar;
  std::string_view function;  ///< what computes it, or the field of a condition; of other rules, nothing
  Part part = Part::Whole8;
  std::string_view sentence;
};

/// All rows, in the order of the table.
std::span<const RowInfo> rows();
const RowInfo& info(Row row);

/// A row, and the letters of the shape that LLVM's name has behind it: "vv" of "VFADDDvv". A hint about a branch (`_t`, `_nt`) is left out.
struct Shape {
  Row row{};
  std::string letters;
};

/// None if nothing of that name runs.
std::optional<Shape> shape_of(std::string_view llvm_name);

}  // namespace lockstep::ve
