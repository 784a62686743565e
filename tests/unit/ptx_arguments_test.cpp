// `--arg` of PTX kernels: from texts to bytes and buffers, and what is said of wrong ones; and what reports say beside the instruction.

#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "interpreter/ptx/arguments.hpp"
#include "tests/unit/ptx_machine_text.hpp"
#include "tests/unit/ptx_text.hpp"

using namespace lockstep;
using namespace lockstep::ptx_machine;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

constexpr std::size_t limit = 1000;

const ptx::resolved::Module& module() {
  static const ptx::resolved::Module made = ptx::resolved_from(
      ".version 8.5\n.target sm_80\n.address_size 64\n.entry none() { ret; }\n"
      ".entry k(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a, .param .b64 d, .param .u8 c, .param .align 4 .b8 s[6]) { ret; "
      "}\n");
  return made;
}
const ptx::resolved::Function& kernel() { return *module().function("k"); }

/// An .npy file of version 1.0 with three numbers of 16 bits.
std::string three_shorts() {
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + std::string("\1\0\2\0\xff\xff", 6);
}

std::expected<std::string, std::string> file(const std::string& path, std::size_t most) {
  static const std::map<std::string, std::string> files = {
      {"six", "abcdef"}, {"eight", "12345678"}, {"shorts.npy", three_shorts()}, {"broken.npy", three_shorts().substr(0, 20)}};
  const auto found = files.find(path);
  if (found == files.end()) {
    return std::unexpected(path + " is not there");
  }
  return found->second.size() > most ? std::unexpected(path + " is too large") : std::expected<std::string, std::string>(found->second);
}

/// Arguments for all parameters of k, but for those of `instead`.
std::vector<std::string> texts(const std::vector<std::string>& instead) {
  std::vector<std::string> all;
  for (const std::string standing : {"x=u32:4:zeros", "y=u32:4:iota", "n=1", "a=1.5", "d=2", "c=3", "s=@six"}) {
    const auto same = [&](const std::string& text) { return text.substr(0, text.find('=')) == standing.substr(0, standing.find('=')); };
    if (std::ranges::none_of(instead, same)) {
      all.push_back(standing);
    }
  }
  all.insert(all.end(), instead.begin(), instead.end());
  return all;
}
Arguments read(const std::vector<std::string>& instead) {
  auto made = parse_arguments(kernel(), texts(instead), limit, file);
  INFO((made ? "" : made.error()));
  REQUIRE(made);
  return std::move(*made);
}
std::string refused(const std::vector<std::string>& instead) {
  const auto made = parse_arguments(kernel(), texts(instead), limit, file);
  return made ? "not refused" : made.error();
}

std::uint64_t number_of(const Arguments& arguments, std::size_t index) {
  const std::vector<std::byte>& bytes = std::get<ParameterBytes>(arguments.values[index]).bytes;
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}
/// The number that `text` gives parameter `index`.
std::uint64_t number(const std::string& text, std::size_t index) { return number_of(read({text}), index); }

const launch::Buffer& buffer(const Arguments& arguments, std::size_t index) {
  return arguments.buffers[std::get<BufferNumber>(arguments.values[index]).number];
}

}  // namespace

TEST_CASE("numbers are of the parameter's type, or of the one that is named") {
  CHECK(number("n=7", 2) == 7);
  CHECK(number("n=-1", 2) == 0xffffffff);
  CHECK(number("n=0xff", 2) == 0xff);
  CHECK(number("n=4294967295", 2) == 0xffffffff);
  CHECK(number("n=s32:-2", 2) == 0xfffffffe);
  CHECK(number("n=f32:1.5", 2) == 0x3fc00000);
  CHECK(number("a=1.5", 3) == 0x3fc00000);
  CHECK(number("a=-2", 3) == 0xc0000000);
  CHECK(number("a=u32:5", 3) == 5);
  CHECK(number("d=2", 4) == 2);
  CHECK(number("d=-2", 4) == 0xfffffffffffffffe);
  CHECK(number("d=2.5", 4) == 0x4004000000000000);
  CHECK(number("d=1e3", 4) == 0x408f400000000000);
  CHECK(number("d=-0x1", 4) == 0xffffffffffffffff);
  CHECK(number("d=0x1e", 4) == 0x1e);
  CHECK(number("c=255", 5) == 255);
  CHECK(number("c=-128", 5) == 128);
  CHECK(number("c=s8:-1", 5) == 255);
  CHECK(number("x=12", 0) == 12);  // an address as a number
  CHECK(number("s=@six", 6) == 0x666564636261);
  CHECK(buffer(read({"d=@eight"}), 4).count == 8);  // of 64 bits: the address of what is in the file
}

