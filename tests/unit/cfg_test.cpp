// Successors, dominators and post-dominators, against their definitions: a node dominates another if removing it cuts all paths.

#include "semantics/musimd/cfg.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "semantics/musimd/parse.hpp"

using namespace lockstep;
using namespace lockstep::musimd;

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

Program program(const std::string& text) {
  const SourceFile source("test.mus", text);
  const auto parsed = parse(source);
  if (!parsed) {
    FAIL(render(source, parsed.error()));
  }
  return *parsed;
}

std::vector<Label> next(const Program& p, Label pc) {
  const Successors result = successors(p, pc);
  return {result.begin(), result.end()};
}

// Is there a path from `from` to `to` that does not touch `without`?
bool connected(const Graph& graph, std::uint32_t from, std::uint32_t to, std::uint32_t without) {
  if (from == without || to == without) {
    return false;
  }
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> work{from};
  seen[from] = true;
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    if (node == to) {
      return true;
    }
    for (const std::uint32_t following : graph[node]) {
      if (following == without || seen[following]) {
        continue;
      }
      seen[following] = true;
      work.push_back(following);
    }
  }
  return false;
}

}  // namespace

TEST_CASE("successors are what the rules of Fig. 4 can make the next pc", "[cfg]") {
  const Program p = program("A: bz v, C\njmp A\nC: jmp_mask 1, A\nsync\neverywhere\nend_everywhere\nv = 1\nstop\njmp E\nE:\n");
  CHECK(end_of(p) == 9);
  CHECK(next(p, 0) == std::vector<Label>{1, 2});
  CHECK(next(p, 1) == std::vector<Label>{0});
  CHECK(next(p, 2) == std::vector<Label>{3, 0});
  CHECK(next(p, 3) == std::vector<Label>{4});
  CHECK(next(p, 4) == std::vector<Label>{5});
  CHECK(next(p, 5) == std::vector<Label>{6});
  CHECK(next(p, 6) == std::vector<Label>{7});
  CHECK(next(p, 7).empty());
  CHECK(next(p, 8) == std::vector<Label>{9});
}

TEST_CASE("dominators of random graphs are those of the definition", "[cfg]") {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  std::size_t strict = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t size = 2 + pick(9);
    Graph graph(size);
    for (std::uint32_t edge = 0, edges = pick(2 * size); edge < edges; ++edge) {
      graph[pick(size)].push_back(pick(size));
    }
    const DominatorTree tree(graph, 0);
    for (std::uint32_t b = 0; b < size; ++b) {
      const bool reachable = b == 0 || connected(graph, 0, b, size);
      CHECK(tree.reachable(b) == reachable);
      for (std::uint32_t a = 0; a < size; ++a) {
        const bool expected = !reachable || a == b || !connected(graph, 0, b, a);
        if (tree.dominates(a, b) != expected) {
          FAIL("round " << round << ": " << a << " and " << b);
        }
        if (expected && reachable && a != b && a != 0) {
          ++strict;
        }
      }
    }
  }
  CHECK(strict > 1000);  // the graphs are not all trivial
}

TEST_CASE("a deep and a wide graph take no recursion and no quadratic time", "[cfg]") {
  constexpr std::uint32_t size = 200000;
  Graph chain(size);
  for (std::uint32_t node = 0; node + 1 < size; ++node) {
    chain[node] = {node + 1, node / 2};
  }
  const DominatorTree tree(chain, 0);
  CHECK(tree.dominates(size / 2, size - 1));
  CHECK_FALSE(tree.dominates(size - 1, size / 2));
  Graph fan(size);
  for (std::uint32_t node = 1; node + 1 < size; ++node) {
    fan[0].push_back(node);
    fan[node].push_back(size - 1);
  }
  const DominatorTree wide(fan, 0);
  CHECK(wide.dominates(0, size - 1));
  CHECK_FALSE(wide.dominates(1, size - 1));
}

TEST_CASE("control equivalence", "[cfg]") {
  SECTION("an if: its branch and its join are equivalent, its arms are not") {
    const ControlEquivalence control(program("bz tid, X\nv = 1\nX: sync\nstop\n"));
    CHECK(control.equivalent(0, 2));
    CHECK_FALSE(control.dominates(1, 2));
    CHECK_FALSE(control.post_dominates(1, 0));
    CHECK_FALSE(control.equivalent(0, 1));
  }
  SECTION("a stop in one arm") {
    const ControlEquivalence control(program("bz tid, X\nstop\nX: v = 1\nstop\n"));
    CHECK(control.dominates(0, 2));
    CHECK_FALSE(control.post_dominates(2, 0));
  }
  SECTION("endless paths do not count, ends of the text do") {
    const ControlEquivalence endless(program("bz tid, X\nL: jmp L\nX: v = 1\nstop\n"));
    CHECK(endless.equivalent(0, 2));
    CHECK(endless.post_dominates(0, 1));  // nothing leads from the endless loop to an exit
    const ControlEquivalence falling(program("bz tid, X\nstop\nX: v = 1\n"));
    CHECK_FALSE(falling.post_dominates(1, 0));
  }
  SECTION("an irreducible loop has neither of its entries as a dominator") {
    const ControlEquivalence control(program("bz tid, B\nA: v = 1\nB: v = 2\nbz v, A\nstop\n"));
    CHECK_FALSE(control.dominates(1, 2));
    CHECK(control.dominates(0, 1));
    CHECK(control.post_dominates(2, 1));
  }
}
