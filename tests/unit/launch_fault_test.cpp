// Every undefined behaviour and race of docs/kernel-language.md: a kernel that meets it, with all that the report says, and one that only
// comes close. Groups have four items, there are three of them; `a` has 12 ints 0, 1, …, 11 and `f` 12 floats 0, 0.5, ….

#include <catch2/catch.hpp>

#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;

namespace {

struct Case {
  const char* name;
  const char* statements;
  FaultKind kind;
  std::uint32_t line;  // the statements begin in line 3
  std::uint32_t column;
  std::uint64_t group;
  unsigned item;
  const char* variable;
  const char* value;
  const char* close;  // statements that are defined
};

std::string kernel(const std::string& statements) {
  return "int twice(int x) { return 2 * x; } int owes(int x) { if (x > 1) return x; }\n__kernel void k(__global int *a, __global float *f, "
         "int zero) {\n" +
         statements + "\n}\n";
}

launch::Outcome run_statements(const std::string& statements, launch::LaunchOptions options = {}) {
  std::vector<int> ints(12);
  std::vector<float> floats(12);
  for (int i = 0; i < 12; ++i) {
    ints[static_cast<std::size_t>(i)] = i;
    floats[static_cast<std::size_t>(i)] = static_cast<float>(i) / 2;
  }
  launch::Arguments a =
      launch_text::arguments({launch_text::buffer(ScalarType::Int, ints), launch_text::buffer(ScalarType::Float, floats)}, {0});
  options.groups = 3;
  return launch_text::run(launch_text::program(kernel(statements), 4), a, options);
}

const Case cases[] = {
    {"uninitialised scalar", "int x;\nif (get_local_id() != 2) x = 1;\na[get_global_id()] = x + 1;", FaultKind::UninitialisedVariable, 5,
     22, 0, 2, "x", "", "int x;\nif (get_local_id() != 2) x = 1; else x = 2;\na[get_global_id()] = x + 1;"},
    {"a function that ends without a value", "int x = get_local_id();\nx = owes(x);\na[get_global_id()] = x;",
     FaultKind::UninitialisedVariable, 4, 5, 0, 0, "owes", "", "int x = get_local_id();\nowes(x);\na[get_global_id()] = owes(x + 2);"},
    {"first index of two", "int r[2][3];\nr[get_local_id()][0] = 1;", FaultKind::OutOfBounds, 4, 3, 0, 2, "r", "2",
     "int r[4][3];\nr[get_local_id()][0] = 1;"},
    {"last index of three", "__local int r[2][3][2];\nr[1][2][get_local_id() - 1] = 1;", FaultKind::OutOfBounds, 4, 9, 0, 0, "r",
     "18446744073709551615", "__local int r[2][3][4];\nr[1][2][get_local_id()] = 1;"},
    {"uninitialised element of two dimensions", "int r[2][3];\nr[1][0] = 2;\na[get_global_id()] = r[1][zero + 2];",
     FaultKind::UninitialisedVariable, 5, 22, 0, 0, "r[1][2]", "", "int r[2][3];\nr[1][2] = 2;\na[get_global_id()] = r[1][zero + 2];"},
    {"uninitialised __local scalar", "__local int s;\na[get_global_id()] = s;", FaultKind::UninitialisedCell, 4, 22, 0, 0, "s", "",
     "__local int s;\ns = 1;\na[get_global_id()] = s;"},
    {"pointer beyond memory", "long far = 1l << 38;\nif (get_local_id() == 3) a[get_global_id()] = a + far == a;", FaultKind::OutOfBounds,
     4, 47, 0, 3, "a", "274877906944", "long far = 1l << 36;\nif (get_local_id() == 3) a[get_global_id()] = a + far == a;"},
    {"pointer beyond memory, not where no item goes", "a[get_global_id()] = zero == 0 || a + (1l << 38) == a;\nint r[2];\na[0] = r[1];",
     FaultKind::UninitialisedVariable, 5, 8, 0, 0, "r[1]", "", "a[get_global_id()] = zero == 0 || a + (1l << 38) == a;"},
    {"uninitialised again in each round", "for (int i = 0; i < 2; i++) {\n  int x;\n  if (i == 0) x = 1;\n  a[get_global_id()] = x;\n}",
     FaultKind::UninitialisedVariable, 6, 24, 0, 0, "x", "",
     "int x;\nfor (int i = 0; i < 2; i++) {\n  if (i == 0) x = 1;\n  a[get_global_id()] = x;\n}"},
    {"uninitialised element", "int r[3];\nr[0] = 1; r[2] = 2;\na[get_global_id()] = r[1];", FaultKind::UninitialisedVariable, 5, 22, 0, 0,
     "r[1]", "", "int r[3];\nr[0] = 1; r[2] = 2;\na[get_global_id()] = r[0] + r[2];"},
    {"uninitialised local cell",
     "__local int t[4];\nif (get_local_id() != 3) t[get_local_id()] = 1;\na[get_global_id()] = t[get_local_id()];",
     FaultKind::UninitialisedCell, 5, 22, 0, 3, "t[3]", "",
     "__local int t[4];\nt[get_local_id()] = 1;\na[get_global_id()] = t[3 - get_local_id()];"},
    {"buffer index too large", "a[get_global_id() + 1] = 1;", FaultKind::OutOfBounds, 3, 1, 2, 3, "a", "12", "a[get_global_id()] = 1;"},
    {"buffer index negative", "int i = (int)get_global_id() - 1;\nint x = a[i];\na[i] = x;", FaultKind::OutOfBounds, 4, 9, 0, 0, "a", "-1",
     "int i = (int)get_global_id();\nint x = a[i];\na[i] = x;"},
    {"array index", "int r[4] = {1, 2, 3, 4};\nint i = (int)get_local_id() + (get_group_id() == 1);\na[get_global_id()] = r[i];",
     FaultKind::OutOfBounds, 5, 22, 1, 3, "r", "4", "int r[4] = {1, 2, 3, 4};\nint i = (int)get_local_id();\na[get_global_id()] = r[i];"},
    {"store to an array", "int r[4];\nr[get_global_id()] = 1;", FaultKind::OutOfBounds, 4, 1, 1, 0, "r", "4",
     "int r[4];\nr[get_local_id()] = 1;"},
    {"division by zero", "a[get_global_id()] = 12 / a[get_global_id()];", FaultKind::DivisionByZero, 3, 22, 0, 0, "", "12",
     "a[get_global_id()] = 12 / (a[get_global_id()] + 1);"},
    {"remainder by zero", "a[get_global_id()] = 5 % (7 - a[get_global_id()]);", FaultKind::DivisionByZero, 3, 22, 1, 3, "", "5",
     "a[get_global_id()] = 5 % (12 - a[get_global_id()]);"},
    {"quotient that does not fit", "int m = -2147483647 - 1;\na[get_global_id()] = m / (a[get_global_id()] - 6);",
     FaultKind::DivisionOverflow, 4, 22, 1, 1, "", "-2147483648",
     "int m = -2147483647;\na[get_global_id()] = m / (a[get_global_id()] == 6 ? -1 : 1);"},
    {"float too large for int", "f[get_global_id()] = (float)(int)(f[get_global_id()] * 400000000.0f);", FaultKind::ConversionOverflow, 3,
     29, 2, 3, "", "2.2e+09", "f[get_global_id()] = (float)(int)(f[get_global_id()] * 390000000.0f);"},
    {"negative float for uint", "f[get_global_id()] = (float)(uint)(0.5f - f[get_global_id()]);", FaultKind::ConversionOverflow, 3, 29, 0,
     3, "", "-1", "f[get_global_id()] = (float)(uint)(f[get_global_id()] - 0.5f);"},
    {"branch on poison", "int x = shuffle(a[get_global_id()], 4);\nif (x > 0) a[get_global_id()] = 1;", FaultKind::PoisonBranch, 4, 5, 0, 0,
     "", "", "int x = shuffle(a[get_global_id()], 3);\nif (x > 0) a[get_global_id()] = 1;"},
    {"index that is poison", "int x = shuffle(a[get_global_id()], 4);\na[x] = 1;", FaultKind::PoisonAddress, 4, 1, 0, 0, "", "",
     "int x = shuffle(a[get_global_id()], 4);\na[get_global_id()] = x;"},
};

}  // namespace

