// .npy files: headers as NumPy writes them (typed in from numpy.lib.format's description), and hostile ones.
#include "interpreter/store/npy.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace lockstep;

namespace {

/// A file of format major.0 with this dictionary (padded like NumPy's) and these bytes.
std::string file(const std::string& dictionary, const std::string& data, int major = 1) {
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  std::string header = dictionary;
  while ((8 + length_bytes + header.size() + 1) % 64 != 0) {
    header += ' ';
  }
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return out + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) {
    out += static_cast<char>(v);
  }
  return out;
}

std::vector<std::int64_t> elements(const std::string& text) {
  const auto array = read_npy(text);
  REQUIRE(array.has_value());
  std::vector<std::int64_t> out;
  for (std::uint64_t i = 0; i < array->count; ++i) {
    out.push_back(array->element(i));
  }
  return out;
}

std::string error(const std::string& text) {
  const auto array = read_npy(text);
  REQUIRE_FALSE(array.has_value());
  return array.error();
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("npy: integers of all widths and booleans", "[npy]") {
  CHECK(elements(file(dictionary("|i1", "(3,)"), bytes({1, 0x80, 0xff}))) == Numbers{1, -128, -1});
  CHECK(elements(file(dictionary("|u1", "(3,)"), bytes({1, 0x80, 0xff}))) == Numbers{1, 128, 255});
  CHECK(elements(file(dictionary("<i2", "(2,)"), bytes({0x34, 0x12, 0xfe, 0xff}))) == Numbers{0x1234, -2});
  CHECK(elements(file(dictionary("<u2", "(2,)"), bytes({0x34, 0x12, 0xfe, 0xff}))) == Numbers{0x1234, 0xfffe});
  CHECK(elements(file(dictionary("<i4", "(1,)"), bytes({0, 0, 0, 0x80}))) == Numbers{-2147483648LL});
  CHECK(elements(file(dictionary("<u4", "(1,)"), bytes({0, 0, 0, 0x80}))) == Numbers{2147483648LL});
  CHECK(elements(file(dictionary("<i8", "(1,)"), bytes({0, 0, 0, 0, 0, 0, 0, 0x80}))) == Numbers{std::numeric_limits<std::int64_t>::min()});
  CHECK(elements(file(dictionary("<u8", "(1,)"), bytes({255, 255, 255, 255, 255, 255, 255, 255}))) == Numbers{-1});
  CHECK(elements(file(dictionary("|b1", "(3,)"), bytes({0, 1, 2}))) == Numbers{0, 1, 1});
}

TEST_CASE("npy: formats, shapes and spellings", "[npy]") {
  const std::string data = bytes({1, 2, 3, 4, 5, 6});
  for (const int major : {1, 2, 3}) {
    CHECK(elements(file(dictionary("|u1", "(2, 3)"), data, major)) == Numbers{1, 2, 3, 4, 5, 6});
  }
  CHECK(read_npy(file(dictionary("|u1", "(2, 3)"), data))->shape == std::vector<std::uint64_t>{2, 3});
  CHECK(elements(file(dictionary("|u1", "()"), bytes({9}))) == Numbers{9});
  CHECK(elements(file(dictionary("|u1", "(0,)"), "")) == Numbers{});
  CHECK(elements(file(dictionary("<i8", "(18446744073709551615, 0, 7)"), "")) == Numbers{});
  CHECK(elements(file("{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"|u1\"}", bytes({7}))) == Numbers{7});
  CHECK(looks_like_npy(file(dictionary("|u1", "()"), "x")));
  CHECK_FALSE(looks_like_npy("NUMPY"));
}

TEST_CASE("npy: floats and doubles give their bits", "[npy]") {
  CHECK(elements(file(dictionary("<f4", "(2,)"), bytes({0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80}))) ==
        Numbers{0x3fc00000, 0x80000000LL});  // 1.5, -0.0
  CHECK(elements(file(dictionary("<f8", "(1,)"), bytes({0, 0, 0, 0, 0, 0, 0xf8, 0xbf}))) ==
        Numbers{static_cast<std::int64_t>(0xbff8000000000000ULL)});  // -1.5
}

TEST_CASE("npy: each descr names one scalar type", "[npy]") {
  for (const ScalarInfo& row : scalar_table) {
    const auto array = read_npy(file(dictionary(std::string(row.numpy), "(0,)"), ""));
    REQUIRE(array.has_value());
    CHECK(array->type == row.type);
  }
  CHECK(read_npy(file(dictionary("<i1", "(0,)"), ""))->type == ScalarType::Char);  // a single byte has no order
  CHECK(read_npy(file(dictionary(">u1", "(0,)"), ""))->type == ScalarType::UChar);
  CHECK(npy_type_text(ScalarType::Float) == "'<f4' (float)");
}

TEST_CASE("npy: what it writes, it reads; the header is a multiple of 64 bytes", "[npy]") {
  const Numbers values = {0, -1, 255, 256, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  std::string text = npy_header(ScalarType::Long, {values.size()});
  CHECK(text.size() % 64 == 0);
  CHECK(text == file(dictionary("<i8", "(6,)"), ""));
  for (const std::int64_t v : values) {
    append_npy_element(text, v);
  }
  CHECK(elements(text) == values);
}

TEST_CASE("npy: headers of all types and shapes as NumPy writes them", "[npy]") {
  CHECK(npy_header(ScalarType::Float, {2, 3}) == file(dictionary("<f4", "(2, 3)"), ""));
  CHECK(npy_header(ScalarType::Bool, {}) == file(dictionary("|b1", "()"), ""));
  CHECK(npy_header(ScalarType::UShort, {0, 1, 4}) == file(dictionary("<u2", "(0, 1, 4)"), ""));
  const std::vector<std::uint64_t> deep(64, std::numeric_limits<std::uint64_t>::max());
  CHECK(npy_header(ScalarType::Double, deep).size() % 64 == 0);
}

TEST_CASE("npy: what no scalar type holds is named", "[npy]") {
  CHECK(error(file(dictionary(">i4", "(0,)"), "")) == "elements of type '>i4' are big-endian; only little-endian ones can be read");
  CHECK(error(file(dictionary("<f2", "(0,)"), "")) == "elements of type '<f2' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file(dictionary("<i3", "(0,)"), "")) == "elements of type '<i3' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file(dictionary("|b2", "(0,)"), "")) == "elements of type '|b2' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file(dictionary("=i4", "(0,)"), "")) == "elements of type '=i4' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file(dictionary("<U10", "(0,)"), "")) ==
        "elements of type '<U10' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file(dictionary("|O", "(0,)"), "")) == "elements of type '|O' cannot be read, only booleans, integers, floats and doubles");
  CHECK(error(file("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (0,), }", "")) ==
        "the elements are records; only booleans, integers, floats and doubles can be read");
  CHECK(error(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1), }", "ab")) ==
        "the array is in Fortran order; only C order can be read");
}

