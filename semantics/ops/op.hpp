#pragma once
// The operations of μ-SIMD expressions as data. The table is ops.def; what each one computes is integer.hpp.

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep {

enum class Op : std::uint8_t {
#define OP(id, text, arity, precedence, meaning) id,
#include "semantics/ops/ops.def"
#undef OP
};

/// One row of ops.def.
struct OpInfo {
  Op op;
  std::string_view name;     ///< "Add"
  std::string_view text;     ///< "+"
  int arity;                 ///< 1, 2 or 3
  int precedence;            ///< C's; a higher number binds tighter
  std::string_view meaning;  ///< one line for people
};

inline constexpr std::array op_table = {
#define OP(id, text, arity, precedence, meaning) OpInfo{Op::id, #id, text, arity, precedence, meaning},
#include "semantics/ops/ops.def"
#undef OP
};

/// The row of `op`. O(1).
constexpr const OpInfo& info(Op op) { return op_table[static_cast<std::size_t>(op)]; }

}  // namespace lockstep