TEST_CASE("buffers are lists, files and rules, all within the limit") {
  const Arguments some = read({"x=s16:[1,-2,3]", "y=f32:2:const:0.5"});
  CHECK(buffer(some, 0).type == ScalarType::Short);
  CHECK(buffer(some, 0).count == 3);
  CHECK(std::memcmp(buffer(some, 0).bytes.data(), "\1\0\xfe\xff\3\0", 6) == 0);
  CHECK(buffer(some, 1).type == ScalarType::Float);
  CHECK(std::memcmp(buffer(some, 1).bytes.data(), "\0\0\0\x3f\0\0\0\x3f", 8) == 0);
  for (const auto& [name, type] : std::vector<std::pair<std::string, ScalarType>>{{"s8", ScalarType::Char},
                                                                                  {"u8", ScalarType::UChar},
                                                                                  {"b8", ScalarType::UChar},
                                                                                  {"s16", ScalarType::Short},
                                                                                  {"u16", ScalarType::UShort},
                                                                                  {"b16", ScalarType::UShort},
                                                                                  {"s32", ScalarType::Int},
                                                                                  {"u32", ScalarType::UInt},
                                                                                  {"b32", ScalarType::UInt},
                                                                                  {"s64", ScalarType::Long},
                                                                                  {"u64", ScalarType::ULong},
                                                                                  {"b64", ScalarType::ULong},
                                                                                  {"f32", ScalarType::Float},
                                                                                  {"f64", ScalarType::Double}}) {
    CHECK(buffer(read({"x=" + name + ":2:zeros"}), 0).type == type);
  }
  // What is in a file: an .npy says its type, other bytes are bytes.
  const Arguments files = read({"x=@shorts.npy", "y=@six"});
  CHECK(buffer(files, 0).type == ScalarType::Short);
  CHECK(std::memcmp(buffer(files, 0).bytes.data(), "\1\0\2\0\xff\xff", 6) == 0);
  CHECK(buffer(files, 1).type == ScalarType::UChar);
  CHECK(buffer(files, 1).count == 6);
  // 1000 bytes for both together.
  CHECK(buffer(read({"x=u8:500:zeros", "y=u8:500:zeros"}), 1).count == 500);
  CHECK_THAT(refused({"x=u8:500:zeros", "y=u8:501:zeros"}), Contains("--arg y: "));
  CHECK_THAT(refused({"x=u8:996:zeros", "y=@six"}), Contains("six is too large"));
}

TEST_CASE("parameters are named or numbered, and point to where others do") {
  const auto by_number = parse_arguments(kernel(), {"1=u8:1:zeros", "2=9", "0=u8:2:zeros", "a=1", "d=2", "5=3", "s=@six"}, limit, file);
  REQUIRE(by_number);
  CHECK(number_of(*by_number, 2) == 9);
  CHECK(number_of(*by_number, 5) == 3);
  CHECK(buffer(*by_number, 0).count == 2);
  const Arguments to = read({"x=y+3"});
  CHECK(std::get<BufferNumber>(to.values[0]).number == std::get<BufferNumber>(to.values[1]).number);
  CHECK(std::get<BufferNumber>(to.values[0]).first == 3);
  CHECK(std::get<BufferNumber>(read({"x=y"}).values[0]).first == 0);
  CHECK(std::get<BufferNumber>(read({"x=y+4"}).values[0]).first == 4);
  CHECK(std::get<BufferNumber>(read({"y=x+1"}).values[1]).first == 1);
  CHECK_THAT(refused({"x=y+5"}), Equals("--arg x: 'y' has 4 elements (the parameter is '.u64 x')"));
  CHECK_THAT(refused({"x=n"}), Contains("'n' has no buffer of its own"));
  CHECK_THAT(refused({"x=x"}), Contains("'x' has no buffer of its own"));
  CHECK_THAT(refused({"x=y", "y=x"}), Contains("has no buffer of its own"));
  CHECK_THAT(refused({"x=y+z"}), Contains("--arg x: "));
  CHECK(parameter_named(kernel(), "a") == 3);
  CHECK(parameter_named(kernel(), "6") == 6);
  CHECK_FALSE(parameter_named(kernel(), "7"));
  CHECK_FALSE(parameter_named(kernel(), "6x"));
  CHECK(parameter_name(kernel(), 5) == "c");
  CHECK(parameter_list(kernel()) == ".u64 x, .u64 y, .u32 n, .f32 a, .b64 d, .u8 c, .b8 s, 6 bytes");
  CHECK(parameter_list(*module().function("none")) == "none");
}

