#include "semantics/ops/apply.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::ops {

namespace {

template <class T>
bool division_is_undefined(Op op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return info(op).undefined == NoResult::Division && division_undefined(a, b);
  } else {
    return false;
  }
}

template <class T, class Each>
std::uint64_t call(Op op, Each&& operand) {
  switch (op) {
#define LOCKSTEP_CALL_1(id) bits_from(ops::id(operand(0)))
#define LOCKSTEP_CALL_2(id) bits_from(ops::id(operand(0), operand(1)))
#define LOCKSTEP_CALL_3(id) bits_from(ops::id(operand(0), operand(1), operand(2)))
#define OP(id, text, arity, precedence, undefined, meaning)         \
  case Op::id:                                                      \
    if constexpr (!(integer_only(Op::id) && is_floating_word<T>)) { \
      return LOCKSTEP_CALL_##arity(id);                             \
    }                                                               \
    break;
#define FUNCTION(id, text, arity, undefined, meaning)                                                                \
  case Op::id:                                                                                                       \
    if constexpr (!(integer_only(Op::id) && is_floating_word<T>) && !(float_only(Op::id) && !is_floating_word<T>)) { \
      return LOCKSTEP_CALL_##arity(id);                                                                              \
    }                                                                                                                \
    break;
#include "semantics/ops/ops.def"
#undef OP
#undef LOCKSTEP_CALL_1
#undef LOCKSTEP_CALL_2
#undef LOCKSTEP_CALL_3
  }
  throw InternalError("an operation on a type that it does not take");
}

/// Comparisons give a number of the operand type; int is what they mean.
template <class T>
std::uint64_t as_int(Op op, std::uint64_t bits) {
  return gives_truth(op) ? static_cast<std::uint64_t>(number_from<T>(bits) != T{0}) : bits;
}

}  // namespace

ScalarType result_type(Op op, ScalarType type) {
  if (gives_truth(op)) {
    return ScalarType::Int;
  }
  if (op == Op::Abs) {
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
  return type;
}

bool takes(Op op, ScalarType type) { return is_float(type) ? !integer_only(op) : !float_only(op); }

std::optional<std::uint64_t> apply(Op op, ScalarType type, std::span<const std::uint64_t> operands) {
  return with_type(type, [&]<class T>(T) -> std::optional<std::uint64_t> {
    const auto operand = [&](std::size_t i) { return number_from<T>(operands[i]); };
    if (operands.size() == 2 && division_is_undefined<T>(op, operand(0), operand(1))) {
      return std::nullopt;
    }
    return as_int<T>(op, call<T>(op, operand));
  });
}

std::uint64_t changed(AtomicOp op, ScalarType type, std::uint64_t old, std::uint64_t compare, std::uint64_t operand) {
  if (const std::optional<Op> change = info(op).change) {
    return apply(*change, type, std::array{old, operand}).value();
  }
  return op == AtomicOp::CompareExchange && old != compare ? old : operand;
}

std::int64_t apply(Op op, std::span<const std::int64_t> operands) {
  return static_cast<std::int64_t>(call<std::int64_t>(op, [&](std::size_t i) { return operands[i]; }));
}

std::optional<std::uint64_t> convert(ScalarType from, ScalarType to, std::uint64_t bits) {
  return with_type(from, [&]<class From>(From) -> std::optional<std::uint64_t> {
    const auto value = number_from<From>(bits);
    if (to == ScalarType::Bool) {
      return static_cast<std::uint64_t>(value != From{0});
    }
    return with_type(to, [&]<class To>(To) -> std::optional<std::uint64_t> {
      if (conversion_undefined<To>(value)) {
        return std::nullopt;
      }
      return bits_from(converted<To>(value));
    });
  });
}

std::string text_of(ScalarType type, std::uint64_t bits) {
  return with_type(type, [&]<class T>(T) -> std::string {
    const auto value = number_from<T>(bits);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        return "nan";
      }
      if (std::isinf(value)) {
        return value < 0 ? "-inf" : "inf";
      }
    }
    std::array<char, 64> text{};
    std::to_chars_result end{};
    if constexpr (sizeof(T) == 1) {
      end = std::to_chars(text.data(), text.data() + text.size(), static_cast<int>(value));
    } else {
      end = std::to_chars(text.data(), text.data() + text.size(), value);
    }
    return {text.data(), end.ptr};
  });
}

}  // namespace lockstep::ops
