// What the PIRCH machine does, with expectations worked out by hand or by the same C in C++: rule counts, groups that part and meet, group
// and warp sizes, schedules and barriers.

#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using Counts = std::map<std::string_view, std::uint64_t>;

namespace {

using Program = std::shared_ptr<const typed::Program>;

struct Ran {
  launch::Outcome outcome;
  std::vector<int> out;
};

/// Runs a kernel whose only parameter is a buffer of `count` ints, all 0.
Ran run(const Program& p, std::size_t count, const launch::LaunchOptions& options) {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(count))});
  Ran ran{launch_text::run(p, a, options), {}};
  if (ran.outcome.fault) {
    FAIL_CHECK(launch::render(*p, *ran.outcome.fault));
  }
  ran.out = launch_text::numbers<int>(a.buffers[0]);
  return ran;
}

launch::LaunchOptions groups(std::uint64_t n, unsigned pack = 0, unsigned warp_size = 0) {
  launch::LaunchOptions options;
  options.groups = n;
  options.pack = pack;
  options.warp_size = warp_size;
  return options;
}

Counts counts(const launch::Outcome& outcome) {
  Counts result;
  for (const musimd::RuleInfo& rule : musimd::rule_table) {
    if (const std::uint64_t n = outcome.rule_counts[static_cast<std::size_t>(rule.id)]; n != 0) {
      result[rule.name] = n;
    }
  }
  return result;
}

Counts times(Counts each, std::uint64_t n) {
  for (auto& [rule, count] : each) {
    count *= n;
  }
  return each;
}

}  // namespace

TEST_CASE("rule counts of two arms", "[launch]") {
  const Program p = launch_text::program(
      "__kernel void k(__global int *a) {\n  int i = (int)get_local_id();\n  if (i < 2) a[i] = 1;\n  else a[i] = 2;\n}\n", 4);
  // i = …; bz; st; jmp; sync, which switches to the else-arm; st; sync, which joins; stop.
  const Counts one = {{"IT", 3}, {"BP", 1}, {"BD", 1}, {"ST", 2}, {"JP", 1}, {"SS", 1}, {"SI.sync", 1}, {"SP", 1}};
  for (const std::uint64_t n : {1U, 3U, 5U}) {
    for (const unsigned pack : {0U, 1U, 2U, 5U, 100U}) {
      launch::LaunchOptions options = groups(n, pack);
      options.races = false;  // all groups store the same to the same cells
      const Ran ran = run(p, 4, options);
      CHECK(counts(ran.outcome) == times(one, n));
      CHECK(ran.outcome.steps == 8 * n);
      CHECK(ran.out == std::vector<int>{1, 1, 2, 2});
    }
  }
  // Warps of two: the first goes through the then-arm as a whole, the second jumps to the else-arm.
  const Ran warps = run(p, 4, groups(1, 0, 2));
  CHECK(counts(warps.outcome) == Counts{{"IT", 4}, {"BP", 2}, {"BF", 1}, {"BT", 1}, {"ST", 2}, {"JP", 1}, {"SI.sync", 2}, {"SP", 2}});
  CHECK(warps.outcome.steps == 11);
}

TEST_CASE("rule counts of a loop that each group leaves at another time", "[launch]") {
  const Program p = launch_text::program(
      "__kernel void k(__global int *a) {\n  for (int i = 0; i < (int)get_group_id(); i++) a[get_global_id()] += 1;\n}\n", 4);
  for (const std::uint64_t n : {1U, 2U, 3U, 6U}) {
    Counts expected;
    for (std::uint64_t g = 0; g < n; ++g) {  // i = 0; g times: bz, address, ld, st, i + 1, jmp; then bz, sync, stop
      expected["CT"] += 1;
      expected["IT"] += 1 + 4 * g;
      expected["BP"] += 2 * g;
      expected["LD"] += g;
      expected["ST"] += g;
      expected["BF"] += g;
      expected["JP"] += g;
      expected["BT"] += 1;
      expected["SI.sync"] += 1;
      expected["SP"] += 1;
    }
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    for (const unsigned pack : {0U, 1U, 2U, 4U}) {
      const Ran ran = run(p, 4 * n, groups(n, pack));
      CHECK(counts(ran.outcome) == expected);
      for (std::size_t i = 0; i < ran.out.size(); ++i) {
        CHECK(ran.out[i] == static_cast<int>(i / 4));
      }
    }
  }
}

