// Arguments of a launch from texts: every form of value, every type's limits, and what is said about wrong ones.
#include "interpreter/launch/arguments.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "interpreter/store/npy.hpp"

using namespace lockstep;
using namespace lockstep::launch;

namespace {

typed::RegisterInfo parameter(const std::string& name, ScalarType scalar, bool pointer = false, AddressSpace space = AddressSpace::Global) {
  typed::RegisterInfo info;
  info.name = name;
  info.variable = name;
  info.type = {scalar, pointer, pointer ? space : AddressSpace::Private};
  return info;
}

typed::Program kernel(std::vector<typed::RegisterInfo> parameters) {
  typed::Program program;
  typed::Function& function = program.functions.emplace_back();
  function.name = "k";
  function.parameter_count = parameters.size();
  function.registers = std::move(parameters);
  return program;
}

/// The files that arguments can name, and the limit that the last one was asked for with.
std::map<std::string, std::string> files;
std::size_t asked_limit = 0;

std::expected<std::string, std::string> read(const std::string& path, std::size_t limit) {
  asked_limit = limit;
  const auto file = files.find(path);
  if (file == files.end()) {
    return std::unexpected(path + ": No such file or directory");
  }
  return file->second;
}

constexpr std::size_t large = std::size_t{1} << 20;

Arguments arguments(const typed::Program& program, const std::vector<std::string>& texts, std::size_t memory = large) {
  auto result = parse_arguments(program, texts, memory, read);
  INFO((result ? "" : result.error()));
  REQUIRE(result.has_value());
  return std::move(*result);
}

bool takes(const typed::Program& program, const std::vector<std::string>& texts, const Writable& writable) {
  return parse_arguments(program, texts, large, read, writable).has_value();
}

/// Empty if the arguments are taken.
std::string problem(const typed::Program& program, const std::vector<std::string>& texts, const Writable& writable,
                    const Restricted& restricted) {
  const auto result = parse_arguments(program, texts, large, read, writable, restricted);
  return result ? "" : result.error();
}

std::string error(const typed::Program& program, const std::vector<std::string>& texts, std::size_t memory = large) {
  const auto result = parse_arguments(program, texts, memory, read);
  REQUIRE_FALSE(result.has_value());
  return result.error();
}

/// The bits of a scalar argument.
std::uint64_t scalar(ScalarType type, const std::string& text) {
  const auto bits = parse_scalar(type, text);
  INFO(text << (bits ? "" : ": " + bits.error()));
  REQUIRE(bits.has_value());
  return *bits;
}

std::string scalar_error(ScalarType type, const std::string& text) {
  const auto bits = parse_scalar(type, text);
  INFO(text);
  REQUIRE_FALSE(bits.has_value());
  return bits.error();
}

/// The one buffer of a kernel with one pointer, from one value.
Buffer buffer(ScalarType type, const std::string& value) {
  return arguments(kernel({parameter("x", type, true)}), {"x=" + value}).buffers.at(0);
}

std::string buffer_error(ScalarType type, const std::string& value, std::size_t memory = large) {
  return error(kernel({parameter("x", type, true)}), {"x=" + value}, memory);
}

template <class T>
std::vector<T> elements(const Buffer& buffer) {
  REQUIRE(buffer.bytes.size() == buffer.count * sizeof(T));
  std::vector<T> values(buffer.count);
  std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
  return values;
}

std::uint64_t bits_of_value(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits_of_value(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

TEST_CASE("arguments: integers fit their type exactly", "[arguments]") {
  struct Limits {
    ScalarType type;
    const char* least;
    const char* below;
    const char* most;
    const char* above;
    const char* range;
  };
  for (const Limits& l :
       {Limits{ScalarType::Char, "-128", "-129", "127", "128", "char, which goes from -128 to 127"},
        Limits{ScalarType::UChar, "0", "-1", "255", "0x100", "uchar, which goes from 0 to 255"},
        Limits{ScalarType::Short, "-32768", "-32769", "32767", "32768", "short, which goes from -32768 to 32767"},
        Limits{ScalarType::UShort, "0", "-1", "65535", "65536", "ushort, which goes from 0 to 65535"},
        Limits{ScalarType::Int, "-2147483648", "-2147483649", "2147483647", "2147483648", "int, which goes from -2147483648 to 2147483647"},
        Limits{ScalarType::UInt, "0", "-1", "0xffffffff", "4294967296", "uint, which goes from 0 to 4294967295"},
        Limits{ScalarType::Long, "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
               "long, which goes from -9223372036854775808 to 9223372036854775807"},
        Limits{ScalarType::ULong, "0", "-1", "18446744073709551615", "18446744073709551616",
               "ulong, which goes from 0 to 18446744073709551615"}}) {
    const unsigned bits = bits_of(l.type);
    CHECK(scalar(l.type, l.least) == (is_signed(l.type) ? ~std::uint64_t{0} << (bits - 1) : 0));
    CHECK(scalar(l.type, l.most) == ~std::uint64_t{0} >> (64 - bits + (is_signed(l.type) ? 1 : 0)));
    CHECK(scalar_error(l.type, l.below) == std::string(l.below) + " does not fit " + l.range);
    CHECK(scalar_error(l.type, l.above) == std::string(l.above) + " does not fit " + l.range);
  }
  CHECK(scalar(ScalarType::Int, "-0x10") == static_cast<std::uint64_t>(-16));
  CHECK(scalar(ScalarType::Int, "+7") == 7);
  CHECK(scalar(ScalarType::Int, "010") == 10);
  CHECK(scalar(ScalarType::UInt, "-0") == 0);
  for (const std::string text : {"", "-", "+", "--1", "1.5", "1.0", "1e3", "0x", "0xg", "1u", " 1", "1 ", "nan", "@x", "[1]", "3:zeros"}) {
    CHECK(scalar_error(ScalarType::Int, text) == "'" + text + "' is not an integer");
  }
}

TEST_CASE("arguments: bool takes 0, 1 and the words", "[arguments]") {
  CHECK(scalar(ScalarType::Bool, "0") == 0);
  CHECK(scalar(ScalarType::Bool, "true") == 1);
  CHECK(scalar(ScalarType::Bool, "1") == 1);
  CHECK(scalar(ScalarType::Bool, "false") == 0);
  CHECK(scalar_error(ScalarType::Bool, "2") == "'2' is not 0, 1, false or true");
  CHECK(scalar_error(ScalarType::Bool, "yes") == "'yes' is not 0, 1, false or true");
}

TEST_CASE("arguments: floats are rounded once, to their own type", "[arguments]") {
  CHECK(scalar(ScalarType::Float, "1.5") == bits_of_value(1.5F));
  CHECK(scalar(ScalarType::Float, "0.1") == bits_of_value(0.1F));
  CHECK(scalar(ScalarType::Double, "0.1") == bits_of_value(0.1));
  CHECK(scalar(ScalarType::Float, "16777217") == bits_of_value(16777216.0F));
  // Just above the middle of 1 and its successor as float: rounding to double first would lose the last digit and then the tie.
  CHECK(scalar(ScalarType::Float, "1.00000005960464477539062500000000001") == bits_of_value(std::nextafter(1.0F, 2.0F)));
  CHECK(scalar(ScalarType::Float, "-0") == bits_of_value(-0.0F));
  CHECK(scalar(ScalarType::Float, ".5") == bits_of_value(0.5F));
  CHECK(scalar(ScalarType::Float, "-2e-3") == bits_of_value(-2e-3F));
  CHECK(scalar(ScalarType::Double, "0x1.8p3") == bits_of_value(12.0));
  CHECK(scalar(ScalarType::Double, "0x10") == bits_of_value(16.0));
  CHECK(scalar(ScalarType::Float, "1e-45") == 1);
  CHECK(scalar(ScalarType::Float, "inf") == bits_of_value(std::numeric_limits<float>::infinity()));
  CHECK(scalar(ScalarType::Double, "-inf") == bits_of_value(-std::numeric_limits<double>::infinity()));
  CHECK(std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(scalar(ScalarType::Float, "nan")))));
  CHECK(scalar(ScalarType::Float, "nan(0xffa65012)") == 0xffa65012);
  CHECK(scalar(ScalarType::Double, "nan(0x7ff0000000000001)") == 0x7ff0000000000001);
  for (const std::string text : {"nan(0x7f800000)", "nan(0x1ffc00000)", "nan(0x)", "nan(0x7fc00000", "nan(7fc00000)", "-nan(0x7fc00000)"}) {
    CHECK(scalar_error(ScalarType::Float, text) == "'" + text + "' is not a number");
  }
  for (const std::uint64_t bits : {0x7fc00000U, 0x7fc00001U, 0xffc00000U, 0x7f800001U, 0xff800000U, 0x80000000U, 0x3f800001U}) {
    CHECK(scalar(ScalarType::Float, launch::argument_text(ScalarType::Float, bits)) == bits);
  }
  CHECK(launch::argument_text(ScalarType::Double, 0x7ff8000000000000) == "nan");
  CHECK(launch::argument_text(ScalarType::Double, 0xfff8000000000000) == "nan(0xfff8000000000000)");
  CHECK(scalar_error(ScalarType::Float, "1e39") == "1e39 does not fit float, which goes from -3.4028235e+38 to 3.4028235e+38");
  CHECK(scalar(ScalarType::Double, "1e39") == bits_of_value(1e39));
  CHECK(scalar_error(ScalarType::Double, "1e400") ==
        "1e400 does not fit double, which goes from -1.7976931348623157e+308 to 1.7976931348623157e+308");
  CHECK(scalar(ScalarType::Double, "1e-400") == 0);
  CHECK(scalar(ScalarType::Float, "-1e-50") == bits_of_value(-0.0F));
  CHECK(scalar(ScalarType::Float, "0x1p-149") == 1);
  CHECK(scalar(ScalarType::Float, "0x1p-150") == 0);  // a tie goes to even
  CHECK(scalar(ScalarType::Float, "0x1.8p-150") == 1);
  CHECK(scalar_error(ScalarType::Float, "0x1p128") == "0x1p128 does not fit float, which goes from -3.4028235e+38 to 3.4028235e+38");
  for (const std::string text :
       {"", "-", "x", "1.5f", "1,5", "0x", "0xinf", "0xnan", "e5", ".", "infinite", "nan(1)", "1.5 ", "[1]", "--1"}) {
    CHECK(scalar_error(ScalarType::Float, text) == "'" + text + "' is not a number");
  }
}

TEST_CASE("arguments: lists", "[arguments]") {
  CHECK(elements<std::int32_t>(buffer(ScalarType::Int, "[1, -2,0x10]")) == std::vector<std::int32_t>{1, -2, 16});
  CHECK(elements<float>(buffer(ScalarType::Float, "[1.5,inf, -0.25 ]")) ==
        std::vector<float>{1.5F, std::numeric_limits<float>::infinity(), -0.25F});
  CHECK(elements<std::uint8_t>(buffer(ScalarType::Bool, "[true,0,1]")) == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(buffer(ScalarType::Long, "[]").count == 0);
  CHECK(buffer(ScalarType::Long, "[7,8]").shape == std::vector<std::uint64_t>{2});
  CHECK(buffer_error(ScalarType::UChar, "[1,256]") ==
        "--arg x: element 1: 256 does not fit uchar, which goes from 0 to 255 (the parameter is '__global uchar *x')");
  CHECK(buffer_error(ScalarType::Int, "[1,,2]") == "--arg x: element 1: '' is not an integer (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "[1,2,]") == "--arg x: element 2: '' is not an integer (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "[1.5]") == "--arg x: element 0: '1.5' is not an integer (the parameter is '__global int *x')");
}

TEST_CASE("arguments: elements by rule", "[arguments]") {
  CHECK(elements<double>(buffer(ScalarType::Double, "3:zeros")) == std::vector<double>{0, 0, 0});
  CHECK(elements<float>(buffer(ScalarType::Float, "4:iota")) == std::vector<float>{0, 1, 2, 3});
  CHECK(elements<std::uint16_t>(buffer(ScalarType::UShort, "0x3:iota")) == std::vector<std::uint16_t>{0, 1, 2});
  CHECK(elements<std::int16_t>(buffer(ScalarType::Short, "2:const:-7")) == std::vector<std::int16_t>{-7, -7});
  CHECK(buffer(ScalarType::Int, "0:iota").count == 0);
  CHECK(buffer(ScalarType::UChar, "256:iota").count == 256);
  CHECK(buffer_error(ScalarType::UChar, "257:iota") ==
        "--arg x: iota goes up to 256 here, which does not fit uchar (the parameter is '__global uchar *x')");
  CHECK(buffer_error(ScalarType::Int, "3:const:x") == "--arg x: 'x' is not an integer (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "3:ones") ==
        "--arg x: 'ones' is not one of zeros, iota, const:V, random[:SEED] and uninitialised (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "-3:zeros") == "--arg x: '-3' is no number of elements (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "3:random:x") ==
        "--arg x: 'x' is no seed; it is an integer from 0 to 2^64 - 1 (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::Int, "3") ==
        "--arg x: '3' is not written @FILE, [1,2,3], hex:BYTES, LEN:zeros|iota|const:V|random[:SEED]|uninitialised, null, or OTHER+N, with "
        "ro: or wo: in front of what is only read or written (the "
        "parameter is '__global int *x')");
}

TEST_CASE("arguments: random elements are those of SplitMix64", "[arguments]") {
  // The first numbers of the published generator for seed 1234567 (Vigna's splitmix64.c prints them).
  const std::vector<std::uint64_t> published = {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL};
  CHECK(elements<std::uint64_t>(buffer(ScalarType::ULong, "3:random:1234567")) == published);
  CHECK(elements<std::uint8_t>(buffer(ScalarType::UChar, "1:random:1234567"))[0] == (published[0] & 0xff));
  CHECK(elements<std::uint8_t>(buffer(ScalarType::Bool, "1:random:1234567"))[0] == (published[0] & 1));
  CHECK(elements<float>(buffer(ScalarType::Float, "1:random:1234567"))[0] == std::ldexp(static_cast<float>(published[0] >> 40), -24));
  CHECK(elements<double>(buffer(ScalarType::Double, "1:random:1234567"))[0] == std::ldexp(static_cast<double>(published[0] >> 11), -53));
  CHECK(elements<std::uint64_t>(buffer(ScalarType::ULong, "2:random")) == elements<std::uint64_t>(buffer(ScalarType::ULong, "2:random:0")));
}

TEST_CASE("arguments: files", "[arguments]") {
  files["a.npy"] = npy_header(ScalarType::Float, {1, 2}) + std::string("\0\0\xc0\x3f\0\0\0\x80", 8);
  files["flags.npy"] = npy_header(ScalarType::Bool, {3}) + std::string("\0\1\2", 3);
  files["none.npy"] = npy_header(ScalarType::Int, {0});
  files["text"] = "hello";
  files["text.npy"] = "hello";
  const Buffer a = buffer(ScalarType::Float, "@a.npy");
  CHECK(elements<float>(a) == std::vector<float>{1.5F, -0.0F});
  CHECK(a.shape == std::vector<std::uint64_t>{1, 2});
  CHECK(elements<std::uint8_t>(buffer(ScalarType::Bool, "@flags.npy")) == std::vector<std::uint8_t>{0, 1, 1});
  CHECK(buffer(ScalarType::Int, "@none.npy").count == 0);
  CHECK(elements<std::uint8_t>(buffer(ScalarType::UChar, "@text")) == std::vector<std::uint8_t>{'h', 'e', 'l', 'l', 'o'});
  CHECK(elements<std::int8_t>(buffer(ScalarType::Char, "@text")) == std::vector<std::int8_t>{'h', 'e', 'l', 'l', 'o'});
  CHECK(buffer_error(ScalarType::Double, "@a.npy") ==
        "--arg x: a.npy has elements of type '<f4' (float), but '<f8' (double) is wanted (the parameter is '__global double *x')");
  CHECK(buffer_error(ScalarType::UChar, "@a.npy") ==
        "--arg x: a.npy has elements of type '<f4' (float), but '|u1' (uchar) is wanted (the parameter is '__global uchar *x')");
  CHECK(buffer_error(ScalarType::Int, "@text") ==
        "--arg x: text is no .npy file; the bytes of any file can only be elements of type char or uchar (the parameter is '__global int "
        "*x')");
  CHECK(buffer_error(ScalarType::UChar, "@text.npy") == "--arg x: text.npy: it is no .npy file (the parameter is '__global uchar *x')");
  CHECK(buffer_error(ScalarType::UChar, "@gone") == "--arg x: gone: No such file or directory (the parameter is '__global uchar *x')");
}

TEST_CASE("arguments: the memory limit is for all buffers together", "[arguments]") {
  const auto program = kernel({parameter("x", ScalarType::Int, true), parameter("y", ScalarType::Double, true)});
  CHECK(arguments(program, {"x=4:zeros", "y=2:zeros"}, 32).buffers.size() == 2);
  CHECK(error(program, {"x=5:zeros", "y=2:zeros"}, 32) ==
        "--arg y: 2 elements of 8 bytes do not fit into the 12 bytes that are left of the memory limit (the parameter is '__global double "
        "*y')");
  CHECK(error(program, {"x=18446744073709551615:zeros"}) ==
        "--arg x: 18446744073709551615 elements of 4 bytes do not fit into the 1048576 bytes that are left of the memory limit (the "
        "parameter is '__global int *x')");
  CHECK(error(program, {"x=18446744073709551616:zeros"}) ==
        "--arg x: '18446744073709551616' is no number of elements (the parameter is '__global int *x')");
  CHECK(buffer_error(ScalarType::UChar, "@text", 4) ==
        "--arg x: 5 elements of 1 bytes do not fit into the 4 bytes that are left of the memory limit (the parameter is '__global uchar "
        "*x')");
  CHECK(asked_limit == 4 + (2U << 20));  // no more than that and a header is read
}

TEST_CASE("arguments: one for each parameter, in any order", "[arguments]") {
  const auto program = kernel({parameter("a", ScalarType::Float), parameter("x", ScalarType::Float, true),
                               parameter("table", ScalarType::UInt, true, AddressSpace::Constant)});
  CHECK(parameter_list(program) == "float a, __global float *x, __constant uint *table");
  CHECK(parameter_list(kernel({})) == "none");
  const Arguments good = arguments(program, {"table=[3]", "a=2", "x=[1]"});
  REQUIRE(good.values.size() == 3);
  CHECK(std::get<ScalarBits>(good.values[0]).bits == bits_of_value(2.0F));
  CHECK(elements<float>(good.buffers.at(std::get<BufferNumber>(good.values[1]).number)) == std::vector<float>{1});
  CHECK(elements<std::uint32_t>(good.buffers.at(std::get<BufferNumber>(good.values[2]).number)) == std::vector<std::uint32_t>{3});
  CHECK(arguments(kernel({}), {}).values.empty());
  const std::string list = "its parameters: float a, __global float *x, __constant uint *table";
  CHECK(error(program, {"a=1"}) == "--arg is missing for x, table of the kernel 'k'; " + list);
  CHECK(error(program, {"b=1"}) == "--arg b: the kernel 'k' has no such parameter; " + list);
  CHECK(error(program, {"a=1", "a=1"}) == "--arg a: it is given twice");
  CHECK(error(program, {"a"}) == "--arg a: it is not written NAME=VALUE");
  CHECK(error(program, {"=1"}) == "--arg : the kernel 'k' has no such parameter; " + list);
  CHECK(error(program, {"a=[1]"}) == "--arg a: '[1]' is not a number (the parameter is 'float a')");
  CHECK(error(kernel({}), {"a=1"}) == "--arg a: the kernel 'k' has no such parameter; its parameters: none");
  CHECK(error(kernel({parameter("t", ScalarType::Int, true, AddressSpace::Local)}), {"t=3:zeros"}) ==
        "--arg t: a local pointer cannot be given from outside; declare the array in the kernel (the parameter is '__local int *t')");
}

TEST_CASE("arguments: bytes, elements without a value, and the null pointer", "[arguments]") {
  const auto program = kernel({parameter("x", ScalarType::Int, true), parameter("n", ScalarType::Short)});
  const auto of = [&](const std::string& x, const std::string& n) { return arguments(program, {"x=" + x, "n=" + n}); };
  const auto bytes = of("hex:01000000FEffffff", "hex:ff7f");
  CHECK(elements<std::int32_t>(bytes.buffers.at(0)) == std::vector<std::int32_t>{1, -2});
  CHECK(bytes.values[1] == Argument(ScalarBits{0x7fff}));
  CHECK(of("hex:", "0").buffers.at(0).count == 0);
  const auto missing = of("3:uninitialised", "0");
  CHECK(missing.buffers.at(0).uninitialised == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(launch::element_text(missing.buffers.at(0), 1) == "uninitialised");
  CHECK(launch::elements_from(missing.buffers.at(0), 2).uninitialised == std::vector<std::uint64_t>{0});
  const auto null = of("null", "0");
  CHECK(null.buffers.empty());
  CHECK(null.values[0] == Argument(ScalarBits{0}));
  CHECK(launch::null_pointer(program, null) == "--arg x: null is for `run` and `step`; compiled kernels get a buffer for each pointer");
  CHECK_FALSE(launch::null_pointer(program, bytes));
  const std::string x = " (the parameter is '__global int *x')";
  CHECK(error(program, {"x=hex:010", "n=0"}) == "--arg x: a byte has two digits, but '010' has an odd number of them" + x);
  CHECK(error(program, {"x=hex:0g", "n=0"}) == "--arg x: '0g' is no byte; a byte has two digits, 00 to ff" + x);
  CHECK(error(program, {"x=hex:0102", "n=0"}) == "--arg x: 2 bytes are no whole elements of 4" + x);
  CHECK(error(program, {"x=null", "n=hex:00"}) == "--arg n: there are 1 bytes, but short has 2 (the parameter is 'short n')");
}

TEST_CASE("arguments: pointers into the buffer of another parameter", "[arguments]") {
  const auto program =
      kernel({parameter("a", ScalarType::Int, true), parameter("b", ScalarType::Int, true), parameter("n", ScalarType::Int),
              parameter("f", ScalarType::Float, true), parameter("t", ScalarType::Int, true, AddressSpace::Constant)});
  const std::vector<std::string> others = {"n=1", "f=[1]", "t=[1]"};
  const auto with = [&](std::vector<std::string> texts) {
    texts.insert(texts.end(), others.begin(), others.end());
    return texts;
  };
  for (const auto& [texts, first] : std::vector<std::pair<std::vector<std::string>, std::uint64_t>>{
           {{"a=[5,6,7]", "b=a"}, 0}, {{"a=[5,6,7]", "b=a+2"}, 2}, {{"b=a+0x2", "a=[5,6,7]"}, 2}, {{"b=a+3", "a=[5,6,7]"}, 3}}) {
    const Arguments good = arguments(program, with(texts));
    CHECK(good.buffers.size() == 3);
    CHECK(good.values[1] == Argument(BufferNumber{std::get<BufferNumber>(good.values[0]).number, first}));
    CHECK(std::get<BufferNumber>(good.values[0]).first == 0);
    CHECK(elements<std::int32_t>(good.buffers[std::get<BufferNumber>(good.values[0]).number]) == std::vector<std::int32_t>{5, 6, 7});
  }
  CHECK(owner_of(arguments(program, with({"b=[5,6,7]", "a=b+2"})).values, 0) == 1);
  CHECK(owner_of(arguments(program, with({"b=[5,6,7]", "a=b"})).values, 0) == 0);
  CHECK(owner_of(arguments(program, with({"b=[5,6,7]", "a=b"})).values, 7) == 5);

  const std::string b = " (the parameter is '__global int *b')";
  const std::string a3 = "a=3:zeros";
  CHECK(error(program, with({a3, "b=a+4"})) == "--arg b: 'a' has 3 elements; 4 lies behind their end" + b);
  CHECK(error(program, with({a3, "b=a-1"})) == "--arg b: '-1' is not +N, so many elements behind the beginning of 'a'" + b);
  CHECK(error(program, with({a3, "b=a+"})) == "--arg b: '+' is not +N, so many elements behind the beginning of 'a'" + b);
  CHECK(error(program, with({a3, "b=a+-1"})) == "--arg b: '+-1' is not +N, so many elements behind the beginning of 'a'" + b);
  CHECK(error(program, with({a3, "b=a:zeros"})) == "--arg b: ':zeros' is not +N, so many elements behind the beginning of 'a'" + b);
  CHECK(error(program, with({a3, "b=a+18446744073709551616"})) ==
        "--arg b: '+18446744073709551616' is not +N, so many elements behind the beginning of 'a'" + b);
  CHECK(error(program, with({a3, "b=c+1"})) ==
        "--arg b: 'c+1' is not written @FILE, [1,2,3], hex:BYTES, LEN:zeros|iota|const:V|random[:SEED]|uninitialised, null, or OTHER+N, "
        "with ro: or wo: in front of what is only read or written" +
            b);
  CHECK(error(program, with({a3, "b=b"})) == "--arg b: it cannot point into its own buffer" + b);
  CHECK(error(program, with({a3, "b=n+1"})) == "--arg b: 'n' is a number, and has no elements to point to" + b);
  CHECK(error(program, with({a3, "b=f"})) == "--arg b: 'f' has elements of type float, and a buffer has elements of one type only" + b);
  CHECK(error(program, with({"a=b+1", "b=a+1"})) ==
        "--arg a: 'b' points into the buffer of another parameter itself; name that one (the parameter is '__global int *a')");
  CHECK(error(program, {"a=[1]", "n=a+1"}) == "--arg n: 'a+1' is not an integer (the parameter is 'int n')");
  CHECK(error(program, {"b=a", "n=1", "f=[1]", "t=[1]"}).starts_with("--arg is missing for a of the kernel 'k'"));
  // What is __constant may share with what is only read.
  const std::vector<std::string> constant = {"a=[1,2]", "b=[3]", "n=1", "f=[1]", "t=a+1"};
  CHECK(error(program, constant) ==
        "--arg a: its buffer is a __constant parameter's as well, and the kernel may write to it (the parameter is "
        "'__global int *a')");
  CHECK(takes(program, constant, {false, true, false, true, false}));
  CHECK(!takes(program, {"a=t", "b=t", "n=1", "f=[1]", "t=[1]"}, {false, true, false, true, false}));
  CHECK(!takes(program, {"a=[1]", "b=a", "n=1", "f=[1]", "t=a"}, {false, true, false, true, false}));
}

TEST_CASE("arguments: what is restrict shares nothing that is written", "[arguments]") {
  const auto program =
      kernel({parameter("a", ScalarType::Int, true), parameter("b", ScalarType::Int, true), parameter("c", ScalarType::Int, true)});
  const std::vector<std::string> shared = {"a=[1,2]", "b=a+1", "c=[3]"};
  CHECK(problem(program, shared, {true, true, true}, {false, false, true}) == "");
  CHECK(problem(program, shared, {true, true, true}, {false, true, false}) ==
        "--arg b: it is restrict, and shares its buffer with 'a' (the parameter is '__global int *b')");
  CHECK(problem(program, shared, {true, false, true}, {false, true, false}).starts_with("--arg b: it is restrict"));
  CHECK(problem(program, shared, {false, false, true}, {true, true, false}) == "");
  CHECK(problem(program, {"a=[1,2]", "b=a", "c=a"}, {false, false, true}, {true, false, false})
            .ends_with("shares its buffer with 'c' (the parameter is 'const __global int *a')"));
}

TEST_CASE("arguments: elements of buffers as bits and text", "[arguments]") {
  Buffer b = buffer(ScalarType::Short, "[-1,5,7]");
  CHECK(element_bits(b, 0) == ~std::uint64_t{0});
  CHECK(element_text(b, 0) == "-1");
  b.poison = {1};
  CHECK(element_text(b, 1) == "poison");
  zero_poison(b);
  CHECK(elements<std::int16_t>(b) == std::vector<std::int16_t>{-1, 0, 7});
  CHECK(element_bits(buffer(ScalarType::Float, "[1.5]"), 0) == bits_of_value(1.5F));
  CHECK(element_text(buffer(ScalarType::Double, "[0.1]"), 0) == "0.1");
}
