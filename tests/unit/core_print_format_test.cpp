// printf: formats against the host's printf, arguments against formats, and calls that append to the buffer.

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "semantics/base/print_format.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

std::string shown(const std::string& written, const std::vector<std::uint64_t>& numbers) {
  const auto format = read_print_format(written);
  REQUIRE(format);
  REQUIRE(format->numbers() == numbers.size());
  return printed(*format, numbers);
}

template <class... Values>
std::string by_host(const std::string& form, Values... values) {
  char text[2000];
  std::snprintf(text, sizeof text, form.c_str(), values...);
  return text;
}

std::string why_not(const std::string& written) {
  const auto format = read_print_format(written);
  return format ? "fine" : std::to_string(format.error().begin) + "-" + std::to_string(format.error().end) + ": " + format.error().why;
}

/// What the checker says of a call in a kernel, or "fine".
std::string said(const std::string& call, bool prints = true) {
  core::Options options;
  if (prints) {
    options.defines.emplace_back(print_macro, "1");
  }
  const core_test::Reading reading =
      core_test::read("kernel void k(global int *y, float4 v, uchar2 c, double d, long l, short s) {\n" + call + "\n}", options);
  return reading.program ? reading.warnings.empty() ? "fine" : reading.warning_text() : reading.errors();
}

}  // namespace

TEST_CASE("printf: numbers look as C prints them", "[base][printf]") {
  for (const std::string form : {"%d", "%5d|", "%-5d|", "%+d", "% d", "%05d", "%.3d", "%x", "%#x", "%X", "%o", "%#o", "%u", "%i"}) {
    for (const int number : {0, 1, -1, 42, -2147483647 - 1}) {
      CHECK(shown(form, {static_cast<std::uint64_t>(std::int64_t{number})}) == by_host(form, number));
    }
  }
  for (const std::string form : {"%f", "%.2f", "%10.3e", "%-12g|", "%G", "%E", "%a", "%+.0f", "%#.0f", "%08.2f"}) {
    for (const double number : {0.0, -0.0, 1.5, -1e300, 1.0 / 3}) {
      CHECK(shown(form, {std::bit_cast<std::uint64_t>(number)}) == by_host(form, number));
    }
  }
  CHECK(shown("%hhd %hhu %hd %hx", {0x1ff, 0x1ff, 0x18000, 0x18000}) == by_host("%d %d %d %x", -1, 255, -32768, 0x8000));
  CHECK(shown("%ld %lu", {~std::uint64_t{0}, ~std::uint64_t{0}}) == "-1 18446744073709551615");
  CHECK(shown("%u", {~std::uint64_t{0}}) == "4294967295");
  CHECK(shown("%c%3c", {'a', 'b'}) == "a  b");
  CHECK(shown("100%%\\n\\t\\x41\\101\\\\\\\"", {}) == "100%\n\tAA\\\"");
  CHECK(shown("", {}).empty());
}

TEST_CASE("printf: vectors have commas", "[base][printf]") {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  CHECK(shown("f4 = %2.2v4hlf\\n", {bits(1), bits(2), bits(3), bits(4)}) == "f4 = 1.00,2.00,3.00,4.00\n");  // the standard's own examples
  CHECK(shown("uc = %#v4hhx\\n", {0xfa, 0xfb, 0xfc, 0xfd}) == "uc = 0xfa,0xfb,0xfc,0xfd\n");
  CHECK(shown("%v2d|%v3ld", {~std::uint64_t{0}, 2, 3, 4, 5}) == "-1,2|3,4,5");
}

TEST_CASE("printf: formats that are none", "[base][printf]") {
  CHECK(why_not("a%") == "1-2: '%' needs d, i, o, u, x, X, c, f, F, e, E, g, G, a or A at its end; for the sign itself write '%%'");
  CHECK(why_not("%y").starts_with("0-2: '%' needs d"));
  CHECK(why_not("x%*d").starts_with("1-2: '*' is no width"));
  CHECK(why_not("%s") == "0-2: '%s' is for a string that stands in the call itself: there are no others in kernels");
  CHECK(why_not("%p").starts_with("0-2: a pointer is no number"));
  CHECK(why_not("%v5d").starts_with("0-3: 'v' needs 2, 3, 4, 8 or 16"));
  CHECK(why_not("%v99999999999999999999d").contains("three digits"));
  CHECK(why_not("%lld") == "0-4: a long is written with one 'l'");
  CHECK(why_not("%hld") == "0-4: 'hl' is for vectors, such as %v4hlf");
  CHECK(why_not("%lf").contains("written without 'h' or 'l'"));
  CHECK(why_not("%v4hf").contains("vectors of floats are written with 'hl'"));
  CHECK(why_not("%v2c").contains("'%c' is one character"));
  CHECK(why_not("%1234d").contains("three digits"));
  CHECK(why_not("\\q") == "0-1: there is no such escape");
  CHECK(why_not("\\777") == "0-4: the value of this escape does not fit a char");
  CHECK(why_not("\\x") == "0-2: there is no such escape");
}

