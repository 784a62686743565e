// Races that need care: poison among what is stored, very many barriers, host threads that look at one cell together; and indices so large
// that a sum of them does not fit 64 bits.

#include <algorithm>
#include <barrier>
#include <thread>

#include "interpreter/launch/races.hpp"
#include "interpreter/launch/report.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::Footprints;
using launch::visitor;

namespace {

launch::Outcome run(const std::string& body, unsigned wg_size, launch::LaunchOptions options) {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8))});
  return launch_text::run(launch_text::program("__kernel void k(__global int *out) {\n" + body + "\n}\n", wg_size), a, options);
}

/// Numbers of warps and of barriers around those that footprints can tell apart.
std::vector<std::pair<unsigned, std::uint64_t>> warps_and_barriers() {
  std::vector<std::pair<unsigned, std::uint64_t>> all;
  for (const unsigned warps : {2U, 8191U, 8192U, 1U << 20}) {
    const std::uint64_t most = Footprints::intervals(warps);
    for (const std::uint64_t barriers : {std::uint64_t{0}, std::uint64_t{1}, most - 1, most, 3 * most, std::uint64_t{1} << 40}) {
      all.emplace_back(warps, barriers);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("poison that is stored beside poison is no race, beside a number it is", "[launch]") {
  for (const unsigned pack : {1U, 2U}) {
    for (const unsigned threads : {1U, 2U}) {
      INFO("pack " << pack << ", threads " << threads);
      launch::LaunchOptions options;
      options.pack = pack;
      options.threads = threads;
      options.groups = 2;
      const auto own =
          run("int src = get_global_id(0) == 0 ? (int)get_local_id(0) : 99;\n"
              "int v = shuffle((int)get_local_id(0), src);\n"
              "if (get_global_id(0) != 0) out[get_global_id(0)] = v;",
              4, options);
      CHECK(own.race_count == 0);
      // All items of a group store to one cell: poison made of different numbers.
      const auto same = run("int v = shuffle((int)get_local_id(0), 99) + (int)get_local_id(0);\nout[get_group_id(0)] = v;", 4, options);
      CHECK(same.race_count == 0);
      const auto one = run("if (get_group_id(0) == 1) { int v = shuffle(0, get_local_id(0) == 0 ? 0 : 99); out[3] = v; }", 4, options);
      CHECK(one.race_count == 1);
      REQUIRE(one.races.size() == 1);
      CHECK(one.races[0].index == 3);
      CHECK(one.races[0].first.group == 1);
      CHECK(one.races[0].first.item == 0);
      CHECK(one.races[0].first_value == "0");
      CHECK(one.races[0].second.item == 3);
      CHECK(one.races[0].second_value == "poison");
      // The last item's number meets three that are poison.
      const auto three = run("if (get_group_id(0) == 1) { int v = shuffle(0, get_local_id(0) == 3 ? 3 : 99); out[3] = v; }", 4, options);
      CHECK(three.race_count == 3);
      REQUIRE(three.races.size() == 1);
      CHECK(three.races[0].first_value == "poison");
      CHECK(three.races[0].second_value == "0");
    }
  }
}

TEST_CASE("stores of equal values are a race of their own, which may be allowed", "[launch]") {
  const auto races = [](const std::string& body, bool equal_races, unsigned warp_size = 1) {
    launch::LaunchOptions options;
    options.groups = 3;
    options.warp_size = warp_size;
    options.equal_races = equal_races;
    return run(body, 2, options);
  };
  // Three groups of two items, each a warp, store 7 to one element: each but the first is a race with one before it.
  const launch::Outcome flags = races("out[0] = 7;", false);
  CHECK(flags.race_count == 5);
  REQUIRE(!flags.races.empty());
  CHECK(std::ranges::all_of(flags.races, &launch::Race::of_equal_values));
  CHECK(launch::render(*launch_text::program("__kernel void k(__global int *out) {\nout[0] = 7;\n}\n", 2), flags.races.front())
            .find("warning: race of equal values: this item writes out[0], storing 7") != std::string::npos);
  CHECK(races("out[0] = 7;", true).race_count == 0);
  CHECK(races("out[0] = 7;", true, 2).race_count == 0);
  // Another value is one whoever came last; so is who reads, and who changes atomically.
  const launch::Outcome other = races("out[0] = get_group_id(0) == 2 && get_local_id(0) == 1 ? 8 : 7;", true);
  CHECK(other.race_count == 1);
  REQUIRE(!other.races.empty());
  CHECK(!other.races.front().of_equal_values());
  CHECK(races("out[0] = get_global_id(0) == 0 ? 8 : 7;", true).race_count == 5);
  CHECK(races("if (get_global_id(0) < 5) out[0] = 7; else out[1] = out[0];", true).race_count == 1);
  CHECK(races("if (get_global_id(0) < 5) out[0] = 0; else atomic_add(out, 0);", true).race_count == 1);
  CHECK(races("int v = shuffle(7, get_group_id(0) == 1 ? 99 : 0); out[0] = v;", true, 2).race_count == 4);  // two items of two groups
  CHECK(races("int v = shuffle(7, 99); out[0] = v;", true, 2).race_count == 0);
  // The first group's 7, the second's 7, and the second's 8 behind a barrier: the second 7 does not hide the first one.
  const launch::Outcome behind = races(
      "if (get_local_id(0) == 0) out[0] = 7; barrier(CLK_GLOBAL_MEM_FENCE);"
      "if (get_global_id(0) == 2) out[0] = 8;",
      true);
  CHECK(behind.race_count == 2);  // with the first group's, and the third group's with the 8
}

TEST_CASE("two items that store NaNs to one cell store equal values", "[launch]") {
  // The bits of two NaNs, of an infinity, and of the two zeros, which are equal numbers but not the same bits.
  struct Case {
    ScalarType type;
    std::vector<std::uint64_t> stored;  // by items 0, 1, …
    std::uint64_t clashes;              // with what the last item stores
  };
  constexpr std::uint64_t nan32 = 0x7fc00001;
  constexpr std::uint64_t other_nan32 = 0xffc12345;
  constexpr std::uint64_t nan64 = 0x7ff8000000000001;
  constexpr std::uint64_t other_nan64 = 0xfff8000000abcdef;
  const Case cases[] = {
      {ScalarType::Float, {nan32, other_nan32, nan32, other_nan32}, 0},
      {ScalarType::Float, {nan32, 0x7f800000, nan32, other_nan32}, 1},
      {ScalarType::Float, {nan32, 0x3f800000, other_nan32, 0x3f800000}, 2},
      {ScalarType::Float, {0x80000000, 0, 0, 0}, 1},
      {ScalarType::Double, {nan64, other_nan64, nan64, other_nan64}, 0},
      {ScalarType::Double, {nan64, 0x7ff0000000000000, nan64, other_nan64}, 1},
      {ScalarType::UInt, {nan32, other_nan32, nan32, other_nan32}, 2},
      {ScalarType::Long, {nan64, nan64, nan64, other_nan64}, 3},
  };
  for (const Case& c : cases) {
    const std::string type(info(c.type).name);
    const auto buffer_of = [&](const std::vector<std::uint64_t>& bits) {
      if (size_of(c.type) == 8) {
        return launch_text::buffer(c.type, bits);
      }
      return launch_text::buffer(c.type, std::vector<std::uint32_t>(bits.begin(), bits.end()));
    };
    for (const char* to :
         {"out[1] = in[get_local_id(0)];", "__local TYPE t[1]; t[0] = in[get_local_id(0)]; out[1] = t[0];",
          "__local TYPE t[2]; __local TYPE u[2]; __local TYPE *p = get_local_id(0) < 4 ? t : u; p[1] = in[get_local_id(0)]; "
          "out[1] = t[1];"}) {
      std::string body = to;
      for (std::size_t at = 0; (at = body.find("TYPE")) != std::string::npos;) {
        body.replace(at, 4, type);
      }
      INFO(body << " last: " << c.stored.back());
      launch::Arguments a = launch_text::arguments({buffer_of(c.stored), buffer_of({0, 0})});
      const auto p = launch_text::program("__kernel void k(__global " + type + " *in, __global " + type + " *out) { " + body + " }\n", 4);
      CHECK(launch_text::run(p, a, {}).race_count == c.clashes);
      // The highest item's bits are left, also among NaNs.
      CHECK(a.buffers[1].bytes == buffer_of({0, c.stored.back()}).bytes);
    }
  }
}

TEST_CASE("clashes of one instruction are told in time that grows with the items alone", "[launch]") {
  // Every second item stores what the last one of its cell does not: cells are shared by 1, 2, 128 and all items.
  constexpr unsigned items = 8192;
  for (const unsigned cells : {1U, 64U, items / 2, items}) {
    const auto p = launch_text::program(
        "__kernel void k(__global int *out) { out[get_local_id(0) % " + std::to_string(cells) + "] = (int)(get_local_id(0) / 2) ; }\n",
        items);
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(items))});
    const launch::Outcome outcome = launch_text::run(p, a, {});
    std::uint64_t expected = 0;
    for (unsigned t = 0; t < items; ++t) {
      const unsigned last = t % cells + (items / cells - 1) * cells;
      expected += t / 2 != last / 2 ? 1U : 0U;
    }
    INFO(cells << " cells");
    CHECK(outcome.race_count == expected);
  }
}

