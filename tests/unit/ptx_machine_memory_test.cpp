// Loads and stores of every shape: type, elements and width of the registers, side by side and apart, held against bytes.

#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::size_t threads = 37;  // one warp, and a part of another one
constexpr std::size_t source_bytes = threads * 64;

struct Shape {
  std::string type;      ///< "s8"
  std::size_t bytes;     ///< of an element
  std::size_t count;     ///< elements
  std::size_t width;     ///< bytes of a register
  std::size_t distance;  ///< from one thread's bytes to those of the next one
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const auto& [type, bytes] : std::vector<std::pair<std::string, std::size_t>>{{"u8", 1},
                                                                                    {"s8", 1},
                                                                                    {"b8", 1},
                                                                                    {"u16", 2},
                                                                                    {"s16", 2},
                                                                                    {"b16", 2},
                                                                                    {"u32", 4},
                                                                                    {"s32", 4},
                                                                                    {"b32", 4},
                                                                                    {"u64", 8},
                                                                                    {"s64", 8}}) {
    for (const std::size_t count : {1U, 2U, 4U}) {
      for (const std::size_t width : {2U, 4U, 8U}) {
        if (width >= bytes && bytes * count <= 16) {
          all.push_back({type, bytes, count, width, bytes * count});
          all.push_back({type, bytes, count, width, 2 * bytes * count});
        }
      }
    }
  }
  return all;
}

/// `{%n0, %n1}`, registers of that width.
std::string registers(const Shape& shape) {
  std::string list;
  for (std::size_t e = 0; e < shape.count; ++e) {
    list += (e == 0 ? "" : ", ") + std::string(shape.width == 2 ? "%h" : shape.width == 4 ? "%w" : "%d") + std::to_string(e);
  }
  return shape.count == 1 ? list : "{" + list + "}";
}
std::string element(const Shape& shape, std::size_t e) {
  return std::string(shape.width == 2 ? "%h" : shape.width == 4 ? "%w" : "%d") + std::to_string(e);
}

/// Of each thread, %rd0 is the address of its bytes and %rd1 that of its 64 bytes of the other half.
std::string kernel(const Shape& shape, const std::string& body) {
  return kernel_text(".reg .b16 %h<4>; .reg .b32 %w<4>; .reg .b64 %d<4>;\nmad.wide.u32 %rd0, %r9, " + std::to_string(shape.distance) +
                     ", %rd9;\nmad.wide.u32 %rd1, %r9, 64, %rd9;\nadd.u64 %rd1, %rd1, " + std::to_string(source_bytes) + ";\n" + body);
}
std::string access(const Shape& shape) {
  return std::string(shape.count == 1 ? "" : ".v" + std::to_string(shape.count)) + "." + shape.type;
}

PtxLaunch random_launch() {
  PtxLaunch launch(threads);
  std::mt19937 random(7);
  launch.out.resize(source_bytes / 2);
  for (std::uint32_t& word : launch.out) {
    word = static_cast<std::uint32_t>(random());
  }
  return launch;
}
std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}
std::uint64_t little_endian(const std::vector<std::uint8_t>& bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < count; ++k) {
    number |= std::uint64_t{bytes[at + k]} << (8 * k);
  }
  return number;
}
/// The lower `width` bytes of a number that has `bytes` bytes, extended by its sign or by zeros.
std::uint64_t extended(std::uint64_t number, std::size_t bytes, bool is_signed, std::size_t width) {
  if (is_signed && (number >> (8 * bytes - 1) & 1) != 0) {
    for (std::size_t k = bytes; k < 8; ++k) {
      number |= std::uint64_t{0xff} << (8 * k);
    }
  }
  return width == 8 ? number : number & ((std::uint64_t{1} << (8 * width)) - 1);
}

}  // namespace

TEST_CASE("loads of every shape extend each element to its register") {
  for (const Shape& shape : shapes()) {
    std::string body = "ld.global" + access(shape) + " " + registers(shape) + ", [%rd0];\n";
    for (std::size_t e = 0; e < shape.count; ++e) {
      body += "st.global.b" + std::to_string(8 * shape.width) + " [%rd1+" + std::to_string(8 * e) + "], " + element(shape, e) + ";\n";
    }
    const PtxLaunch launch = random_launch();
    const PtxRun run = run_text(kernel(shape, body), launch);
    INFO(body << run.fault());
    REQUIRE_FALSE(run.outcome.fault);
    const auto before = bytes_of(launch.out);
    const auto after = bytes_of(run.out);
    bool right = true;
    for (std::size_t t = 0; t < threads; ++t) {
      for (std::size_t e = 0; e < shape.count; ++e) {
        const std::uint64_t number = little_endian(before, t * shape.distance + e * shape.bytes, shape.bytes);
        right = right && little_endian(after, source_bytes + 64 * t + 8 * e, shape.width) ==
                             extended(number, shape.bytes, shape.type[0] == 's', shape.width);
      }
    }
    CHECK(right);
  }
}

TEST_CASE("stores of every shape write the low bytes of each element, and nothing else") {
  for (const Shape& shape : shapes()) {
    std::string body;
    for (std::size_t e = 0; e < shape.count; ++e) {
      body += "ld.global.b" + std::to_string(8 * shape.width) + " " + element(shape, e) + ", [%rd1+" + std::to_string(8 * e) + "];\n";
    }
    body += "st.global" + access(shape) + " [%rd0], " + registers(shape) + ";\n";
    const PtxLaunch launch = random_launch();
    const PtxRun run = run_text(kernel(shape, body), launch);
    INFO(body << run.fault());
    REQUIRE_FALSE(run.outcome.fault);
    auto expected = bytes_of(launch.out);
    for (std::size_t t = 0; t < threads; ++t) {
      for (std::size_t e = 0; e < shape.count; ++e) {
        for (std::size_t k = 0; k < shape.bytes; ++k) {
          expected[t * shape.distance + e * shape.bytes + k] = expected[source_bytes + 64 * t + 8 * e + k];
        }
      }
    }
    const bool right = bytes_of(run.out) == expected;
    CHECK(right);
  }
}
