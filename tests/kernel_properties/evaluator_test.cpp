// The evaluator on kernels whose results follow from docs/kernel-language.md by hand.

#include "tests/evaluator/evaluator.hpp"

#include <catch2/catch.hpp>

#include "semantics/core/front_end.hpp"

using namespace lockstep;
using evaluator::FaultKind;
using evaluator::State;

namespace {

constexpr unsigned items = 4;

/// Runs a kernel with one `__global int *a` of 8 elements 0, 10, 20, …, 70 on a group of four items.
evaluator::Result run(const std::string& text, unsigned warp_size = 0, std::uint64_t groups = 1) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", text);
  core::Options options;
  options.wg_size = items;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    FAIL(render(*source, program.error()));
  }
  evaluator::Launch launch;
  launch.groups = groups;
  launch.warp_size = warp_size;
  launch.arguments.emplace_back(BufferNumber{0});
  launch.buffers.push_back({ScalarType::Int, {}});
  for (std::uint64_t k = 0; k < 8; ++k) {
    launch.buffers.back().cells.push_back({State::Number, 10 * k});
  }
  return evaluator::evaluate(*program, *program->kernel(""), std::move(launch));
}

/// The first `count` elements after a run that meets nothing undefined; -1 for poison.
std::vector<std::int64_t> numbers(const evaluator::Result& result, std::size_t count = items) {
  REQUIRE_FALSE(result.fault);
  REQUIRE_FALSE(result.gave_up);
  std::vector<std::int64_t> found;
  for (std::size_t k = 0; k < count; ++k) {
    const evaluator::Cell& cell = result.buffers.front().cells[k];
    found.push_back(cell.state == State::Poison ? -1 : static_cast<std::int64_t>(cell.bits));
  }
  return found;
}

std::string kernel(const std::string& body) { return "__kernel void k(__global int *a) { int i = get_local_id(0); " + body + " }"; }

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("Evaluator: within a statement reads come before writes") {
  CHECK(numbers(run(kernel("a[i] = a[i + 1];"))) == Numbers{10, 20, 30, 40});
  CHECK(numbers(run(kernel("a[3 - i] = a[i];"))) == Numbers{30, 20, 10, 0});
  // One item after the other the last ones see what the first have written.
  CHECK(numbers(run(kernel("a[3 - i] = a[i];"), 1)) == Numbers{0, 10, 10, 0});
}

TEST_CASE("Evaluator: of stores to one cell the highest item's stays") {
  CHECK(numbers(run(kernel("a[0] = i;")), 1) == Numbers{3});
  CHECK(numbers(run(kernel("if (i < 2) { a[0] = i; }")), 1) == Numbers{1});
}

TEST_CASE("Evaluator: the then-arm runs before the else-arm") {
  CHECK(numbers(run(kernel("if (i == 3) { a[0] = 7; } else { a[1] = a[0]; }")), 2) == Numbers{7, 7});
  CHECK(numbers(run(kernel("i == 3 ? (a[0] = 7) : (a[1] = a[0]);")), 2) == Numbers{7, 7});
  CHECK(numbers(run(kernel("i == 3 && (a[0] = 7); a[i] = a[0];"))) == Numbers{7, 7, 7, 7});
}

TEST_CASE("Evaluator: items wait at the loop's step, behind the loop, and at the function's end") {
  // Each round is one vote: those that have continued are there, those that broke out are not.
  CHECK(numbers(run(
            kernel("int n = 0; for (int r = 0; r < 2; r++) { if (i == r) { continue; } n = n * 10 + popcount(ballot(1)); } a[i] = n;"))) ==
        Numbers{3, 3, 33, 33});
  CHECK(numbers(run(kernel("int n = 0; while (1) { if (i == n) { break; } n++; } a[i] = n * 10 + popcount(ballot(1));"))) ==
        Numbers{4, 14, 24, 34});
  CHECK(numbers(run("int f(int i) { if (i < 2) { return 5; } return popcount(ballot(1)); }" +
                    kernel("a[i] = f(i) * 10 + popcount(ballot(1));"))) == Numbers{54, 54, 24, 24});
}

TEST_CASE("Evaluator: sections of a switch are entered by their labels and from above") {
  CHECK(numbers(run(kernel("int n = 0; switch (i) { case 1: n = popcount(ballot(1)); case 2: n = n * 10 + popcount(ballot(1)); break; "
                           "default: n = 100 + popcount(ballot(1)); } a[i] = n;"))) == Numbers{102, 12, 2, 102});
}

TEST_CASE("Evaluator: a shuffle from a lane that is not there gives poison") {
  CHECK(numbers(run(kernel("a[i] = shuffle(i * 2, i ^ 1);"))) == Numbers{2, 0, 6, 4});
  CHECK(numbers(run(kernel("a[i] = shuffle(i * 2, i + 2);"))) == Numbers{4, 6, -1, -1});
  CHECK(numbers(run(kernel("if (i != 2) { a[i] = shuffle(i, 2) + 1; }"))) == Numbers{-1, -1, 20, -1});
  CHECK(numbers(run(kernel("a[i] = shuffle(i * 2, 1 - i % 2);"), 2)) == Numbers{2, 0, 6, 4});
}

TEST_CASE("Evaluator: crev serves each active caller once with all items, by its own arguments") {
  const std::string r =
      "void r(uniform int who, uniform int n, __global int *a) { a[get_local_id(0)] += who * n; a[4 + get_local_id(0)] = who; }";
  const auto result = run(r + kernel("a[i] = 0; if (i != 1) { crev r(i, i + 1, a); }"));
  CHECK(numbers(result, 8) == Numbers{18, 18, 18, 18, 3, 3, 3, 3});  // 0 * 1 + 2 * 3 + 3 * 4, and the last caller is item 3
  CHECK(result.activations == 3);
}