TEST_CASE("undefined behaviour is reported with its place, item and value", "[launch]") {
  for (const Case& c : cases) {
    INFO(c.name);
    const auto p = launch_text::program(kernel(c.statements), 4);
    for (const unsigned pack : {0U, 1U, 2U}) {
      for (const unsigned threads : {1U, 3U}) {
        launch::LaunchOptions options;
        options.pack = pack;
        options.threads = threads;
        const launch::Outcome outcome = run_statements(c.statements, options);
        REQUIRE(outcome.fault.has_value());
        const launch::Fault& fault = *outcome.fault;
        CHECK(launch::name_of(fault.kind) == launch::name_of(c.kind));
        const LineColumn place = p->source->place(fault.party.span.begin);
        CHECK(place.line == c.line);
        CHECK(place.column == c.column);
        CHECK(fault.party.group == c.group);
        CHECK(fault.party.item == c.item);
        CHECK(fault.variable == c.variable);
        CHECK(fault.value == c.value);
      }
    }
    const launch::Outcome close = run_statements(c.close);
    if (close.fault) {
      FAIL_CHECK(launch::render(*launch_text::program(kernel(c.close), 4), *close.fault));
    }
  }
}

TEST_CASE("races are reported with both parties", "[launch]") {
  struct RaceCase {
    const char* name;
    const char* statements;
    unsigned warp_size;
    bool first_writes;
    std::uint64_t first_group, second_group;
    unsigned first_item, second_item;
    const char* object;
    std::uint64_t index;
    const char* close;
  };
  const RaceCase races[] = {
      {"two groups store to one cell", "if (get_local_id() == 1) a[0] = 7;", 0, true, 0, 1, 1, 1, "a", 0,
       "if (get_local_id() == 1) a[get_group_id()] = 7;"},
      {"one group reads what another one stores", "int x = a[(get_global_id() + 4) % 12];\na[get_global_id()] = x;", 0, false, 0, 1, 0, 0,
       "a", 4, "int x = a[get_global_id() / 4 * 4 + (get_local_id() + 1) % 4];\na[get_global_id()] = x;"},
      {"two items store different values in one instruction", "if (get_group_id() == 2) a[5] = (int)get_local_id();", 0, true, 2, 2, 0, 3,
       "a", 5, "if (get_group_id() == 2) a[5] = 9;"},
      {"two warps in one interval", "__local int t[4];\nt[get_local_id()] = 1;\na[get_global_id()] = t[get_local_id() ^ 1];", 1, true, 0, 0,
       1, 0, "t", 1, "__local int t[4];\nt[get_local_id()] = 1;\nbarrier();\na[get_global_id()] = t[get_local_id() ^ 1];"},
  };
  for (const RaceCase& c : races) {
    INFO(c.name);
    launch::LaunchOptions options;
    options.warp_size = c.warp_size;
    for (const unsigned threads : {1U, 3U}) {
      options.threads = threads;
      const launch::Outcome outcome = run_statements(c.statements, options);
      CHECK_FALSE(outcome.fault.has_value());
      REQUIRE(!outcome.races.empty());
      const launch::Race& race = outcome.races.front();
      CHECK(race.first_writes == c.first_writes);
      CHECK(race.first.group == c.first_group);
      CHECK(race.second.group == c.second_group);
      CHECK(race.first.item == c.first_item);
      CHECK(race.second.item == c.second_item);
      CHECK(race.object == c.object);
      CHECK(race.index == c.index);
    }
    CHECK(run_statements(c.close, options).race_count == 0);
    options.strict = true;
    CHECK(run_statements(c.statements, options).fault->kind == FaultKind::Race);
    options.races = false;
    options.strict = false;
    CHECK(run_statements(c.statements, options).race_count == 0);
  }
}

