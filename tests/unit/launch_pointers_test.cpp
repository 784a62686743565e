// Pointers: their order, also in front of an object, the null pointer, and exchanged subscripts. Expectations are C99's.

#include <catch2/catch.hpp>

#include "interpreter/launch/objects.hpp"
#include "semantics/typed/parse.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;

namespace {

struct Ran {
  launch::Outcome outcome;
  std::vector<int> a;
};

/// Runs the statements for one group of four items on a = {0, 0, 0, 0} and t = {10, 11, 12, 13}; i is the item's number.
Ran run(const std::string& statements) {
  const std::string text = "int is_null(__global int *p) { return p == NULL; }\n__kernel void k(__global int *a, __global int *t) {\n" +
                           std::string("int i = get_local_id();\n") + statements + "\n}\n";
  launch::Arguments arguments = launch_text::arguments(
      {launch_text::buffer(ScalarType::Int, std::vector<int>(4)), launch_text::buffer(ScalarType::Int, std::vector<int>{10, 11, 12, 13})});
  launch::Outcome outcome = launch_text::run(launch_text::program(text, 4), arguments, {});
  return {std::move(outcome), launch_text::numbers<int>(arguments.buffers[0])};
}

void check(const std::string& statements, const std::vector<int>& expected) {
  INFO(statements);
  const Ran ran = run(statements);
  CHECK_FALSE(ran.outcome.fault);
  CHECK(ran.a == expected);
}

}  // namespace

TEST_CASE("the order of pointers into one object", "[launch][pointers]") {
  check("__global int *q = t - 1; a[i] = q < t;", {1, 1, 1, 1});
  check("__global int *q = t + (i - 2); a[i] = (q < t) + 2 * (q <= t) + 4 * (q > t) + 8 * (q >= t);", {3, 3, 10, 12});
  check("int r[4]; int *q = r + (i - 2); a[i] = r > q;", {1, 1, 0, 0});
}

TEST_CASE("pointers into different objects are equal or not, but have no order", "[launch][pointers]") {
  check("a[i] = (a == t) + 2 * (a != t);", {2, 2, 2, 2});
  for (const std::string order : {"<", "<=", ">", ">="}) {
    const Ran ran = run("__global int *q = i == 2 ? a : t; a[i] = q " + order + " t;");
    REQUIRE(ran.outcome.fault);
    CHECK(ran.outcome.fault->kind == FaultKind::PointerMismatch);
    CHECK(ran.outcome.fault->party.item == 2);
  }
  check("__global int *q = i == 2 ? a : t; if (i != 2) a[i] = q <= t;", {1, 1, 0, 1});
}

TEST_CASE("null pointer constants", "[launch][pointers]") {
  check("__global int *p = 0; a[i] = (p == 0) + 2 * (p != NULL) + 4 * (0 == t) + 8 * !p;", {9, 9, 9, 9});
  check("__global int *p = i < 2 ? t : 0; a[i] = is_null(p) + 2 * is_null(0) + 4 * is_null((__global int *)(3 - 3));", {6, 6, 7, 7});
  check("__global int *p = t; p = 0L; a[i] = p == NULL;", {1, 1, 1, 1});
  for (const char* accesses : {"__global int *p = NULL; a[i] = p[0];", "a[i] = ((__global int *)0)[0];", "((__global int *)0)[0] = i;"}) {
    INFO(accesses);
    const Ran ran = run(accesses);
    REQUIRE(ran.outcome.fault);
    CHECK(ran.outcome.fault->kind == FaultKind::OutOfBounds);
  }
}

TEST_CASE("a pointer that is moved beyond all memory is named by its object", "[launch][pointers]") {
  const Ran ran = run("__global int *q = i == 1 ? t : a; long far = i == 1 ? 1L << 61 : 0; q += far; a[i] = q == t;");
  REQUIRE(ran.outcome.fault);
  CHECK(ran.outcome.fault->kind == FaultKind::OutOfBounds);
  CHECK(ran.outcome.fault->party.item == 1);
  CHECK(ran.outcome.fault->variable == "t");
}

TEST_CASE("index and array exchanged", "[launch][pointers]") { check("int r[2] = {5, 6}; a[i] = i[t] + 1[r]; 0[a] = 3;", {3, 17, 18, 19}); }

TEST_CASE("with all registers watched, a text that promises too much is found out", "[launch][typed]") {
  const auto source = std::make_shared<const SourceFile>(
      "t.mus", ".typed\n.wg_size 4\n.kernel k(global int* a)\n.var written int x\nst a[local_id] = x\nstop\n");
  auto program = typed::parse(source);
  REQUIRE(program);
  launch::Arguments arguments = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  const auto outcome =
      launch_text::run(std::make_shared<const typed::Program>(typed::with_all_watched(std::move(*program))), arguments, {});
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->kind == FaultKind::UninitialisedVariable);
}
