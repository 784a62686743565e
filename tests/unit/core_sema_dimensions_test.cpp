// Groups and items in several dimensions, and __local parameters: what the front end makes of them, against OpenCL's definitions written
// down as loops over x, y and z.

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

using Sizes = std::array<std::uint64_t, 3>;

core::Options options_of(const Sizes& shape, unsigned dimensions) {
  core::Options options;
  options.wg_size = static_cast<unsigned>(shape[0] * shape[1] * shape[2]);
  options.wg_shape = {static_cast<unsigned>(shape[0]), static_cast<unsigned>(shape[1]), static_cast<unsigned>(shape[2])};
  options.dimensions = dimensions;
  return options;
}

/// The first buffer after a launch of the only kernel, which has a buffer of `count` elements and what it is given beside that.
std::vector<std::uint64_t> run(const std::string& text, const core::Options& options, const Sizes& grid, std::size_t count) {
  const Reading reading = read(text, options);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const core::Function& kernel = reading.program->functions.back();
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, kernel));
  std::vector<std::uint64_t> scalars;
  if (kernel.group_parameters) {
    CHECK(*kernel.group_parameters == 1);
    scalars = {grid[0], grid[1]};
  }
  launch::Arguments arguments =
      launch_text::arguments({launch_text::buffer(ScalarType::ULong, std::vector<std::uint64_t>(count, 77))}, scalars);
  launch::LaunchOptions launch;
  launch.groups = grid[0] * grid[1] * grid[2];
  const auto outcome = launch::run(program, arguments, launch);
  REQUIRE(outcome);
  CHECK(!outcome->fault);
  return launch_text::numbers<std::uint64_t>(arguments.buffers.front());
}

/// Writes all that an item can ask for its place, 23 numbers an item.
constexpr const char* places = R"(
ulong gy(void) { return get_global_id(1); }
ulong twice(void) { return gy() + gy(); }
__kernel void k(__global ulong *o) {
  o += get_global_linear_id() * 23;
  o[0] = get_global_id(0); o[1] = gy(); o[2] = get_global_id(2); o[3] = get_global_id(3);
  o[4] = get_local_id(0); o[5] = get_local_id(1); o[6] = get_local_id(2); o[7] = get_local_id(4);
  o[8] = get_group_id(0); o[9] = get_group_id(1); o[10] = get_group_id(2);
  o[11] = get_num_groups(0); o[12] = get_num_groups(1); o[13] = get_num_groups(2); o[14] = get_num_groups(3);
  o[15] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_enqueued_local_size(2);
  o[16] = get_global_size(0); o[17] = get_global_size(1); o[18] = get_global_size(2);
  o[19] = get_local_linear_id(); o[20] = get_work_dim(); o[21] = twice(); o[22] = get_global_offset(1);
})";

std::vector<std::uint64_t> expected(const Sizes& shape, const Sizes& grid, const Sizes& offset = {}) {
  std::vector<std::uint64_t> all;
  const Sizes global = {shape[0] * grid[0], shape[1] * grid[1], shape[2] * grid[2]};
  for (std::uint64_t z = 0; z < global[2]; ++z) {
    for (std::uint64_t y = 0; y < global[1]; ++y) {
      for (std::uint64_t x = 0; x < global[0]; ++x) {
        const Sizes local = {x % shape[0], y % shape[1], z % shape[2]};
        all.insert(all.end(), {x + offset[0], y + offset[1], z + offset[2], 0});
        all.insert(all.end(), {local[0], local[1], local[2], 0});
        all.insert(all.end(), {x / shape[0], y / shape[1], z / shape[2]});
        all.insert(all.end(), {grid[0], grid[1], grid[2], 1});
        all.push_back(shape[0] + 100 * shape[1] + 10000 * shape[2]);
        all.insert(all.end(), {global[0], global[1], global[2]});
        all.insert(all.end(), {(local[2] * shape[1] + local[1]) * shape[0] + local[0], 3, 2 * (y + offset[1]), offset[1]});
      }
    }
  }
  return all;
}