TEST_CASE("arguments that do not fit are refused") {
  CHECK_THAT(refused({"n"}), Equals("--arg n: it is not written NAME=VALUE"));
  CHECK_THAT(refused({"z=1"}), Contains("--arg z: the kernel 'k' has no such parameter; its parameters: .u64 x, .u64 y"));
  CHECK_THAT(refused({"n=1", "n=1"}), Equals("--arg n: it is given twice"));
  CHECK_THAT(refused({"n=u32:4:zeros"}), Equals("--arg n: an address has 8 bytes (the parameter is '.u32 n')"));
  CHECK_THAT(refused({"n=u64:1"}), Equals("--arg n: it has 4 bytes, and not 8 (the parameter is '.u32 n')"));
  CHECK_THAT(refused({"c=256"}), Contains("--arg c: "));
  CHECK_THAT(refused({"c=-129"}), Contains("--arg c: "));
  CHECK_THAT(refused({"a=much"}), Contains("'much' is not a number"));
  CHECK_THAT(refused({"s=1"}), Equals("--arg s: it takes the bytes of a file, @FILE (the parameter is '.b8 s, 6 bytes')"));
  CHECK_THAT(refused({"s=@eight"}), Contains("eight has 8 bytes, but 6 are wanted"));
  CHECK_THAT(refused({"x=@nowhere"}), Contains("nowhere is not there"));
  CHECK_THAT(refused({"x=@broken.npy"}), Contains("broken.npy: "));
  CHECK_THAT(refused({"x=f16x2:2:zeros"}), Contains("there are no numbers of type .f16x2"));
  CHECK_THAT(refused({"x=f16:2:iota"}), Contains("there are no numbers of type .f16 here; u16 takes their bits"));
  CHECK_THAT(refused({"c=bf16:1"}), Contains("there are no numbers of type .bf16 here; u16 takes their bits"));
  const auto missing = parse_arguments(kernel(), {"n=1", "a=1", "d=2", "c=3", "s=@six"}, limit, file);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().starts_with("--arg is missing for x, y of the kernel 'k'; its parameters: "));
}

TEST_CASE("reports name the line that PTX was compiled from, and what is open") {
  const auto fault = [](const std::string& loc) { return test::run_text(test::kernel_text(loc + "trap;", ".file 1 \"k.cu\"\n")).fault(); };
  CHECK_THAT(fault(".loc 1 12 3\n"), Contains("(block (0,0,0), thread (0,0,0), compiled from k.cu:12:3)"));
  CHECK_THAT(fault(""), Contains("(block (0,0,0), thread (0,0,0))"));
  CHECK_THAT(fault(".loc 7 12 3\n"), Contains("compiled from file 7:12:3"));
  const auto open = [](const std::string& body) {
    const test::PtxRun run = test::run_body(body, test::PtxLaunch(1));
    REQUIRE_FALSE(run.outcome.open.empty());
    return render(run.module, run.outcome.open.front());
  };
  const std::string sine = "mov.f32 %f0, 0f3F800000;\nsin.approx.f32 %f1, %f0;\n";
  CHECK_THAT(open(sine + "st.global.f32 [%rd8], %f1;"),
             Contains("k.ptx:15:1: warning: the number that is stored here depends on a result of line 14 that PTX leaves open"));
  CHECK_THAT(open(sine + "setp.gt.f32 %p0, %f1, %f0;\n@%p0 mov.u32 %r0, 1;"),
             Contains("what is decided here depends on a result of line 14"));
  CHECK_THAT(open(sine + "cvt.rzi.u64.f32 %rd0, %f1;\nadd.u64 %rd0, %rd9, %rd0;\nld.global.u32 %r0, [%rd0];"),
             Contains("the address here depends on a result of line 14"));
}