TEST_CASE("npy: truncated and hostile files", "[npy]") {
  const std::string good = file(dictionary("<i8", "(2,)"), std::string(16, 'x'));
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_FALSE(read_npy(std::string_view(good).substr(0, size)).has_value());
  }
  CHECK(read_npy(good).has_value());
  CHECK(error("") == "it is no .npy file");
  CHECK(error("\x93NUMPY") == "the file ends within its header");
  CHECK(error(good + "y") == "the elements take 16 bytes, but 17 stand behind the header");
  CHECK(error(good.substr(0, good.size() - 1)) == "the elements take 16 bytes, but 15 stand behind the header");
  CHECK(error(file(dictionary("|u1", "()"), "x", 4)) == "the .npy format 4.0 is not known, only 1.0, 2.0 and 3.0");
  CHECK(error(bytes({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 1, 0, 0})) == "the .npy format 1.1 is not known, only 1.0, 2.0 and 3.0");
  CHECK(error(bytes({0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 255, 255, 255, 255})) ==
        "the header claims to have 4294967295 bytes; at most 1048576 are read");
  // Shapes that overflow: 2^61 eight-byte elements, 2^40 × 2^40, and a number of more than 64 bits.
  CHECK(error(file(dictionary("<i8", "(2305843009213693952,)"), "")) == "the shape has more elements than 64 bits can count");
  CHECK(error(file(dictionary("|u1", "(1099511627776, 1099511627776)"), "")) == "the shape has more elements than 64 bits can count");
  CHECK(error(file(dictionary("|u1", "(18446744073709551616,)"), "")) == "the shape has a number beyond 64 bits");
  CHECK(error(file(dictionary("<i8", "(1152921504606846976,)"), "")) ==
        "the elements take 9223372036854775808 bytes, but 0 stand behind the header");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) {
    many += "1,";
  }
  CHECK(error(file(dictionary("|u1", many + ")"), "x")) == "the array has more than 64 dimensions");
}

TEST_CASE("npy: headers that NumPy does not write", "[npy]") {
  for (const std::string header : {
           "",
           "{",
           "}",
           "{}",
           "{'descr': '|u1', 'fortran_order': False}",
           "{'descr': '|u1', 'shape': (1,)}",
           "{'fortran_order': False, 'shape': (1,)}",
           "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
           "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
           "{'descr': '|u1', 'fortran_order': False, 'shape': 1}",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (1",
           "{'descr': '|u1' 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr: }",
       }) {
    INFO(header);
    CHECK(error(file(header, "x")) == "the header is not one that NumPy writes");
  }
}