/// The names of the functions that get num_groups_x and num_groups_y.
std::string dimensional(const std::string& text, unsigned dimensions = 1) {
  core::Options options;
  options.dimensions = dimensions;
  const Reading reading = read(text, options);
  INFO(reading.errors());
  REQUIRE(reading.program);
  std::string names;
  for (const core::Function& function : reading.program->functions) {
    if (function.group_parameters) {
      CHECK(function.parameter_count == *function.group_parameters + 2);
      names += (names.empty() ? "" : " ") + function.name;
    }
  }
  return names;
}

}  // namespace

TEST_CASE("dimensions: every place of every item, in all small launches") {
  for (std::uint64_t shape = 0; shape < 27; ++shape) {
    for (std::uint64_t grid = 0; grid < 8; ++grid) {
      const Sizes items = {shape % 3 + 1, shape / 3 % 3 + 1, shape / 9 + 1};
      const Sizes groups = {grid % 2 + 1, grid / 2 % 2 + 1, grid / 4 + 1};
      const std::vector<std::uint64_t> wanted = expected(items, groups);
      INFO("groups of " << items[0] << ',' << items[1] << ',' << items[2] << ", " << groups[0] << ',' << groups[1] << ',' << groups[2]);
      CHECK(run(places, options_of(items, 3), groups, wanted.size()) == wanted);
    }
  }
}

TEST_CASE("dimensions: places in dimensions that are known when the kernel runs") {
  const std::string text = R"(
ulong size_in(uint d) { return get_global_size(d); }
__kernel void k(__global ulong *o) {
  o += get_global_linear_id() * 32;
  for (int d = 0; d < 4; d++) {
    o[8 * d] = get_global_id(d); o[8 * d + 1] = get_local_id(d); o[8 * d + 2] = get_group_id(d); o[8 * d + 3] = get_num_groups(d);
    o[8 * d + 4] = get_local_size(d); o[8 * d + 5] = size_in(d); o[8 * d + 6] = get_enqueued_local_size(d); o[8 * d + 7] = get_global_offset(d);
  }
})";
  for (const Sizes& shape : {Sizes{3, 1, 1}, Sizes{2, 3, 1}, Sizes{2, 2, 2}}) {
    for (const Sizes& grid : {Sizes{2, 1, 1}, Sizes{1, 2, 2}}) {
      core::Options options = options_of(shape, 3);
      options.offset = {0, 10, 7};
      std::vector<std::uint64_t> wanted;
      for (std::uint64_t i = 0; i < shape[0] * shape[1] * shape[2] * grid[0] * grid[1] * grid[2]; ++i) {
        std::uint64_t left = i;
        for (std::size_t d = 0; d < 4; ++d) {
          const std::uint64_t items = d < 3 ? shape.at(d) : 1, groups = d < 3 ? grid.at(d) : 1, first = d < 3 ? options.offset.at(d) : 0;
          const std::uint64_t place = left % (items * groups);
          left /= items * groups;
          wanted.insert(wanted.end(), {place + first, place % items, place / items, groups, items, items * groups, items, first});
        }
      }
      CHECK(run(text, options, grid, wanted.size()) == wanted);
    }
  }
  // Evaluated once, and a kernel that may ask for a second dimension is told of it.
  const std::string once =
      "__kernel void k(__global ulong *o) { int d = 0; ulong s = get_global_size(d++); s += 10 * get_group_id(d++); o[0] = s + 100 * d; }";
  CHECK(run(once, options_of({4, 1, 1}, 1), {2, 1, 1}, 1) == std::vector<std::uint64_t>{208});
  CHECK(dimensional("kernel void k(global ulong *o, uint d) { o[0] = get_group_id(d); }") == "k");
  CHECK(dimensional("kernel void k(global ulong *o, uint d) { o[0] = get_local_id(d); }").empty());
}