TEST_CASE("printf: strings that stand in the call become a part of the format", "[core][printf]") {
  const auto format = [](const std::string& call) {
    core::Options options;
    const core_test::Reading reading = core_test::read("kernel void k(global int *y) { " + call + " }", options);
    const std::string text = reading.program ? reading.warning_text() : reading.errors();
    return reading.program && reading.warnings.size() == 1 ? "fine" : text;
  };
  for (const std::string call :
       {R"(printf("%s\n", "text");)", R"(printf("%s %d %s", "a", y[0], "b");)", R"(printf("%d%s", y[0], "a" "b");)",
        R"(printf("%s%s", "a", "b");)", R"(printf("%-8.3s|%5s", "100%", "\x41\n");)", R"(printf("%%s");)",
        R"(printf("%s %d", "a", y[(0, 1)]);)"}) {
    INFO(call);
    CHECK(format(call) == "fine");
  }
  CHECK(format(R"(printf("%s", y);)").contains("'%s' is for a string that stands in the call itself"));
  CHECK(format(R"(printf("%d", "a");)").contains("'%d' needs an integer of at most 32 bits, but this is '__constant char *'"));
  CHECK(format(R"(printf("%s", "a", "b");)").contains("the format has no conversion for this argument"));
  CHECK(format(R"(printf("%s", "a", 1);)").contains("the format has no conversion for this argument"));
  CHECK(format(R"(printf("%s %d", "a");)").contains("there is no argument for '%d'"));
}

TEST_CASE("printf: arguments fit their conversions", "[core][printf]") {
  for (const std::string call : {R"(printf("x"))", R"(printf("%d %u %x %c %hhd", y[0], 1u, s, 'a', c.x))", R"(printf("%f %g", d, v.x))",
                                 R"(printf("%ld %lu", l, 1UL))", R"(printf("%v4f %v4hlf", v, v))", R"(printf("%v2hhu", c))",
                                 R"(printf("a" "b%d" "\n", 1))", R"(y[0] = printf("%d", y[1]++))"}) {
    INFO(call);
    CHECK(said(call + ";") == "fine");
    CHECK(said(call + ";" + call + ";", false).starts_with("k.cl:2:"));
    CHECK(said(call + ";", false).contains("warning: printf prints where `lockstep run` runs a kernel; here it is left out"));
  }
  CHECK(said(R"(printf("a %d", 1.5f);)") ==
        "k.cl:2:16: error: '%d' needs an integer of at most 32 bits, but this is 'float'; write '%f' for it\n  printf(\"a %d\", 1.5f);\n"
        "                 ^^^^\nk.cl:2:11: note: the format says so here\n  printf(\"a %d\", 1.5f);\n            ^^\n");
  CHECK(said(R"(printf("%d", l);)").contains("but this is 'long'; write '%ld' for it"));
  CHECK(said(R"(printf("%f", 1);)").contains("'%f' needs a float or double, but this is 'int'; write '%d' for it"));
  CHECK(said(R"(printf("%f", v);)").contains("but this is 'float4'; write '%v4hlf' for it"));
  CHECK(said(R"(printf("%v2f", v);)").contains("'%v2f' needs a vector of 2 floats"));
  CHECK(said(R"(printf("%v2d", c);)").contains("write '%v2hhd' for it"));
  CHECK(said(R"(printf("%d", y);)").contains("but this is '__global int *'\n"));
  CHECK(said(R"(printf("%d %d", 1);)").contains("2:12: error: there is no argument for '%d'"));
  CHECK(said(R"(printf("%d", 1, 2);)").contains("2:17: error: the format has no conversion for this argument"));
  CHECK(said(R"(printf(y);)").contains("'printf' needs its format as a string in the call"));
  CHECK(said(R"(printf();)").contains("'printf' needs its format as a string in the call"));
  CHECK(said(R"(printf("%q", 1);)").contains("2:9: error: '%' needs d, i"));
  CHECK(said(R"(printf(1 ? "a" : "b");)").contains("'printf' needs its format as a string in the call"));
}