TEST_CASE("rule counts of a recursion whose items end at different depths", "[launch]") {
  const Program p = launch_text::program(
      "int f(int n) { if (n < 2) return 1; return n * f(n - 1); }\n"
      "__kernel void k(__global int *a) { a[get_global_id()] = f((int)get_local_id()); }\n",
      4);
  // Calls for {0 1 2 3}, {2 3} and {3} with n = …3, …2 and 1. Each: live = 1; bz; result = 1; live = 0; sync; bz live; …; sync; ret.
  // The first two diverge at both branches (BD, SS, SI.sync) and multiply; the last goes straight through (BF and BT).
  const Counts expected = {{"CALL", 3}, {"RET", 3}, {"CT", 9}, {"BD", 4}, {"SS", 4},  {"SI.sync", 6},
                           {"BF", 1},   {"BT", 1},  {"BP", 2}, {"ST", 1}, {"IT", 12}, {"SP", 1}};
  for (const unsigned pack : {0U, 1U, 2U, 3U}) {
    const Ran ran = run(p, 12, groups(3, pack));
    CHECK(counts(ran.outcome) == times(expected, 3));
    CHECK(ran.outcome.steps == 3 * 35);
    CHECK(ran.outcome.most_frames == 4);
    CHECK(ran.out == std::vector<int>{1, 1, 2, 6, 1, 1, 2, 6, 1, 1, 2, 6});
  }
}

namespace {

// The same text is compiled as C++ and as a kernel.
#define LOCKSTEP_SAME_TEXT(...)          \
  namespace same_text {                  \
  __VA_ARGS__                            \
  }                                      \
  const char* const text = #__VA_ARGS__; \
  static_assert(true)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
LOCKSTEP_SAME_TEXT(
    int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); } int early(int g, int l) {
      if (g % 2 == 0) {
        return 100 + l;
      }
      for (int i = 0; i < 3; i++) {
        if (i == l) {
          return 200 + i;
        }
      }
      return 300;
    } int both(int g, int l) {
      int s = 0;
      if (g % 3 == 1) {
        s += 10;
      } else if (l > 1) {
        s += 20;
      }
      for (int i = 0; i < g; i++) {
        if (i == 4) {
          break;
        }
        if (i == l) {
          continue;
        }
        s += 1;
      }
      do {
        s += 3;
      } while (s % 7 > g);
      switch (g % 4) {
        case 0:
          s += 1000;
          break;
        case 1:
          s += 2000;
        case 2:
          s += 4000;
          break;
        default:
          s += 8000;
      }
      s += 100000 * depth(g % 5 + l % 2);
      return s + early(g, l);
    });
#pragma GCC diagnostic pop

}  // namespace

TEST_CASE("groups that part and meet again", "[launch]") {
  const Program p = launch_text::program(
      std::string(text) + "\n__kernel void k(__global int *a) { a[get_global_id()] = both((int)get_group_id(), (int)get_local_id()); }\n",
      4);
  const Ran alone = run(p, 28, groups(7, 1));
  for (const unsigned pack : {0U, 1U, 2U, 3U, 4U, 7U, 8U}) {
    for (const unsigned warp_size : {0U, 1U, 2U, 3U}) {
      INFO("pack " << pack << ", warps of " << warp_size);
      const Ran ran = run(p, 28, groups(7, pack, warp_size));
      for (int i = 0; i < 28; ++i) {
        CHECK(ran.out[static_cast<std::size_t>(i)] == same_text::both(i / 4, i % 4));
      }
      if (warp_size == 0) {
        CHECK(ran.outcome.rule_counts == alone.outcome.rule_counts);
        CHECK(ran.outcome.steps == alone.outcome.steps);
        CHECK(ran.outcome.most_frames == alone.outcome.most_frames);
      }
    }
  }
}

