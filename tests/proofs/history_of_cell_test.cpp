// Executions on numbers (semantics/prove/trace.hpp): who stores last to a cell and on which way, and what all buffers hold at the end.

#include <catch2/catch.hpp>

#include "semantics/prove/trace.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using namespace lockstep::prove;

namespace {

/// Two groups of two items on o = {0, 0, 0, 0, 0} and p = {4}: item l of each group stores 5 or, if l is 1, 9.
std::shared_ptr<const typed::Program> program() {
  return launch_text::program(
      "kernel void k(global int *o, global const int *p) {\n"
      "  int l = (int)get_local_id();\n"
      "  int x = l + p[0] + 1;\n"
      "  if (l == 1) x = 9;\n"
      "  o[get_global_id()] = x;\n"
      "}\n",
      2);
}

Inputs inputs() { return {{0, 0}, {{0, 0, 0, 0, 0}, {4}}}; }

/// What was written to `target` on the way, in order.
std::vector<std::string> values_of(const CellHistory& history, const std::string& target) {
  std::vector<std::string> values;
  for (const ItemStep& step : history.steps) {
    if (step.target == target) {
      values.push_back(step.value);
    }
  }
  return values;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the history of a cell is that of the item that stores to it", "[proofs]") {
  for (const std::uint64_t cell : {0U, 1U, 2U, 3U}) {
    const CellHistory history = history_of(*program(), 2, inputs(), 0, cell);
    INFO("o[" << cell << "]");
    CHECK(history.group == cell / 2);
    CHECK(history.item == cell % 2);
    CHECK(values_of(history, "l") == (cell % 2 == 0 ? Texts{"0"} : Texts{"1"}));
    CHECK(values_of(history, "x") == (cell % 2 == 0 ? Texts{"5"} : Texts{"6", "9"}));
    REQUIRE_FALSE(history.steps.empty());
    CHECK(history.steps.back().target == "o[" + std::to_string(cell) + "]");
    CHECK(history.steps.back().value == (cell % 2 == 0 ? "5" : "9"));
  }
  CHECK(history_of(*program(), 2, inputs(), 0, 4).steps.empty());
}

TEST_CASE("a run on numbers leaves the elements of each buffer, in the parameters' order", "[proofs]") {
  const ConcreteRun run = run_on_constants(*program(), 2, inputs());
  CHECK(run.end == ConcreteRun::End::Finished);
  CHECK(run.elements == std::vector<std::vector<std::optional<std::uint64_t>>>{{5, 9, 5, 9, 0}, {4}});
}
