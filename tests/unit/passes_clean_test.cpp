// The clean-ups on InfReg-IR: each rule by a text, whose expected result follows from docs/infreg-ir.md.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/infreg/same.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/walk.hpp"
#include "tests/unit/clean_ups.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::passes;

namespace {

// ---- rules by their texts ----------------------------------------------------------------------------------------------------

infreg::Kernel kernel_of(const std::string& operations, unsigned wg_size = 4) {
  return infreg::verified(
      "kernel @k(%f: ptr<f64>, %g: ptr<f64> const, %i: ptr<i32>, %l: ptr<i64>, %ul: ptr<u64>, %b: ptr<i1>, %n: i64, %u: u64, %x: i32, "
      "%y: f64, %t: i1) wg_size " +
      std::to_string(wg_size) + " wg_pack 2 {\n" + operations + "}\n");
}

/// `before` is `after` when the pass has run, and what nobody uses any more is gone.
void check(CleanUp pass, const std::string& before, const std::string& after, unsigned wg_size = 4) {
  const infreg::Kernel kernel = kernel_of(before, wg_size);
  const infreg::Kernel wanted = kernel_of(after, wg_size);
  const bool has_changed = check_becomes(pass, kernel, wanted);
  CHECK((has_changed || infreg::same(kernel, wanted)));
}
void stays(CleanUp pass, const std::string& text, unsigned wg_size = 4) { check(pass, text, text, wg_size); }

/// Of each item: %p and %q, of which nothing is known.
const std::string some_integers =
    "%p : i32[wg 2 x wi 4 x ix 1] = load %i [wi] contiguous\n %q : i32[wg 2 x wi 4 x ix 1] = load %i [wi + 4] contiguous\n";
const std::string some_floats =
    "%p : f64[wg 2 x wi 4 x ix 1] = load %f [wi] contiguous\n %q : f64[wg 2 x wi 4 x ix 1] = load %f [wi + 4] contiguous\n";
const std::string some_truths =
    "%p : i1[wg 2 x wi 4 x ix 1] = load %b [wi] contiguous\n %q : i1[wg 2 x wi 4 x ix 1] = load %b [wi + 4] contiguous\n";
const std::string item_i32 = " : i32[wg 2 x wi 4 x ix 1] = ";
const std::string item_i64 = " : i64[wg 2 x wi 4 x ix 1] = ";
const std::string item_f64 = " : f64[wg 2 x wi 4 x ix 1] = ";
const std::string item_i1 = " : i1[wg 2 x wi 4 x ix 1] = ";

/// Folding makes what is stored of `expression`, a value of the type `item` between `before` and the store, to `result`: %p, %q or another
/// expression.
void stored_is(const std::string& buffer, const std::string& item, const std::string& before, const std::string& expression,
               const std::string& result) {
  INFO(expression);
  const std::string store = "store " + buffer + " [wi + 8] contiguous, ";
  const auto of = [&](const std::string& value) { return before + "%r" + item + value + "\n " + store + "%r\n"; };
  infreg::Kernel wanted = kernel_of(result.starts_with('%') ? before + store + result + "\n" : of(result));
  clean::remove_dead_values(wanted);  // values and constants that nobody uses any more go on both sides
  check_becomes(&clean::fold, kernel_of(of(expression)), wanted);
}

void integer_is(const std::string& expression, const std::string& result) {
  const std::string constants = "%c0" + item_i32 + "constant 0\n %c1" + item_i32 + "constant 1\n %ones" + item_i32 + "constant -1\n %c32" +
                                item_i32 + "constant 32\n";
  stored_is("%i", item_i32, some_integers + constants, expression, result);
}

void float_is(const std::string& expression, const std::string& result) {
  const std::string constants = "%c0" + item_f64 + "constant 0.0\n %m0" + item_f64 + "constant -0.0\n %c1" + item_f64 +
                                "constant 1.0\n %c3" + item_f64 + "constant 3.0\n %np" + item_f64 + "fneg %p\n %nan" + item_f64 +
                                "constant nan\n %inf" + item_f64 + "constant inf\n";
  stored_is("%f", item_f64, some_floats + constants, expression, result);
}

void truth_is(const std::string& expression, const std::string& result, const std::string& more = "") {
  const std::string constants = "%no" + item_i1 + "constant 0\n %yes" + item_i1 + "constant 1\n %not" + item_i1 + "eq %p, %no\n " + more;
  stored_is("%b", item_i1, some_truths + constants, expression, result);
}

}  // namespace

TEST_CASE("clean: identities of integers", "[passes_clean]") {
  integer_is("add %p, %c0", "%p");
  integer_is("add %c0, %p", "%p");
  integer_is("sub %p, %c0", "%p");
  integer_is("sub %c0, %p", "sub %c0, %p");
  integer_is("sub %p, %p", "constant 0");
  integer_is("mul %p, %c1", "%p");
  integer_is("mul %c0, %p", "constant 0");
  integer_is("div %p, %c1", "%p");
  integer_is("div %p, %p", "div %p, %p");
  integer_is("div %p, %ones", "div %p, %ones");
  integer_is("rem %p, %c1", "constant 0");
  integer_is("and %p, %ones", "%p");
  integer_is("and %p, %c0", "constant 0");
  integer_is("or %c0, %p", "%p");
  integer_is("or %p, %ones", "constant -1");
  integer_is("xor %p, %p", "constant 0");
  integer_is("xor %p, %c0", "%p");
  integer_is("shl %p, %c32", "%p");  // the count is taken modulo the width
  integer_is("shr %c0, %p", "constant 0");
  integer_is("min %q, %q", "%q");
  integer_is("max %p, %q", "max %p, %q");
}

