// Parameters that point into one buffer at different elements. What they leave is computed by hand.

#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

using Numbers = std::vector<int>;

struct Ran {
  launch::Outcome outcome;
  Numbers left;
};

/// Runs a kernel whose pointers begin at these elements of one buffer; then come the scalars.
Ran run(const std::string& text, unsigned wg_size, std::uint64_t groups, const Numbers& numbers, const std::vector<std::uint64_t>& firsts,
        const std::vector<std::uint64_t>& scalars = {}, unsigned pack = 0) {
  const auto program = launch_text::program(text, wg_size);
  launch::Arguments a;
  a.buffers.push_back(launch_text::buffer(ScalarType::Int, numbers));
  for (const std::uint64_t first : firsts) {
    a.values.emplace_back(BufferNumber{0, first});
  }
  for (const std::uint64_t scalar : scalars) {
    a.values.emplace_back(ScalarBits{scalar});
  }
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = pack;
  launch::Outcome outcome = launch_text::run(program, a, options);
  return {std::move(outcome), launch_text::numbers<int>(a.buffers[0])};
}

const std::string shift = R"(
__kernel void shift(__global int *to, __global const int *from, int n) {
  int l = get_local_id(0), w = get_local_size(0);
  for (int i = 0; i < n; i++)
    to[i * w + l] = from[i * w + l] + 10;
}
)";

}  // namespace

TEST_CASE("pointers into one buffer: a loop that shifts", "[launch]") {
  // One item: each round loads what the round before has stored, or what nobody has.
  CHECK(run(shift, 1, 1, {1, 2, 3, 4}, {1, 0}, {3}).left == Numbers{1, 11, 21, 31});
  CHECK(run(shift, 1, 1, {1, 2, 3, 4}, {0, 1}, {3}).left == Numbers{12, 13, 14, 4});
  CHECK(run(shift, 1, 1, {1, 2, 3, 4}, {2, 0}, {2}).left == Numbers{1, 2, 11, 12});
  // Two items load before either stores.
  CHECK(run(shift, 2, 1, {1, 2, 3, 4, 5, 6, 7}, {1, 0}, {3}).left == Numbers{1, 11, 12, 22, 14, 24, 16});
  CHECK(run(shift, 2, 1, {1, 2, 3, 4, 5, 6, 7}, {0, 1}, {3}).left == Numbers{12, 13, 14, 15, 16, 17, 7});
  CHECK(run(shift, 2, 1, {1, 2, 3, 4, 5, 6}, {2, 0}, {2}).left == Numbers{1, 2, 11, 12, 21, 22});
}

TEST_CASE("pointers into one buffer: three of them", "[launch]") {
  const std::string text =
      "__kernel void k(__global int *a, __global int *b, __global int *c) { for (int i = 0; i < 3; i++) a[i] = b[i] + c[i]; }";
  // The Fibonacci numbers.
  CHECK(run(text, 1, 1, {1, 1, 0, 0, 0}, {2, 1, 0}).left == Numbers{1, 1, 2, 3, 5});
  CHECK(run(text, 1, 1, {1, 2, 3, 4, 5}, {0, 1, 2}).left == Numbers{5, 7, 9, 4, 5});
}

TEST_CASE("pointers into one buffer: comparison, difference, and what lies in front", "[launch]") {
  const std::string text =
      "__kernel void k(__global int *a, __global int *b) {\n"
      "  b[-3] = (int)(b - a); b[-2] = a < b; b[-1] = a + 3 == b; b[0] = &a[4] == b; b[1] = a[0] + b[-3]; }";
  const Ran ran = run(text, 1, 1, {9, 9, 9, 9, 9}, {0, 3});
  CHECK(!ran.outcome.fault);
  CHECK(ran.left == Numbers{3, 1, 1, 0, 6});
}

TEST_CASE("pointers into one buffer: faults name the buffer's owner and its own index", "[launch]") {
  const std::string text = "__kernel void k(__global int *b, __global int *a, int i) { b[i] = 1; }";
  const auto fault = [&](std::uint64_t first, int index) {
    const Ran ran = run(text, 1, 1, {0, 0, 0, 0, 0}, {first, 0}, {static_cast<std::uint64_t>(std::int64_t{index})});
    return ran.outcome.fault ? ran.outcome.fault->message : "";
  };
  CHECK(fault(3, 1) == "");
  CHECK(fault(3, -3) == "");
  CHECK(fault(3, 2) == "index 5 is outside of 'a', which has 5 elements");
  CHECK(fault(3, -4) == "index -1 is outside of 'a', which has 5 elements");
  CHECK(fault(5, 0) == "index 5 is outside of 'a', which has 5 elements");
  CHECK(fault(5, -1) == "");
}

TEST_CASE("pointers into one buffer: races are about its cells", "[launch]") {
  // Group 0 loads a[1], which group 1 stores to.
  const std::string text = "__kernel void k(__global int *b, __global int *a) { int g = get_group_id(0); a[g] = b[g] + 5; }";
  for (const unsigned pack : {1U, 2U}) {
    const Ran ran = run(text, 1, 2, {1, 2, 3}, {1, 0}, {}, pack);
    CHECK(ran.left == Numbers{7, 8, 3});
    CHECK(ran.outcome.race_count == 1);
    REQUIRE(ran.outcome.races.size() == 1);
    const launch::Race& race = ran.outcome.races[0];
    CHECK(race.object == "a");
    CHECK(race.index == 1);
    CHECK(race.first.group == 0);
    CHECK(!race.first_writes);
    CHECK(race.first_value == "2");
    CHECK(race.second.group == 1);
    CHECK(race.second_writes);
    CHECK(race.second_value == "8");
    CHECK(run(text, 1, 2, {1, 2, 3, 4}, {2, 0}, {}, pack).outcome.race_count == 0);
  }
}

TEST_CASE("pointers into one buffer: not behind its end", "[launch]") {
  const auto program = launch_text::program("__kernel void k(__global int *a, __global int *b) { a[0] = 1; }", 1);
  launch::Arguments a;
  a.buffers.push_back(launch_text::buffer(ScalarType::Int, Numbers{1, 2}));
  a.values = {Argument(BufferNumber{0, 0}), Argument(BufferNumber{0, 3})};
  const auto outcome = launch::run(program, a, {});
  REQUIRE(!outcome);
  CHECK(outcome.error() == "parameter 'b' points to element 3 of a buffer that has 2");
}
