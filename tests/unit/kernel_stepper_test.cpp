#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "interpreter/debug/kernel/stepper.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/print.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

using launch_text::arguments;
using launch_text::buffer;

launch::Buffer ints(const std::vector<std::int32_t>& values) { return buffer(ScalarType::Int, values); }

launch::LaunchOptions groups(std::uint64_t count, unsigned pack = 1) {
  launch::LaunchOptions options;
  options.groups = count;
  options.pack = pack;
  return options;
}

/// A stepper on a kernel, asked one command at a time.
struct Session {
  Session(const std::string& text, unsigned wg_size, const launch::Arguments& a, const launch::LaunchOptions& options = groups(1))
      : Session(launch_text::program(text, wg_size), a, options) {}
  Session(const std::shared_ptr<const typed::Program>& program, const launch::Arguments& a, const launch::LaunchOptions& options) {
    auto made = KernelStepper::make(*program, a, options, out);
    REQUIRE(made.has_value());
    stepper = std::move(*made);
  }
  std::string ask(std::string_view command) {
    out.str("");
    stepper->execute(command);
    return out.str();
  }
  std::uint64_t position() const { return stepper->history().position(); }
  std::vector<std::int32_t> numbers(std::size_t b) const {
    return launch_text::numbers<std::int32_t>(stepper->history().run().arguments().buffers[b]);
  }
  /// All that can be seen.
  std::string everything() {
    return ask("where") + ask("groups") + ask("stacks") + ask("info locals") + ask("memory") + ask("mask") + ask("info rule");
  }

  std::ostringstream out;
  std::unique_ptr<KernelStepper> stepper;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const char* const branches = R"(__kernel void demo(__global int *x) {
  int i = get_local_id(0);
  int y;
  if (i % 2 == 0) {
    y = x[i] * 10;
  } else {
    y = -x[i];
  }
  x[i] = y;
}
)";

}  // namespace