TEST_CASE("dimensions: a launch that does not begin with item 0") {
  for (const Sizes& offset : {Sizes{7, 0, 0}, Sizes{0, 5, 0}, Sizes{3, 20, 100}}) {
    core::Options options = options_of({2, 3, 1}, 3);
    options.offset = offset;
    const std::vector<std::uint64_t> wanted = expected({2, 3, 1}, {2, 1, 2}, offset);
    CHECK(run(places, options, {2, 1, 2}, wanted.size()) == wanted);
  }
  core::Options options;
  options.wg_size = 2;
  options.offset = {5, 6, 7};
  const std::string text =
      "__kernel void k(__global ulong *o) { o[get_global_id(0)] = get_global_offset(0) * 10 + get_global_linear_id() + "
      "get_global_offset(3); }";
  CHECK(run(text, options, {2, 1, 1}, 10) == std::vector<std::uint64_t>{77, 77, 77, 77, 77, 50, 51, 52, 53, 77});
}

TEST_CASE("dimensions: a kernel that asks for the first one alone, launched in two") {
  // Both rows of items store the same.
  const std::string text = "__kernel void k(__global ulong *o) { o[get_global_id(0)] = get_global_size(0) + get_num_groups(0); }";
  CHECK(run(text, options_of({2, 2, 1}, 2), {2, 3, 1}, 5) == std::vector<std::uint64_t>{6, 6, 6, 6, 77});
}

TEST_CASE("dimensions: who is told how many groups lie side by side") {
  CHECK(dimensional("__kernel void k(__global ulong *o) { o[get_global_id(0)] = get_local_id(1) + get_num_groups(0); }").empty());
  CHECK(dimensional("__kernel void k(__global ulong *o) { o[get_global_id(0)] = get_num_groups(0); }", 2) == "k");
  CHECK(dimensional("__kernel void k(__global ulong *o) { o[get_local_id(0)] = 1; }", 2).empty());
  CHECK(dimensional("__kernel void k(__global ulong *o) { o[0] = get_group_id(1); }") == "k");
  CHECK(dimensional("__kernel void k(__global ulong *o) { o[0] = get_group_id(3); }").empty());
  const std::string functions =
      "int none(int x) { return x; }\n"
      "ulong first(void) { return get_group_id(0); }\n"
      "ulong second(void) { return get_group_id(1); }\n"
      "ulong through(void) { return second() + none(1); }\n";
  // `first` counts in two dimensions for `a`, and so has to for `b`, which calls it; `c` stays alone.
  CHECK(dimensional(functions + "__kernel void a(__global ulong *o) { o[0] = through() + first() + none(2); }\n"
                                "__kernel void b(__global ulong *o) { o[0] = first(); }\n"
                                "__kernel void c(__global ulong *o) { o[0] = get_group_id(0) + none(3); }\n") ==
        "first second through a b");
  CHECK(dimensional(functions + "__kernel void b(__global ulong *o) { o[0] = first(); }\n").empty());
  CHECK(dimensional("void r(uniform int n) { int y = get_group_id(1); }\n"
                    "__kernel void k(__global ulong *o) { crev r(1); o[0] = get_num_groups(0); }\n") == "r k");
  CHECK(dimensional("ulong f(ulong n) { return n == 0 ? get_group_id(2) : f(n - 1); }\n"
                    "__kernel void k(__global ulong *o) { o[0] = f(3); }\n") == "f k");
}

TEST_CASE("dimensions: the names of the parameters are free") {
  const Reading reading =
      read("__kernel void k(__global ulong *o, int num_groups_x, int _num_groups_y) { o[num_groups_x] = get_group_id(1); }");
  REQUIRE(reading.program);
  const core::Function& kernel = reading.program->functions.front();
  CHECK(kernel.variables.at(3).name == "__num_groups_x");
  CHECK(kernel.variables.at(4).name == "__num_groups_y");
}

