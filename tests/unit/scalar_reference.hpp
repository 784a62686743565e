#pragma once
// What each operation and conversion of typed programs has to give, by definitions of the tests' own: integers in 128 bits that are then
// cut to their type, floats in a format so much wider that rounding twice is rounding once.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include "semantics/ops/op.hpp"

namespace lockstep::scalar_reference {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;
__extension__ typedef __float128 WideFloat;

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// An answer: of the operands' type, or an int, or the unsigned type of the operands' size.
struct Answer {
  std::uint64_t bits = 0;  ///< the low `size` bytes
  unsigned size = 0;
  bool is_nan = false;
};
template <class T>
Answer answer(T value) {
  return {bits_of(value), sizeof(T), value != value};
}

/// The answer of `op` on integers; none where it is undefined or the type is not taken. The condition of Select comes apart.
template <class T>
std::optional<Answer> integer(Op op, T a, T b, T c, std::int32_t condition) {
  const Wide x = a;
  const Wide y = b;
  const unsigned width = 8 * sizeof(T);
  const auto count = static_cast<unsigned>(static_cast<std::uint64_t>(b) % width);
  const auto cut = [](Wide value) { return answer(static_cast<T>(value)); };
  const auto product = [](Wide p, Wide q) { return static_cast<Wide>(static_cast<UnsignedWide>(p) * static_cast<UnsignedWide>(q)); };
  const auto truth = [](bool holds) { return answer(std::int32_t{holds}); };
  const auto fits = [](Wide value) { return value >= Wide{std::numeric_limits<T>::min()} && value <= Wide{std::numeric_limits<T>::max()}; };
  switch (op) {
    case Op::Min:
      return cut(x < y ? x : y);
    case Op::Max:
      return cut(x > y ? x : y);
    case Op::Neg:
      return cut(-x);
    case Op::BitNot:
      return cut(-x - 1);
    case Op::LogicalNot:
      return truth(x == 0);
    case Op::Mul:
      return cut(product(x, y));
    case Op::Div:
      return y == 0 || !fits(x / y) ? std::nullopt : std::optional(cut(x / y));
    case Op::Rem:
      return y == 0 || !fits(x / y) ? std::nullopt : std::optional(cut(x - x / y * y));
    case Op::Add:
      return cut(x + y);
    case Op::Sub:
      return cut(x - y);
    case Op::Shl:
      return cut(product(x, Wide{1} << count));
    case Op::Shr:
      return cut((x - (x % (Wide{1} << count) + (Wide{1} << count)) % (Wide{1} << count)) / (Wide{1} << count));  // the quotient's floor
    case Op::Lt:
      return truth(x < y);
    case Op::Le:
      return truth(x <= y);
    case Op::Gt:
      return truth(x > y);
    case Op::Ge:
      return truth(x >= y);
    case Op::Eq:
      return truth(x == y);
    case Op::Ne:
      return truth(x != y);
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor: {
      Wide result = 0;
      for (unsigned k = 0; k < width; ++k) {
        const bool p = ((x >> k) & 1) != 0;
        const bool q = ((y >> k) & 1) != 0;
        const bool bit = op == Op::BitAnd ? p && q : op == Op::BitOr ? p || q : p != q;
        result += bit ? Wide{1} << k : Wide{0};
      }
      return cut(result);
    }
    case Op::LogicalAnd:
      return truth(x != 0 && y != 0);
    case Op::LogicalOr:
      return truth(x != 0 || y != 0);
    case Op::Select:
      return answer(condition != 0 ? b : c);
    case Op::Abs:
      return answer(static_cast<std::make_unsigned_t<T>>(x < 0 ? -x : x));
    case Op::Popcount: {
      Wide ones = 0;
      for (unsigned k = 0; k < width; ++k) {
        ones += (x >> k) & 1;
      }
      return cut(ones);
    }
    case Op::Fma:
    case Op::Sqrt:
    case Op::Fabs:
    case Op::Rcp:
      break;
  }
  return std::nullopt;
}

/// The same for floats.
template <class T>
std::optional<Answer> floating(Op op, T a, T b, T c, std::int32_t condition) {
  using Exact = std::conditional_t<sizeof(T) == 4, double, WideFloat>;
  const Exact x = a;
  const Exact y = b;
  const auto rounded = [](Exact value) { return answer(static_cast<T>(value)); };
  const auto truth = [](bool holds) { return answer(std::int32_t{holds}); };
  switch (op) {
    case Op::Min:
      return answer(x > y ? b : a);
    case Op::Max:
      return answer(x < y ? b : a);
    case Op::Neg:
      return answer(std::copysign(a, std::signbit(a) ? T{1} : T{-1}));
    case Op::Mul:
      return rounded(x * y);
    case Op::Div:
      return rounded(x / y);
    case Op::Add:
      return rounded(x + y);
    case Op::Sub:
      return rounded(x - y);
    case Op::LogicalNot:
      return truth(x == 0);
    case Op::Lt:
      return truth(x < y);
    case Op::Le:
      return truth(x <= y);
    case Op::Gt:
      return truth(x > y);
    case Op::Ge:
      return truth(x >= y);
    case Op::Eq:
      return truth(x == y);
    case Op::Ne:
      return truth(x != y);
    case Op::LogicalAnd:
      return truth(x != 0 && y != 0);
    case Op::LogicalOr:
      return truth(x != 0 || y != 0);
    case Op::Select:
      return answer(condition != 0 ? b : c);
    case Op::Fma:
      return answer(std::fma(a, b, c));
    case Op::Sqrt:
      return answer(std::sqrt(a));
    case Op::Fabs:
      return answer(std::copysign(a, T{1}));
    case Op::Rcp:
      return rounded(Exact{1} / x);
    case Op::BitNot:
    case Op::Rem:
    case Op::Shl:
    case Op::Shr:
    case Op::BitAnd:
    case Op::BitXor:
    case Op::BitOr:
    case Op::Abs:
    case Op::Popcount:
      break;
  }
  return std::nullopt;
}

template <class T>
std::optional<Answer> operation(Op op, T a, T b, T c, std::int32_t condition) {
  if constexpr (std::is_floating_point_v<T>) {
    return floating(op, a, b, c, condition);
  } else {
    return integer(op, a, b, c, condition);
  }
}

/// C's conversion to the type To (bool: `to_bool`); none where it is undefined. A long double holds every number of every type.
template <class To, class From>
std::optional<Answer> conversion(From a, bool to_bool) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  const long double x = a;
  if (to_bool) {
    return answer(std::uint8_t{x != 0});
  }
  if constexpr (std::is_floating_point_v<To>) {
    return answer(static_cast<To>(x));
  } else if constexpr (std::is_floating_point_v<From>) {
    const long double whole = std::trunc(x);
    if (!(whole >= static_cast<long double>(std::numeric_limits<To>::min()) &&
          whole <= static_cast<long double>(std::numeric_limits<To>::max()))) {
      return std::nullopt;
    }
    return answer(static_cast<To>(static_cast<Wide>(whole)));
  } else {
    return answer(static_cast<To>(Wide{a}));
  }
}