// x = 1 2 3 4. Items 0 and 2 take the then-arm (line 5) first, 1 and 3 the other one (line 7), all meet at line 9.
TEST_CASE("a branch that diverges, line by line", "[kernel_stepper]") {
  Session s(branches, 4, arguments({ints({1, 2, 3, 4})}));
  CHECK(has(s.ask("next"), "line 4: if (i % 2 == 0) {"));
  CHECK(has(s.ask("print i"), "i          0   1   2   3"));
  CHECK(has(s.ask("print y"), "y          *   *   *   *"));
  CHECK(has(s.ask("next"), "line 5: y = x[i] * 10;"));
  CHECK(has(s.ask("mask"), "Θ = {0,2}, 2 of 4 items"));
  CHECK(has(s.ask("info sync"), "(line 4 bz, done {}, resume line 7, todo {1,3})"));
  CHECK(has(s.ask("list"), "→    5      y = x[i] * 10;   ← Θ {0,2}"));
  CHECK(has(s.ask("list 7"), "     7      y = -x[i];   ← {1,3} later"));
  CHECK(has(s.ask("next"), "line 7: y = -x[i];"));
  CHECK(has(s.ask("print y"), "y         10   *  30   *"));
  CHECK(has(s.ask("info sync"), "done {0,2}, resume line 7, todo {}"));
  CHECK(has(s.ask("next"), "line 9: x[i] = y;"));
  CHECK(has(s.ask("print y"), "y         10  -2  30  -4"));
  CHECK(has(s.ask("mask"), "Θ = {0-3}"));
  CHECK(s.ask("info sync") == "Π = []\n");
  CHECK(s.numbers(0) == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(has(s.ask("continue"), "all groups have halted"));
  CHECK(s.numbers(0) == std::vector<std::int32_t>{10, -2, 30, -4});
}

TEST_CASE("one step tells its rule and what changed", "[kernel_stepper]") {
  Session s(branches, 4, arguments({ints({1, 2, 3, 4})}));
  CHECK(has(s.ask("step"), "step 1: IT/BP"));
  s.ask("next");
  s.ask("until 4");
  s.ask("restart");
  s.ask("until bz");
  const std::string told = s.ask("step");
  CHECK(has(told, ": BD  bz"));
  CHECK(has(told, "  Θ {0-3} → {0,2}"));
  s.ask("until 9");
  CHECK(has(s.ask("step"), "x[0] := 10, x[1] := -2, x[2] := 30, x[3] := -4"));
  CHECK(has(s.ask("back"), "x[0] is again 1, x[1] is again 2, x[2] is again 3, x[3] is again 4"));
  CHECK(has(s.ask("explain"), "✓ IT/ST"));
  CHECK(has(s.ask("rule"), "✓ IT/ST"));
}

TEST_CASE("going back past a store restores memory, also of packs before", "[kernel_stepper]") {
  Session s(branches, 4, arguments({ints({1, 2, 3, 4})}), groups(3));
  std::vector<std::vector<std::int32_t>> at;
  std::vector<std::string> seen;
  for (;;) {
    at.push_back(s.numbers(0));
    seen.push_back(s.everything());
    if (s.stepper->history().at_end()) {
      break;
    }
    s.stepper->history().step();
  }
  // Each group stores 10 x, -x, 10 x, -x over what the one before has left.
  CHECK(at.front() == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(at.back() == std::vector<std::int32_t>{1000, -2, 3000, -4});
  for (const std::uint64_t k : {at.size() - 1, at.size() / 2, std::size_t{1}, at.size() - 2, at.size() / 3, std::size_t{0}}) {
    s.ask("goto " + std::to_string(k));
    CHECK(s.position() == k);
    CHECK(s.numbers(0) == at[k]);
    CHECK(s.everything() == seen[k]);
  }
}

TEST_CASE("a history without room for starts of packs replays from the first", "[kernel_stepper]") {
  const auto program = launch_text::program(branches, 4);
  KernelHistory roomy(program, arguments({ints({1, 2, 3, 4})}), groups(8));
  KernelHistory tight(program, arguments({ints({1, 2, 3, 4})}), groups(8), 1);
  roomy.go_to(UINT64_MAX);
  tight.go_to(UINT64_MAX);
  CHECK(roomy.kept_count() == 8);
  CHECK(tight.kept_count() == 1);
  REQUIRE(roomy.position() == tight.position());
  for (std::uint64_t k = roomy.position(); k-- > 0;) {
    roomy.go_to(k);
    tight.go_to(k);
    CHECK(roomy.run().arguments().buffers[0].bytes == tight.run().arguments().buffers[0].bytes);
    CHECK(roomy.run().number() == tight.run().number());
  }
}

// Everything that a position shows is the same on the way back, for warps in any order, barriers, votes, local memory and calls.
TEST_CASE("a position looks the same from both sides", "[kernel_stepper]") {
  const char* const text = R"(int twice(int n) { return n > 3 ? n : twice(n * 2); }
__kernel void k(__global int *x) {
  __local int s[8];
  int i = get_local_id(0);
  int a[2];
  s[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[0] = s[7 - i];
  a[1] = shuffle(i, 9);
  while (work_group_any(a[0] > 4)) a[0] -= 1;
  if (i > 2) x[get_global_id(0)] = twice(i);
}
)";
  for (const auto schedule : {launch::Schedule::LowestPc, launch::Schedule::Fair, launch::Schedule::Random}) {
    launch::LaunchOptions options = groups(3, 2);
    options.warp_size = 2;
    options.schedule = schedule;
    options.seed = 5;
    Session s(text, 8, arguments({ints(std::vector<std::int32_t>(24, 0))}), options);
    std::vector<std::string> seen{s.everything()};
    while (s.stepper->history().step()) {
      seen.push_back(s.everything());
    }
    CHECK(s.stepper->history().fault() == std::nullopt);
    std::mt19937 random(1);
    for (int k = 0; k < 40; ++k) {
      const std::size_t target = random() % seen.size();
      s.stepper->history().go_to(target);
      CHECK(s.everything() == seen[target]);
    }
  }
}

// Items 1 and 2 of 3 call visit by crev: it runs twice, with k = 1 and k = 2, for all three items; visit calls inner by crev in item 0
// alone.
TEST_CASE("crev inside crev: calls, Π and Λ", "[kernel_stepper]") {
  const char* const text = R"(void inner(__global int *x, uniform int n) {
  x[get_local_id(0)] += n;
}
void visit(__global int *x, uniform int k) {
  if (get_local_id(0) == 0) crev inner(x, k * 10);
}
__kernel void demo(__global int *x) {
  int i = get_local_id(0);
  if (i > 0) crev visit(x, i);
}
)";
  Session s(text, 3, arguments({ints({0, 0, 0})}));
  CHECK(has(s.ask("break inner"), "breakpoint 1: line 2: x[get_local_id(0)] += n;"));
  CHECK(has(s.ask("continue"), "line 2"));
  CHECK(has(s.ask("print n"), "n         10  10  10"));
  CHECK(has(s.ask("mask"), "Θ = {0-2}"));
  CHECK(has(s.ask("info context"),
            "Λ, from the top:\n  (Θ {0}, Π [(line 5 bz, done {}, resume line 5, todo {1,2})])\n"
            "  (Θ {1,2}, Π [(line 9 bz, done {}, resume line 9, todo {0})])\n"));
  const std::string calls = s.ask("backtrace");
  CHECK(has(calls, "→#0 inner, line 2"));
  CHECK(has(calls, " #1 visit, line 5"));
  CHECK(has(calls, " #2 demo, line 9"));
  CHECK(has(s.ask("frame 1"), "→#1 visit"));
  CHECK(has(s.ask("print k"), "k          1   1   1"));
  CHECK(has(s.ask("frame 2"), "→#2 demo"));
  CHECK(has(s.ask("print i"), "i          0   1   2"));
  CHECK(has(s.ask("frame 3"), "error: there is no call '3'; backtrace shows 0 to 2"));
  CHECK(has(s.ask("stacks"), "call of inner in line 5, Θ {0-2}"));
  CHECK(has(s.ask("continue"), "line 2"));
  CHECK(has(s.ask("print n"), "n         20  20  20"));
  CHECK(s.numbers(0) == std::vector<std::int32_t>{10, 10, 10});
  CHECK(has(s.ask("finish"), "line 5"));
  CHECK(s.numbers(0) == std::vector<std::int32_t>{30, 30, 30});
  CHECK(has(s.ask("finish"), "line 5"));  // the everywhere block of visit
  CHECK(s.ask("info context") == "Λ, from the top:\n  (Θ {1,2}, Π [(line 9 bz, done {}, resume line 9, todo {0})])\n");
  CHECK(has(s.ask("next"), "all groups have halted"));
}

