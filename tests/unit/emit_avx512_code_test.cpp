// The text of emitted C++ as it grows: names, what is left out, and what leaves loops.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "codegen/emit/avx512/code.hpp"
#include "codegen/emit/c/header.hpp"
#include "semantics/base/internal_error.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Whether both are there, one in front of the other.
bool in_order(const std::string& text, const std::string& first, const std::string& second) {
  return has(text, first) && has(text, second) && text.find(first) < text.find(second);
}

}  // namespace

TEST_CASE("emit_avx512: each name is one, and one that C++ allows") {
  Code code;
  code.reserve("group");
  std::set<std::string> seen = {"group"};
  for (const char* wanted : {"a",   "a",   "a_2",  "a",  "a_2", "int", "int", "group", "group_2", "",  "1st",
                             "x.1", "__x", "x__y", "_X", "_",   "_",   "std", "é",     "class",   "a."}) {
    const std::string name = code.unique(wanted);
    INFO(wanted << " becomes " << name);
    CHECK(seen.insert(name).second);
    CHECK(emit_c::is_c_name(name));
    CHECK(name.find("__") == std::string::npos);
    CHECK(name.front() != '_');
  }
  for (const char* macro : {"INFINITY", "M_PI", "RAND_MAX", "FE_UPWARD"}) {
    CHECK(code.unique(macro) != macro);
  }
  CHECK(code.unique("N") == "N");
}

TEST_CASE("emit_avx512: what nobody needs is left out") {
  Code code;
  const std::string used = code.value("int", "used", "f(1)");
  const std::string chain = code.value("int", "chain", "g(" + used + ")");
  code.value("int", "unused", "g(" + used + " + 1)");
  code.variable("int", "kept", "0");
  code.variable("int", "dropped", "0");
  code.open("for (;;)");
  code.assign("kept", "kept = 2;");
  code.assign("dropped", "dropped = kept;");
  code.close();
  code.open("if (never)");
  code.assign("dropped", "dropped = 7;");
  code.close();
  code.effect("h(" + chain + ", kept);");
  const std::string text = code.print(0);
  CHECK(in_order(text, "const int used = f(1);", "const int chain = g(used);"));
  CHECK(in_order(text, "kept = 2;", "h(chain, kept);"));
  CHECK(!has(text, "unused"));
  CHECK(!has(text, "dropped"));
  CHECK(!has(text, "never"));
  CHECK(code.is_used("kept"));
  CHECK(!code.is_used("dropped"));
}

TEST_CASE("emit_avx512: a member's name, or one in a namespace, needs no variable of that name") {
  Code code;
  code.variable("int", "r", "0");
  code.variable("int", "zero", "0");
  const std::string x = code.value("V", "x", "v::zero()");
  code.effect("use(" + x + ".r);");
  const std::string text = code.print(0);
  CHECK(has(text, "use(x.r);"));
  CHECK(!has(text, "int r"));
  CHECK(!has(text, "int zero"));
}

TEST_CASE("emit_avx512: equal expressions are computed once, where all can see it") {
  Code code;
  const std::string outside = code.value("int", "a", "f(1)");
  code.open("if (c)");
  CHECK(code.value("int", "b", "f(1)") == outside);
  const std::string inside = code.value("int", "b", "f(2)");
  code.effect("use(" + inside + ");");
  code.close();
  // f(2) knows all it needs in front of the block, so that it stands there and is known behind it as well.
  CHECK(code.value("int", "b", "f(2)") == inside);
  CHECK(in_order(code.print(0), "f(2)", "if (c)"));
}

TEST_CASE("emit_avx512: what a loop does not change leaves it, what it changes stays") {
  Code code;
  const std::string n = code.value("int", "n", "f(1)");
  code.variable("int", "changed", "0");
  code.open("for (int i = 0; i < 9; ++i)", "i");
  const std::string invariant = code.value("int", "invariant", "g(" + n + ")");
  const std::string varying = code.value("int", "varying", "g(i)");
  const std::string of_changed = code.value("int", "of_changed", "g(changed)");
  code.open("for (int j = 0; j < 9; ++j)", "j");
  const std::string of_outer = code.value("int", "of_outer", "h(" + varying + ")");
  const std::string of_both = code.value("int", "of_both", "h(" + varying + ", j)");
  code.effect("use(" + invariant + ", " + varying + ", " + of_changed + ", " + of_outer + ", " + of_both + ");");
  code.close();
  code.assign("changed", "changed = i;");
  code.close();
  const std::string text = code.print(0);
  CHECK(in_order(text, "invariant = ", "for (int i"));
  CHECK(in_order(text, "for (int i", "varying = "));
  CHECK(in_order(text, "for (int i", "of_changed = "));
  CHECK(in_order(text, "of_outer = ", "for (int j"));
  CHECK(in_order(text, "for (int j", "of_both = "));
}

TEST_CASE("emit_avx512: what is read counts until memory changes, and leaves quiet loops only") {
  Code code;
  const std::string first = code.read("int", "x", "load(p)");
  CHECK(code.read("int", "x", "load(p)") == first);
  code.memory_changes();
  const std::string second = code.read("int", "x", "load(p)");
  CHECK(second != first);
  code.open("for (int i = 0; i < 9; ++i)", "i");
  const std::string third = code.read("int", "x", "load(p)");
  CHECK(third != second);
  code.effect("use(" + third + ");");
  code.close();
  const std::string fourth = code.read("int", "x", "load(p)");
  CHECK(fourth != second);
  CHECK(fourth != third);
  code.open("for (int j = 0; j < 9; ++j)", "j", true);
  CHECK(code.read("int", "x", "load(p)") == fourth);
  const std::string other = code.read("int", "y", "load(q)");
  const std::string own = code.read("int", "z", "load(q + j)");
  code.effect("use(" + other + ", " + own + ");");
  code.close();
  const std::string text = code.print(0);
  CHECK(in_order(text, "for (int i", third + " = load(p)"));
  CHECK(in_order(text, other + " = load(q)", "for (int j"));
  CHECK(in_order(text, "for (int j", own + " = load(q + j)"));
}

TEST_CASE("emit_avx512: blocks are closed as often as they are opened") {
  Code code;
  CHECK_THROWS_AS(code.close(), InternalError);
  code.open("if (c)");
  CHECK_THROWS_AS(code.print(0), InternalError);
}
