// Operations on single numbers: against C++'s own operators where they are defined and do not promote, against scalar_reference.hpp
// everywhere, and the texts of numbers.

#include "semantics/ops/apply.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>

#include "semantics/ops/bits.hpp"
#include "tests/unit/scalar_reference.hpp"

using namespace lockstep;

TEST_CASE("results are the same number if they have the same bits, or are a NaN each", "[ops]") {
  using ops::same_number;
  for (const ScalarType type : {ScalarType::Char, ScalarType::UInt, ScalarType::Long, ScalarType::Float, ScalarType::Double}) {
    INFO(info(type).name);
    CHECK(same_number(type, 5, 5));
    CHECK_FALSE(same_number(type, 5, 6));
  }
  constexpr std::uint64_t nan = 0x7fc00000;
  CHECK(same_number(ScalarType::Float, nan, 0xff800001));
  CHECK_FALSE(same_number(ScalarType::Float, nan, 0x3f800000));
  CHECK_FALSE(same_number(ScalarType::Float, 0x3f800000, nan));
  CHECK_FALSE(same_number(ScalarType::Float, 0, 0x80000000));  // the zeros
  CHECK_FALSE(same_number(ScalarType::UInt, nan, 0xff800001));
  CHECK(same_number(ScalarType::Double, 0x7ff8000000000000, 0xfff0000000000001));
  CHECK_FALSE(same_number(ScalarType::Double, 0x7ff8000000000000, 0x7ff0000000000000));
}