TEST_CASE("clashes are those of one warp, meetings of warps are told apart from them", "[launch]") {
  // Warps of four; item t stores t % 2 to cell t % 2 + t / 8: in each cell two items of a warp store one value, and two warps meet.
  launch::LaunchOptions options;
  options.warp_size = 4;
  const auto agreed = run("out[get_local_id(0) % 2 + 2 * (get_local_id(0) / 8)] = (int)(get_local_id(0) % 2);", 16, options);
  CHECK(agreed.race_count == 4);  // one for each cell: whatever is stored, warps that meet are a race
  CHECK(agreed.races.size() == 1);
  options.warp_size = 16;
  CHECK(run("out[get_local_id(0) % 2 + 2 * (get_local_id(0) / 8)] = (int)(get_local_id(0) % 2);", 16, options).race_count == 0);
}

TEST_CASE("a race with poison between groups says so", "[launch]") {
  launch::LaunchOptions options;
  options.groups = 2;
  const auto read =
      run("int x = 0;\nif (get_group_id(0) == 0) out[1] = shuffle(0, 99); else x = out[1];\nout[2 + get_global_id(0)] = x;", 1, options);
  REQUIRE(read.races.size() == 1);
  CHECK(read.races[0].first_writes);
  CHECK_FALSE(read.races[0].second_writes);
  CHECK(read.races[0].first_value == "poison");
  CHECK(read.races[0].second_value == "poison");
}

