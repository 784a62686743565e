// What a frame knows of one thread's register says nothing of the other 1023.

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "interpreter/ptx/frame.hpp"

namespace lockstep::ptx_machine {
namespace {

constexpr unsigned threads = 1024;  // all that a block can have
constexpr std::uint32_t rows = 3;

FunctionCode code() { return {.function = nullptr, .steps = {}, .row_bytes = std::vector<std::uint8_t>(rows, 4), .addresses = {}}; }

/// In how many rows and threads `holds` is true.
std::size_t count(auto holds) {
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (unsigned lane = 0; lane < threads; ++lane) {
      count += holds(row, lane) ? 1U : 0U;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("a number that PTX leaves open is so for its thread") {
  const FunctionCode function = code();
  const FrameLayout layout(function, threads);
  Frame frame(function, layout, threads);
  frame.watch_open();
  const auto is_open = [&](std::uint32_t row, unsigned lane) { return frame.open_from(row, lane).has_value(); };
  for (unsigned lane = 0; lane < threads; ++lane) {
    frame.set_open(1, lane, 7);
    const bool right = frame.open_from(1, lane) == 7U && count(is_open) == 1;
    frame.set_open(1, lane, std::nullopt);
    INFO(lane);
    REQUIRE(right);
    REQUIRE(count(is_open) == 0);
  }
  for (unsigned lane = 0; lane < threads; ++lane) {
    frame.set_open(1, lane, 7);
  }
  CHECK(count(is_open) == threads);
  frame.set_open(1, 100, std::nullopt);
  CHECK(count(is_open) == threads - 1);
  CHECK_FALSE(is_open(1, 100));
}

TEST_CASE("a register that is not defined any more is so for its thread") {
  const FunctionCode function = code();
  const FrameLayout layout(function, threads);
  Frame frame(function, layout, threads);
  const auto is_defined = [&](std::uint32_t row, unsigned lane) { return (frame.defined(row)[lane / 64] >> (lane % 64) & 1U) != 0; };
  for (unsigned lane = 0; lane < threads; ++lane) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      std::fill_n(frame.defined(row), threads / 64, ~std::uint64_t{0});
    }
    const Hole hole{.defined = 1, .loaded = std::nullopt, .line = lane};
    frame.undefine(1, lane, &hole);
    INFO(lane);
    REQUIRE(count(is_defined) == rows * threads - 1);
    REQUIRE_FALSE(is_defined(1, lane));
    REQUIRE(frame.hole(1, lane)->line == lane);
    REQUIRE(frame.hole(0, lane) == nullptr);
    frame.undefine(1, lane, nullptr);
    REQUIRE(frame.hole(1, lane) == nullptr);
  }
}

}  // namespace lockstep::ptx_machine