TEST_CASE("barriers are for all items of a group", "[launch]") {
  launch::LaunchOptions options;
  options.warp_size = 2;
  const launch::Outcome within = run_statements("if (get_local_id() != 1) barrier();", options);
  REQUIRE(within.fault.has_value());
  CHECK(within.fault->kind == FaultKind::DivergentBarrier);
  CHECK(within.fault->party.item == 1);
  CHECK(within.fault->message.contains("together with the others of its warp"));
  const launch::Outcome whole_warp = run_statements("if (get_local_id() < 2) barrier();", options);
  REQUIRE(whole_warp.fault.has_value());
  CHECK(whole_warp.fault->kind == FaultKind::BarrierNotReached);
  CHECK(whole_warp.fault->party.item == 2);
  CHECK(whole_warp.fault->message.contains("at which others of its group wait"));
  CHECK_FALSE(run_statements("if (get_group_id() < 2) barrier();", options).fault.has_value());
  options.warp_size = 0;  // one warp: nothing waits for anything
  CHECK_FALSE(run_statements("if (get_local_id() != 1) barrier();", options).fault.has_value());
}

TEST_CASE("limits end a run with a clear fault", "[launch]") {
  launch::LaunchOptions options;
  options.max_steps = 1000;
  const launch::Outcome endless = run_statements("while (zero == 0) a[get_global_id()] += 1;", options);
  REQUIRE(endless.fault.has_value());
  CHECK(endless.fault->kind == FaultKind::StepLimit);
  CHECK(endless.fault->message.contains("1000 steps (--max-steps)"));

  const std::string deep =
      "int down(int n) { return n == 0 ? 0 : 1 + down(n - 1); }\n__kernel void k(__global int *a) { a[get_global_id()] = "
      "down(100000000); }\n";
  const auto p = launch_text::program(deep, 4);
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  options = {};
  options.max_depth = 1000;
  CHECK(launch_text::run(p, a, options).fault->kind == FaultKind::DepthLimit);
  options = {};
  options.frame_memory = 10000;
  CHECK(launch_text::run(p, a, options).fault->kind == FaultKind::MemoryLimit);
  const auto big = launch_text::program("__kernel void k(__global int *a) { char big[1000000000]; big[0] = 1; a[0] = big[0]; }", 4);
  CHECK(launch_text::run(big, a, {}).fault->kind == FaultKind::MemoryLimit);
}

