#include "interpreter/ptx/warp_operations.hpp"

#include <algorithm>
#include <bit>

#include "semantics/base/internal_error.hpp"

namespace lockstep::ptx_machine {

using ptx::Kind;
using ptx::Modifier;

namespace {

template <class F>
void for_each_member(std::uint32_t members, F&& f) {
  for (std::uint32_t bits = members; bits != 0; bits &= bits - 1) {
    f(static_cast<unsigned>(std::countr_zero(bits)));
  }
}

/// Operand c has the clamp in bits 0 to 4 and the mask of segments in bits 8 to 12.
WarpResults shuffle(Modifier mode, const WarpOperands& operands) {
  WarpResults results;
  for_each_member(operands.members, [&](unsigned lane) {
    const auto b = static_cast<std::uint32_t>(operands.numbers[1][lane]);
    const auto c = static_cast<std::uint32_t>(operands.numbers[2][lane]);
    const std::uint32_t amount = b & 0x1fU;
    const std::uint32_t clamp = c & 0x1fU;
    const std::uint32_t segments = c >> 8 & 0x1fU;
    const std::uint32_t most = (lane & segments) | (clamp & ~segments);
    const std::uint32_t least = lane & segments;
    std::uint32_t from = 0;
    bool good = false;
    switch (mode) {
      case Modifier::Up:
        from = lane - amount;
        good = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
        break;
      case Modifier::Down:
        from = lane + amount;
        good = from <= most;
        break;
      case Modifier::Bfly:
        from = lane ^ amount;
        good = from <= most;
        break;
      default:
        from = least | (amount & ~segments);
        good = from <= most;
        break;
    }
    from = good ? from : lane;
    results.predicates |= (good ? 1U : 0U) << lane;
    results.numbers[lane] = operands.numbers[0][from];
    results.undefined |= (operands.members >> from & 1U) == 0 ? 1U << lane : 0U;
  });
  return results;
}

WarpResults vote(Modifier mode, const WarpOperands& operands) {
  std::uint32_t ballot = 0;
  for_each_member(operands.members, [&](unsigned lane) { ballot |= operands.numbers[0][lane] != 0 ? 1U << lane : 0U; });
  const bool all = ballot == operands.members;
  const std::uint64_t result = mode == Modifier::Ballot ? ballot
                               : mode == Modifier::All  ? (all ? 1U : 0U)
                               : mode == Modifier::Any  ? (ballot != 0 ? 1U : 0U)
                                                        : (all || ballot == 0 ? 1U : 0U);
  WarpResults results;
  results.numbers.fill(result);
  return results;
}

WarpResults match(Modifier mode, const WarpOperands& operands) {
  WarpResults results;
  for_each_member(operands.members, [&](unsigned lane) {
    std::uint32_t alike = 0;
    for_each_member(operands.members,
                    [&](unsigned other) { alike |= operands.numbers[0][other] == operands.numbers[0][lane] ? 1U << other : 0U; });
    const bool all = alike == operands.members;
    results.numbers[lane] = mode == Modifier::Any || all ? alike : 0;
    results.predicates |= all ? 1U << lane : 0U;
  });
  return results;
}

WarpResults reduce(const Collective::Operation& operation, const WarpOperands& operands) {
  std::uint32_t result = 0;
  bool first = true;
  for_each_member(operands.members, [&](unsigned lane) {
    const auto x = static_cast<std::uint32_t>(operands.numbers[0][lane]);
    const bool is_less = ptx::is_signed(operation.type) ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(result) : x < result;
    if (first) {
      result = x;
      first = false;
      return;
    }
    switch (operation.mode) {
      case Modifier::Add:
        result += x;
        break;
      case Modifier::Min:
        result = is_less ? x : result;
        break;
      case Modifier::Max:
        result = is_less ? result : x;
        break;
      case Modifier::And:
        result &= x;
        break;
      case Modifier::Or:
        result |= x;
        break;
      case Modifier::Xor:
        result ^= x;
        break;
      default:
        throw InternalError("redux has no such operation");
    }
  });
  WarpResults results;
  results.numbers.fill(result);
  return results;
}

}  // namespace

WarpResults warp_operation(const Collective::Operation& operation, const WarpOperands& operands) {
  switch (operation.kind) {
    case Kind::Shuffle:
      return shuffle(operation.mode, operands);
    case Kind::Vote:
      return vote(operation.mode, operands);
    case Kind::Match:
      return match(operation.mode, operands);
    case Kind::Redux:
      return reduce(operation, operands);
    case Kind::ActiveMask: {
      WarpResults results;
      results.numbers.fill(operands.members);
      return results;
    }
    case Kind::Elect: {
      const auto leader = static_cast<unsigned>(std::countr_zero(operands.members));
      WarpResults results;
      results.numbers.fill(leader);
      results.predicates = 1U << leader;
      return results;
    }
    case Kind::WarpBarrier:
      return {};
    default:
      throw InternalError("no operation of a warp");
  }
}

}  // namespace lockstep::ptx_machine
