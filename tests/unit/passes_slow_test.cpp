// What stays slow is told where it stands, and nothing of what is fast.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "codegen/passes/slow.hpp"
#include "semantics/base/diagnostic.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

/// "3: 'x' is read …": each with its line in the body.
std::vector<std::string> told(const std::string& body) {
  const infreg::Kernel kernel = test::lowered(
      "kernel void k(global float *x, global const int *at, int n) { const int i = get_global_id(0);\n" + body + "\n}\n", 8, {});
  std::vector<std::string> lines;
  for (const Diagnostic& found : passes::slow_parts(kernel)) {
    CHECK(found.severity == Severity::Note);
    lines.push_back(std::to_string(kernel.source->place(found.span.begin).line - 1) + ": " + found.message);
  }
  return lines;
}

using Lines = std::vector<std::string>;
const std::string gather = " at an address of its own for each item (a gather): ";

}  // namespace

TEST_CASE("passes slow: nothing is told of what is fast", "[passes]") {
  for (const char* const body :
       {"x[i] = x[i + 1];", "x[2 * i] = x[i + n];", "float a[4]; for (int k = 0; k < 4; k++) a[k] = x[4 * i + k];\nx[i] = a[0] * a[3];",
        "for (int k = 0; k < n; k++) x[i] += x[k * n + i];", "x[get_group_id(0) % n * 8 + get_local_id(0)] = 2;",
        "local float t[8]; t[get_local_id(0)] = x[i]; barrier(1); x[i] = t[7 - get_local_id(0)];"}) {
    INFO(body);
    CHECK(told(body) == Lines{});
  }
}

TEST_CASE("passes slow: arrays, addresses and loops are told of", "[passes]") {
  CHECK(told("float a[4]; for (int k = 0; k < 4; k++) a[k] = x[4 * i + k];\nx[i] = a[n & 3];") ==
        Lines{"2: the array 'a' of each item stays in memory: here its index is no number, once loops are unrolled"});
  CHECK(told("x[at[0] + i] = 1;") == Lines{"1: 'x' is written" + gather + "the index is read from memory"});
  CHECK(told("x[at[i]] = 1;") == Lines{"1: 'x' is written" + gather + "the index is read from memory"});
  CHECK(told("x[i] = 0;\nx[i] = x[i * i] + x[i];") ==
        Lines{"2: 'x' is read" + gather + "the index is no sum of multiples of the item's number and of what all items have alike"});
  CHECK(told("global float *p = at[i] ? x : x + n;\np[i] = 2;") ==
        Lines{"2: memory is written" + gather + "items have pointers of their own"});
  CHECK(told("int s = 0;\nfor (int k = 0; k < i; k++) s += k * s + 1;\nx[i] = s;") ==
        Lines{"2: items that have ended this loop wait for the others: how often it runs differs from item to item"});
}