TEST_CASE("clean: integers are computed when compiling", "[passes_clean]") {
  integer_is("add %c32, %ones", "constant 31");
  integer_is("sub %c0, %c32", "constant -32");
  integer_is("shl %ones, %c1", "constant -2");
  integer_is("div %c32, %c0", "poison");
  integer_is("rem %c32, %ones", "constant 0");
  integer_is("popcount %ones", "constant 32");
  check(&clean::fold,
        "%a : i32[wg 2 x ix 4] = lanes [1, 2, 2147483647, 4]\n %c : i32[wg 2 x ix 4] = constant 1\n"
        "%r : i32[wg 2 x ix 4] = add %a, %c\n store %i [ix] contiguous, %r\n",
        "%r : i32[wg 2 x ix 4] = lanes [2, 3, -2147483648, 5]\n store %i [ix] contiguous, %r\n");
  // Where some lanes are undefined, none is computed.
  stays(&clean::fold,
        "%a : i32[wg 2 x ix 4] = lanes [1, 0, 2, 4]\n %c : i32[wg 2 x ix 4] = constant 8\n"
        "%r : i32[wg 2 x ix 4] = div %c, %a\n store %i [ix] contiguous, %r\n");
}

TEST_CASE("clean: identities of floats are those that hold for every number", "[passes_clean]") {
  float_is("fadd %p, %m0", "%p");
  float_is("fadd %p, %c0", "fadd %p, %c0");  // -0 + 0 is +0
  float_is("fsub %p, %c0", "%p");
  float_is("fsub %p, %m0", "fsub %p, %m0");
  float_is("fsub %p, %p", "fsub %p, %p");
  float_is("fmul %c1, %p", "%p");
  float_is("fmul %p, %c0", "fmul %p, %c0");
  float_is("fdiv %p, %c1", "%p");
  float_is("fneg %np", "%p");
  float_is("fabs %np", "fabs %p");
  float_is("fma %p, %c1, %q", "fadd %p, %q");
  float_is("fma %p, %q, %m0", "fmul %p, %q");
  float_is("fma %p, %q, %c0", "fma %p, %q, %c0");
  float_is("fmin %p, %p", "%p");
}

TEST_CASE("clean: floats are computed when compiling, but no NaN", "[passes_clean]") {
  float_is("fdiv %c1, %c3", "constant 0.3333333333333333");
  float_is("fdiv %c1, %m0", "constant -inf");
  float_is("fdiv %c0, %c0", "fdiv %c0, %c0");
  float_is("fadd %nan, %c1", "fadd %nan, %c1");
  float_is("fmin %nan, %c1", "fmin %nan, %c1");  // `b < a ? b : a` is the NaN
  float_is("fmin %c1, %nan", "constant 1.0");
  float_is("fsub %inf, %inf", "fsub %inf, %inf");
  check(&clean::fold, "%a : f64 = constant nan\n %r : i1 = fne %a, %a\n store %b [0] contiguous, %r\n",
        "%r : i1 = constant 1\n store %b [0] contiguous, %r\n");
}

TEST_CASE("clean: truth values", "[passes_clean]") {
  truth_is("eq %not, %no", "%p");
  truth_is("eq %p, %yes", "%p");
  truth_is("ne %p, %no", "%p");
  truth_is("ne %not, %yes", "%p");
  truth_is("xor %p, %no", "%p");
  truth_is("and %p, %yes", "%p");
  truth_is("and %p, %no", "constant 0");
  truth_is("or %yes, %p", "constant 1");
  truth_is("or %p, %p", "%p");
  truth_is("select %p, %yes, %no", "%p");
  truth_is("select %p, %no, %yes", "eq %p, %no");
  truth_is("select %p, %q, %q", "%q");
  truth_is("select %not, %q, %no", "select %p, %no, %q");
  truth_is("select %yes, %p, %q", "%p");
  truth_is("select %no, %p, %q", "%q");
  truth_is("eq %lt, %no", "ge %a, %c",
           "%a" + item_i32 + "load %i [wi] contiguous\n %c" + item_i32 + "load %i [0] strided\n %lt" + item_i1 + "lt %a, %c\n");
  for (const std::string op : {"and", "or", "xor"}) {
    truth_is("ne %both, %none", op + " %p, %q",
             "%pi" + item_i32 + "convert %p\n %qi" + item_i32 + "convert %q\n %both" + item_i32 + op + " %pi, %qi\n %none" + item_i32 +
                 "constant 0\n");
  }
  // With a NaN neither `<` nor `>=` holds.
  truth_is("eq %lt, %no", "eq %lt, %no", "%a" + item_f64 + "load %f [wi] contiguous\n %lt" + item_i1 + "flt %a, %a\n");
  truth_is("eq %ne, %no", "feq %a, %a", "%a" + item_f64 + "load %f [wi] contiguous\n %ne" + item_i1 + "fne %a, %a\n");
}

TEST_CASE("clean: poison", "[passes_clean]") {
  const std::string poison = "%z" + item_i32 + "poison\n";
  const auto stored = [](const std::string& value) { return "store %i [wi + 8] contiguous, " + value + "\n"; };
  check(&clean::fold, some_integers + poison + "%r" + item_i32 + "add %p, %z\n" + stored("%r"),
        "%r" + item_i32 + "poison\n" + stored("%r"));
  check(&clean::fold, some_integers + poison + "%m" + item_i1 + "mask { wi > 1 }\n %r" + item_i32 + "select %m, %p, %z\n" + stored("%r"),
        "%p" + item_i32 + "load %i [wi] contiguous\n" + stored("%p"));
  check(&clean::fold, some_integers + poison + "%m" + item_i1 + "mask { wi > 1 }\n %r" + item_i32 + "select %m, %z, %p\n" + stored("%r"),
        "%p" + item_i32 + "load %i [wi] contiguous\n" + stored("%p"));
  // Poison that is not chosen stays away.
  check(&clean::fold, some_integers + poison + "%c" + item_i1 + "constant 1\n %r" + item_i32 + "select %c, %p, %z\n" + stored("%r"),
        "%p" + item_i32 + "load %i [wi] contiguous\n" + stored("%p"));
  check(&clean::fold, "%z : i32 = poison\n %s" + item_i32 + "spread %z\n" + stored("%s"), "%s" + item_i32 + "poison\n" + stored("%s"));
  check(&clean::fold, poison + "%s" + item_i32 + "reorder %z { (wi, ix) <- (0, 0) }\n" + stored("%s"),
        "%s" + item_i32 + "poison\n" + stored("%s"));
  check(&clean::fold, "%z : f64 = constant nan\n %s : i32 = convert %z\n store %i [0] contiguous, %s\n",
        "%s : i32 = poison\n store %i [0] contiguous, %s\n");
}