namespace {

/// As core::Literal has it: integers extended to 64 bits by their own type, floats in the low bytes.
template <class T>
std::uint64_t literal(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar_reference::bits_of(value);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

template <class T>
std::optional<std::uint64_t> apply(Op op, ScalarType type, T a, T b) {
  const std::uint64_t operands[] = {literal(a), literal(b)};
  return ops::apply(op, type, operands);
}

/// C++'s operators on a type that does not promote, for operands at which they are defined.
template <class T>
void check_operators(ScalarType type, T a, T b) {
  CHECK(apply(Op::Add, type, a, b) == literal(static_cast<T>(a + b)));
  CHECK(apply(Op::Sub, type, a, b) == literal(static_cast<T>(a - b)));
  CHECK(apply(Op::Mul, type, a, b) == literal(static_cast<T>(a * b)));
  CHECK(apply(Op::Div, type, a, b) == literal(static_cast<T>(a / b)));
  CHECK(apply(Op::Lt, type, a, b) == literal(std::int32_t{a < b}));
  CHECK(apply(Op::Le, type, a, b) == literal(std::int32_t{a <= b}));
  CHECK(apply(Op::Gt, type, a, b) == literal(std::int32_t{a > b}));
  CHECK(apply(Op::Ge, type, a, b) == literal(std::int32_t{a >= b}));
  CHECK(apply(Op::Eq, type, a, b) == literal(std::int32_t{a == b}));
  CHECK(apply(Op::Ne, type, a, b) == literal(std::int32_t{a != b}));
  CHECK(apply(Op::LogicalAnd, type, a, b) == literal(std::int32_t{a != 0 && b != 0}));
  CHECK(apply(Op::LogicalOr, type, a, b) == literal(std::int32_t{a != 0 || b != 0}));
  if constexpr (std::is_integral_v<T>) {
    CHECK(apply(Op::Rem, type, a, b) == literal(static_cast<T>(a % b)));
    CHECK(apply(Op::BitAnd, type, a, b) == literal(static_cast<T>(a & b)));
    CHECK(apply(Op::BitOr, type, a, b) == literal(static_cast<T>(a | b)));
    CHECK(apply(Op::BitXor, type, a, b) == literal(static_cast<T>(a ^ b)));
    CHECK(apply(Op::Shr, type, a, static_cast<T>(b & 15)) == literal(static_cast<T>(a >> (b & 15))));
  }
}

/// The answer with its bits extended as a literal's are.
std::uint64_t extended(const scalar_reference::Answer& answer, ScalarType type) {
  const unsigned spare = 64 - 8 * answer.size;
  return is_signed(type) && !is_float(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(answer.bits << spare) >> spare)
                                            : answer.bits;
}

}  // namespace

TEST_CASE("operations on single numbers are those of C++ where it has them", "[ops]") {
  const std::int32_t ints[] = {1, 2, 3, 7, -1, -2, -7, 100, 30000, -30000};
  for (const std::int32_t a : ints) {
    for (const std::int32_t b : ints) {
      INFO(a << ", " << b);
      check_operators<std::int32_t>(ScalarType::Int, a, b);
      check_operators<std::uint32_t>(ScalarType::UInt, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      check_operators<std::int64_t>(ScalarType::Long, std::int64_t{a} * 40000, b);
      check_operators<std::uint64_t>(ScalarType::ULong, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
      check_operators<float>(ScalarType::Float, static_cast<float>(a) / 3, static_cast<float>(b));
      check_operators<double>(ScalarType::Double, a / 3.0, b);
    }
  }
}

TEST_CASE("operations on single numbers of every type, at the edges too", "[ops]") {
  std::mt19937_64 random(11);
  for (const ScalarInfo& type : scalar_table) {
    for (std::size_t k = 0; k < op_count; ++k) {
      const Op op = static_cast<Op>(k);
      INFO(info(op).name << " of " << type.name);
      with_type(type.type, [&]<class T>(T) {
        const bool taken = scalar_reference::operation<T>(op, T{1}, T{1}, T{1}, 1).has_value();
        CHECK(ops::takes(op, type.type) == taken);
        for (unsigned n = 0; n < 300 && taken; ++n) {
          const T x = scalar_reference::number<T>(random);
          const T y = scalar_reference::number<T>(random);
          const T z = scalar_reference::number<T>(random);
          const std::uint64_t operands[] = {literal(x), literal(y), literal(z)};
          const auto expected = scalar_reference::operation<T>(op, x, y, z, x != T{0} ? 1 : 0);
          const auto found = ops::apply(op, type.type, std::span(operands).first(static_cast<std::size_t>(info(op).arity)));
          REQUIRE(found.has_value() == expected.has_value());
          if (!expected) {
            continue;
          }
          const ScalarType result = ops::result_type(op, type.type);
          REQUIRE(size_of(result) == expected->size);
          if (expected->is_nan) {
            REQUIRE(scalar_reference::is<T>(*expected, *found));
          } else {
            REQUIRE(*found == extended(*expected, result));
          }
        }
      });
    }
  }
}

TEST_CASE("untyped operations are total and wrap at 64 bits", "[ops]") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const auto apply = [](Op op, std::int64_t a, std::int64_t b) {
    const std::int64_t operands[] = {a, b};
    return ops::apply(op, operands);
  };
  CHECK(apply(Op::Div, lowest, -1) == lowest);
  CHECK(apply(Op::Rem, lowest, -1) == 0);
  CHECK(apply(Op::Add, std::numeric_limits<std::int64_t>::max(), 1) == lowest);
  CHECK(apply(Op::Shl, 1, 65) == 2);
  CHECK(apply(Op::Shr, -8, 1) == -4);
  CHECK(apply(Op::Lt, -1, 0) == 1);
  apply(Op::Div, 1, 0);  // some number
}

TEST_CASE("result types", "[ops]") {
  CHECK(ops::result_type(Op::Lt, ScalarType::Double) == ScalarType::Int);
  CHECK(ops::result_type(Op::LogicalNot, ScalarType::ULong) == ScalarType::Int);
  CHECK(ops::result_type(Op::Abs, ScalarType::Long) == ScalarType::ULong);
  CHECK(ops::result_type(Op::Abs, ScalarType::UShort) == ScalarType::UShort);
  CHECK(ops::result_type(Op::Popcount, ScalarType::Long) == ScalarType::Long);
  CHECK(ops::result_type(Op::Fma, ScalarType::Float) == ScalarType::Float);
}

TEST_CASE("conversions of single numbers between all types", "[ops]") {
  std::mt19937_64 random(12);
  for (const ScalarInfo& from : scalar_table) {
    for (const ScalarInfo& to : scalar_table) {
      INFO(from.name << " to " << to.name);
      with_type(from.type, [&]<class From>(From) {
        with_type(to.type, [&]<class To>(To) {
          for (unsigned n = 0; n < 300; ++n) {
            const From x = scalar_reference::number<From>(random);
            const auto expected = scalar_reference::conversion<To>(x, to.type == ScalarType::Bool);
            const auto found = ops::convert(from.type, to.type, literal(x));
            REQUIRE(found.has_value() == expected.has_value());
            if (expected) {
              REQUIRE((expected->is_nan ? scalar_reference::is<To>(*expected, *found) : *found == extended(*expected, to.type)));
            }
          }
        });
      });
    }
  }
}

TEST_CASE("numbers as texts", "[ops]") {
  CHECK(ops::text_of(ScalarType::Bool, 1) == "1");
  CHECK(ops::text_of(ScalarType::Char, literal(std::int8_t{-3})) == "-3");
  CHECK(ops::text_of(ScalarType::UChar, 65) == "65");
  CHECK(ops::text_of(ScalarType::Short, literal(std::int16_t{-32768})) == "-32768");
  CHECK(ops::text_of(ScalarType::UShort, 65535) == "65535");
  CHECK(ops::text_of(ScalarType::Int, literal(std::numeric_limits<std::int32_t>::min())) == "-2147483648");
  CHECK(ops::text_of(ScalarType::UInt, 4294967295U) == "4294967295");
  CHECK(ops::text_of(ScalarType::Long, std::uint64_t{1} << 63) == "-9223372036854775808");
  CHECK(ops::text_of(ScalarType::ULong, ~std::uint64_t{0}) == "18446744073709551615");
  CHECK(ops::text_of(ScalarType::Float, literal(0.1F)) == "0.1");
  CHECK(ops::text_of(ScalarType::Double, literal(0.1)) == "0.1");
  CHECK(ops::text_of(ScalarType::Double, literal(-0.0)) == "-0");
  CHECK(ops::text_of(ScalarType::Float, literal(std::numeric_limits<float>::infinity())) == "inf");
  CHECK(ops::text_of(ScalarType::Double, literal(-std::numeric_limits<double>::infinity())) == "-inf");
  CHECK(ops::text_of(ScalarType::Float, literal(-std::numeric_limits<float>::quiet_NaN())) == "nan");
}

TEST_CASE("texts of floats are read back as the same numbers", "[ops]") {
  for (const float x : scalar_reference::edges<float>()) {
    if (x == x) {
      CHECK(scalar_reference::bits_of(std::strtof(ops::text_of(ScalarType::Float, literal(x)).c_str(), nullptr)) == literal(x));
    }
  }
  for (const double x : scalar_reference::edges<double>()) {
    if (x == x) {
      CHECK(scalar_reference::bits_of(std::strtod(ops::text_of(ScalarType::Double, literal(x)).c_str(), nullptr)) == literal(x));
    }
  }
}
