#include "tests/evaluator/number.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "semantics/base/internal_error.hpp"

namespace lockstep::evaluator {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

unsigned width_of(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return 1;
    case ScalarType::Char:
    case ScalarType::UChar:
      return 8;
    case ScalarType::Short:
    case ScalarType::UShort:
      return 16;
    case ScalarType::Int:
    case ScalarType::UInt:
    case ScalarType::Float:
      return 32;
    default:
      return 64;
  }
}

bool counts_down(ScalarType type) {
  return type == ScalarType::Char || type == ScalarType::Short || type == ScalarType::Int || type == ScalarType::Long;
}

Wide value_of(ScalarType type, std::uint64_t bits) {
  return counts_down(type) ? Wide{static_cast<std::int64_t>(bits)} : static_cast<Wide>(bits);
}

/// The low bits, as a number of the type: what wraps around.
std::uint64_t cut(ScalarType type, Wide value) {
  const unsigned width = width_of(type);
  const UnsignedWide modulus = UnsignedWide{1} << width;
  const UnsignedWide low = static_cast<UnsignedWide>(value) % modulus;
  const bool negative = counts_down(type) && low >= modulus / 2;
  return static_cast<std::uint64_t>(negative ? low - modulus : low);
}

Wide smallest(ScalarType type) { return counts_down(type) ? -(Wide{1} << (width_of(type) - 1)) : 0; }
Wide largest(ScalarType type) { return (Wide{1} << (counts_down(type) ? width_of(type) - 1 : width_of(type))) - 1; }
bool fits(ScalarType type, Wide value) { return smallest(type) <= value && value <= largest(type); }