TEST_CASE("clean: choices between choices", "[passes_clean]") {
  const std::string head = some_integers + "%m" + item_i1 + "load %b [wi] contiguous\n";
  const std::string end = "store %i [wi + 8] contiguous, %r\n";
  check(&clean::fold,
        head + "%s" + item_i32 + "select %m, %p, %q\n %o" + item_i32 + "load %i [wi + 12] contiguous\n %r" + item_i32 +
            "select %m, %s, %o\n" + end,
        "%p" + item_i32 + "load %i [wi] contiguous\n %m" + item_i1 + "load %b [wi] contiguous\n %o" + item_i32 +
            "load %i [wi + 12] contiguous\n %r" + item_i32 + "select %m, %p, %o\n" + end);
  check(&clean::fold,
        head + "%s" + item_i32 + "select %m, %p, %q\n %o" + item_i32 + "load %i [wi + 12] contiguous\n %r" + item_i32 +
            "select %m, %o, %s\n" + end,
        "%q" + item_i32 + "load %i [wi + 4] contiguous\n %m" + item_i1 + "load %b [wi] contiguous\n %o" + item_i32 +
            "load %i [wi + 12] contiguous\n %r" + item_i32 + "select %m, %o, %q\n" + end);
}

TEST_CASE("clean: the lesser and the greater of two", "[passes_clean]") {
  // min(a, b) is b < a ? b : a, max(a, b) is a < b ? b : a (semantics/ops/ops.def).
  const auto is = [](const std::string& order, const std::string& choice, const std::string& expected) {
    const std::string loads = "%a" + item_f64 + "load %f [wi] contiguous\n %c" + item_f64 + "load %f [wi + 4] contiguous\n";
    const std::string end = "store %f [wi + 8] contiguous, %r\n";
    check(&clean::fold, loads + "%o" + item_i1 + order + "\n %r" + item_f64 + "select %o, " + choice + "\n" + end,
          loads + "%r" + item_f64 + expected + "\n" + end);
  };
  is("flt %a, %c", "%a, %c", "fmin %c, %a");
  is("fgt %c, %a", "%a, %c", "fmin %c, %a");
  is("flt %a, %c", "%c, %a", "fmax %a, %c");
  is("fgt %a, %c", "%a, %c", "fmax %c, %a");
  // Of equal numbers the first arm: that is neither.
  const std::string text = "%a" + item_f64 + "load %f [wi] contiguous\n %c" + item_f64 + "load %f [wi + 4] contiguous\n %o" + item_i1 +
                           "fle %a, %c\n %r" + item_f64 + "select %o, %a, %c\n store %f [wi + 8] contiguous, %r\n";
  check(&clean::fold, text, text);
}

TEST_CASE("clean: conversions", "[passes_clean]") {
  const auto stored = [](const std::string& value) { return "store %i [0] contiguous, " + value + "\n"; };
  const std::string load = "%p : i32 = load %i [0] contiguous\n";
  check(&clean::fold, load + "%w : i64 = convert %p\n %r : i32 = convert %w\n" + stored("%r"), load + stored("%p"));
  stays(&clean::fold, load + "%w : i16 = convert %p\n %r : i32 = convert %w\n" + stored("%r"));
  check(&clean::fold, load + "%w : f64 = convert %p\n %r : i32 = convert %w\n" + stored("%r"), load + stored("%p"));
  stays(&clean::fold, load + "%w : f32 = convert %p\n %r : i32 = convert %w\n" + stored("%r"));  // 2^24 + 1 is no f32
  stays(&clean::fold, load + "%w : i1 = convert %p\n %r : i32 = convert %w\n" + stored("%r"));
  check(&clean::fold, load + "%w : u32 = convert %p\n %v : i16 = convert %w\n %r : i32 = convert %v\n" + stored("%r"),
        load + "%v : i16 = convert %p\n %r : i32 = convert %v\n" + stored("%r"));
  check(&clean::fold, "%p : i32 = constant 300\n %w : u8 = convert %p\n %r : i32 = convert %w\n" + stored("%r"),
        "%r : i32 = constant 44\n" + stored("%r"));
}

TEST_CASE("clean: what polynomials give", "[passes_clean]") {
  const auto end = [](const std::string& value) { return "store %l [wi] contiguous, " + value + "\n"; };
  check(&clean::fold,
        "%a" + item_i64 + "index { wi }\n %c" + item_i64 + "constant 4\n %m" + item_i64 + "mul %a, %c\n %s" + item_i64 + "spread %n\n %r" +
            item_i64 + "sub %m, %s\n" + end("%r"),
        "%r" + item_i64 + "index { wi*4 - %n }\n" + end("%r"));
  check(&clean::fold, "%a : i64 = constant 3\n %r" + item_i64 + "index { %a*wi + %a }\n" + end("%r"),
        "%r" + item_i64 + "index { wi*3 + 3 }\n" + end("%r"));
  check(&clean::fold, "%a : i64 = index { %n + 1 }\n %r" + item_i64 + "index { %a*%a }\n" + end("%r"),
        "%r" + item_i64 + "index { %n*%n + %n*2 + 1 }\n" + end("%r"));
  check(&clean::fold, "%a" + item_i32 + "index { wi }\n %r" + item_i64 + "convert %a\n" + end("%r"),
        "%r" + item_i64 + "index { wi }\n" + end("%r"));
  // A number of 32 bits may have wrapped.
  stays(&clean::fold, "%a" + item_i32 + "index { %n + wi }\n %r" + item_i64 + "convert %a\n" + end("%r"));
  check(&clean::fold, "%a" + item_i64 + "index { %n }\n %r" + item_i32 + "convert %a\n store %i [wi] contiguous, %r\n",
        "%r" + item_i32 + "index { %n }\n store %i [wi] contiguous, %r\n");
  check(&clean::fold, "%r : i8 = index { 200 }\n %s : i64 = convert %r\n store %l [0] contiguous, %s\n",
        "%s : i64 = constant -56\n store %l [0] contiguous, %s\n");
  check(&clean::fold, "%r" + item_i64 + "index { wi + ix }\n" + end("%r"), "%r" + item_i64 + "index { wi }\n" + end("%r"));
}

