// Launches as oclgrind-kernel reads them: what is in a file, and what is refused where.

#include "interpreter/launch/sim_file.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace lockstep;
using launch::SimFile;
using launch::WrittenParameter;

namespace {

const std::string head = "f.cl k\n8 2 1 # items\n4 1 1\n";

SimFile read(const std::string& text) {
  const SourceFile source("x.sim", text);
  const auto file = launch::parse_sim(source);
  if (!file) {
    FAIL(render(source, file.error()));
  }
  return *file;
}

/// "2:7: message"
std::string placed(const SourceFile& source, const Diagnostic& diagnostic) {
  const LineColumn place = source.place(diagnostic.span.begin);
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + diagnostic.message;
}
std::string error(const std::string& text) {
  const SourceFile source("x.sim", text);
  const auto file = launch::parse_sim(source);
  return file ? "none" : placed(source, file.error());
}

const WrittenParameter number{"n", 0, {{0, 4}}, 4};
const WrittenParameter buffer{"b", 0, {{0, 8}}, 8, 4};
const WrittenParameter local{"l", 0, {}, 0, 4, true};

/// What an argument becomes, or why it does not.
std::string value(const std::string& argument, const WrittenParameter& parameter, ScalarType type,
                  std::size_t left = std::numeric_limits<std::size_t>::max()) {
  const SourceFile source("x.sim", head + argument);
  const auto file = launch::parse_sim(source);
  if (!file) {
    return placed(source, file.error());
  }
  const auto text = launch::text_of(file->arguments.at(0), parameter, type, left);
  return text ? *text : placed(source, text.error());
}

}  // namespace

TEST_CASE("a .sim file names a kernel and its launch, words on any lines", "[launch][sim]") {
  const SimFile file = read("#first\n f.cl\tk 8 2 1 4\n1 1<size=4>7#eight\n<null  dump>\n");
  CHECK(file.program.text == "f.cl");
  CHECK(file.kernel.text == "k");
  CHECK(file.items == std::array<std::uint64_t, 3>{8, 2, 1});
  CHECK(file.group == std::array<std::uint64_t, 3>{4, 1, 1});
  REQUIRE(file.arguments.size() == 2);
  CHECK(file.arguments[0].size == 4);
  REQUIRE(file.arguments[0].numbers.size() == 1);
  CHECK(file.arguments[0].numbers[0].text == "7");
  CHECK(file.arguments[1].is_null);
  CHECK(file.arguments[1].is_shown);
  CHECK(read(head).arguments.empty());
}

TEST_CASE("numbers of .sim files are bytes in the order of memory", "[launch][sim]") {
  CHECK(value("<size=8> 1 -2", buffer, ScalarType::Int) == "hex:01000000feffffff");
  CHECK(value("<size=4 ushort> 258 65535", buffer, ScalarType::Int) == "hex:0201ffff");
  CHECK(value("<size=4 uint> -1", number, ScalarType::UInt) == "hex:ffffffff");
  CHECK(value("<size=4 hex> 1F", number, ScalarType::Int) == "hex:1f000000");
  CHECK(value("<size=4 hex fill=-0x10>", number, ScalarType::Int) == "hex:f0ffffff");
  CHECK(value("<fill=0.5 size=8>", buffer, ScalarType::Float) == "hex:0000003f0000003f");
  CHECK(value("<size=4 fill=7 char>", buffer, ScalarType::Float) == "hex:07070707");
  CHECK(value("<size=3 range=1:2:5 char>", buffer, ScalarType::Float) == "hex:010305");
  CHECK(value("<size=3 range=1:-2:-3 char>", buffer, ScalarType::Float) == "hex:01fffd");
  CHECK(value("<size=2 range=250:5:255 uchar>", buffer, ScalarType::Float) == "hex:faff");
  CHECK(value("<size=8 range=1:0.5:1.5>", buffer, ScalarType::Float) == "hex:0000803f0000c03f");
  CHECK(
      value("<size=8 range=-1:2:1 short>", buffer, ScalarType::Float).ends_with("the range does not have 4 numbers, as the size asks for"));
  CHECK(value("<size=0>", buffer, ScalarType::Int) == "hex:");
  CHECK(value("<size=16>", local, ScalarType::Int) == "local:4");
  CHECK(value("<size=16 noinit>", buffer, ScalarType::Int) == "4:uninitialised");
  CHECK(value("<null>", buffer, ScalarType::Int) == "null");
}

