// Choices by a mask under which their results are wanted anyway: what may be dropped and what may not, by texts, whose expected result
// follows from docs/infreg-ir.md.

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/clean_ups.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::passes;

namespace {

infreg::Kernel kernel_of(const std::string& operations) {
  return infreg::verified(
      "kernel @k(%f: ptr<f64>, %o: ptr<i1>, %n: i64) wg_size 4 wg_pack 2 {\n"
      "  %p : f64[wg 2 x wi 4 x ix 1] = load %f [wi] contiguous\n"
      "  %q : f64[wg 2 x wi 4 x ix 1] = load %f [wi + 4] contiguous\n"
      "  %m : i1[wg 2 x wi 4 x ix 1] = mask { wi < %n }\n" +
      operations + "}\n");
}

void becomes(const std::string& before, const std::string& after, bool changes = true) {
  infreg::Kernel wanted = kernel_of(after);
  clean::remove_dead_values(wanted);
  CHECK(check_becomes(&clean::drop_unwanted_choices, kernel_of(before), wanted) == changes);
}
void stays(const std::string& text) { becomes(text, text, false); }

const std::string sum = "%s : f64[wg 2 x wi 4 x ix 1] = fadd %p, %q\n";
const std::string chosen = "%c : f64[wg 2 x wi 4 x ix 1] = select %m, %s, %p\n";
const std::string stored = "store %f [wg.ix*8 + wi] contiguous, ";

}  // namespace

TEST_CASE("demand: what is stored under the mask needs no choice by it", "[clean]") {
  becomes(sum + chosen + stored + "%c, %m\n", sum + stored + "%s, %m\n");
  // Through operations that work lane by lane, in any of their operands.
  const std::string more = "%d : f64[wg 2 x wi 4 x ix 1] = fma %p, %q, %c\n";
  becomes(sum + chosen + more + stored + "%d, %m\n", sum + "%d : f64[wg 2 x wi 4 x ix 1] = fma %p, %q, %s\n" + stored + "%d, %m\n");
  // One behind the other.
  becomes(sum + chosen + "%e : f64[wg 2 x wi 4 x ix 1] = select %m, %c, %q\n" + stored + "%e, %m\n", sum + stored + "%s, %m\n");
}

TEST_CASE("demand: a choice stays if other lanes are wanted", "[clean]") {
  stays(sum + chosen + stored + "%c\n");
  stays(sum + chosen + stored + "%c, %m\n" + "store %f [wg.ix*8 + wi + 4] contiguous, %c\n");
  // Under another mask, though it may be as narrow.
  stays(sum + chosen + "%k : i1[wg 2 x wi 4 x ix 1] = mask { wi < %n, wi < 3 }\n" + stored + "%c, %k\n");
  // In other lanes of the result.
  stays(sum + chosen + "%r : f64[wg 2 x wi 4 x ix 1] = reorder %c { (wi, ix) <- (0, 0) }\n" + stored + "%r, %m\n");
}

TEST_CASE("demand: masks, addresses and conditions are wanted in all lanes", "[clean]") {
  const std::string compared = "%t : i1[wg 2 x wi 4 x ix 1] = flt %p, %q\n %no : i1[wg 2 x wi 4 x ix 1] = constant 0\n";
  const std::string guarded = compared + "%g : i1[wg 2 x wi 4 x ix 1] = select %m, %t, %no\n";
  stays(guarded + stored + "%p, %g\n");
  stays(guarded + "%v : i1 = any.pack %m, %g\n store %o [0] contiguous, %v\n");
  // So is what they are computed from, though it is stored under the other mask.
  const std::string also = stored + "%c, %m\n";
  const std::string compares = sum + chosen + "%g : i1[wg 2 x wi 4 x ix 1] = flt %c, %q\n" + also;
  stays(compares + "store %f [wg.ix*8 + wi + 8] contiguous, %p, %g\n");
  stays(compares + "%l : f64[wg 2 x wi 4 x ix 1] = load %f [wi + 8] contiguous, %g\n store %f [wg.ix*8 + wi + 8] contiguous, %l\n");
  stays(compares + "%k : i1[wg 2 x wi 4 x ix 1] = mask { wi < 3 }\n %v : i1 = any.pack %g, %k\n store %o [0] contiguous, %v\n");
  // What is voted on is wanted where the vote's mask holds.
  becomes(guarded + "%v : i1 = any.pack %g, %m\n store %o [0] contiguous, %v\n",
          compared + "%v : i1 = any.pack %t, %m\n store %o [0] contiguous, %v\n");
}

