#include "interpreter/ptx/atomics.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "semantics/base/internal_error.hpp"
#include "semantics/ptx/operations/halves.hpp"

namespace lockstep::ptx_machine {

using ptx::Modifier;
using ptx::Type;
namespace operations = ptx::operations;

namespace {

Wide narrow(std::uint64_t bits) { return {bits, 0}; }

template <class T>
Wide integer_result(Modifier operation, std::uint64_t memory, std::uint64_t operand) {
  using U = std::make_unsigned_t<T>;
  const auto m = static_cast<U>(memory);
  const auto x = static_cast<U>(operand);
  const bool is_less = static_cast<T>(x) < static_cast<T>(m);
  switch (operation) {
    case Modifier::Add:
      return narrow(static_cast<U>(m + x));
    case Modifier::Min:
      return narrow(is_less ? x : m);
    case Modifier::Max:
      return narrow(is_less ? m : x);
    case Modifier::And:
      return narrow(m & x);
    case Modifier::Or:
      return narrow(m | x);
    case Modifier::Xor:
      return narrow(m ^ x);
    case Modifier::Inc:  // back to 0 behind the operand
      return narrow(m >= x ? 0 : static_cast<U>(m + 1));
    case Modifier::Dec:  // from 0, and from above the operand, to the operand
      return narrow(m == 0 || m > x ? x : static_cast<U>(m - 1));
    default:
      throw InternalError("integers have no such atomic operation");
  }
}

template <class F>
std::uint64_t half_sum(std::uint64_t a, std::uint64_t b) {
  return operations::add_half<F, false, false>(static_cast<operations::Half>(a), static_cast<operations::Half>(b));
}

template <class F>
std::uint64_t pair_sum(std::uint64_t a, std::uint64_t b) {
  return half_sum<F>(a, b) | half_sum<F>(a >> 16, b >> 16) << 16;
}

std::uint64_t single_sum(std::uint64_t a, std::uint64_t b, bool flush) {
  const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  return std::bit_cast<std::uint32_t>(flush ? operations::add_float<operations::Rounding::Nearest, true, false>(x, y)
                                            : operations::add_float<operations::Rounding::Nearest, false, false>(x, y));
}

}  // namespace

Wide atomic_result(Modifier operation, Type type, const AtomicOperands& operands, bool flush) {
  const std::uint64_t m = operands.memory.low;
  const std::uint64_t x = operands.first.low;
  if (operation == Modifier::Exch) {
    return operands.first;
  }
  if (operation == Modifier::Cas) {
    const bool equal = m == x && operands.memory.high == operands.first.high;
    return equal ? operands.second : operands.memory;
  }
  switch (type) {
    case Type::F32:
      return narrow(single_sum(m, x, flush));
    case Type::F64:
      return narrow(std::bit_cast<std::uint64_t>(
          operations::add_float<operations::Rounding::Nearest, false, false>(std::bit_cast<double>(m), std::bit_cast<double>(x))));
    case Type::F16:
      return narrow(half_sum<operations::F16>(m, x));
    case Type::BF16:
      return narrow(half_sum<operations::BF16>(m, x));
    case Type::F16x2:
      return narrow(pair_sum<operations::F16>(m, x));
    case Type::BF16x2:
      return narrow(pair_sum<operations::BF16>(m, x));
    case Type::S32:
      return integer_result<std::int32_t>(operation, m, x);
    case Type::S64:
      return integer_result<std::int64_t>(operation, m, x);
    case Type::U64:
    case Type::B64:
      return integer_result<std::uint64_t>(operation, m, x);
    default:
      return integer_result<std::uint32_t>(operation, m, x);
  }
}

}  // namespace lockstep::ptx_machine
