// Divisions of 128 bits as nvcc writes them: long chains of sums and differences with the carry flag, from one to the other.

#include <catch2/catch.hpp>
#include <random>

#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;

__extension__ typedef unsigned __int128 Number;  // NOLINT(modernize-use-using): a using-declaration takes no __extension__

TEST_CASE("nvcc's divisions of 128 bits", "[ptx]") {
  const PtxFile file = read_ptx_file(source_path("tests/ptx/division/divide.ptx"));
  constexpr std::size_t threads = 200;
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> in(4 * threads);
  for (std::size_t k = 0; k < in.size(); ++k) {
    // Of all lengths, and now and then nothing but ones.
    in[k] = random() % 8 == 0 ? ~std::uint64_t{0} : random() >> (random() % 64);
    in[k] = k % 2 == 1 && random() % 3 == 0 ? 0 : in[k];
  }
  for (std::size_t t = 0; t < threads; ++t) {
    in[4 * t + 2] += in[4 * t + 2] == 0 && in[4 * t + 3] == 0 ? 1U : 0U;
  }
  for (const NamedSchedule& schedule : schedules()) {
    INFO(schedule.name);
    ptx_machine::Arguments arguments;
    add_buffer(arguments, in, 8);
    add_buffer(arguments, std::vector<std::uint64_t>(in.size()), 8);
    ptx_machine::LaunchOptions options;
    options.geometry = {{1, 1, 1}, {threads, 1, 1}};
    options.schedule = schedule.schedule;
    options.seed = schedule.seed;
    run_ptx(file, "divide", arguments, options);
    bool right = true;
    const auto number = [](std::uint64_t low, std::uint64_t high) { return Number{high} << 64 | low; };
    for (std::size_t t = 0; t < threads; ++t) {
      const Number a = number(in[4 * t], in[4 * t + 1]);
      const Number b = number(in[4 * t + 2], in[4 * t + 3]);
      const auto word = [&](std::size_t k) { return element_of(arguments.buffers[1], 4 * t + k, 8); };
      right = right && number(word(0), word(1)) == a / b && number(word(2), word(3)) == a % b;
    }
    CHECK(right);
  }
}