// Group g turns g + 1 times through the loop, so that group 0 leaves it first and waits for the others in front of line 7.
TEST_CASE("groups of a pack fall apart and meet again", "[kernel_stepper]") {
  const char* const text = R"(__kernel void k(__global int *x) {
  int n = 0;
  while (n <= get_group_id(0)) {
    n += 1;
  }
  x[get_group_id(0)] = n;
}
)";
  Session s(text, 2, arguments({ints({0, 0, 0})}), groups(3, 3));
  CHECK(has(s.ask("until 4"), "groups 0-2, line 4"));
  s.ask("step");
  CHECK(has(s.ask("until 4"), "groups 1,2, line 4"));
  const std::string apart = s.ask("groups");
  CHECK(has(apart, "pack 0 of 1: groups 0-2"));
  CHECK(has(apart, "  group 0: k, line 3"));
  CHECK(has(apart, "→ groups 1,2: k, line 4"));
  CHECK(has(s.ask("group 0"), "group 0, line 3"));
  CHECK(has(s.ask("print n"), "n          1   1"));
  CHECK(has(s.ask("group 2"), "group 2, line 4"));
  CHECK(has(s.ask("print n + 10"), "n + 10    11  11"));
  CHECK(has(s.ask("print n in item 1 in group 0"), "= 1\n"));
  s.ask("group");
  CHECK(has(s.ask("until 6"), "groups 0-2, line 6"));
  CHECK(has(s.ask("groups"), "→ groups 0-2: k, line 6"));
  CHECK(has(s.ask("print n in item 0 in group 2"), "= 3\n"));
  s.ask("continue");
  CHECK(s.numbers(0) == std::vector<std::int32_t>{1, 2, 3});
}