template <class T>
T real(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::uint64_t bits_of_real(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

Answer divide(ScalarType type, Wide a, Wide b, bool remainder) {
  if (b == 0) {
    return FaultKind::DivisionByZero;
  }
  if (!fits(type, a / b)) {
    return FaultKind::DivisionOverflow;
  }
  return cut(type, remainder ? a % b : a / b);
}

ScalarType unsigned_of(ScalarType type) {
  switch (type) {
    case ScalarType::Char:
      return ScalarType::UChar;
    case ScalarType::Short:
      return ScalarType::UShort;
    case ScalarType::Int:
      return ScalarType::UInt;
    case ScalarType::Long:
      return ScalarType::ULong;
    default:
      return type;
  }
}

std::uint64_t ones(std::uint64_t bits, unsigned width) {
  std::uint64_t count = 0;
  for (unsigned k = 0; k < width; ++k) {
    count += (bits >> k) % 2;
  }
  return count;
}

Answer on_integers(Op op, ScalarType type, const std::vector<std::uint64_t>& operands) {
  const Wide a = value_of(type, operands[0]);
  const Wide b = operands.size() > 1 ? value_of(type, operands[1]) : 0;
  const auto count = static_cast<unsigned>((b % width_of(type) + width_of(type)) % width_of(type));
  const auto product = static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
  switch (op) {
    case Op::Min:
      return cut(type, b < a ? b : a);
    case Op::Max:
      return cut(type, a < b ? b : a);
    case Op::Neg:
      return cut(type, -a);
    case Op::BitNot:
      return cut(type, ~a);
    case Op::LogicalNot:
      return std::uint64_t{a == 0};
    case Op::Mul:
      return cut(type, product);
    case Op::Div:
      return divide(type, a, b, false);
    case Op::Rem:
      return divide(type, a, b, true);
    case Op::Add:
      return cut(type, a + b);
    case Op::Sub:
      return cut(type, a - b);
    case Op::Shl:
      return cut(type, static_cast<Wide>(static_cast<UnsignedWide>(a) << count));
    case Op::Shr:
      return cut(type, a >> count);
    case Op::Lt:
      return std::uint64_t{a < b};
    case Op::Le:
      return std::uint64_t{a <= b};
    case Op::Gt:
      return std::uint64_t{a > b};
    case Op::Ge:
      return std::uint64_t{a >= b};
    case Op::Eq:
      return std::uint64_t{a == b};
    case Op::Ne:
      return std::uint64_t{a != b};
    case Op::BitAnd:
      return cut(type, a & b);
    case Op::BitXor:
      return cut(type, a ^ b);
    case Op::BitOr:
      return cut(type, a | b);
    case Op::Abs:
      return cut(unsigned_of(type), a < 0 ? -a : a);
    case Op::Popcount:
      return ones(operands[0], width_of(type));
    default:
      throw InternalError("the evaluator met an operation that integers do not have");
  }
}

template <class T>
Answer on_reals(Op op, const std::vector<std::uint64_t>& operands) {
  const T a = real<T>(operands[0]);
  const T b = operands.size() > 1 ? real<T>(operands[1]) : T{};
  switch (op) {
    case Op::Min:
      return bits_of_real(b < a ? b : a);
    case Op::Max:
      return bits_of_real(a < b ? b : a);
    case Op::Neg:
      return bits_of_real(-a);
    case Op::LogicalNot:
      return std::uint64_t{a == 0};
    case Op::Mul:
      return bits_of_real(a * b);
    case Op::Div:
      return bits_of_real(a / b);
    case Op::Add:
      return bits_of_real(a + b);
    case Op::Sub:
      return bits_of_real(a - b);
    case Op::Lt:
      return std::uint64_t{a < b};
    case Op::Le:
      return std::uint64_t{a <= b};
    case Op::Gt:
      return std::uint64_t{a > b};
    case Op::Ge:
      return std::uint64_t{a >= b};
    case Op::Eq:
      return std::uint64_t{a == b};
    case Op::Ne:
      return std::uint64_t{a != b};
    case Op::Fma:
      return bits_of_real(std::fma(a, b, real<T>(operands[2])));
    case Op::Sqrt:
      return bits_of_real(std::sqrt(a));
    case Op::Fabs:
      return bits_of_real(std::fabs(a));
    case Op::Rcp:
      return bits_of_real(T{1} / a);
    default:
      throw InternalError("the evaluator met an operation that floating point does not have");
  }
}

template <class T>
Answer from_real(ScalarType to, T value) {
  switch (to) {
    case ScalarType::Float:
      return bits_of_real(static_cast<float>(value));
    case ScalarType::Double:
      return bits_of_real(static_cast<double>(value));
    case ScalarType::Bool:
      return std::uint64_t{value != 0};
    default:
      break;
  }
  const T whole = std::trunc(value);
  if (!(std::fabs(whole) < T{1e30F}) || !fits(to, static_cast<Wide>(whole))) {  // also false for a NaN
    return FaultKind::ConversionOverflow;
  }
  return cut(to, static_cast<Wide>(whole));
}

}  // namespace

const char* word_of(FaultKind kind) {
  static constexpr std::array<const char*, 11> words = {
      "uninitialised-variable", "uninitialised-cell",  "out-of-bounds",    "poison-address",    "poison-branch",      "division-by-zero",
      "division-overflow",      "conversion-overflow", "pointer-mismatch", "divergent-barrier", "barrier-not-reached"};
  return words[static_cast<std::size_t>(kind)];
}

Answer apply(Op op, ScalarType type, const std::vector<std::uint64_t>& operands) {
  switch (type) {
    case ScalarType::Float:
      return on_reals<float>(op, operands);
    case ScalarType::Double:
      return on_reals<double>(op, operands);
    default:
      return on_integers(op, type, operands);
  }
}

Answer convert(ScalarType from, ScalarType to, std::uint64_t bits) {
  switch (from) {
    case ScalarType::Float:
      return from_real(to, real<float>(bits));
    case ScalarType::Double:
      return from_real(to, real<double>(bits));
    default:
      break;
  }
  const Wide value = value_of(from, bits);
  switch (to) {
    case ScalarType::Float:
      return bits_of_real(static_cast<float>(value));
    case ScalarType::Double:
      return bits_of_real(static_cast<double>(value));
    case ScalarType::Bool:
      return std::uint64_t{value != 0};
    default:
      return cut(to, value);
  }
}

bool is_nonzero(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::Float:
      return real<float>(bits) != 0;
    case ScalarType::Double:
      return real<double>(bits) != 0;
    default:
      return bits != 0;
  }
}

}  // namespace lockstep::evaluator
