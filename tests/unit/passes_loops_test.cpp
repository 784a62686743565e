// Which loops are done for all elements at once. Whether that is right for a loop can be seen from its dependences alone; each case says
// which one decides. That the results are right whatever is decided, is for compile_property_tests.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

/// The kernel after the pass, as text.
std::string after(std::string_view pass, const std::string& text, unsigned wg_size = 4) {
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  std::string result;
  pipeline.after = [&](std::string_view name, const std::function<std::string()>& print) {
    if (name == pass) {
      result = print();
    }
  };
  test::lowered(text, wg_size, pipeline);
  return result;
}

/// The classes of the kernel's loops, in the order of the text.
std::vector<std::string> classes(const std::string& body, unsigned wg_size = 4) {
  const std::string text = after("loops",
                                 "kernel void k(global float *g, global const float *in, global const float *restrict r, global const int "
                                 "*i, uint n) {\n  float a[9], b[9], c[9];\n  const size_t l = get_local_id();\n" +
                                     body + "\n}\n",
                                 wg_size);
  std::vector<std::string> result;
  for (std::size_t at = text.find("/* "); at != std::string::npos; at = text.find("/* ", at + 1)) {
    const std::string word = text.substr(at + 3, text.find(' ', at + 3) - at - 3);
    if (word == "vectorise" || word == "unroll" || word == "rolled") {
      result.push_back(word);
    }
  }
  return result;
}

using Classes = std::vector<std::string>;

/// Loops that fill and save the arrays, so that nothing is dead; both are independent.
std::string between(const std::string& loop) {
  return "  for (int j = 0; j < 9; j++) { a[j] = in[l * 9 + j]; b[j] = a[j] * 2; c[j] = b[j]; }\n" + loop +
         "\n  for (int j = 0; j < 9; j++) g[l * 9 + j] = a[j] + b[j] + c[j];";
}

std::string of_middle(const std::string& loop, unsigned wg_size = 4) {
  const Classes all = classes(between(loop), wg_size);
  REQUIRE(all.size() == 3);
  CHECK(all.front() == "vectorise");
  CHECK(all.back() == "vectorise");
  return all[1];
}

}  // namespace

TEST_CASE("passes loops: rounds that do not meet are done at once", "[passes]") {
  CHECK(of_middle("for (int j = 0; j < 9; j++) c[j] = a[j] + b[j];") == "vectorise");
  // A statement reads all its elements before it writes: what round j reads, round j + 1 writes.
  CHECK(of_middle("for (int j = 0; j < 8; j++) a[j] = a[j + 1];") == "vectorise");
  // Round j reads what round j + 1 writes, in a statement before it.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { b[j] = a[j + 1]; a[j] = 0; }") == "vectorise");
  // What round j writes, round j + 1 reads in a later statement.
  CHECK(of_middle("for (int j = 1; j < 9; j++) { a[j] = c[j]; b[j] = a[j - 1]; }") == "vectorise");
  CHECK(of_middle("for (int j = 0; j < 9; j++) { float t = a[j] * 3; if (l > 1) t = t + 1; c[j] = t; }") == "vectorise");
  CHECK(of_middle("for (int j = 0; j < 9; j++) a[8 - j] = c[j];") == "vectorise");
  CHECK(of_middle("for (int j = 0; j < 9; j++) a[j] = shuffle(c[j], 2);") == "vectorise");
  // Round j + 1 writes an element again, in a later statement than round j.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { a[j + 1] = 1; a[j] = 2; }") == "vectorise");
}

