#pragma once
// What can be done to a number in memory that several items change at once.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep {

enum class AtomicOp : std::uint8_t { Exchange, CompareExchange, Add, Sub, Min, Max, And, Or, Xor };

struct AtomicInfo {
  AtomicOp op;
  std::string_view word;     ///< as the text forms have it: "atomic.add"
  std::optional<Op> change;  ///< what becomes of the old number and the operand; else the operand itself, of CompareExchange where it fits
};

inline constexpr std::array<AtomicInfo, 9> atomic_table = {{{AtomicOp::Exchange, "atomic.exchange", std::nullopt},
                                                            {AtomicOp::CompareExchange, "atomic.compare", std::nullopt},
                                                            {AtomicOp::Add, "atomic.add", Op::Add},
                                                            {AtomicOp::Sub, "atomic.sub", Op::Sub},
                                                            {AtomicOp::Min, "atomic.min", Op::Min},
                                                            {AtomicOp::Max, "atomic.max", Op::Max},
                                                            {AtomicOp::And, "atomic.and", Op::BitAnd},
                                                            {AtomicOp::Or, "atomic.or", Op::BitOr},
                                                            {AtomicOp::Xor, "atomic.xor", Op::BitXor}}};

constexpr const AtomicInfo& info(AtomicOp op) { return atomic_table[static_cast<std::size_t>(op)]; }

/// Whether there is such a change of numbers of the type: they have 32 or 64 bits.
constexpr bool takes(AtomicOp op, ScalarType type) {
  const std::optional<Op> change = info(op).change;
  return size_of(type) >= 4 && !(change && is_float(type) && integer_only(*change));
}

/// Whether such changes alone come to the same number in whatever order they are made. (Of floats sums are rounded, and of several NaNs or
/// zeros of both signs the first is the least.)
constexpr bool is_order_free(AtomicOp op, ScalarType type) { return info(op).change.has_value() && !is_float(type); }

/// Whether changes of two kinds that are order-free by themselves are so among each other, in a cell that both may see as their type.
constexpr bool are_order_free(AtomicOp a, ScalarType type_a, AtomicOp b, ScalarType type_b) {
  const auto is_sum = [](AtomicOp op) { return op == AtomicOp::Add || op == AtomicOp::Sub; };
  const bool orders_numbers = a == AtomicOp::Min || a == AtomicOp::Max;
  return (is_sum(a) && is_sum(b)) || (a == b && (!orders_numbers || type_a == type_b));
}

}  // namespace lockstep
