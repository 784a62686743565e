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

/// Whether such changes come to the same number in whatever order they are made. (Of floats sums are rounded, and of several NaNs or
/// zeros of both signs the first is the least.)
constexpr bool is_order_free(AtomicOp op, ScalarType type) { return info(op).change.has_value() && !is_float(type); }

}  // namespace lockstep