TEST_CASE("two warps that store to one cell at once are counted once", "[launch]") {
  launch::LaunchOptions options;
  options.warp_size = 2;
  options.schedule = GENERATE(launch::Schedule::LowestPc, launch::Schedule::Fair);
  CHECK(run("if (get_local_id(0) % 2 == 0) out[0] = (int)get_local_id(0);", 4, options).race_count == 1);
  // Items 0 and 1, of one warp, clash; item 2 of the other warp meets the last of them.
  CHECK(run("if (get_local_id(0) != 3) out[0] = (int)get_local_id(0);", 4, options).race_count == 2);
}

TEST_CASE("any number of barriers may lie between two accesses", "[launch]") {
  const auto program = launch_text::program("__kernel void k(__global int *out) { out[get_global_id(0)] = 0; }", 2);
  launch::Object object;
  object.count = 1;
  object.space = AddressSpace::Local;
  for (const auto& [warps, barriers] : warps_and_barriers()) {
    INFO(warps << " warps, " << barriers << " barriers");
    CHECK(launch::unordered(visitor(0, 7, 0), visitor(0, 7 + barriers, warps - 1)) == (barriers == 0));
    // The footprints may give up, but never find nothing where there is something.
    Footprints cells(1, warps);
    CHECK_FALSE(cells.write(0, visitor(0, 0, 0)));
    const bool told = barriers < Footprints::intervals(warps);
    CHECK(cells.read(0, visitor(0, barriers, warps - 1)) == (barriers == 0 || !told));
    CHECK(cells.write(0, visitor(0, barriers, warps - 1)) == (barriers == 0 || !told));
  }
  launch::LaunchOptions options;
  options.warp_size = 1;
  const auto far = run("__local int t[1];\nif (get_local_id(0) == 0) t[0] = 5;\nfor (int i = 0; i < " +
                           std::to_string(Footprints::intervals(2)) + "; i++) barrier();\nif (get_local_id(0) == 1) out[0] = t[0];",
                       2, options);
  CHECK_FALSE(far.fault.has_value());
  CHECK(far.race_count == 0);
}