TEST_CASE("clean: a polynomial does not grow for ever", "[passes_clean]") {
  std::string text = "%a0 : i64 = index { %n + %x.l + 1 }\n";
  text = "%x.l : i64 = convert %x\n" + text;
  for (int i = 0; i < 40; ++i) {
    text += "%a" + std::to_string(i + 1) + " : i64 = mul %a" + std::to_string(i) + ", %a" + std::to_string(i) + "\n";
  }
  infreg::Kernel kernel = kernel_of(text + "store %l [0] contiguous, %a40\n");
  for (int i = 0; i < 8; ++i) {
    clean::fold(kernel);
    clean::remove_dead_values(kernel);
  }
  REQUIRE(infreg::verify(kernel).empty());
  for (const infreg::Operation& operation : kernel.regions[kernel.body].operations) {
    infreg::for_each_polynomial(operation.node, [](const infreg::Polynomial& p) { CHECK(p.terms().size() <= 8); });
  }
}

TEST_CASE("clean: masks that the lanes decide", "[passes_clean]") {
  const std::string head = "%p" + item_f64 + "load %f [wi] contiguous\n";
  const auto masked = [&](const std::string& mask) {
    return head + "%m" + item_i1 + "mask { " + mask + " }\n store %f [wi + 8] contiguous, %p, %m\n";
  };
  const std::string always = head + "store %f [wi + 8] contiguous, %p\n";
  for (const char* mask :
       {"", "wi >= 0", "wi < 4", "wi*2 < 7", "wi < wi + 1", "%n == %n", "%n <= %n", "0 - wi <= 0", "%n + wi != %n - 1"}) {
    INFO(mask);
    check(&clean::fold, masked(mask), always);
  }
  for (const char* mask : {"wi < 0", "wi > 3", "wi == 4", "%n < %n", "wi > 0, wi > 7"}) {
    INFO(mask);
    check(&clean::fold, masked(mask), "");
  }
  // What may wrap is not decided, and wg.ix may be anything.
  for (const char* mask : {"wi > 0", "%n < %n + 1", "wg.ix >= 0", "wi*9223372036854775807 > 0"}) {
    INFO(mask);
    stays(&clean::fold, masked(mask));
  }
  check(&clean::fold, masked("wi > 0, wi < 4"), masked("wi > 0"));
  check(&clean::fold,
        head + "for %s = 2 to 7 step 2 {\n %m" + item_i1 + "mask { %s >= 2, %s < 7, wi < %s }\n store %f [wi + 8] contiguous, %p, %m\n }\n",
        head + "for %s = 2 to 7 step 2 {\n %m" + item_i1 + "mask { wi < %s }\n store %f [wi + 8] contiguous, %p, %m\n }\n");
}

TEST_CASE("clean: masks of masks", "[passes_clean]") {
  const std::string end = "store %b [wi] contiguous, %r\n";
  const std::string two = "%a" + item_i1 + "mask { wi > 0 }\n %c" + item_i1 + "mask { wi < %n }\n %no" + item_i1 + "constant 0\n";
  const std::string merged = "%r" + item_i1 + "mask { wi > 0, wi < %n }\n" + end;
  check(&clean::fold, two + "%r" + item_i1 + "and %a, %c\n" + end, merged);
  check(&clean::fold, two + "%r" + item_i1 + "select %a, %c, %no\n" + end, merged);
  check(&clean::fold, two + "%r" + item_i1 + "eq %a, %no\n" + end, "%r" + item_i1 + "mask { wi <= 0 }\n" + end);
  check(&clean::fold, "%a" + item_i1 + "mask { wi >= %n }\n %c" + item_i1 + "mask { wi != %n }\n %r" + item_i1 + "and %a, %c\n" + end,
        "%r" + item_i1 + "mask { wi > %n }\n" + end);
  check(&clean::fold, "%a" + item_i1 + "mask { wi > %n }\n %c" + item_i1 + "mask { wi <= %n }\n %r" + item_i1 + "and %a, %c\n" + end,
        "%r" + item_i1 + "constant 0\n" + end);
  // %v may be poison, but is asked only where %a holds.
  const std::string poison = "%l0 : i64 = load %l [0] contiguous\n %a" + item_i1 + "mask { wi > 0 }\n %c" + item_i1 +
                             "mask { wi < %l0 }\n %no" + item_i1 + "constant 0\n";
  stays(&clean::fold, poison + "%r" + item_i1 + "select %a, %c, %no\n" + end);
  check(&clean::fold, poison + "%r" + item_i1 + "and %a, %c\n" + end,
        "%l0 : i64 = load %l [0] contiguous\n %r" + item_i1 + "mask { wi > 0, wi < %l0 }\n" + end);
  check(&clean::fold, "%a" + item_i64 + "index { wi*2 }\n %c" + item_i64 + "constant 3\n %r" + item_i1 + "lt %a, %c\n" + end,
        "%r" + item_i1 + "mask { wi*2 < 3 }\n" + end);
  check(&clean::fold,
        "%a : u64[wg 2 x wi 4 x ix 1] = index { wi + %n }\n %c : u64[wg 2 x wi 4 x ix 1] = constant 3\n %r" + item_i1 + "eq %a, %c\n" + end,
        "%r" + item_i1 + "mask { %n + wi == 3 }\n" + end);
  // Unsigned numbers beyond 2^63 are not less than 3.
  stays(&clean::fold, "%a : u64[wg 2 x wi 4 x ix 1] = index { wi + %n }\n %c : u64[wg 2 x wi 4 x ix 1] = constant 3\n %r" + item_i1 +
                          "lt %a, %c\n" + end);
}