TEST_CASE("what is wrong in a .sim file is said where it stands", "[launch][sim]") {
  CHECK(error("") == "1:1: the file of kernels is missing");
  CHECK(error("f.cl\n") == "1:6: the name of the kernel is missing");
  CHECK(error("f.cl <size=4>\n") == "1:6: the name of the kernel is missing");
  CHECK(error("f.cl k 1 2\n") == "1:12: the number of work items, in three dimensions, is missing");
  CHECK(error("f.cl k 1 1 1 1 <size=4>") == "1:16: the number of items of a group, in three dimensions, is missing");
  CHECK(error("f.cl k 1 x 1") == "1:10: 'x' is no size; sizes are numbers, and groups have at least one item");
  CHECK(error("f.cl k 1 1 1 1 0 1") == "1:16: '0' is no size; sizes are numbers, and groups have at least one item");
  CHECK(error(head + "4") == "4:1: an argument begins with its head, as in <size=64 float>, not with '4'");
  CHECK(error(head + "<size=4\n> 4") == "4:1: the head of an argument ends with '>' in its line");
  CHECK(error(head + "<fill=4>") == "4:1: the size is missing, as in size=64, in bytes");
  CHECK(error(head + "<size=>") == "4:2: 'size' needs a value, as in size=8");
  CHECK(error(head + "<size>") == "4:2: 'size' needs a value, as in size=8");
  CHECK(error(head + "<size=4x>") == "4:2: the size is a number of bytes");
  CHECK(error(head + "<size=4 hex=1>") == "4:9: 'hex' takes no value");
  CHECK(error(head + "<size=4 int int>") == "4:13: the type of the numbers is given twice");
  CHECK(error(head + "<size=4 fill=1 range=1:1:1>") == "4:1: only one of fill, range, noinit and null says what is there");
  CHECK(error(head + "<size=4 half>").starts_with("4:9: 'half' is not one of size=BYTES"));
  CHECK(value("<size=8> 1", buffer, ScalarType::Int) == "4:1: the size asks for 2 numbers of type int, but there is 1");
  CHECK(value("<size=6> 1", buffer, ScalarType::Int) == "4:1: 6 bytes are no whole elements of 4");
  CHECK(value("<size=6>", local, ScalarType::Int) == "4:1: 6 bytes are no whole elements of 4");
  CHECK(value("<size=1 char> 128", buffer, ScalarType::Int) == "4:15: 128 does not fit char, which goes from -128 to 127");
  CHECK(value("<size=1 uchar> -1", buffer, ScalarType::Int) == "4:16: -1 does not fit uchar, which goes from 0 to 255");
  CHECK(value("<size=4 fill=x>", buffer, ScalarType::Int) == "4:9: 'x' is not an integer");
  CHECK(value("<size=4 range=1:2>", buffer, ScalarType::Int) == "4:9: a range is written FIRST:STEP:LAST, as in range=0:1:15");
  CHECK(value("<size=8 range=1:0:2>", buffer, ScalarType::Int) == "4:9: the range does not have 2 numbers, as the size asks for");
  CHECK(value("<size=4 fill=1> 1", buffer, ScalarType::Int) == "4:17: 'b' gets no numbers here");
  CHECK(value("<size=4> 1", local, ScalarType::Int) == "4:10: 'l' gets no numbers here");
  CHECK(value("<null>", number, ScalarType::Int) == "4:1: 'n' is no pointer to a buffer");
  CHECK(value("<size=4 noinit>", local, ScalarType::Int) == "4:1: 'l' is no pointer to a buffer");
  CHECK(value("<size=4000 fill=0>", buffer, ScalarType::Int, 100) ==
        "4:1: 4000 bytes do not fit into the 100 bytes that are left for the arguments of a file");
}