TEST_CASE("breakpoints with conditions, and the same ones backwards", "[kernel_stepper]") {
  const char* const text = R"(__kernel void k(__global int *x) {
  int a[4];
  int sum = 0;
  for (int n = 0; n < 4; n++) {
    a[n] = n * get_global_id(0);
    sum += a[n];
  }
  x[get_global_id(0)] = sum;
}
)";
  Session s(text, 4, arguments({ints({0, 0, 0, 0, 0, 0, 0, 0})}), groups(2));
  CHECK(has(s.ask("break at 6 if a[n] == 6 in item 2"), "breakpoint 1: line 6: sum += a[n];   if a[n] == 6 in item 2"));
  s.ask("break 8 if sum > 40 in item 3 in group 1");
  s.ask("break if sum == 6 in item 2 in group 0");
  s.ask("watch x[5]");
  CHECK(s.ask("info breaks") ==
        "1: line 6 if a[n] == 6 in item 2\n2: line 8 if sum > 40 in item 3 in group 1\n3: if sum == 6 in item 2 in group 0\n");
  std::vector<std::uint64_t> met;
  std::vector<std::string> told;
  for (;;) {
    const std::string answer = s.ask("continue");
    if (has(answer, "halted")) {
      break;
    }
    met.push_back(s.position());
    told.push_back(answer);
  }
  // Group 0, item 2: a = 0 2 4 6, sum = 0 2 6 12: 6 in sum behind n = 2, a[3] = 6. Group 1, item 2 is 6: a[1] = 6. Item 7: sum = 42. x[5]
  // = 30.
  REQUIRE(met.size() == 5);
  CHECK(has(told[0], "breakpoint 3: if sum == 6 in item 2 in group 0\n"));
  CHECK(has(told[1], "breakpoint 1: line 6 if a[n] == 6 in item 2\nat step"));
  CHECK(has(told[2], "breakpoint 1"));
  CHECK(has(told[2], "group 1, line 6"));
  CHECK(has(told[3], "breakpoint 2: line 8 if sum > 40 in item 3 in group 1\n"));
  CHECK(has(told[4], "watch 4: x[5]\n  0 → 30\n"));
  for (std::size_t k = met.size(); k-- > 0;) {
    CHECK(s.ask("reverse-continue") == told[k]);
    CHECK(s.position() == met[k]);
  }
  CHECK(has(s.ask("reverse-continue"), "this is the start of the run\n"));
  CHECK(s.position() == 0);
  s.ask("delete 1");
  CHECK(!has(s.ask("info break"), "1:"));
  CHECK(s.ask("delete") == "3 deleted\n");
  CHECK(s.ask("info break") == "no breakpoints\n");
}

TEST_CASE("a watch on a variable tells items and values; a call's end is no change", "[kernel_stepper]") {
  const char* const text = R"(void f(__global int *x, int v) {
  int w = v;
  w += 1;
  x[get_local_id(0)] = w;
}
__kernel void k(__global int *x) {
  f(x, get_local_id(0));
  f(x, 7);
}
)";
  Session s(text, 2, arguments({ints({0, 0})}));
  s.ask("until 3");
  s.ask("watch w in item 1");
  CHECK(has(s.ask("continue"), "watch 1: w in item 1\n  item 1 of group 0: 1 → 2\n"));
  CHECK(has(s.ask("continue"), "item 1 of group 0: * → 7\n"));
  CHECK(has(s.ask("continue"), "item 1 of group 0: 7 → 8\n"));
  CHECK(has(s.ask("continue"), "halted"));
}

TEST_CASE("next goes over calls, and back over lines", "[kernel_stepper]") {
  const char* const text = R"(int f(int v) {
  int w = v * 2;
  return w;
}
__kernel void k(__global int *x) {
  int a = f(1);
  int b = f(a);
  x[get_local_id(0)] = b;
}
)";
  Session s(text, 2, arguments({ints({0, 0})}));
  CHECK(has(s.ask("next"), "line 7: int b = f(a);"));
  CHECK(has(s.ask("next"), "line 8: x["));
  CHECK(has(s.ask("reverse-next"), "line 7: int b = f(a);"));
  CHECK(has(s.ask("next 2"), "halted"));
  s.ask("goto 0");
  CHECK(has(s.ask("until f"), "line 2: int w = v * 2;"));
  CHECK(has(s.ask("backtrace"), " #1 k, line 6"));
  CHECK(has(s.ask("finish"), "line "));
  CHECK(has(s.ask("backtrace"), "→#0 k, line"));
}