TEST_CASE("clean: constants, numbers and masks in other lanes", "[passes_clean]") {
  check(&clean::fold, "%c : f64 = constant 2.5\n %r" + item_f64 + "spread %c\n store %f [wi] contiguous, %r\n",
        "%r" + item_f64 + "constant 2.5\n store %f [wi] contiguous, %r\n");
  check(&clean::fold, "%m" + item_i1 + "mask { wi > 1 }\n %r : i1[wg 2 x wi 4 x ix 2] = spread %m\n store %b [wi*2 + ix] contiguous, %r\n",
        "%r : i1[wg 2 x wi 4 x ix 2] = mask { wi > 1 }\n store %b [wi*2 + ix] contiguous, %r\n");
  check(&clean::fold,
        "%m : i64[wg 2 x wi 4 x ix 2] = index { wi*10 + ix + wg.ix }\n %r : i64[wg 2 x wi 4 x ix 2] = reorder %m { (wi, ix) <- (3 - wi, 1) "
        "}\n store %l [wi*2 + ix] contiguous, %r\n",
        "%r : i64[wg 2 x wi 4 x ix 2] = index { wg.ix - wi*10 + 31 }\n store %l [wi*2 + ix] contiguous, %r\n");
  check(
      &clean::fold,
      "%c : i32[wg 2 x ix 4] = lanes [5, 6, 7, 8]\n %r" + item_i32 + "reorder %c { (wi, ix) <- (3 - wi) }\n store %i [wi] contiguous, %r\n",
      "%r" + item_i32 + "lanes [8, 7, 6, 5]\n store %i [wi] contiguous, %r\n");
  check(&clean::fold,
        "%c" + item_i32 + "lanes [5, 6, 7, 8]\n %r : i32[wg 2 x wi 4 x ix 2] = spread %c\n store %i [wi*2 + ix] contiguous, %r\n",
        "%r : i32[wg 2 x wi 4 x ix 2] = lanes [5, 5, 6, 6, 7, 7, 8, 8]\n store %i [wi*2 + ix] contiguous, %r\n");
  check(&clean::fold, "%c : i32[wg 2 x ix 4] = lanes [5 x 4]\n store %i [ix] contiguous, %c\n",
        "%c : i32[wg 2 x ix 4] = constant 5\n store %i [ix] contiguous, %c\n");
}

TEST_CASE("clean: shuffles with known lanes", "[passes_clean]") {
  const std::string head = "%v : f64[wg 2 x wi 4 x ix 2] = load %f [wi*2 + ix] contiguous\n";
  const std::string mask = "%m" + item_i1 + "load %b [wi] contiguous\n";
  const std::string end = "store %f [wi*2 + ix + 8] contiguous, %r\n";
  const std::string wide = "%r : f64[wg 2 x wi 4 x ix 2] = ";
  check(&clean::fold, head + mask + "%l0" + item_i64 + "index { wi*wi - %n }\n" + wide + "shuffle %v, %l0, %m\n" + end,
        head + wide + "reorder %v { (wi, ix) <- (wi*wi - %n, ix) }\n" + end);
  check(&clean::fold, head + mask + "%l0" + item_i64 + "constant 2\n" + wide + "shuffle %v, %l0, %m\n" + end,
        head + wide + "reorder %v { (wi, ix) <- (2, ix) }\n" + end);
  check(&clean::fold, head + mask + "%l0" + item_i64 + "lanes [3, 0, -1, 4]\n" + wide + "shuffle %v, %l0, %m\n" + end,
        head + wide + "reorder %v { [6, 7, 0, 1, _ x 4] }\n" + end);
  // A reordering is the same for all groups.
  stays(&clean::fold, head + mask + "%l0" + item_i64 + "index { wg.ix }\n" + wide + "shuffle %v, %l0, %m\n" + end);
}

TEST_CASE("clean: votes on constants", "[passes_clean]") {
  const std::string constants = some_truths + "%no" + item_i1 + "constant 0\n %yes" + item_i1 + "constant 1\n";
  const std::string end = "store %b [0] contiguous, %r\n";
  const std::string group = "%r : i1[wg 2 x ix 1] = ";
  for (const char* vote : {"any.group %no, %p", "any.group %p, %no", "all.group %no, %yes"}) {
    INFO(vote);
    check(&clean::fold, constants + group + vote + "\n" + end, group + "constant 0\n" + end);
  }
  for (const char* vote : {"all.group %yes, %p", "all.group %p, %no", "any.group %yes, %yes"}) {
    INFO(vote);
    check(&clean::fold, constants + group + vote + "\n" + end, group + "constant 1\n" + end);
  }
  check(&clean::fold, constants + "%r : u64[wg 2 x ix 1] = popcount.group %yes, %yes\n store %ul [0] contiguous, %r\n",
        "%r : u64[wg 2 x ix 1] = constant 4\n store %ul [0] contiguous, %r\n");
  check(&clean::fold, constants + "%r : u64[wg 2 x ix 1] = ballot.group %yes, %yes\n store %ul [0] contiguous, %r\n",
        "%r : u64[wg 2 x ix 1] = constant 15\n store %ul [0] contiguous, %r\n");
  // In the groups beyond the last full pack the same kernel runs with packs of one.
  stays(&clean::fold, "%yes" + item_i1 + "constant 1\n %r : u64 = popcount.pack %yes, %yes\n store %ul [0] contiguous, %r\n");
  check(&clean::fold,
        "%s" + item_i1 + "spread %t\n %yes" + item_i1 + "constant 1\n %r : i1 = any.pack %s, %yes\n store %b [0] contiguous, %r\n",
        "store %b [0] contiguous, %t\n");
  stays(&clean::fold, constants.substr(0, some_truths.size()) + group + "any.group %p, %q\n" + end);
}