/// Numbers at which operations and conversions go wrong.
template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {T{0}, T{1}, T{2}, T{3}, T{7}, Limits::lowest(), Limits::max(), static_cast<T>(Limits::max() - 1)};
  if constexpr (std::is_floating_point_v<T>) {
    for (const T x : {T{0}, Limits::infinity(), Limits::min(), Limits::denorm_min(), Limits::epsilon(), T{0.5}, T{1.5}, T{2.5}}) {
      numbers.push_back(x);
      numbers.push_back(-x);
    }
    numbers.push_back(Limits::quiet_NaN());
    numbers.push_back(std::nextafter(Limits::min(), T{0}));
    for (const int exponent : {7, 8, 15, 16, 24, 31, 32, 53, 63, 64}) {
      for (const T x : {std::ldexp(T{1}, exponent), -std::ldexp(T{1}, exponent)}) {
        numbers.insert(numbers.end(), {x, x - 1, x + 1, x - T{0.5}, x + T{0.5}, std::nextafter(x, T{0}), std::nextafter(x, 2 * x)});
      }
    }
  } else {
    for (unsigned k = 2; k < 8 * sizeof(T); ++k) {
      const std::uint64_t power = std::uint64_t{1} << k;
      numbers.insert(numbers.end(), {static_cast<T>(power), static_cast<T>(power - 1), static_cast<T>(power + 1)});
    }
    if constexpr (std::is_signed_v<T>) {
      numbers.insert(numbers.end(), {T{-1}, T{-2}, T{-7}, static_cast<T>(Limits::min() + 1)});
    }
    // Integers half way between two floats, and beside that.
    if constexpr (sizeof(T) >= 4) {
      for (const std::uint64_t x : {(std::uint64_t{1} << 24) + 1, (std::uint64_t{1} << 24) + 3, (std::uint64_t{1} << 53) + 1,
                                    (std::uint64_t{1} << 53) + 3, (std::uint64_t{1} << 62) + (std::uint64_t{1} << 38),
                                    (std::uint64_t{1} << 62) + (std::uint64_t{1} << 38) + 1, ~std::uint64_t{0} >> 1}) {
        numbers.push_back(static_cast<T>(x));
        numbers.push_back(static_cast<T>(0 - x));
      }
    }
  }
  return numbers;
}

/// An edge, or some number: any bits, or small ones.
template <class T>
T number(std::mt19937_64& random) {
  static const std::vector<T> edge = edges<T>();
  const std::uint64_t word = random();
  switch (random() % 4) {
    case 0:
    case 1:
      return edge[word % edge.size()];
    case 2:
      return static_cast<T>(static_cast<std::int8_t>(word));
    default: {
      T value{};
      std::memcpy(&value, &word, sizeof value);
      return value;
    }
  }
}

/// Whether `bits` are the answer: the same ones, any NaN for a NaN.
template <class T>
bool is(const Answer& expected, std::uint64_t bits) {
  if (expected.is_nan && expected.size == sizeof(T)) {
    T value{};
    std::memcpy(&value, &bits, sizeof value);
    return value != value;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * expected.size);
  return (bits & mask) == expected.bits;
}

}  // namespace lockstep::scalar_reference