TEST_CASE("a fault ends the run with the report of run, and one can go back and look", "[kernel_stepper]") {
  const char* const text = R"(__kernel void k(__global int *x) {
  int i = get_local_id(0);
  int d = i - 2;
  x[i] = 12 / d;
}
)";
  const auto program = launch_text::program(text, 4);
  launch::Arguments a = arguments({ints({5, 5, 5, 5})});
  const launch::Outcome outcome = launch_text::run(program, a, groups(1));
  REQUIRE(outcome.fault.has_value());
  Session s(program, arguments({ints({5, 5, 5, 5})}), groups(1));
  const std::string ended = s.ask("continue");
  CHECK(has(ended, launch::render(*program, *outcome.fault)));
  CHECK(has(ended, "line 4"));
  CHECK(has(s.ask("print d"), "d         -2  -1   0   1"));
  CHECK(has(s.ask("print 12 / d in item 2"), "no value (division by 0)"));
  CHECK(has(s.ask("explain"), "not in {2}"));
  CHECK(has(s.ask("continue"), launch::render(*program, *outcome.fault)));
  CHECK(has(s.ask("back"), "line 3: int d = i - 2;"));
  CHECK(has(s.ask("print d"), "d          *   *   *   *"));
  CHECK(has(s.ask("step"), launch::render(*program, *outcome.fault)));
  CHECK(has(s.ask("goto 100"), launch::render(*program, *outcome.fault)));
}

TEST_CASE("races stop a run where they are met, and end it with strict", "[kernel_stepper]") {
  const char* const text = "__kernel void k(__global int *x) {\n  x[0] = get_group_id(0);\n}\n";
  Session s(text, 1, arguments({ints({9})}), groups(3));
  const std::string met = s.ask("continue");
  CHECK(has(met, "race: this item writes x[0], storing 1 (group 1, item 0)"));
  CHECK(s.numbers(0) == std::vector<std::int32_t>{1});
  CHECK(has(s.ask("info races"), "1 race so far"));
  CHECK(has(s.ask("continue"), "halted"));
  CHECK(s.ask("reverse-continue") == met);

  launch::LaunchOptions off = groups(3);
  off.races = false;
  Session quiet(text, 1, arguments({ints({9})}), off);
  CHECK(has(quiet.ask("continue"), "halted"));

  launch::LaunchOptions strict = groups(3);
  strict.strict = true;
  Session ends(text, 1, arguments({ints({9})}), strict);
  CHECK(has(ends.ask("continue"), "a race, which --strict makes an error (group 1, item 0)"));
  CHECK(has(ends.ask("continue"), "a race, which --strict makes an error"));
  CHECK(has(ends.ask("back"), "x[0] is again 0"));
}

