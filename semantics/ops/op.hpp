#pragma once
// The operations of μ-SIMD expressions as data. The table is ops.def; what each one computes is scalar.hpp.

#include <array>
#include <cstdint>
#include <string_view>

#include "semantics/base/scalar_type.hpp"

namespace lockstep {

enum class Op : std::uint8_t {
#define OP(id, text, arity, precedence, undefined, meaning) id,
#define FUNCTION(id, text, arity, undefined, meaning) id,
#include "semantics/ops/ops.def"
#undef OP
};

/// Where an operation has no result.
enum class NoResult : std::uint8_t {
  Never,
  Division,  ///< of integers: by 0, and, in typed programs, where the quotient does not fit
};

/// One row of ops.def.
struct OpInfo {
  Op op;
  std::string_view name;  ///< "Add"
  std::string_view text;  ///< "+"
  int arity;              ///< 1, 2 or 3
  int precedence;         ///< C's; a higher number binds tighter
  NoResult undefined;
  std::string_view meaning;  ///< one line for people
};

inline constexpr std::array op_table = {
#define OP(id, text, arity, precedence, undefined, meaning) OpInfo{Op::id, #id, text, arity, precedence, NoResult::undefined, meaning},
#include "semantics/ops/ops.def"
#undef OP
};

/// The operations that only typed programs have.
inline constexpr std::array function_table = {
#define OP(id, text, arity, precedence, undefined, meaning)
#define FUNCTION(id, text, arity, undefined, meaning) OpInfo{Op::id, #id, text, arity, 14, NoResult::undefined, meaning},
#include "semantics/ops/ops.def"
#undef OP
};

/// How many operations there are; op_table's come first.
inline constexpr std::size_t op_count = op_table.size() + function_table.size();

/// The row of `op`, in op_table or function_table. O(1).
constexpr const OpInfo& info(Op op) {
  const auto index = static_cast<std::size_t>(op);
  return index < op_table.size() ? op_table[index] : function_table[index - op_table.size()];
}

/// Whether the operation, on operands of the type, has no result for some numbers; a pointer's order apart.
constexpr bool may_be_undefined(Op op, ScalarType type) { return info(op).undefined == NoResult::Division && !is_float(type); }

/// The same of a conversion: a float may not fit an integer type.
constexpr bool conversion_may_be_undefined(ScalarType from, ScalarType to) {
  return is_float(from) && !is_float(to) && to != ScalarType::Bool;
}

/// < <= > >= == !=
constexpr bool is_comparison(Op op) { return op >= Op::Lt && op <= Op::Ne; }

/// < <= > >=
constexpr bool is_order(Op op) { return op >= Op::Lt && op <= Op::Ge; }

/// Comparisons, !, && and ||: the result is an int, 0 or 1, whatever the type of the operands.
constexpr bool gives_truth(Op op) { return is_comparison(op) || op == Op::LogicalNot || op == Op::LogicalAnd || op == Op::LogicalOr; }

/// The operations that only floats, and only integers, have; all others are for both.
constexpr bool float_only(Op op) { return op == Op::Fma || op == Op::Sqrt || op == Op::Fabs || op == Op::Rcp; }
constexpr bool integer_only(Op op) {
  return op == Op::BitNot || op == Op::Rem || op == Op::Shl || op == Op::Shr || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor ||
         op == Op::Abs || op == Op::Popcount;
}

}  // namespace lockstep