TEST_CASE("a member without a value is reported where it is read", "[launch]") {
  const auto place = [](const std::string& statements) {
    const launch::Outcome outcome = run_statements("struct { int x; int y[2]; } p, q;\np.x = 1; p.y[0] = 2;\n" + statements);
    const std::string text = kernel("struct { int x; int y[2]; } p, q;\np.x = 1; p.y[0] = 2;\n" + statements);
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == FaultKind::UninitialisedVariable);
    const SourceSpan span = outcome.fault->party.span;
    return text.substr(span.begin, span.end - span.begin);
  };
  CHECK(place("a[get_global_id()] = q.x + 1;") == "q.x");
  CHECK(place("a[get_global_id()] = p.y[zero + 1];") == "p.y[zero + 1]");
  // A copy goes on with what has no value, until somebody wants it.
  CHECK(place("a[get_global_id()] = 3;\n__local struct { int x; int y[2]; } l; l.x = q.x;") == "q.x");
}

namespace {

/// With two items; `a` has four elements.
launch::Outcome ended(const std::string& statements, launch::Arguments& a) {
  a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  const auto p = launch_text::program(
      "typedef struct { int x; int y[2]; } S; typedef union { short s; int i; } U;\n"
      "typedef struct { int tag; U u; } T; typedef struct { float4 v; int n; } V;\n"
      "S made(S s) { return s; } float4 same(float4 v) { return v; } T tagged(T t) { return t; }\n"
      "__kernel void k(__global int *a) { const int i = get_global_id(0); " +
          statements + " }",
      2);
  return launch_text::run(p, a, {});
}

}  // namespace

TEST_CASE("copies of vectors and structures go on with parts that have no value", "[launch]") {
  launch::Arguments a;
  const auto leaves = [&](const std::string& statements, const std::vector<int>& expected) {
    CAPTURE(statements);
    const auto outcome = ended(statements, a);
    CHECK(!outcome.fault);
    CHECK(launch_text::numbers<int>(a.buffers[0]) == expected);
    CHECK(a.buffers[0].poison.empty());
  };
  leaves("S s; s.x = i + 1; S t = s; S u; u = made(s); a[i] = u.x + 0 * t.x;", {1, 2, 0, 0});
  leaves("S s[2]; s[i].y[1] = 7; S t = s[i]; a[i] = t.y[1];", {7, 7, 0, 0});
  leaves("float4 v; v.xyz = (float3)(1, 2, 3); float4 w = same(v) * 2; w = w + v; a[i] = (int)w.z;", {9, 9, 0, 0});
  leaves("float4 v[2]; v[i].y = 5; float4 w = i ? v[1] : v[0]; a[i] = (int)w.y;", {5, 5, 0, 0});
  leaves("U u; u.s = 3; U w = u; a[i] = w.s;", {3, 3, 0, 0});
  leaves("T t; t.tag = 4; t.u.s = 9; T r = tagged(t); a[i] = r.tag + r.u.s;", {13, 13, 0, 0});
  leaves("U u[2] = {{1}}; U w = u[1]; a[i] = u[0].s; w.i = 2; a[i] += w.i;", {3, 3, 0, 0});
  leaves("V s; s.v.x = 2; V t = s; t.n = 3; V r; r = t; a[i] = r.n * (int)r.v.x;", {6, 6, 0, 0});
  leaves("int4 v; v.x = 1; if (i == 0) v.y = 2; int4 w = v; a[i] = w.x + (i == 0 ? w.y : 5);", {3, 6, 0, 0});
}