TEST_CASE("values of all kinds", "[kernel_stepper]") {
  const char* const text = R"(__kernel void k(__global float *x, __constant int *unused, int n) {
  __local double total;
  int m[2][3];
  uchar c = 250;
  float f = 0.5f;
  for (int r = 0; r < 2; r++)
    for (int q = 0; q < 3; q++)
      m[r][q] = r * 10 + q + get_local_id(0);
  total = 2.5;
  int p = shuffle(n, 5);
  x[0] = f;
}
)";
  launch::Arguments a;
  a.values = {Argument(BufferNumber{0}), Argument(BufferNumber{1}), Argument(ScalarBits{7})};
  a.buffers = {buffer<float>(ScalarType::Float, {1.5F, 2.5F}), ints({3, 4})};
  const std::string with_global = [&] {
    std::string t = text;
    t.replace(t.find("__constant"), 10, "__global  ");
    return t;
  }();
  Session s(with_global, 2, a);
  s.ask("until 11");
  CHECK(has(s.ask("print m[1][2]"), "m[1][2]   12  13"));
  CHECK(has(s.ask("print m"), "m[1][0]   10  11"));
  CHECK(s.ask("print m[1][*] in item 1") == "m[1] in item 1 of group 0\n   0: 11 12 13\n");
  CHECK(s.ask("print m[0..4] in item 0") == "error: the elements of m are arrays; name one, as in m[0][A..B]\n");
  CHECK(s.ask("print m[1][0..1] in item 0") == "m[1] in item 0 of group 0\n   0: 10 11\n");
  CHECK(s.ask("print m[1][1..3] in item 0") == "error: m[1][3]: the index is outside of the array\n");
  CHECK(s.ask("print c + 10 in item 0") == "c + 10 in item 0 = 260\n");
  CHECK(s.ask("print (uchar)(c + 10) in item 0") == "(uchar)(c + 10) in item 0 = 4\n");
  CHECK(s.ask("print f / 4 in item 0") == "f / 4 in item 0 = 0.125\n");
  CHECK(s.ask("print total") == "total = 2.5\n");
  CHECK(s.ask("print total * 2 > 4") == "total * 2 > 4 = 1\n");
  CHECK(has(s.ask("print p"), "p        poison poison"));
  CHECK(s.ask("print x[0..1]") == "x\n   0: 1.5 2.5\n");
  CHECK(s.ask("print unused[1]") == "unused[1] = 4\n");
  CHECK(s.ask("print all(n == 7) + any(n > 7)") == "all(n == 7) + any(n > 7) = 1\n");
  CHECK(s.ask("print count(active) * get_local_size(0)") == "count(active) * get_local_size(0) = 4\n");
  CHECK(s.ask("print -1 < 1u") == "-1 < 1u = 0\n");  // the usual arithmetic conversions
  CHECK(s.ask("print max(2, 3) << 2") == "max(2, 3) << 2 = 12\n");
  CHECK(s.ask("print n == 7 || 1 / 0 in item 0") == "n == 7 || 1 / 0 in item 0 = 1\n");
  s.ask("item 1");
  CHECK(s.ask("print item * 100 + n") == "item * 100 + n = 107\n");
}

TEST_CASE("a typed text shows its own lines", "[kernel_stepper]") {
  const std::string text = typed::print(*launch_text::program(branches, 4));
  const auto source = std::make_shared<SourceFile>("k.mus", text);
  auto parsed = typed::parse(source);
  REQUIRE(parsed.has_value());
  Session s(std::make_shared<const typed::Program>(std::move(*parsed)), arguments({ints({1, 2, 3, 4})}), groups(1));
  const std::string place = s.ask("where");
  CHECK(has(place, "i = int(local_id)\n  pc 0: i = int(local_id)"));
  CHECK(has(s.ask("next"), "  pc 1: "));
  s.ask("continue");
  CHECK(s.numbers(0) == std::vector<std::int32_t>{10, -2, 30, -4});
}