TEST_CASE("groups of every size", "[launch]") {
  for (const unsigned w : {1U, 2U, 3U, 5U, 7U, 16U, 63U, 64U, 65U, 100U, 129U, 1000U, 1025U, 4095U, 4096U, 4097U, 10007U}) {
    INFO("WG_SIZE " << w);
    const Program p = launch_text::program(
        "__kernel void k(__global int *a) {\n"
        "  int l = (int)get_local_id();\n"
        "  int x = 3 * l + (int)get_group_id();\n"
        "  __local int t[get_local_size()];\n"
        "  t[get_local_size() - 1 - l] = shuffle(x, (l + 1) % (int)get_local_size());\n"
        "  int s = t[l];\n"
        "  if (l % 3 == 0) s += all(l % 3 == 0);\n"
        "  else s -= any(l == 1);\n"
        "  a[get_global_id()] = s;\n"
        "}\n",
        w);
    const Ran ran = run(p, std::size_t{3} * w, groups(3));
    unsigned wrong = 0;
    for (unsigned i = 0; i < 3 * w; ++i) {
      const unsigned l = i % w;
      const unsigned from = (w - 1 - l + 1) % w;  // whose x item w-1-l has shuffled to cell l
      const int expected = static_cast<int>(3 * from + i / w) + (l % 3 == 0 ? 1 : -1);
      wrong += ran.out[i] != expected ? 1U : 0U;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("warps of every size, also such that do not divide WG_SIZE", "[launch]") {
  const Program p = launch_text::program(
      "__kernel void k(__global int *a) {\n"
      "  int l = (int)get_local_id();\n"
      "  int lane = (int)get_sub_group_local_id();\n"
      "  int size = (int)get_sub_group_size();\n"
      "  __global int *out = a + 9 * get_global_id();\n"
      "  out[0] = size;\n"
      "  out[1] = (int)get_sub_group_id();\n"
      "  out[2] = lane;\n"
      "  out[3] = sub_group_broadcast(10 * l, 0);\n"
      "  out[4] = -1;\n"
      "  if ((lane ^ 1) < size) out[4] = sub_group_shuffle_xor(l, 1);\n"
      "  out[5] = sub_group_non_uniform_any(l == 3) + 2 * sub_group_non_uniform_all(l < 5);\n"
      "  out[6] = (int)ballot(l % 2 == 0);\n"
      "  out[7] = work_group_any(l == 3) + 2 * work_group_all(l < 7);\n"
      "  out[8] = work_group_any(l == 7) + 2 * work_group_all(l != 3);\n"
      "}\n",
      7);
  for (const unsigned warp_size : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 32U}) {
    for (const unsigned pack : {0U, 1U, 2U}) {
      INFO("warps of " << warp_size << ", pack " << pack);
      const Ran ran = run(p, std::size_t{9} * 7 * 3, groups(3, pack, warp_size));
      const int n = warp_size == 0 || warp_size > 7 ? 7 : static_cast<int>(warp_size);
      for (int i = 0; i < 21; ++i) {
        const int l = i % 7;
        const int first = l / n * n;
        const int size = std::min(n, 7 - first);
        const int lane = l - first;
        int ballot = 0;
        bool any3 = false;
        bool below5 = true;
        for (int other = first; other < first + size; ++other) {
          ballot |= other % 2 == 0 ? 1 << (other - first) : 0;
          any3 = any3 || other == 3;
          below5 = below5 && other < 5;
        }
        const int partner = (lane ^ 1) < size ? first + (lane ^ 1) : -1;
        const std::vector<int> expected = {size, l / n, lane, 10 * first, partner, (any3 ? 1 : 0) + (below5 ? 2 : 0), ballot, 3, 0};
        const auto begin = ran.out.begin() + 9 * i;
        CHECK(std::vector<int>(begin, begin + 9) == expected);
      }
    }
  }
}

TEST_CASE("barriers in a loop, under every schedule", "[launch]") {
  // Round after round each item hands what it has to the next one. Between barriers the warps take their time.
  const std::string kernel =
      "__kernel void k(__global int *a) {\n"
      "  int l = (int)get_local_id();\n"
      "  int x = 100 * (int)get_group_id() + l;\n"
      "  int waste = 0;\n"
      "  __local int t[get_local_size()];\n"
      "  for (int round = 0; round < 5; round++) {\n"
      "    t[(l + 1) % (int)get_local_size()] = x;\n"
      "    for (int j = 0; j < (l + round) % 4; j++) waste += j;\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
      "    x = t[l];\n"
      "    BARRIER\n"
      "  }\n"
      "  a[get_global_id()] = x;\n"
      "}\n";
  const auto with = [&](const std::string& statement) {
    std::string text = kernel;
    text.replace(text.find("BARRIER"), 7, statement);
    return launch_text::program(text, 8);
  };
  const Program p = with("barrier(CLK_LOCAL_MEM_FENCE);");
  const Program one_barrier = with("");
  for (const unsigned warp_size : {1U, 3U, 4U, 8U}) {
    const Ran lowest = run(p, 24, groups(3, 0, warp_size));
    std::vector<std::pair<launch::Schedule, std::uint64_t>> schedules = {{launch::Schedule::LowestPc, 0}, {launch::Schedule::Fair, 0}};
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      schedules.emplace_back(launch::Schedule::Random, seed);
    }
    for (const auto& [schedule, seed] : schedules) {
      INFO("warps of " << warp_size << ", schedule " << static_cast<int>(schedule) << ", seed " << seed);
      launch::LaunchOptions options = groups(3, 0, warp_size);
      options.schedule = schedule;
      options.seed = seed;
      const Ran ran = run(p, 24, options);
      CHECK(ran.outcome.race_count == 0);
      for (int i = 0; i < 24; ++i) {
        CHECK(ran.out[static_cast<std::size_t>(i)] == 100 * (i / 8) + (i % 8 + 3) % 8);  // five items back is three forth
      }
      CHECK(ran.outcome.rule_counts == lowest.outcome.rule_counts);
      CHECK(ran.outcome.rule_counts[static_cast<std::size_t>(musimd::RuleId::BR)] == 3 * 10 * ((8 + warp_size - 1) / warp_size));
      // With one barrier a round a warp may store to what another one has not read yet.
      CHECK((run(one_barrier, 24, options).outcome.race_count != 0) == (warp_size != 8));
    }
  }
}

// By hand: f adds who + 1 to all items of the caller's warp. In warps of two, item 0 calls in the first warp, item 3 in the second one.
TEST_CASE("warps whose items call in other rounds part at jmp_mask", "[launch]") {
  const Program p = launch_text::program(
      "void f(uniform int who, __global int *a) { a[get_local_id()] += who + 1; }\n"
      "__kernel void k(__global int *a) { int l = (int)get_local_id(); if (l == 0 || l == 3) crev f(l, a); }\n",
      4);
  CHECK(run(p, 4, groups(1, 0, 2)).out == std::vector<int>{1, 1, 4, 4});
  CHECK(run(p, 4, groups(1, 0, 1)).out == std::vector<int>{1, 0, 0, 4});
  CHECK(run(p, 4, groups(1, 0, 0)).out == std::vector<int>{5, 5, 5, 5});
}

TEST_CASE("a launch of no groups does nothing", "[launch]") {
  const Program p = launch_text::program("__kernel void k(__global int *a) { a[get_global_id()] = 1 / (int)get_local_id(); }\n", 4);
  const Ran ran = run(p, 4, groups(0));
  CHECK(ran.outcome.steps == 0);
  CHECK(counts(ran.outcome).empty());
  CHECK(ran.out == std::vector<int>(4));
}

TEST_CASE("a vote of the group is a barrier, and takes no poison", "[launch]") {
  const auto fault = [](const std::string& statements, unsigned warp_size) {
    const Program p = launch_text::program("__kernel void k(__global int *a) {\nint l = (int)get_local_id();\n" + statements + "\n}\n", 4);
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
    const launch::Outcome outcome = launch_text::run(p, a, groups(1, 0, warp_size));
    return outcome.fault ? std::string(launch::name_of(outcome.fault->kind)) : std::string("none");
  };
  for (const unsigned warp_size : {0U, 1U, 2U, 3U}) {
    INFO("warps of " << warp_size);
    CHECK(fault("int x = shuffle(l, 9); a[l] = work_group_any(x);", warp_size) == "poison-branch");
    CHECK(fault("int x; if (l != 3) x = 1; a[l] = work_group_any(x);", warp_size) == "uninitialised-variable");
    // One warp takes part in the vote, another one waits at a barrier: fine only where there is one warp.
    const std::string other = "if (l < 2) a[l] = work_group_any(l); else barrier(0);";
    CHECK(fault(other, warp_size) == (warp_size == 0 ? "none" : warp_size == 3 ? "divergent-barrier" : "barrier-not-reached"));
    CHECK(fault("__local int t[4]; t[l] = l; a[l] = work_group_all(l < 4) + t[3 - l];", warp_size) == "none");
  }
}