TEST_CASE("a race after very many barriers is found", "[launch]") {
  launch::LaunchOptions options;
  options.warp_size = 1;
  const auto late =
      run("for (int i = 0; i < " + std::to_string(Footprints::intervals(2) + 1) + "; i++) barrier();\nout[0] = (int)get_local_id(0);", 2,
          options);
  CHECK(late.race_count == 1);
}

TEST_CASE("host threads that meet at a cell do not lose each other", "[launch]") {
  constexpr std::uint64_t cells = 1 << 16;
  enum class Meeting { TwoReads, WriteAndRead };
  for (const Meeting meeting : {Meeting::TwoReads, Meeting::WriteAndRead}) {
    std::uint64_t lost = 0;
    for (int round = 0; round < 4; ++round) {
      Footprints footprints(cells, 1);
      std::barrier together(2);
      std::vector<char> found[2] = {std::vector<char>(cells), std::vector<char>(cells)};
      const auto visit = [&](std::uint64_t group) {
        for (std::uint64_t cell = 0; cell < cells; ++cell) {
          if (cell % 1024 == 0) {
            together.arrive_and_wait();
          }
          const bool writes = meeting == Meeting::WriteAndRead && group == 0;
          const bool race = writes ? footprints.write(cell, visitor(group, 0, 0)) : footprints.read(cell, visitor(group, 0, 0));
          found[group][cell] = static_cast<char>(race);
        }
      };
      std::jthread other(visit, 1);
      visit(0);
      other.join();
      for (std::uint64_t cell = 0; cell < cells; ++cell) {
        if (meeting == Meeting::TwoReads) {
          const bool both = found[0][cell] != 0 || found[1][cell] != 0;
          lost += both ? 1U : 0U;  // reads alone are no race
          lost += footprints.write(cell, visitor(cell % 2, 0, 0)) ? 0U : 1U;
        } else {
          lost += found[0][cell] == 0 && found[1][cell] == 0 ? 1U : 0U;
        }
      }
    }
    CHECK(lost == 0);
  }
}

TEST_CASE("an index beyond 64 bits is out of bounds, and named", "[launch]") {
  struct Case {
    const char* body;
    const char* value;
  };
  const Case cases[] = {
      {"__global int *p = out + 1;\np[9223372036854775807] = 1;", "9223372036854775808"},
      {"__global int *p = out + 1;\np[18446744073709551614ul] = 1;", "-1"},  // an index is a long
      {"__global int *p = out + 1;\np[18446744073709551614ul + (ulong)get_local_id(0)] = 1;", "-1"},
      {"out[18446744073709551615ul] = 1;", "-1"},
      {"out[9223372036854775808ul] = 1;", "-9223372036854775808"},
      {"out[-1] = 1;", "-1"},
      {"__global int *p = out - 1;\np[-9223372036854775807 - 1] = 1;", "-9223372036854775808"},
      {"__global int *p = out - 3;\np[18446744073709551615ul] = 1;", "-4"},
      // Pointers that differ from item to item, into two arrays.
      {"__local int t[4];\n__local int u[4];\n__local int *p = (get_local_id(0) == 0 ? t : u) + 1;\np[9223372036854775807] = 1;",
       "9223372036854775808"},
      {"__local int t[4];\n__local int u[4];\n__local int *p = (get_local_id(0) == 0 ? t : u) + 1;\np[18446744073709551614ul] = 1;", "-1"},
      {"__local int t[4];\n__local int u[4];\n__local int *p = (get_local_id(0) == 0 ? t : u) - 1;\np[-9223372036854775807 - 1] = 1;",
       "-9223372036854775808"},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    const auto outcome = run(c.body, 2, {});
    REQUIRE(outcome.fault.has_value());
    CHECK(launch::name_of(outcome.fault->kind) == "out-of-bounds");
    CHECK(outcome.fault->value == c.value);
    CHECK(outcome.fault->party.item == 0);
  }
}
