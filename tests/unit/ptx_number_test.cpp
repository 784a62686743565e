// Numbers and constant expressions, computed by hand by the rules of C on 64 bits.

#include <catch2/catch.hpp>
#include <string>

#include "semantics/ptx/fit.hpp"
#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

Number number_of(const std::string& text, const std::string& mnemonic = "mov.u64 %d1") {
  return std::get<Immediate>(first_instruction(mnemonic + ", " + text + ";").operands.at(1)).number;
}

Number s64(std::int64_t value) { return {Number::Kind::Signed, static_cast<std::uint64_t>(value)}; }
Number u64(std::uint64_t value) { return {Number::Kind::Unsigned, value}; }

}  // namespace

TEST_CASE("integers of all bases") {
  CHECK(number_of("12") == s64(12));
  CHECK(number_of("0x7fU") == u64(127));
  CHECK(number_of("017") == s64(15));
  CHECK(number_of("0b101") == s64(5));
  CHECK(number_of("0") == s64(0));
  CHECK(number_of("-5") == s64(-5));
  CHECK(number_of("9223372036854775807") == s64(INT64_MAX));
  CHECK(number_of("9223372036854775808") == u64(std::uint64_t{1} << 63));  // too large for a sign
  CHECK(number_of("0xffffffffffffffff") == u64(UINT64_MAX));
  CHECK(number_of("WARP_SZ") == s64(32));
}

TEST_CASE("floats by their bits and by digits") {
  CHECK(number_of("0f3F800000", "mov.f32 %f1") == Number{Number::Kind::Single, 0x3F800000});
  CHECK(number_of("0d3FF0000000000000", "mov.f64 %e1") == Number{Number::Kind::Double, 0x3FF0000000000000});
  CHECK(number_of("1.5", "mov.f64 %e1") == Number{Number::Kind::Double, 0x3FF8000000000000});
  CHECK(number_of("25e-2", "mov.f64 %e1") == Number{Number::Kind::Double, 0x3FD0000000000000});
  CHECK(number_of("-2.0", "mov.f64 %e1") == Number{Number::Kind::Double, 0xC000000000000000});
  CHECK(number_of("-0f00000000", "mov.f32 %f1") == Number{Number::Kind::Single, 0x80000000});
}

TEST_CASE("expressions bind as in C") {
  CHECK(number_of("1+2*3") == s64(7));
  CHECK(number_of("(1+2)*3") == s64(9));
  CHECK(number_of("7-2-1") == s64(4));
  CHECK(number_of("1<<4|1") == s64(17));
  CHECK(number_of("6&3^1") == s64(3));
  CHECK(number_of("-7/2") == s64(-3));
  CHECK(number_of("-7 % 2") == s64(-1));
  CHECK(number_of("~0") == s64(-1));
  CHECK(number_of("!3+1") == s64(1));
  CHECK(number_of("2<3&&4>=5") == s64(0));
  CHECK(number_of("0||2!=2") == s64(0));
  CHECK(number_of("4||2") == s64(1));
  CHECK(number_of("4&&2") == s64(1));
  CHECK(number_of("5^1") == s64(4));
  CHECK(number_of("1==1?10:20") == s64(10));
  CHECK(number_of("0?10:0?20:30") == s64(30));
}

TEST_CASE("an operator of two signs has nothing between them") {
  for (const char* text : {"1 < < 2", "4 | | 2", "4 & & 2", "1 = = 1", "1 > = 1"}) {
    INFO(text);
    CHECK(report_of(kernel_of("mov.u64 %d1, " + std::string(text) + ";")).starts_with("t:6:"));
  }
}

TEST_CASE("one unsigned operand makes both unsigned") {
  CHECK(number_of("-1<0U") == s64(0));
  CHECK(number_of("-1>>1") == s64(-1));
  CHECK(number_of("(.u64)-1>>1") == u64(UINT64_MAX >> 1));
  CHECK(number_of("(.s64)0xffffffffffffffff") == s64(-1));
  CHECK(number_of("(.u64)-8/2") == u64((UINT64_MAX - 7) / 2));
  CHECK(number_of("1<<64") == s64(0));
  CHECK(number_of("-1>>200") == s64(-1));
}

TEST_CASE("borders of 64 bits") {
  CHECK(number_of("-9223372036854775807-1") == s64(INT64_MIN));
  CHECK(number_of("(-9223372036854775807-1)/-1") == s64(INT64_MIN));  // wraps
  CHECK(number_of("(-9223372036854775807-1) % -1") == s64(0));
  CHECK(number_of("9223372036854775807+1") == s64(INT64_MIN));
}

TEST_CASE("a number in an operand's type") {
  bool cut = false;
  CHECK(constant_of(s64(-1), Type::S32, cut)->bits == std::array<std::uint64_t, 2>{0xFFFFFFFF, 0});
  CHECK_FALSE(cut);
  CHECK(constant_of(s64(-1), Type::B128, cut)->bits == std::array<std::uint64_t, 2>{UINT64_MAX, UINT64_MAX});
  CHECK(constant_of(s64(65536 + 3), Type::U16, cut)->bits[0] == 3);
  CHECK(cut);
  CHECK(constant_of(s64(-32769), Type::S16, cut)->bits[0] == 0x7FFF);
  CHECK(cut);
  CHECK(constant_of(s64(65535), Type::S16, cut)->bits[0] == 0xFFFF);
  CHECK_FALSE(cut);
  // 0.1 as a double, rounded to a float: 0x3DCCCCCD (by hand: 1.6 * 2^-4, mantissa 0x4CCCCC.CC…, up).
  CHECK(constant_of({Number::Kind::Double, 0x3FB999999999999A}, Type::F32, cut)->bits[0] == 0x3DCCCCCD);
  CHECK(constant_of({Number::Kind::Single, 0x3F800000}, Type::F64, cut)->bits[0] == 0x3FF0000000000000);
  CHECK(constant_of({Number::Kind::Single, 0x3F800000}, Type::B32, cut)->bits[0] == 0x3F800000);
  CHECK(constant_of(s64(2), Type::Pred, cut)->bits[0] == 1);
  CHECK(constant_of(s64(1), Type::F32, cut).error() == "an integer is no .f32 number; write it as a float, such as 1.0");
  CHECK(constant_of({Number::Kind::Double, 0}, Type::B32, cut).error() == "a float is no .b32 number");
}

TEST_CASE("which registers an operand can be") {
  CHECK(fits(Type::B32, Type::F32, false));
  CHECK(fits(Type::U32, Type::S32, false));
  CHECK(fits(Type::F32, Type::B32, false));
  CHECK_FALSE(fits(Type::U32, Type::F32, false));
  CHECK_FALSE(fits(Type::F32, Type::U32, false));
  CHECK_FALSE(fits(Type::B64, Type::B32, false));
  CHECK(fits(Type::B64, Type::U32, true));
  CHECK(fits(Type::U32, Type::U8, true));
  CHECK_FALSE(fits(Type::F64, Type::U32, true));
  CHECK_FALSE(fits(Type::U16, Type::U32, true));
  CHECK(fits(Type::B32, Type::F16x2, false));
  CHECK(fits(Type::F16, Type::F16, false));
  CHECK_FALSE(fits(Type::U16, Type::F16, false));
  CHECK(fits(Type::B16, Type::BF16, false));
  CHECK_FALSE(fits(Type::F16, Type::BF16, false));
  CHECK(fits(Type::Pred, Type::Pred, true));
  CHECK_FALSE(fits(Type::Pred, Type::B8, true));
  CHECK_FALSE(fits(Type::B8, Type::Pred, true));
}

}  // namespace lockstep::ptx