TEST_CASE("clean: accesses", "[passes_clean]") {
  check(&clean::fold,
        "%i0" + item_i64 + "index { wg.ix*4 + wi }\n %p" + item_f64 + "load %f [0, lanes %i0] gather\n store %f [wi + 8] contiguous, %p\n",
        "%p" + item_f64 + "load %f [wg.ix*4 + wi] contiguous\n store %f [wi + 8] contiguous, %p\n");
  check(&clean::fold,
        "%yes" + item_i1 + "constant 1\n %p" + item_f64 + "load %f [wi] contiguous, %yes\n store %f [wi + 8] contiguous, %p, %yes\n",
        "%p" + item_f64 + "load %f [wi] contiguous\n store %f [wi + 8] contiguous, %p\n");
  check(&clean::fold, "%no" + item_i1 + "constant 0\n %p" + item_f64 + "load %f [wi] contiguous, %no\n store %f [wi + 8] contiguous, %p\n",
        "%p" + item_f64 + "poison\n store %f [wi + 8] contiguous, %p\n");
  check(&clean::fold, "%c : i64 = constant 1\n %p" + item_f64 + "load %f [%c*wi] strided\n store %f [wi + 8] contiguous, %p\n",
        "%p" + item_f64 + "load %f [wi] contiguous\n store %f [wi + 8] contiguous, %p\n");
}

TEST_CASE("clean: control that is decided", "[passes_clean]") {
  const std::string end = "store %i [0] contiguous, %r\n";
  const std::string branch = "%r : i32 = if %c {\n %a : i32 = load %i [1] contiguous\n yield %a\n } else {\n yield %x\n }\n";
  check(&clean::decide_control, "%c : i1 = constant 1\n" + branch + end,
        "%a : i32 = load %i [1] contiguous\n store %i [0] contiguous, %a\n");
  check(&clean::decide_control, "%c : i1 = constant 0\n" + branch + end, "store %i [0] contiguous, %x\n");
  stays(&clean::decide_control, "%c : i1 = load %b [0] contiguous\n" + branch + end);
  const auto counted = [](const std::string& bounds) {
    return "%r : i32 = for %s = " + bounds +
           " (%v = %x) {\n %w : i32 = index { %s }\n %z : i32 = sub %w, %v\n yield %z\n }\n store %i [0] contiguous, %r\n";
  };
  for (const char* none : {"0 to 0 step 1", "3 to -2 step 1", "0 to 3 step -1", "%n to %n step 2"}) {
    INFO(none);
    check(&clean::decide_control, counted(none), "store %i [0] contiguous, %x\n");
  }
  for (const char* one : {"5 to 6 step 1", "5 to 9 step 7"}) {
    INFO(one);
    check(&clean::decide_control, counted(one),
          "%s : i64 = index { 5 }\n %w : i32 = index { %s }\n %z : i32 = sub %w, %x\n store %i [0] contiguous, %z\n");
  }
  // The next number would be less than the least, which is past any limit.
  check(&clean::decide_control, counted("-5 to -9223372036854775808 step -9223372036854775808"),
        "%s : i64 = index { -5 }\n %w : i32 = index { %s }\n %z : i32 = sub %w, %x\n store %i [0] contiguous, %z\n");
  stays(&clean::decide_control, counted("5 to -9223372036854775808 step -9223372036854775808"));
  stays(&clean::decide_control, counted("0 to 2 step 1"));
  stays(&clean::decide_control, counted("0 to %n step 1"));
  const std::string loop = "%g2 : i1, %r : i32 = loop while %go = %c (%v = %x) {\n %w : i32 = add %v, %v\n yield %go, %w\n }\n" + end;
  check(&clean::decide_control, "%c : i1 = constant 0\n" + loop, "store %i [0] contiguous, %x\n");
  stays(&clean::decide_control, "%c : i1 = constant 1\n" + loop);
}

TEST_CASE("clean: what a loop carries unchanged, and what both branches give", "[passes_clean]") {
  const std::string end = "store %i [0] contiguous, %r\n";
  check(&clean::fold,
        "%r : i32, %k : i32 = for %s = 0 to %n step 1 (%v = %x, %same = %x) {\n %w : i32 = add %v, %same\n yield %w, %same\n }\n %q : i32 "
        "= add %r, %k\n store %i [0] contiguous, %q\n",
        "%r : i32 = for %s = 0 to %n step 1 (%v = %x) {\n %w : i32 = add %v, %x\n yield %w\n }\n %q : i32 = add %r, %x\n store %i [0] "
        "contiguous, %q\n");
  check(&clean::fold, "%r : i32 = if %t {\n yield %x\n } else {\n yield %x\n }\n" + end, "store %i [0] contiguous, %x\n");
}

TEST_CASE("clean: equal operations", "[passes_clean]") {
  const std::string head = some_integers;
  const std::string end = "store %i [wi + 8] contiguous, %r\n";
  check(&clean::share_common, head + "%a" + item_i32 + "add %p, %q\n %c" + item_i32 + "add %q, %p\n %r" + item_i32 + "mul %a, %c\n" + end,
        head + "%a" + item_i32 + "add %p, %q\n %r" + item_i32 + "mul %a, %a\n" + end);
  stays(&clean::share_common, head + "%a" + item_i32 + "sub %p, %q\n %c" + item_i32 + "sub %q, %p\n %r" + item_i32 + "mul %a, %c\n" + end);
  // A region sees what stands in front of it, but nothing sees into a region, and the branches not each other.
  check(&clean::share_common,
        "%a : i32 = add %x, %x\n %r : i32 = if %t {\n %c : i32 = add %x, %x\n %d : i32 = mul %c, %x\n yield %d\n } else {\n %e : i32 = mul "
        "%x, %x\n yield %e\n }\n store %i [0] contiguous, %r\n store %i [1] contiguous, %a\n",
        "%a : i32 = add %x, %x\n %r : i32 = if %t {\n %d : i32 = mul %a, %x\n yield %d\n } else {\n %e : i32 = mul %x, %x\n yield %e\n }\n "
        "store %i [0] contiguous, %r\n store %i [1] contiguous, %a\n");
  stays(&clean::share_common,
        "%r : i32 = if %t {\n %d : i32 = mul %x, %x\n yield %d\n } else {\n %e : i32 = mul %x, %x\n yield %e\n }\n %z : i32 = mul %x, %x\n "
        "store %i [0] contiguous, %r\n store %i [1] contiguous, %z\n");
}