TEST_CASE("Evaluator: crev in crev") {
  const auto result =
      run("void c(__global int *a) { a[get_local_id(0)] += 1; }"
          "void b(__global int *a) { crev c(a); }" +
          kernel("a[i] = 0; crev b(a);"));
  CHECK(numbers(result) == Numbers{16, 16, 16, 16});  // W callers of b, W callers of c each
  CHECK(result.activations == 20);
}

TEST_CASE("Evaluator: warps meet at barriers") {
  const std::string text =
      kernel("__local int l[4]; l[i] = i + 1; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[3 - i]; a[4 + i] = work_group_any(i == 2);");
  for (const unsigned warp_size : {0U, 1U, 2U, 3U}) {
    CHECK(numbers(run(text, warp_size), 8) == Numbers{4, 3, 2, 1, 1, 1, 1, 1});
  }
}

TEST_CASE("Evaluator: what is undefined, and where") {
  struct Case {
    const char* body;
    FaultKind kind;
    unsigned item;
    unsigned warp_size;
  };
  const Case cases[] = {
      {"int x; if (i > 1) { a[i] = x; }", FaultKind::UninitialisedVariable, 2, 0},
      {"__local int l[4]; if (i) { a[i] = l[i]; }", FaultKind::UninitialisedCell, 1, 0},
      {"a[i + 5] = 1;", FaultKind::OutOfBounds, 3, 0},
      {"a[i - 2] = 1;", FaultKind::OutOfBounds, 0, 0},
      {"int x[2][2] = {1, 2, 3, 4}; a[i] = x[0][i];", FaultKind::OutOfBounds, 2, 0},
      {"a[shuffle(i, i + 1)] = 1;", FaultKind::PoisonAddress, 3, 0},
      {"if (shuffle(i, i + 1)) { a[i] = 1; }", FaultKind::PoisonBranch, 3, 0},
      {"a[i] = 7 / (i - 2);", FaultKind::DivisionByZero, 2, 0},
      {"a[i] = (-2147483647 - 1) / (i - 2);", FaultKind::DivisionOverflow, 1, 0},
      {"a[i] = (uchar)(256.0f - 100.0f * (i == 0));", FaultKind::ConversionOverflow, 1, 0},
      {"int x[2] = {1, 2}; int y[2] = {3, 4}; a[i] = (i == 3 ? y : x) - x;", FaultKind::PointerMismatch, 3, 0},
      {"int x[2] = {1, 2}; int y[2] = {3, 4}; a[i] = (i == 2 ? y : x) < x;", FaultKind::PointerMismatch, 2, 0},
      {"if (i < 2) { barrier(CLK_LOCAL_MEM_FENCE); }", FaultKind::BarrierNotReached, 0, 1},
      {"if (i < 3) { barrier(CLK_LOCAL_MEM_FENCE); }", FaultKind::DivergentBarrier, 3, 2},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    const auto result = run(kernel(c.body), c.warp_size);
    REQUIRE(result.fault);
    CHECK(evaluator::word_of(result.fault->kind) == std::string(evaluator::word_of(c.kind)));
    CHECK(result.fault->item == c.item);
  }
}

TEST_CASE("Evaluator: what is a race") {
  const auto races = [](const std::string& body, unsigned warp_size, std::uint64_t groups = 1) {
    const evaluator::Result result = run(kernel(body), warp_size, groups);
    CHECK_FALSE(result.fault);
    return result.has_race;
  };
  // Two groups.
  CHECK(races("a[i] = 1;", 0, 2));
  CHECK(races("if (get_group_id(0) == 0) { a[0] = 1; } else { a[i + 4] = a[0]; }", 0, 2));
  CHECK_FALSE(races("a[get_global_id(0)] = a[get_global_id(0)] + 1;", 0, 2));
  CHECK_FALSE(races("i += a[0] + a[7];", 0, 2));
  CHECK_FALSE(races("__local int l[4]; l[i] = 1; a[get_global_id(0)] = l[3 - i];", 0, 2));  // each group has its own l
  // Two warps between the same barriers.
  const std::string exchange = "__local int l[4]; l[i] = i; ";
  CHECK_FALSE(races(exchange + "a[i] = l[3 - i];", 0));
  CHECK_FALSE(races(exchange + "a[i] = l[i ^ 1];", 2));
  CHECK(races("a[i] = a[3 - i];", 2));
  CHECK_FALSE(races(exchange + "barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[3 - i];", 2));
  CHECK_FALSE(races(exchange + "if (work_group_all(1)) { a[i] = l[3 - i]; }", 2));
  CHECK(races(exchange + "barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[3 - i]; l[i] = 5;", 2));
  // A barrier does not order groups.
  CHECK(races("if (get_group_id(0) == 0) { a[i] = 1; } barrier(CLK_GLOBAL_MEM_FENCE); if (get_group_id(0) == 1) { a[i] = 1; }", 0, 2));
  // Two items at once: other values, poison being one.
  CHECK(races("a[0] = i;", 0));
  CHECK_FALSE(races("a[0] = 7;", 0));
  CHECK_FALSE(races("if (i < 2) { a[0] = 1; } else { a[0] = 2; }", 0));  // one after the other
  CHECK(races("a[0] = shuffle(0, i * 2);", 0));
  CHECK_FALSE(races("a[0] = shuffle(i, 5);", 0));
}

TEST_CASE("Evaluator: an endless loop or recursion ends in giving up") {
  CHECK(run(kernel("while (1) { a[i] = 1; }")).gave_up);
  CHECK(run("int f(int n) { return f(n + 1); }" + kernel("a[i] = f(0);")).gave_up);
}