TEST_CASE("dimensions: what kernels require of their groups") {
  const std::string text = "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(__global int *o) { o[get_local_id(1)] = 1; }";
  core::Options options;
  options.wg_size = 0;
  const Reading free = read(text, options);
  REQUIRE(free.program);
  CHECK(free.program->options.wg_size == 8);
  CHECK(free.program->options.wg_shape == std::array<unsigned, 3>{4, 2, 1});
  CHECK(free.program->options.dimensions == 2);
  options.wg_size = 8;  // a number of items leaves it to the kernel how they lie
  CHECK(read(text, options).program->options.wg_shape == std::array<unsigned, 3>{4, 2, 1});
  CHECK(read(text, options_of({4, 2, 1}, 2)).program.has_value());
  const std::string wrong = read(text, options_of({2, 4, 1}, 2)).errors();
  INFO(wrong);
  CHECK(wrong.find("'k' requires work groups of 4 × 2 items, but they have 2 × 4") != std::string::npos);
  options.wg_size = 4;
  CHECK(read(text, options).errors().find("'k' requires work groups of 4 × 2 items, but they have 4\n") != std::string::npos);
  const std::string huge = read("__kernel __attribute__((reqd_work_group_size(1024, 1024, 2))) void k(__global int *o) {}").errors();
  CHECK(huge.find("a work group has 1 to 1048576 work items, and not 1024 × 1024 × 2") != std::string::npos);
}

TEST_CASE("local parameters: arrays of the kernel") {
  const std::string text =
      "__kernel void k(__local int *a, __global ulong *o, __local short *b) {\n"
      "  size_t i = get_local_id(0);\n  a[i] = i + 1; b[i] = 10 * i;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a += 1;\n"  // the parameter is a variable of its own
      "  o[i] = i < 3 ? a[i] + b[i + 1] : sizeof(a);\n}";
  core::Options options = options_of({4, 1, 1}, 1);
  options.local_lengths = {{"b", 4}, {"a", 5}};
  const Reading reading = read(text, options);
  REQUIRE(reading.program);
  const core::Function& kernel = reading.program->functions.front();
  CHECK(kernel.parameter_count == 1);
  REQUIRE(kernel.local_parameters.size() == 2);
  CHECK(kernel.local_parameters[0].position == 0);
  CHECK(kernel.local_parameters[0].length == 5);
  CHECK(kernel.local_parameters[1].position == 2);
  CHECK(kernel.local_parameters[1].element == ScalarType::Short);
  CHECK(run(text, options, {1, 1, 1}, 5) == std::vector<std::uint64_t>{12, 23, 34, 8, 77});
  CHECK(!core::wrong_lengths(*reading.program, kernel, true));
}

TEST_CASE("local parameters: lengths that are missing, unknown or too large") {
  const std::string text = "__kernel void k(__local double *a) { a[get_local_id(0)] = 1; }";
  const Reading open = read(text);
  REQUIRE(open.program);
  CHECK(!core::wrong_lengths(*open.program, open.program->functions.front(), false));
  CHECK(core::wrong_lengths(*open.program, open.program->functions.front(), true) ==
        "a kernel is compiled for __local arrays of known length, but nobody says how many elements 'a' points to");
  core::Options options;
  options.local_lengths = {{"b", 4}};
  const Reading unknown = read(text, options);
  CHECK(core::wrong_lengths(*unknown.program, unknown.program->functions.front(), false) == "the kernel 'k' has no __local parameter 'b'");
  options.local_lengths = {{"a", (1U << 27) + 1}};
  CHECK(read(text, options).errors() ==
        R"(k.cl:1:33: error: 'a' points to 134217729 elements, but a __local array has 1 to 134217728 of them
  __kernel void k(__local double *a) { a[get_local_id(0)] = 1; }
                                  ^
)");
}
