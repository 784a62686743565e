// What values do on the PIRCH machine: poison, pointers, arrays, crev. Groups have four items. Expectations are worked out by hand.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;
using Numbers = std::vector<int>;

namespace {

struct Ran {
  std::shared_ptr<const typed::Program> program;
  launch::Outcome outcome;
  std::vector<Numbers> buffers;
  std::vector<std::vector<std::uint64_t>> poison;
};

Ran run(const std::shared_ptr<const typed::Program>& p, const std::vector<Numbers>& buffers, const launch::LaunchOptions& options) {
  std::vector<launch::Buffer> given;
  for (const Numbers& numbers : buffers) {
    given.push_back(launch_text::buffer(ScalarType::Int, numbers));
  }
  launch::Arguments a = launch_text::arguments(std::move(given));
  Ran ran{p, launch_text::run(p, a, options), {}, {}};
  for (const launch::Buffer& b : a.buffers) {
    ran.buffers.push_back(launch_text::numbers<int>(b));
    ran.poison.push_back(b.poison);
  }
  return ran;
}

Ran run(const std::string& text, const std::vector<Numbers>& buffers, std::uint64_t groups = 1, unsigned pack = 0) {
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = pack;
  return run(launch_text::program(text, 4), buffers, options);
}

/// Runs statements that may use `a`, `g` and `l` in three groups of four.
Ran statements(const std::string& body, unsigned pack = 0, const std::string& before = "") {
  return run(before + "__kernel void k(__global int *a) {\nint g = (int)get_group_id(), l = (int)get_local_id(), i = 4 * g + l;\n" + body +
                 "\n}\n",
             {Numbers(12)}, 3, pack);
}

void no_fault(const Ran& ran) {
  if (ran.outcome.fault) {
    FAIL_CHECK(launch::render(*ran.program, *ran.outcome.fault));
  }
}

using Indices = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("poison may be stored, is listed, and goes when something else is stored", "[launch]") {
  const struct {
    const char* body;
    Indices poison;
  } cases[] = {
      {"a[i] = shuffle(l, l + 1);", {3, 7, 11}},
      {"a[i] = shuffle(l, l - 1);", {0, 4, 8}},
      {"a[i] = shuffle(l, 0x100000000);", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {"if (l < 2) a[i] = shuffle(l, l + 2);", {0, 1, 4, 5, 8, 9}},
      {"if (g == 1) a[i] = shuffle(l, l + 1);", {7}},
      {"a[i] = 2 * shuffle(l, l + 1) - 1;", {3, 7, 11}},
      {"a[i] = (l == 3 ? 5 : shuffle(l, l + 1));", {2, 6, 10}},  // item 3 takes the other arm: item 2 finds nobody
      {"int x = shuffle(l, l + 1);\nint y = x;\na[i] = y;", {3, 7, 11}},
      {"int r[2];\nr[l % 2] = shuffle(l, l + 1);\na[i] = r[l % 2];", {3, 7, 11}},
      {"__local int t[4];\nt[l] = shuffle(l, l + 1);\na[i] = t[3 - l];", {0, 4, 8}},
      {"__local int t[4];\nt[l] = shuffle(l, l + 1);\nt[l] = 1;\na[i] = t[3 - l];", {}},
      {"a[i] = shuffle(l, l + 1);\nif (g != 1) a[i] = 4;", {7}},
      {"a[i] = shuffle(l, l + 1);\nint x = a[i];\na[i] = 0;\na[4 * g] = shuffle(x, 3);", {0, 4, 8}},
      {"int x = shuffle(l, l + 1);\nx = l;\na[i] = x;", {}},
  };
  for (const auto& c : cases) {
    INFO(c.body);
    for (const unsigned pack : {0U, 1U, 2U}) {
      const Ran ran = statements(c.body, pack);
      no_fault(ran);
      CHECK(ran.poison[0] == c.poison);
    }
  }
}

TEST_CASE("pointers to variables and arrays, as arguments too", "[launch]") {
  const Ran ran = statements(
      "int x = 3;\ninc(&x);\nint r[3] = {x, 2, 1};\nint *q = r;\nq++;\n"
      "a[i] = sum(r, 3) + 10 * *q + 100 * ((q > r) + (q == r + 1) + (q != r)) + 1000 * table[l] + 10000 * (int)(q - r);",
      0,
      "void inc(int *p) { *p += 1; }\n"
      "int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
      "__constant int table[4] = {5, 6, 7, 8};\n");
  no_fault(ran);
  for (int i = 0; i < 12; ++i) {
    CHECK(ran.buffers[0][static_cast<std::size_t>(i)] == 7 + 20 + 300 + 1000 * (5 + i % 4) + 10000);
  }
}

TEST_CASE("a pointer that leads each item somewhere else", "[launch]") {
  const std::string arrays = "int r[4] = {1, 2, 3, 4};\nint x[2] = {7, 8};\nint *p = l < 2 ? r : x;\n";
  for (const unsigned pack : {0U, 1U, 2U}) {
    const Ran ran = statements(arrays + "p[1] = 50 + l;\na[i] = p[0] + 1000 * r[1] + 100000 * x[1];", pack);
    no_fault(ran);
    for (int i = 0; i < 12; ++i) {
      const int l = i % 4;
      const int expected = l < 2 ? 1 + 1000 * (50 + l) + 100000 * 8 : 7 + 1000 * 2 + 100000 * (50 + l);
      CHECK(ran.buffers[0][static_cast<std::size_t>(i)] == expected);
    }
    const Ran outside = statements(arrays + "a[i] = p[g + 1];", pack);  // group 1 leaves x
    REQUIRE(outside.outcome.fault.has_value());
    CHECK(outside.outcome.fault->kind == FaultKind::OutOfBounds);
    CHECK(outside.outcome.fault->variable == "x");
    CHECK(outside.outcome.fault->value == "2");
    CHECK(outside.outcome.fault->party.group == 1);
    CHECK(outside.outcome.fault->party.item == 2);
  }
  const Ran mixed =
      run("__kernel void k(__global int *a, __global int *b) {\n  int l = (int)get_local_id();\n  __global int *p = l % 2 ? a : b;\n"
          "  p[l] = 10 + l;\n}\n",
          {Numbers(4), Numbers(4)});
  no_fault(mixed);
  CHECK(mixed.buffers == std::vector<Numbers>{{0, 11, 0, 13}, {10, 0, 12, 0}});
}

TEST_CASE("a pointer to an array whose call has returned points to nothing", "[launch]") {
  const std::string functions =
      "int *leak(int v) { int r[2]; r[0] = v; r[1] = v; return r; }\n"
      "int use(int *p) { int s[2]; int *q = s; q[0] = 5; q[1] = 6; return p[0]; }\n"
      "int other(int n) { int s[3]; int *q = s; q[n] = n; return s[n]; }\n";
  for (const char* body : {"int *p = leak(4);\na[i] = p[0];", "int *p = leak(4);\np[0] = 1;", "a[i] = use(leak(4));",
                           "int *p = leak(4);\nfor (int n = 0; n < 100; n++) other(n % 3);\na[i] = use(p);",
                           "int r[1] = {0};\nint *p = l == 2 ? leak(4) : r;\na[i] = p[0];"}) {
    INFO(body);
    const Ran ran = statements(body, 0, functions);
    REQUIRE(ran.outcome.fault.has_value());
    CHECK(ran.outcome.fault->kind == FaultKind::OutOfBounds);
    CHECK(ran.outcome.fault->message.find("points to nothing") != std::string::npos);
  }
  no_fault(statements("int s = 0;\nfor (int n = 0; n < 100; n++) s += other(n % 3);\na[i] = s;", 0, functions));
}

TEST_CASE("arrays of a recursion are each call's own", "[launch]") {
  // Fills r before the deeper calls and looks at it after them, through a pointer.
  const Ran ran = statements("a[i] = f(l + g, l);", 0,
                             "int f(int n, int l) {\n  int r[2];\n  int *p = r;\n  p[0] = n;\n  p[1] = 10 * l;\n"
                             "  int below = n > 0 ? f(n - 1, l) : 0;\n  return below + p[0] + r[1];\n}\n");
  no_fault(ran);
  for (int i = 0; i < 12; ++i) {
    const int l = i % 4;
    const int n = l + i / 4;
    CHECK(ran.buffers[0][static_cast<std::size_t>(i)] == n * (n + 1) / 2 + (n + 1) * 10 * l);
  }
}

TEST_CASE("local arrays belong to a group, and begin uninitialised in each", "[launch]") {
  for (const unsigned pack : {0U, 1U, 2U, 3U}) {
    const Ran ran = statements("__local int t[4];\nt[l] = 10 * g + l;\na[i] = t[3 - l];", pack);
    no_fault(ran);
    for (int i = 0; i < 12; ++i) {
      CHECK(ran.buffers[0][static_cast<std::size_t>(i)] == 10 * (i / 4) + 3 - i % 4);
    }
    const Ran unset = statements("__local int t[4];\nif (g != 1) t[l] = 1;\na[i] = t[l];", pack);
    REQUIRE(unset.outcome.fault.has_value());
    CHECK(unset.outcome.fault->kind == FaultKind::UninitialisedCell);
    CHECK(unset.outcome.fault->party.group == 1);
    CHECK(unset.outcome.fault->variable == "t[0]");
  }
}

TEST_CASE("two parameters with one buffer", "[launch]") {
  const auto run_aliased = [](const std::string& body, unsigned pack) {
    const auto p = launch_text::program(
        "__kernel void k(__global int *p, __global int *q) { size_t i = get_global_id(), n = get_global_size();\n" + body + "\n}\n", 4);
    launch::Arguments a;
    a.buffers.push_back(launch_text::buffer(ScalarType::Int, Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
    a.values = {Argument(BufferNumber{0}), Argument(BufferNumber{0})};
    launch::LaunchOptions options;
    options.groups = 2;
    options.pack = pack;
    Ran ran{p, launch_text::run(p, a, options), {}, {}};
    ran.buffers.push_back(launch_text::numbers<int>(a.buffers[0]));
    return ran;
  };
  for (const unsigned pack : {0U, 1U, 2U}) {
    const Ran own = run_aliased("q[i] = p[i] + 1; p[i] = 2 * q[i];", pack);
    no_fault(own);
    CHECK(own.outcome.race_count == 0);
    CHECK(own.buffers[0] == Numbers{4, 6, 8, 10, 12, 14, 16, 18});
    // Within a group all items read before they write.
    const Ran neighbour = run_aliased("q[i] = p[i / 4 * 4 + (i + 1) % 4];", pack);
    CHECK(neighbour.outcome.race_count == 0);
    CHECK(neighbour.buffers[0] == Numbers{2, 3, 4, 1, 6, 7, 8, 5});
    // Group 1 reads what group 0, before it in the defining order, has stored.
    const Ran clash = run_aliased("__global int *r = i % 2 == 0 ? p : q + 1; if (i < 2) r[i % 2 == 0 ? 5 : 4] = 10 * (int)i;", pack);
    CHECK(clash.outcome.race_count == 1);  // items 0 and 1 both store to cell 5, through different pointers
    REQUIRE(clash.outcome.races.size() == 1);
    CHECK(clash.outcome.races[0].index == 5);
    CHECK(clash.outcome.races[0].first.item == 0);
    CHECK(clash.outcome.races[0].first_value == "0");
    CHECK(clash.outcome.races[0].second.item == 1);
    CHECK(clash.outcome.races[0].second_value == "10");
    CHECK(clash.buffers[0][5] == 10);
    const Ran race = run_aliased("q[i] = p[(i + 4) % n];", pack);
    CHECK(race.outcome.race_count == 8);  // each cell is read by one group and written by the other one
    REQUIRE(!race.outcome.races.empty());
    CHECK(race.outcome.races.front().object == "p");
    CHECK(race.buffers[0] == Numbers{5, 6, 7, 8, 5, 6, 7, 8});
  }
}

namespace {

const std::string note =
    "void note(uniform int v, __global int *log, __global int *next) {\n"
    "  int mine = v + 1;\n"
    "  if (get_local_id() == 0) { log[next[0]] = v; next[0] += 1; }\n"
    "  log[8 + get_local_id()] += mine;\n"
    "}\n"
    "__kernel void k(__global int *log, __global int *next) {\n"
    "  int x = 10 * (int)get_local_id();\n"
    "  int mine = x + 7;\n"
    "  if (get_local_id() != 1) { crev note(x, log, next); mine += 1; }\n"
    "  log[12 + get_local_id()] = x + mine;\n"
    "}\n";

}  // namespace

TEST_CASE("crev: every caller is served once by all items, in order, and everybody's locals stay", "[launch]") {
  const auto served = [](core::CrevOrder order) {
    core::Options options;
    options.wg_size = 4;
    options.crev_order = order;
    Diagnostics warnings;
    const auto read = core::read_kernels(std::make_shared<SourceFile>("k.cl", note), options, warnings);
    REQUIRE(read.has_value());
    const auto p = std::make_shared<const typed::Program>(core::translate(*read, *read->kernel("")));
    return run(p, {Numbers(16), Numbers(1)}, {});
  };
  const Ran ran = served(core::CrevOrder::Ascending);
  no_fault(ran);
  // Callers 0, 2 and 3; 1 + 21 + 31 for each item, item 1 too; 20 x + 7 (+ 1 for callers).
  CHECK(ran.buffers[0] == Numbers{0, 20, 30, 0, 0, 0, 0, 0, 53, 53, 53, 53, 8, 27, 48, 68});
  CHECK(ran.buffers[1] == Numbers{3});
  REQUIRE(ran.outcome.crev.size() == 1);
  CHECK(ran.outcome.crev[0].function == "note");
  CHECK(ran.outcome.crev[0].activations == 3);
  CHECK(ran.outcome.crev[0].tasks == 12);
  CHECK(ran.outcome.most_contexts == 1);
  CHECK(ran.outcome.most_frames == 2);
  CHECK(ran.outcome.most_pending == 3 + 4);
  CHECK(served(core::CrevOrder::Descending).buffers[0] == Numbers{30, 20, 0, 0, 0, 0, 0, 0, 53, 53, 53, 53, 8, 27, 48, 68});
}

TEST_CASE("crev: nested in itself", "[launch]") {
  // N(d) = 1 + 2 N(d - 1) activations, each of all items: N(3) = 15 for each of the two callers of each group.
  const std::string text =
      "void r(uniform int d, __global int *n) {\n"
      "  int before = d + (int)get_local_id();\n"
      "  n[get_global_id()] += 1;\n"
      "  if (d > 0 && get_local_id() < 2) crev r(d - 1, n);\n"
      "  n[get_global_id()] += 100 * (before - d - (int)get_local_id());\n"
      "}\n"
      "__kernel void k(__global int *n) { if (get_local_id() > 1) crev r(3, n); }\n";
  for (const unsigned pack : {0U, 1U, 2U}) {
    const Ran ran = run(text, {Numbers(12)}, 3, pack);
    no_fault(ran);
    CHECK(ran.buffers[0] == Numbers(12, 30));
    REQUIRE(ran.outcome.crev.size() == 1);
    CHECK(ran.outcome.crev[0].activations == 3 * 30);
    CHECK(ran.outcome.crev[0].tasks == 3 * 30 * 4);
    CHECK(ran.outcome.most_contexts == 4);
    CHECK(ran.outcome.most_frames == 5);
    CHECK(ran.outcome.most_pending == 4 * 2 + 4);
    CHECK(ran.outcome.race_count == 0);
  }
}

TEST_CASE("variables that some items have not written yet", "[launch]") {
  // Defined: nobody reads what it has not written, whatever the others do.
  const Ran ran = statements(
      "int x;\nfor (int n = 0; n < 3; n++) {\n  if (n == l) x = 10 * n;\n  if (l <= n) a[i] += x;\n}\n"
      "if (l == 3) x = 7;\na[i] += x;");
  no_fault(ran);
  for (int i = 0; i < 12; ++i) {
    const int l = i % 4;
    CHECK(ran.buffers[0][static_cast<std::size_t>(i)] == (l == 3 ? 7 : (3 - l + 1) * 10 * l));
  }
  const Ran source = statements("int x;\nif (l != 2) x = 1;\na[i] = shuffle(x, 0);");  // item 2 evaluates x, too
  REQUIRE(source.outcome.fault.has_value());
  CHECK(source.outcome.fault->kind == FaultKind::UninitialisedVariable);
  CHECK(source.outcome.fault->party.item == 2);
  const Ran early = statements("int x;\nfor (int n = 0; n < 3; n++) {\n  if (n == l) x = 1;\n  if (l <= n + (g == 2)) a[i] += x;\n}");
  REQUIRE(early.outcome.fault.has_value());
  CHECK(early.outcome.fault->kind == FaultKind::UninitialisedVariable);
  CHECK(early.outcome.fault->party.group == 2);
  CHECK(early.outcome.fault->party.item == 1);
}

TEST_CASE("items 64 apart have written different elements of their arrays", "[launch]") {
  const auto p = launch_text::program(
      "__kernel void k(__global int *a) {\nint l = (int)get_local_id();\nint r[2];\nr[l < 64] = l;\na[l] = r[l < 64];\n}\n", 128);
  const Ran ran = run(p, {Numbers(128)}, {});
  no_fault(ran);
  for (int l = 0; l < 128; ++l) {
    CHECK(ran.buffers[0][static_cast<std::size_t>(l)] == l);
  }
}

TEST_CASE("a character constant is an int with the value of a char, which is signed, in every way of writing it", "[launch]") {
  std::string body;
  std::vector<int> expected;
  const auto add = [&](const std::string& text, int value) {
    body += fmt::format("a[{}] = {}; ", expected.size(), text);
    expected.push_back(value);
  };
  for (int code = 0; code < 256; ++code) {
    const int value = code < 128 ? code : code - 256;
    for (const std::string& text : {fmt::format("'\\x{:x}'", code), fmt::format("'\\x{:02X}'", code), fmt::format("'\\{:o}'", code),
                                    fmt::format("'\\{:03o}'", code)}) {
      add(text, value);
    }
    if (code >= 32 && code < 127 && code != '\'' && code != '\\') {
      add(fmt::format("'{}'", static_cast<char>(code)), value);
    }
  }
  const std::pair<const char*, int> letters[] = {{"'\\a'", 7},  {"'\\b'", 8},   {"'\\t'", 9},  {"'\\n'", 10},  {"'\\v'", 11}, {"'\\f'", 12},
                                                 {"'\\r'", 13}, {"'\\\"'", 34}, {"'\\''", 39}, {"'\\\\'", 92}, {"'\\?'", 63}};
  for (const auto& [text, value] : letters) {
    add(text, value);
  }
  // Where the type, the sign or a constant in the text decides.
  add("sizeof '\\xff'", 4);
  add("'\\377' < 0", 1);
  add("'\\xff' == (char)255", 1);
  add("'\\xff' == 255", 0);
  add("(uchar)'\\xff'", 255);
  add("'\\xff' > 1u", 1);
  add("table[0]", -1);
  add("PREPROCESSED", -128);
  const Ran ran =
      run("#if '\\xff' < 0 && '\\377' == -1 && '\\200' + 128 == 0\n#define PREPROCESSED '\\200'\n#endif\n"
          "constant char table[] = {'\\xff'};\n__kernel void k(__global int *a) { " +
              body + "}\n",
          {Numbers(expected.size())});
  no_fault(ran);
  CHECK(ran.buffers == std::vector<Numbers>{expected});
}