TEST_CASE("clean: equal loads", "[passes_clean]") {
  const std::string two = "%r : f64 = fadd %p, %q\n store %f [0] contiguous, %r\n";
  const std::string first = "%p : f64 = load %g [0] contiguous\n";
  const std::string second = "%q : f64 = load %g [0] contiguous\n";
  const std::string shared = "%r : f64 = fadd %p, %p\n store %f [0] contiguous, %r\n";
  check(&clean::share_common, first + second + two, first + shared);
  // %f and %g may be one buffer, %i is of another type.
  stays(&clean::share_common, first + "store %f [0] contiguous, %y\n" + second + two);
  check(&clean::share_common, first + "store %i [0] contiguous, %x\n" + second + two, first + "store %i [0] contiguous, %x\n" + shared);
  stays(&clean::share_common, first + "if %t {\n store %f [0] contiguous, %y\n }\n" + second + two);
  stays(
      &clean::share_common,
      first + "for %s = 0 to 4 step 1 {\n %q : f64 = load %g [0] contiguous\n %r : f64 = fadd %p, %q\n store %f [0] contiguous, %r\n }\n");
  check(&clean::share_common,
        first + "for %s = 0 to 4 step 1 {\n %q : f64 = load %g [0] contiguous\n %z : i32 = convert %q\n store %i [0] contiguous, %z\n }\n",
        first + "for %s = 0 to 4 step 1 {\n %z : i32 = convert %p\n store %i [0] contiguous, %z\n }\n");
  // Nothing writes into a constant object.
  check(&clean::share_common,
        "constant %table : f64[2] = [1.0, 2.0]\n %p : f64 = load %table [%n] contiguous\n store %f [0] contiguous, %y\n %q : f64 = load "
        "%table [%n] contiguous\n" +
            two,
        "constant %table : f64[2] = [1.0, 2.0]\n %p : f64 = load %table [%n] contiguous\n store %f [0] contiguous, %y\n" + shared);
}

TEST_CASE("clean: consecutive reorderings", "[passes_clean]") {
  const std::string head = "%p : f64[wg 2 x wi 4 x ix 4] = load %f [wi*4 + ix] contiguous\n";
  const std::string end = "store %f [wi*4 + ix + 16] contiguous, %r\n";
  const std::string wide = " : f64[wg 2 x wi 4 x ix 4] = ";
  check(&clean::compose,
        head + "%a" + wide + "reorder %p { (wi, ix) <- (wi + 1, ix*2) }\n %r" + wide + "reorder %a { (wi, ix) <- (ix, wi - 1) }\n" + end,
        head + "%r" + wide + "reorder %p { (wi, ix) <- (ix + 1, wi*2 - 2) }\n" + end);
  check(&clean::compose,
        head + "%a" + wide + "reorder %p { (wi, ix) <- (ix, wi) }\n %r" + wide + "reorder %a { (wi, ix) <- (ix, wi) }\n" + end,
        head + "store %f [wi*4 + ix + 16] contiguous, %p\n");
  check(&clean::compose,
        head + "%a : f64[wg 2 x ix 4] = reorder %p { (ix) <- (%n, ix) }\n %r" + wide + "reorder %a { (wi, ix) <- (wi) }\n" + end,
        head + "%r" + wide + "reorder %p { (wi, ix) <- (%n, wi) }\n" + end);
  const std::string row = "%p : f64[wg 2 x ix 4] = load %f [ix] contiguous\n";
  const std::string row_end = "store %f [ix + 8] contiguous, %r\n";
  check(&clean::compose,
        row + "%a : f64[wg 2 x ix 4] = reorder %p { [3, _, 1, 0] }\n %r : f64[wg 2 x ix 4] = reorder %a { [0, 1, _, 2] }\n" + row_end,
        row + "%r : f64[wg 2 x ix 4] = reorder %p { [3, _, _, 1] }\n" + row_end);
  check(&clean::compose,
        row + "%a : f64[wg 2 x ix 4] = reorder %p { (ix) <- (ix - 1) }\n %r : f64[wg 2 x ix 4] = reorder %a { [0, 1, _, 2] }\n" + row_end,
        row + "%r : f64[wg 2 x ix 4] = reorder %p { [_, 0, _, 1] }\n" + row_end);
  check(&clean::compose, row + "%r : f64[wg 2 x ix 4] = reorder %p { [0, _, 2, 3] }\n" + row_end,
        row + "store %f [ix + 8] contiguous, %p\n");
}

TEST_CASE("clean: spread among reorderings", "[passes_clean]") {
  const std::string wide = " : f64[wg 2 x wi 4 x ix 2] = ";
  const std::string end = "store %f [wi*2 + ix + 16] contiguous, %r\n";
  check(&clean::compose, "%a" + item_f64 + "spread %y\n %r" + wide + "spread %a\n" + end, "%r" + wide + "spread %y\n" + end);
  check(&clean::compose, "%a" + item_f64 + "spread %y\n %r" + wide + "reorder %a { (wi, ix) <- (wi + 1, ix) }\n" + end,
        "%r" + wide + "spread %y\n" + end);
  const std::string items = "%p" + item_f64 + "load %f [wi] contiguous\n";
  check(&clean::compose, items + "%a" + wide + "spread %p\n %r" + wide + "reorder %a { (wi, ix) <- (3 - wi, ix) }\n" + end,
        items + "%r" + wide + "reorder %p { (wi, ix) <- (3 - wi, 0) }\n" + end);
  check(&clean::compose, items + "%a" + wide + "spread %p\n %r" + wide + "reorder %a { (wi, ix) <- (wi, 1 - ix) }\n" + end,
        items + "%r" + wide + "spread %p\n" + end);
  const std::string row = "%p : f64[wg 2 x ix 4] = load %f [ix] contiguous\n";
  check(&clean::compose, row + "%a : f64[wg 2 x ix 1] = reorder %p { (ix) <- (%n) }\n %r" + wide + "spread %a\n" + end,
        row + "%r" + wide + "reorder %p { (wi, ix) <- (%n) }\n" + end);
  check(&clean::compose, row + "%a" + item_f64 + "reorder %p { (wi, ix) <- (wi) }\n %r" + wide + "spread %a\n" + end,
        row + "%r" + wide + "reorder %p { (wi, ix) <- (wi) }\n" + end);
  // Item 0 is another one than an item's own.
  stays(&clean::compose, items + "%r" + item_f64 + "reorder %p { (wi, ix) <- (0, 0) }\n store %f [wi + 16] contiguous, %r\n");
}

