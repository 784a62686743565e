// What `--arg POSITION=VALUE` says, by the table of docs/ve.md.

#include "interpreter/ve/arguments.hpp"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "interpreter/store/npy.hpp"

namespace lockstep::test {

namespace {

using ve_machine::ParameterValue;

constexpr std::size_t limit = 100;

const launch::FileReader files = [](const std::string& path, std::size_t most) -> std::expected<std::string, std::string> {
  if (path != "x.npy") {
    return std::unexpected("there is no " + path);
  }
  const std::array<float, 3> numbers = {1.5F, 2, 3};
  std::string bytes = npy_header(ScalarType::Float, {3});
  bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  return most >= limit ? std::expected<std::string, std::string>(bytes) : std::unexpected("it is too large");
};

std::uint64_t number(const std::string& text) {
  const auto made = ve_machine::parse_arguments({"0=" + text}, limit, files);
  INFO(text << (made ? "" : made.error()));
  REQUIRE(made.has_value());
  REQUIRE(made->values.size() == 1);
  REQUIRE(made->buffers.empty());
  return std::get<std::uint64_t>(made->values[0]);
}

std::string refusal(const std::vector<std::string>& texts) {
  const auto made = ve_machine::parse_arguments(texts, limit, files);
  return made ? "" : made.error();
}

std::uint64_t bits(double d) { return std::bit_cast<std::uint64_t>(d); }
std::uint64_t upper(float f) { return std::uint64_t{std::bit_cast<std::uint32_t>(f)} << 32U; }

}  // namespace

TEST_CASE("numbers are what their text says", "[ve]") {
  CHECK(number("12") == 12);
  CHECK(number("-3") == static_cast<std::uint64_t>(-3));
  CHECK(number("18446744073709551615") == ~std::uint64_t{0});
  CHECK(number("0xe") == 14);
  CHECK(number("0x1f") == 31);
  CHECK(number("1.5") == bits(1.5));
  CHECK(number("1e3") == bits(1000));
  CHECK(number("2E3") == bits(2000));
  CHECK(number("-1.5") == bits(-1.5));
  CHECK(number("inf") == bits(HUGE_VAL));
  CHECK(number("-inf") == bits(-HUGE_VAL));
  CHECK(number("f32:1.5") == upper(1.5F));
  CHECK(number("f64:2") == bits(2));
  CHECK(number("i8:-1") == static_cast<std::uint64_t>(-1));
  CHECK(number("i16:-2") == static_cast<std::uint64_t>(-2));
  CHECK(number("i32:-3") == static_cast<std::uint64_t>(-3));
  CHECK(number("i64:-4") == static_cast<std::uint64_t>(-4));
  CHECK(number("s8:-5") == static_cast<std::uint64_t>(-5));
  CHECK(number("s16:300") == 300);
  CHECK(number("s32:70000") == 70000);
  CHECK(number("s64:-6") == static_cast<std::uint64_t>(-6));
  CHECK(number("u8:255") == 255);
  CHECK(number("u16:65535") == 65535);
  CHECK(number("u32:4294967295") == 4294967295U);
  CHECK(number("u64:18446744073709551615") == ~std::uint64_t{0});
  for (const char* text : {"0=", "0=x", "0=1.5x", "0=12x", "0=i8:300", "0=u8:-1", "0=f65:1", "0=nothing"}) {
    CAPTURE(text);
    CHECK_FALSE(refusal({text}).empty());
  }
}

TEST_CASE("buffers, and positions that share them", "[ve]") {
  const auto made = ve_machine::parse_arguments({"3=arg1", "1=i16:[7,8,9]", "0=@x.npy", "2=arg0+2", "4=5", "5=arg1+3"}, limit, files);
  INFO((made ? "" : made.error()));
  REQUIRE(made.has_value());
  REQUIRE(made->buffers.size() == 2);
  CHECK((made->buffers[0].type == ScalarType::Float));
  CHECK(made->buffers[0].count == 3);
  CHECK((made->buffers[1].type == ScalarType::Short));
  CHECK(made->buffers[1].bytes == std::vector<std::byte>{std::byte{7}, {}, std::byte{8}, {}, std::byte{9}, {}});
  REQUIRE(made->values.size() == 6);
  const auto place = [&](std::size_t position) {
    const auto of = std::get<BufferNumber>(made->values[position]);
    return std::pair<std::uint64_t, std::uint64_t>(of.number, of.first);
  };
  CHECK((place(0) == std::pair<std::uint64_t, std::uint64_t>(0, 0)));
  CHECK((place(1) == std::pair<std::uint64_t, std::uint64_t>(1, 0)));
  CHECK((place(2) == std::pair<std::uint64_t, std::uint64_t>(0, 2)));
  CHECK((place(3) == std::pair<std::uint64_t, std::uint64_t>(1, 0)));
  CHECK(std::get<std::uint64_t>(made->values[4]) == 5);
  CHECK((place(5) == std::pair<std::uint64_t, std::uint64_t>(1, 3)));
}

TEST_CASE("wrong arguments are told with their position", "[ve]") {
  CHECK(refusal({"0"}) == "--arg 0: it is not written POSITION=VALUE");
  CHECK(refusal({"x=1"}) == "--arg x: object code has no names of parameters; give the position, from 0 on");
  CHECK(refusal({"1024=1"}) == "--arg 1024: object code has no names of parameters; give the position, from 0 on");
  CHECK(refusal({"-1=1"}) == "--arg -1: object code has no names of parameters; give the position, from 0 on");
  CHECK(refusal({"0x=1"}) == "--arg 0x: object code has no names of parameters; give the position, from 0 on");
  CHECK(refusal({"0=1", "0=2"}) == "--arg 0: it is given twice");
  CHECK(refusal({"0=1", "2=2"}) == "--arg 2: there are 2 arguments, and one of the positions below is missing");
  CHECK(refusal({"1=2"}) == "--arg 1: there are 1 arguments, and one of the positions below is missing");
  CHECK(refusal({"0=f65:1"}) == "--arg 0: 'f65' is no type; there are f32, f64, and i8 to i64 and u8 to u64");
  CHECK(refusal({"0=arg1", "1=3"}) == "--arg 0: argument 1 has no buffer of its own");
  CHECK(refusal({"0=arg0"}) == "--arg 0: argument 0 has no buffer of its own");
  CHECK(refusal({"0=arg2", "1=i8:[1]"}) == "--arg 0: argument 2 has no buffer of its own");
  CHECK(refusal({"0=i8:[1]", "1=arg0", "2=arg1"}) == "--arg 2: argument 1 has no buffer of its own");
  CHECK(refusal({"0=i8:[1,2]", "1=arg0+3"}) == "--arg 1: argument 0 has 2 elements");
  for (const char* text : {"0=arg", "0=argx", "0=arg0x", "0=arg0+", "0=arg0+x", "0=arg0+1x", "0=@y.npy", "0=i8:1001:zeros"}) {
    CAPTURE(text);
    CHECK(refusal({text, "1=i8:[1,2]"}).starts_with("--arg 0: "));
  }
  // The limit is that of all of them together.
  CHECK(refusal({"0=i8:60:zeros", "1=i8:40:zeros"}).empty());
  CHECK(refusal({"0=i8:60:zeros", "1=i8:41:zeros"}).starts_with("--arg 1: "));
}

}  // namespace lockstep::test