TEST_CASE("passes loops: rounds that wait for each other are not", "[passes]") {
  // What round j writes, round j + 1 reads in the same statement.
  CHECK(of_middle("for (int j = 1; j < 9; j++) a[j] = a[j - 1] + 1;") == "unroll");
  // What round j writes, round j + 1 reads in an earlier statement.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { b[j] = a[j]; a[j + 1] = b[j] + 1; }") == "unroll");
  // Round j + 1 writes what round j reads later.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { a[j] = 1; b[j] = a[j + 1]; }") == "unroll");
  // Round j + 1 writes an element again, in an earlier statement than round j.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { a[j] = 2; a[j + 1] = 1; }") == "unroll");
  CHECK(of_middle("float sum = 0; for (int j = 0; j < 9; j++) sum += a[j]; c[0] = sum;") == "unroll");
  CHECK(of_middle("for (int j = 0; j < 9; j++) a[0] = c[j];") == "unroll");
  // Each round is read by the next one, in a statement before.
  CHECK(of_middle("for (int j = 0; j < 8; j++) { b[j] = a[0]; a[0] = c[j]; }") == "unroll");
}

TEST_CASE("passes loops: memory that items share", "[passes]") {
  // Different rounds of different items may meet in a cell.
  CHECK(classes("for (int j = 0; j < 9; j++) g[l + j] = 1;") == Classes{"unroll"});
  // Item l's cells are its own.
  CHECK(classes("for (int j = 0; j < 9; j++) g[l * 9 + j] = 1;") == Classes{"vectorise"});
  // The last round of an item meets the first one of the next item: two sets.
  CHECK(classes("for (int j = 0; j < 9; j++) g[l * 8 + j] = 1;") == Classes{"vectorise"});
  // Two parameters may lie anywhere in one buffer: what round j stores, round j + 1 may load.
  CHECK(classes("for (int j = 0; j < 8; j++) g[l * 9 + j + 1] = in[l * 9 + j];") == Classes{"unroll"});
  CHECK(classes("for (int j = 0; j < 8; j++) g[l * 9 + j] = in[l * 9 + j + 1];") == Classes{"unroll"});
  // Unless the kernel says that they do not, or the types do.
  CHECK(classes("for (int j = 0; j < 8; j++) g[l * 9 + j + 1] = r[l * 9 + j];") == Classes{"vectorise"});
  CHECK(classes("for (int j = 0; j < 8; j++) g[l * 9 + j + 1] = i[l * 9 + j];") == Classes{"vectorise"});
  CHECK(classes("for (int j = 0; j < 8; j++) { g[l * 9 + j + 1] = r[l * 9 + j]; g[l * 9 + j] = in[l * 9]; }") == Classes{"unroll"});
}

TEST_CASE("passes loops: inner loops that begin behind the outer one's variable", "[passes]") {
  // a[s] is read by all rounds, and j is never s.
  const std::string triangle = "for (int s = 0; s < 9; s++) for (int j = s + 1; j < 9; j++) a[j] = a[j] - a[s] * b[j];";
  CHECK(classes(between(triangle)) == Classes{"vectorise", "unroll", "vectorise", "vectorise"});
  const std::string square = "for (int s = 0; s < 9; s++) for (int j = s; j < 9; j++) a[j] = a[j] - a[s] * b[j];";
  CHECK(classes(between(square)) == Classes{"vectorise", "unroll", "unroll", "vectorise"});
}

TEST_CASE("passes loops: bounds that only the launch knows", "[passes]") {
  CHECK(classes("float sum = 0; for (uint j = 0; j < n; j++) sum += in[j]; g[l] = sum;") == Classes{"rolled"});
  // The step may leap over the bound and wrap.
  CHECK(classes("float sum = 0; for (uint j = 0; j < n; j += 2) sum += in[j]; g[l] = sum;").empty());
  // It differs from item to item.
  CHECK(classes("float sum = 0; for (uint j = 0; j < l; j++) sum += in[j]; g[l] = sum;").empty());
}

TEST_CASE("passes: an array with runtime indices stays in memory", "[passes]") {
  const std::string text = after("arrays",
                                 "kernel void k(global const int *at, global float *g) {\n  float a[4];\n  float b[4];\n"
                                 "  for (int j = 0; j < 4; j++) { a[j] = j; b[j] = j; }\n"
                                 "  g[get_local_id()] = a[at[get_local_id()]] + b[3];\n}\n");
  CHECK(text.find("float b[4]") != std::string::npos);
  CHECK(text.find("float a[4]") == std::string::npos);
}