TEST_CASE("demand: arms", "[clean]") {
  const auto branch = [](const std::string& then, const std::string& otherwise) {
    return "%t : i1[wg 2 x wi 4 x ix 1] = flt %p, %q\n %b : i1 = any.pack %t, %m\n" +
           ("%r : f64[wg 2 x wi 4 x ix 1] = if %b {\n yield " + then) + "\n } else {\n yield " + otherwise + "\n }\n";
  };
  const std::string also = stored + "%c, %m\n";
  for (const bool is_then : {true, false}) {
    const auto of = [&](const std::string& value) { return is_then ? branch(value, "%p") : branch("%p", value); };
    becomes(sum + chosen + of("%c") + stored + "%r, %m\n" + also, sum + of("%s") + stored + "%r, %m\n" + stored + "%s, %m\n");
    stays(sum + chosen + of("%c") + stored + "%r\n" + also);
  }
}

TEST_CASE("demand: loops", "[clean]") {
  const auto loop = [](const std::string& body, const std::string& yield) {
    return "%r : f64[wg 2 x wi 4 x ix 1] = for %i = 0 to %n step 1 (%x = %p) {\n" + body + "yield " + yield + "\n}\n" + stored + "%r, %m\n";
  };
  const std::string next = "%y : f64[wg 2 x wi 4 x ix 1] = fmul %x, %q\n";
  becomes(loop(next + "%z : f64[wg 2 x wi 4 x ix 1] = select %m, %y, %x\n", "%z"), loop(next, "%y"));
  // A mask that each round makes anew says nothing about what the next round wants.
  const std::string of_round = "%k : i1[wg 2 x wi 4 x ix 1] = mask { wi < %i }\n";
  const std::string inside = "store %f [wg.ix*8 + wi] contiguous, %z, %k\n";
  stays("%r : f64[wg 2 x wi 4 x ix 1] = for %i = 0 to %n step 1 (%x = %p) {\n" + of_round + next +
        "%z : f64[wg 2 x wi 4 x ix 1] = select %k, %y, %x\n" + inside + "yield %z\n}\n");
  // Nor about a value that is older than the loop and is asked for in each round.
  stays(sum + "%old : f64[wg 2 x wi 4 x ix 1] = select %m, %s, %p\n" + "for %i = 0 to %n step 1 {\n" + of_round +
        "store %f [wg.ix*8 + wi] contiguous, %old, %k\n}\n");
  // Behind the loop all lanes are wanted: of what the last round gives, and of what there is if there is no round.
  const std::string under = stored + "%c, %m\n";
  stays(sum + chosen + "%r : f64[wg 2 x wi 4 x ix 1] = for %i = 0 to %n step 1 (%x = %p) {\n yield %c\n}\n" + stored + "%r\n" + under);
  stays(sum + chosen + "%r : f64[wg 2 x wi 4 x ix 1] = for %i = 0 to %n step 1 (%x = %c) {\n yield %p\n}\n" + stored + "%r\n" + under);
  // What the loop reads in other lanes is wanted in all.
  stays(loop("%l : f64[wg 2 x wi 4 x ix 1] = reorder %x { (wi, ix) <- (1, 0) }\n" +
                 std::string("%y : f64[wg 2 x wi 4 x ix 1] = fmul %x, %l\n") + "%z : f64[wg 2 x wi 4 x ix 1] = select %m, %y, %x\n",
             "%z"));
}