TEST_CASE("clean: what nobody asks for goes", "[passes_clean]") {
  check(&clean::remove_dead_values,
        "%p : f64 = load %f [0] contiguous\n %q : f64 = fadd %p, %p\n %z : f64 = fdiv %q, %q\n store %i [0] contiguous, %x\n",
        "store %i [0] contiguous, %x\n");
  // Carried values that feed themselves alone, and one that another needs.
  check(&clean::remove_dead_values,
        "%r : i32, %a : i32, %c : i32, %d : i32 = for %s = 0 to %n step 1 (%v = %x, %w = %x, %z = %x, %o = %x) {\n"
        "%v2 : i32 = add %v, %o\n %w2 : i32 = add %w, %z\n %o2 : i32 = mul %o, %o\n yield %v2, %z, %w2, %o2\n }\n store %i [0] contiguous, "
        "%r\n",
        "%r : i32, %d : i32 = for %s = 0 to %n step 1 (%v = %x, %o = %x) {\n"
        "%v2 : i32 = add %v, %o\n %o2 : i32 = mul %o, %o\n yield %v2, %o2\n }\n store %i [0] contiguous, %r\n");
  check(&clean::remove_dead_values,
        "%r : i32, %q : i32 = if %t {\n %a : i32 = neg %x\n yield %a, %x\n } else {\n %c : i32 = neg %x\n yield %x, %x\n }\n store %i [0] "
        "contiguous, %q\n",
        "%q : i32 = if %t {\n yield %x\n } else {\n yield %x\n }\n store %i [0] contiguous, %q\n");
}

TEST_CASE("clean: loops without effect", "[passes_clean]") {
  check(&clean::remove_dead_values, "%r : i32 = for %s = 0 to %n step 1 (%v = %x) {\n %w : i32 = add %v, %v\n yield %w\n }\n", "");
  check(&clean::remove_dead_values, "if %t {\n %w : i32 = add %x, %x\n }\n", "");
  // A loop may go on for ever, which is an effect; what it carries besides its condition goes.
  check(&clean::remove_dead_values,
        "%g2 : i1, %r : i32 = loop while %go = %t (%v = %x) {\n %w : i32 = add %v, %v\n %b0 : i1 = load %b [0] contiguous\n yield %b0, "
        "%w\n }\n",
        "%g2 : i1 = loop while %go = %t {\n %b0 : i1 = load %b [0] contiguous\n yield %b0\n }\n");
  stays(&clean::remove_dead_values, "if %t {\n %g2 : i1 = loop while %go = %t {\n yield %go\n }\n }\n");
  stays(&clean::remove_dead_values, "for %s = 0 to %n step 1 {\n store %i [%s] contiguous, %x\n }\n");
}

TEST_CASE("clean: objects", "[passes_clean]") {
  check(&clean::remove_dead_values,
        "local %a : i32[4]\n local %c : i32[4]\n %p : i32[wg 2 x ix 4] = load %a [ix] contiguous\n %q : i32[wg 2 x ix 4] = load %c [ix] "
        "contiguous\n store %i [ix] contiguous, %q\n",
        "local %c : i32[4]\n %q : i32[wg 2 x ix 4] = load %c [ix] contiguous\n store %i [ix] contiguous, %q\n");
}

TEST_CASE("clean: what is the same in all rounds", "[passes_clean]") {
  check(&clean::hoist_invariants,
        "for %s = 0 to %n step 1 {\n for %o = 0 to %n step 1 {\n %a : i32 = mul %x, %x\n %c : i32 = index { %s }\n %d : i32 = add %a, %c\n "
        "store %i [%o] contiguous, %d\n }\n }\n",
        "%a : i32 = mul %x, %x\n for %s = 0 to %n step 1 {\n %c : i32 = index { %s }\n %d : i32 = add %a, %c\n for %o = 0 to %n step 1 {\n "
        "store %i [%o] contiguous, %d\n }\n }\n");
  const std::string use = "%d : i32 = convert %p\n store %i [%s] contiguous, %d\n }\n";
  const std::string load = "%p : f64 = load %g [0] contiguous\n";
  const std::string moved = "%d : i32 = convert %p\n";
  check(&clean::hoist_invariants, "for %s = 0 to 2 step 1 {\n" + load + use,
        load + moved + "for %s = 0 to 2 step 1 {\n store %i [%s] contiguous, %d\n }\n");
  // A loop without rounds does not load, and a load may see what the round before stored.
  stays(&clean::hoist_invariants, "for %s = 0 to %n step 1 {\n" + load + use);
  stays(&clean::hoist_invariants, "for %s = 0 to 2 step 1 {\n" + load + "store %f [0] contiguous, %y\n" + use);
  // Behind a loop that may not end no load is certain.
  stays(&clean::hoist_invariants,
        "for %s = 0 to 2 step 1 {\n %g2 : i1 = loop while %go = %t {\n %b0 : i1 = load %b [%s] contiguous\n yield %b0\n }\n" + load + use);
  // A vote with a poison mask is undefined; one over all lanes is not.
  const std::string vote_end = "store %b [%s] strided, %r\n }\n";
  stays(&clean::hoist_invariants, some_truths + "for %s = 0 to %n step 1 {\n %r : i1[wg 2 x ix 1] = any.group %p, %q\n" + vote_end);
  check(&clean::hoist_invariants,
        some_truths + "%yes" + item_i1 + "constant 1\n for %s = 0 to %n step 1 {\n %r : i1[wg 2 x ix 1] = any.group %q, %yes\n" + vote_end,
        some_truths.substr(some_truths.find("%q")) + "%yes" + item_i1 +
            "constant 1\n %r : i1[wg 2 x ix 1] = any.group %q, %yes\n for %s = 0 to %n step 1 {\n" + vote_end);
}