TEST_CASE("what a copy has no value of is found where it matters", "[launch]") {
  launch::Arguments a;
  const auto kind = [&](const std::string& statements) { return ended(statements, a).fault.value().kind; };
  // A part by its name needs a value, and so does what others may see.
  CHECK(kind("float4 v; v.x = 1; a[i] = (int)v.y;") == FaultKind::UninitialisedVariable);
  CHECK(kind("int4 v; v.x = 1; vstore4(v, 0, a);") == FaultKind::UninitialisedVariable);
  CHECK(kind("__local int4 l[2]; int4 v; v.x = 1; l[i] = v + 1;") == FaultKind::UninitialisedVariable);
  CHECK(kind("__local S l[2]; S s; s.x = 1; l[i] = s;") == FaultKind::UninitialisedVariable);
  // Behind a copy it is poison: nothing may depend on it.
  CHECK(kind("int4 v; v.x = 1; int4 w = v; if (w.y) a[i] = 1;") == FaultKind::PoisonBranch);
  CHECK(kind("S s; s.x = 1; S t = s; a[t.y[0]] = 1;") == FaultKind::PoisonAddress);
  CHECK(!ended("int4 v; v.x = 1; int4 w = v; a[i] = w.y;", a).fault);
  CHECK(a.buffers[0].poison == std::vector<std::uint64_t>{0, 1});
}

TEST_CASE("what the groups before a fault do is finished, though a pack has not come so far") {
  const auto p = launch_text::program(
      "__kernel void k(__global int *a) {\n"
      "  if (get_group_id(0) == 1) a[100] = 1;\n"
      "  for (int j = 0; j < 5; ++j) a[get_group_id(0)] = j;\n"
      "}\n",
      1);
  for (const unsigned pack : {0U, 1U, 2U, 3U}) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer<std::int32_t>(ScalarType::Int, {9, 9, 9})});
    launch::LaunchOptions options;
    options.groups = 3;
    options.pack = pack;
    const launch::Outcome outcome = launch_text::run(p, a, options);
    REQUIRE(outcome.fault.has_value());
    CHECK(outcome.fault->party.group == 1);
    CHECK(launch_text::numbers<std::int32_t>(a.buffers[0]) == std::vector<std::int32_t>{4, 9, 9});
  }
}

TEST_CASE("a buffer that the launch only reads or only writes", "[launch]") {
  const auto ended_by = [](const std::string& statements, memory::Rights x, memory::Rights y, unsigned warp_size) {
    launch::Arguments a = launch_text::arguments(
        {launch_text::buffer(ScalarType::Int, std::vector<int>{1, 2}), launch_text::buffer(ScalarType::Int, std::vector<int>(2))});
    a.buffers[0].rights = x;
    a.buffers[1].rights = y;
    launch::LaunchOptions options;
    options.warp_size = warp_size;
    const auto p =
        launch_text::program("__kernel void k(__global int *x, __global int *y) { const int i = get_global_id(0); " + statements + " }", 2);
    const auto outcome = launch_text::run(p, a, options);
    return outcome.fault ? std::string(launch::name_of(outcome.fault->kind)) : "fine";
  };
  constexpr memory::Rights reads{true, false};
  constexpr memory::Rights writes{false, true};
  for (const unsigned warp_size : {0U, 1U}) {
    CHECK(ended_by("y[i] = x[i];", reads, writes, warp_size) == "fine");
    CHECK(ended_by("y[i] = x[i];", writes, writes, warp_size) == "not-readable");
    CHECK(ended_by("y[i] = x[i];", reads, reads, warp_size) == "not-writable");
    CHECK(ended_by("if (i == 1) x[0] = 1;", reads, {}, warp_size) == "not-writable");
    CHECK(ended_by("__global int *p = i ? x : y; p[0] = 1;", reads, {}, warp_size) == "not-writable");
    CHECK(ended_by("__global int *p = i ? x : y; x[i] = p[0];", {}, writes, warp_size) == "not-readable");
    CHECK(ended_by("((__global uchar *)x)[i] = 1;", reads, {}, warp_size) == "not-writable");
    CHECK(ended_by("y[i] = ((__global uchar *)x)[i];", writes, {}, warp_size) == "not-readable");
    CHECK(ended_by("atomic_inc(x);", writes, {}, warp_size) == "not-readable");
    CHECK(ended_by("atomic_inc(x);", reads, {}, warp_size) == "not-writable");
    CHECK(ended_by("y[i] = atomic_cmpxchg(x, 7, 8) + atomic_load(x);", reads, {}, warp_size) == "fine");
    CHECK(ended_by("atomic_cmpxchg(x, 1, 8);", reads, {}, warp_size) == "not-writable");
  }
}