TEST_CASE("what cannot be done is said", "[kernel_stepper]") {
  Session s(branches, 4, arguments({ints({1, 2, 3, 4})}), groups(2));
  const std::pair<const char*, const char*> table[] = {
      {"frobnicate", "there is no command 'frobnicate'"},
      {"contineu", "did you mean 'continue'?"},
      {"print", "print what?"},
      {"print nope", "'demo' has no variable 'nope'"},
      {"print ii", "did you mean 'i'?"},
      {"print i +", "expected a number, a name or '('"},
      {"print (i", "expected ')' to match '('"},
      {"print i in item 4", "a group has only items 0 to 3"},
      {"print i in group 2", "there is no group 2; the launch has groups 0 to 1"},
      {"print i in group 1", "group 1 is not in the pack that runs"},
      {"print x[0..3] in group 1", "group 1 is not in the pack that runs"},
      {"print i in", "expected 'in item I' or 'in group G'"},
      {"print x[4]", "no value (the index is outside of what the pointer points into)"},
      {"print x[2..9]", "x[4]: the index is outside of what the pointer points into"},
      {"print x[3..1]", "a range is NAME[A..B]"},
      {"print 1[*]", "1 has no elements"},
      {"print f(3)", "there is no function 'f' here"},
      {"break 99", "there is no code at or behind line 99"},
      {"break 0", "there is no code at or behind line 0"},
      {"break dem", "did you mean 'demo'?"},
      {"break 4 when i", "expected 'if' instead of 'when'"},
      {"break 4 if", "if what?"},
      {"break rule QQ", "there is no rule 'QQ'"},
      {"watch", "watch what?"},
      {"delete 7", "there is no breakpoint or watch '7'"},
      {"step x", "'x' is not a number of steps"},
      {"goto", "goto which step?"},
      {"group 5", "there is no group '5'; the launch has groups 0 to 1"},
      {"group 1", "group 1 is not in the pack that runs (groups 0 to 0)"},
      {"item 9", "there is no item '9'; a group has items 0 to 3"},
      {"frame 4", "there is no call '4'; backtrace shows 0 to 0"},
      {"list 50", "there is no line '50'"},
      {"info everything", "there is no 'info everything'"},
      {"memory y", "there is no buffer or __local variable 'y'"},
      {"until", "until what?"},
      {"until nowhere", "'nowhere' is no line, function or label"},
      {"where now", "where takes no arguments"},
      {"finish", "control is neither inside a call nor inside an everywhere block"},
      {"back", "this is the start of the run"},
  };
  for (const auto& [command, answer] : table) {
    INFO(command);
    CHECK(has(s.ask(command), answer));
    CHECK(s.position() == 0);
  }
  CHECK(has(s.ask("print " + std::string(100'000, '(')), "nested too deeply"));
  CHECK(has(s.ask("print " + std::string(100'000, '-') + "i"), "nested too deeply"));
  std::string sum = "print 1";
  for (int k = 0; k < 2000; ++k) {
    sum += "+1";
  }
  CHECK(has(s.ask(sum), "the expression is too long"));
  s.ask("goto 1000");
  for (const char* command :
       {"stacks", "backtrace", "print i", "info locals", "explain", "groups", "list",    "mask",  "memory",     "frame 0",
        "item 0", "step",      "next",    "continue",    "finish",  "where",  "watch i", "break", "print x[*]", "info sync"}) {
    INFO(command);
    CHECK(!s.ask(command).empty());
  }
}

TEST_CASE("no line is fatal", "[kernel_stepper]") {
  Session s(branches, 4, arguments({ints({1, 2, 3, 4})}), groups(3, 2));
  std::mt19937 random(7);
  static const char* const words[] = {
      "print", "break", "watch",    "if",    "in", "item", "group", "i",    "y",     "x",     "[",    "]",  "*",    "..",
      "3",     "0",     "-1",       "(",     ")",  "+",    "/",     "next", "step",  "back",  "rc",   "rn", "goto", "until",
      "info",  "frame", "continue", "int",   "?",  ":",    "any",   "all",  "depth", "calls", "4.5f", "&&", "list", "99999999999999999999",
      "until", "BD",    "watch",    "groups"};
  for (int k = 0; k < 3000; ++k) {
    std::string line;
    for (auto n = random() % 7 + 1; n > 0; --n) {
      line += std::string(words[random() % std::size(words)]) + (random() % 4 != 0 ? " " : "");
    }
    INFO(line);
    CHECK(s.stepper->execute(line));
    if (k % 100 == 0) {
      s.ask("delete");
    }
  }
}

TEST_CASE("kernel stepper: two parameters point into one buffer", "[kernel_stepper]") {
  launch::Arguments a;
  a.values = {Argument(BufferNumber{0, 2}), Argument(BufferNumber{0})};
  a.buffers = {ints({1, 2, 3, 4})};
  Session s("__kernel void k(__global int *to, __global int *from) {\n  for (int i = 0; i < 2; i++)\n    to[i] = from[i] + 10;\n}\n", 1, a);
  CHECK(s.ask("print to[0..1]") == "to\n   0: 3 4\n");
  CHECK(s.ask("print to[-2]") == "to[-2] = 1\n");
  CHECK(s.ask("print to > from") == "to > from = 1\n");
  CHECK(s.ask("print to[0] == from[2]") == "to[0] == from[2] = 1\n");
  CHECK(s.ask("memory to") == s.ask("memory from"));
  CHECK(s.ask("memory to") == "global int from[4]\n   0: 1 2 3 4\n");
  s.ask("watch from[3]");
  CHECK(has(s.ask("continue"), "watch 1: from[3]\n  4 → 12\n"));
  CHECK(s.ask("print from[0..3]") == "from\n   0: 1 2 11 12\n");
  s.ask("goto 0");
  CHECK(s.numbers(0) == std::vector<std::int32_t>{1, 2, 3, 4});
}
