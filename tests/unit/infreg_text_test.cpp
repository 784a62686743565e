// The text form of InfReg-IR: what the printer writes, that the parser reads it back, and what it says of other texts.

#include <rapidcheck.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "semantics/infreg/numbers.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/same.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/infreg_parsed.hpp"
#include "tests/unit/infreg_random.hpp"

namespace lockstep::infreg {
namespace {

std::string refusal(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("k.ir", text);
  auto result = parse(source);
  INFO(text);
  REQUIRE(!result.has_value());
  return render(*source, result.error());
}

const std::string head = "kernel @k(%a: ptr<f64>, %n: i64) wg_size 4 wg_pack 1 {\n";

/// A kernel with this body, one operation a line.
std::string with_body(const std::string& body) { return head + body + "}\n"; }

/// What is said of a body: the first line of the diagnostics, without the file.
std::string body_refusal(const std::string& body) {
  const std::string all = refusal(with_body(body));
  return all.substr(5, all.find('\n') - 5);
}

TEST_CASE("infreg text: const and restrict", "[infreg]") {
  const Kernel kernel = parsed("kernel @k(%a: ptr<f64> const restrict, %b: ptr<i32> restrict, %c: ptr<i32>) wg_size 4 wg_pack 1 {\n}\n");
  CHECK((kernel.parameters[0].is_const && kernel.parameters[0].is_restrict));
  CHECK((!kernel.parameters[1].is_const && kernel.parameters[1].is_restrict));
  CHECK((!kernel.parameters[2].is_const && !kernel.parameters[2].is_restrict));
  CHECK(print(kernel).starts_with("kernel @k(%a: ptr<f64> const restrict, %b: ptr<i32> restrict, %c: ptr<i32>) "));
}

TEST_CASE("every kernel that verifies is read back as it was printed", "[infreg]") {
  const bool holds = rc::check("parse(print(k)) is k", [](const std::vector<std::uint64_t>& seeds) {
    std::vector<std::uint64_t> choices;
    for (const std::uint64_t seed : seeds) {
      choices.insert(choices.end(), {seed, seed >> 16U, seed >> 32U, seed >> 48U, seed * 0x9e3779b97f4a7c15U >> 20U});
    }
    const Kernel kernel = RandomKernel(choices).make();
    RC_ASSERT(verify(kernel).empty());
    const std::string text = print(kernel);
    const auto again = parse(std::make_shared<const SourceFile>("again", text));
    RC_ASSERT(again.has_value());
    RC_ASSERT(verify(*again).empty());
    RC_ASSERT(same(kernel, *again));
    RC_ASSERT(print(*again) == text);
  });
  CHECK(holds);
}

// With numbers that are the same each time: a check of random kernels must not hang on luck.
TEST_CASE("the random kernels have operations of all kinds", "[infreg]") {
  std::array<std::size_t, std::variant_size_v<Node>> kinds{};
  std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<std::uint64_t> choices(200);
    std::ranges::generate(choices, std::ref(random));
    for (const Region& region : RandomKernel(choices).make().regions) {
      for (const Operation& operation : region.operations) {
        ++kinds.at(operation.node.index());
      }
    }
  }
  CAPTURE(kinds);
  CHECK(std::ranges::find(kinds, 0U) == kinds.end());
}

TEST_CASE("the printed text tells kernels apart as `same` does", "[infreg]") {
  const bool holds = rc::check("print(a) == print(b) where same(a, b)", [](const std::vector<std::uint32_t>& seeds, std::uint32_t place) {
    std::vector<std::uint64_t> choices(seeds.begin(), seeds.end());
    const Kernel left = RandomKernel(choices).make();
    if (!choices.empty()) {
      choices[place % choices.size()] ^= 1U;
    }
    const Kernel right = RandomKernel(choices).make();
    RC_ASSERT(same(left, left));
    RC_ASSERT(same(left, right) == (print(left) == print(right)));
  });
  CHECK(holds);
}

TEST_CASE("the text of docs/infreg-ir.md is read and printed in canonical form", "[infreg]") {
  const std::string text = R"(kernel @scale_row(%a: ptr<f64>) wg_size 4 wg_pack 1 {
  %row : f64[wi 4 x ix 4] = load %a [wg.ix*16 + wi*4 + ix] contiguous
  %piv : f64[wi 4 x ix 4] = reorder %row { (wi, ix) <- (1, ix) }            ; shuffle(row[ix], 1): broadcast of work item 1
  %m   : i1 [wi 4 x ix 4] = mask { wi > 1 }
  %q   : f64[wi 4 x ix 4] = fdiv %row, %piv
  %r   : f64[wi 4 x ix 4] = select %m, %q, %row
  store %a [wg.ix*16 + wi*4 + ix] contiguous, %r
}
)";
  const Kernel kernel = parsed(text);
  CHECK(verify(kernel).empty());
  CHECK(print(kernel) == R"(kernel @scale_row(%a: ptr<f64>) wg_size 4 wg_pack 1 {
  %row : f64[wi 4 x ix 4] = load %a [wg.ix*16 + wi*4 + ix] contiguous
  %piv : f64[wi 4 x ix 4] = reorder %row { (wi, ix) <- (1, ix) }
  %m : i1[wi 4 x ix 4] = mask { wi > 1 }
  %q : f64[wi 4 x ix 4] = fdiv %row, %piv
  %r : f64[wi 4 x ix 4] = select %m, %q, %row
  store %a [wg.ix*16 + wi*4 + ix] contiguous, %r
}
)");
  REQUIRE(kernel.regions.size() == 1);
  const auto& operations = kernel.regions[0].operations;
  REQUIRE(operations.size() == 6);
  const auto& load = std::get<Load>(operations[0].node);
  CHECK(load.access == Access::Contiguous);
  CHECK(load.place.index.coefficient(Symbol::group()) == 16);
  CHECK(load.place.index.coefficient(Symbol::item()) == 4);
  CHECK(load.place.index.coefficient(Symbol::element()) == 1);
  CHECK(std::get<Elementwise>(operations[3].node).op == Op::Div);
  CHECK(std::get<Elementwise>(operations[3].node).operand_type == ScalarType::Double);
  CHECK(kernel.source->text().substr(operations[3].span.begin, operations[3].span.end - operations[3].span.begin) ==
        "%q   : f64[wi 4 x ix 4] = fdiv %row, %piv");
}

TEST_CASE("source lines stand behind the operations if wanted", "[infreg]") {
  const Kernel kernel = parsed(with_body("%x : i32 = constant 1\n\n%y : i32 = add %x, %x\n"));
  PrintOptions options;
  options.source_lines = true;
  const std::string text = print(kernel, options);
  CHECK(text == head + "  %x : i32 = constant 1  ; line 2\n  %y : i32 = add %x, %x  ; line 4\n}\n");
  CHECK(same(kernel, parsed(text)));
}

TEST_CASE("polynomials are printed in one order, whatever the values' numbers", "[infreg]") {
  const auto printed = [](const std::string& polynomial) {
    const Kernel kernel = parsed(with_body("%b : i64 = constant 1\n%x : i64[wi 4 x ix 2] = index { " + polynomial + " }\n"));
    return print(kernel, std::get<Index>(kernel.regions[0].operations[1].node).value);
  };
  CHECK(printed("ix + wi*4 + 16*wg.ix") == "wg.ix*16 + wi*4 + ix");
  CHECK(printed("%n*wi + %b*wi") == "%b*wi + %n*wi");
  CHECK(printed("wi*%n*2*%b + %b") == "%b*%n*wi*2 + %b");
  CHECK(printed("-ix - 3") == "-ix - 3");
  CHECK(printed("wi - wi") == "0");
  CHECK(printed("ix*ix*9223372036854775808") == "-ix*ix*9223372036854775808");
  CHECK(printed("18446744073709551615") == "-1");
}

TEST_CASE("numbers keep every bit", "[infreg]") {
  const auto check = [](ScalarType type, std::uint64_t bits, const std::string& text) {
    CHECK(number_text(type, bits) == text);
    CHECK(read_number(type, text) == bits);
  };
  check(ScalarType::Double, std::bit_cast<std::uint64_t>(0.1), "0.1");
  check(ScalarType::Double, std::bit_cast<std::uint64_t>(1.0), "1.0");
  check(ScalarType::Double, std::bit_cast<std::uint64_t>(-0.0), "-0.0");
  check(ScalarType::Double, std::bit_cast<std::uint64_t>(std::numeric_limits<double>::denorm_min()), "5e-324");
  check(ScalarType::Double, std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity()), "-inf");
  check(ScalarType::Double, 0x7ff8000000000000, "nan");
  check(ScalarType::Double, 0xfff8000000000001, "nan(0xfff8000000000001)");
  check(ScalarType::Float, 0x7fc00000, "nan");
  check(ScalarType::Float, 0xff800001, "nan(0xff800001)");
  check(ScalarType::Float, std::bit_cast<std::uint32_t>(0.1F), "0.1");
  check(ScalarType::Float, std::bit_cast<std::uint32_t>(16777216.0F), "16777216.0");
  check(ScalarType::Char, static_cast<std::uint64_t>(-128), "-128");
  check(ScalarType::ULong, ~std::uint64_t{0}, "18446744073709551615");
  check(ScalarType::Long, std::uint64_t{1} << 63U, "-9223372036854775808");
  check(ScalarType::Bool, 1, "1");
  for (const auto& [type, word] : std::vector<std::pair<ScalarType, std::string>>{{ScalarType::Char, "128"},
                                                                                  {ScalarType::UInt, "-1"},
                                                                                  {ScalarType::Bool, "2"},
                                                                                  {ScalarType::Int, "1.0"},
                                                                                  {ScalarType::Int, ""},
                                                                                  {ScalarType::Float, "1e39"},
                                                                                  {ScalarType::Float, "nan(0x7ff8000000000000)"},
                                                                                  {ScalarType::Float, "nan(0x7f800000)"},
                                                                                  {ScalarType::Double, "infinity"},
                                                                                  {ScalarType::Double, "0x1"},
                                                                                  {ScalarType::ULong, "18446744073709551616"}}) {
    INFO(word);
    CHECK(!read_number(type, word).has_value());
  }
}

TEST_CASE("runs of equal numbers are abbreviated from four on", "[infreg]") {
  const Kernel kernel =
      parsed(with_body("%x : i32[ix 9] = lanes [1, 1, 1, 0 x 5, 7]\n%y : i32[ix 5] = reorder %x { [_, _, _, _, 3 x 1] }\n"));
  CHECK(std::get<ConstantLanes>(kernel.regions[0].operations[0].node).bits == std::vector<std::uint64_t>{1, 1, 1, 0, 0, 0, 0, 0, 7});
  CHECK(print(kernel) == head + "  %x : i32[ix 9] = lanes [1, 1, 1, 0 x 5, 7]\n  %y : i32[ix 5] = reorder %x { [_ x 4, 3] }\n}\n");
}

TEST_CASE("what no kernel is gets a sentence at its place", "[infreg]") {
  CHECK(body_refusal("%x : i32 = ad %n, %n\n") == "2:12: error: unknown operation 'ad'; did you mean 'add'?");
  CHECK(body_refusal("%x : i32 = add %n\n") == "2:18: error: expected ',' and a value");
  CHECK(body_refusal("%x : i33 = constant 1\n") == "2:6: error: expected a type");
  CHECK(body_refusal("%x : i8 = constant 128\n") == "2:20: error: '128' is no i8, which goes from -128 to 127");
  CHECK(body_refusal("%x : i8 = constant 1 2\n") == "2:22: error: expected the end of the line");
  CHECK(body_refusal("%x : i64 = add %n, %other\n") == "2:20: error: there is no 'other'");
  CHECK(body_refusal("%count : i8 = constant 1\n%x : i8 = add %count, %counts\n") ==
        "3:23: error: there is no 'counts'; did you mean 'count'?");
  CHECK(body_refusal("%n : i8 = constant 1\n") == "2:1: error: the name '%n' is given twice");
  CHECK(body_refusal("%x : ptr = offset f64 %a, %n\n") ==
        "2:23: error: '%a' is memory, not a value; its beginning is the value of 'address %a'");
  CHECK(body_refusal("%x : i64 = fadd %n, %n\n") == "2:1: error: the operation is one of floats, but its first operand is i64");
  CHECK(body_refusal("%x : i1[wi 8 x ix 1] = mask { }\n") == "2:12: error: the kernel has wg_size 4");
  CHECK(body_refusal("%x : i1[wg 2 x wi 4 x ix 1] = mask { }\n") == "2:12: error: the kernel has wg_pack 1: types do not say 'wg'");
  CHECK(body_refusal("%x : i1[ix 0] = mask { }\n") == "2:12: error: expected a number from 1 to 2147483648");
  CHECK(body_refusal("%x : i1 = mask { wi ~ 1 }\n") == "2:21: error: expected a comparison: < <= > >= == !=");
  CHECK(body_refusal("%x : i64 = load %a [1] near\n") == "2:24: error: expected contiguous, strided or gather");
  CHECK(body_refusal("private %t : i8[4]\n%x : i8 = constant 1\nlocal %s : i8[4]\n") ==
        "4:1: error: objects stand at the beginning of a kernel, before its operations");
  CHECK(body_refusal("}\n") == "3:1: error: there is nothing open that '}' could close");
  CHECK(body_refusal("} else {\n") == "2:1: error: there is no 'if' above whose 'else' this could be");
  CHECK(body_refusal("%x : ptr = constant 1\n") == "2:21: error: the only constant pointer is 'null'");
  CHECK(body_refusal("%x : i8[ix 4] = lanes [0 x 99999999999]\n") ==
        "2:28: error: an item stands at least once, and the lists of a text hold at most 16777216 numbers");
  CHECK(body_refusal("%x : i64[ix 1] = lanes [1]\n%y : i64[ix 1] = reorder %x { (ix) <- (0, ix) }\n") ==
        "3:1: error: the source has no items: behind '<-' stands an element alone");
  CHECK(refusal("") == "k.ir:1:1: error: expected a kernel\n  \n  ^\n");
  CHECK(refusal(head).starts_with("k.ir:1:56: error: expected '}' at the kernel's end\n"));
  CHECK(refusal("store\n").starts_with("k.ir:1:1: error: a text begins with 'kernel @name(…) wg_size N wg_pack P {'"));
  CHECK(refusal(head + "}\n" + head + "}\n").starts_with("k.ir:3:1: error: a text holds one kernel"));
}

TEST_CASE("one run finds the errors of several lines, and braces of refused lines count", "[infreg]") {
  const std::string text = refusal(with_body("if %q q {\n  %x : i8 = constant 999\n}\n%y : i9 = poison\n"));
  CHECK(text.find("k.ir:2:7: error: expected '{'") != std::string::npos);
  CHECK(text.find("k.ir:3:22: error: '999' is no i8") != std::string::npos);
  CHECK(text.find("k.ir:5:6: error: expected a type") != std::string::npos);
  CHECK(text.find("k.ir:6") == std::string::npos);
}

TEST_CASE("the kernels of docs/infreg-ir.md are read, verify, and are canonical", "[infreg]") {
  std::ifstream page(LOCKSTEP_SOURCE_DIR "/docs/infreg-ir.md");
  std::string line;
  std::string block;
  int kernels = 0;
  for (bool inside = false; std::getline(page, line);) {
    if (line.starts_with("```")) {
      if (inside && block.starts_with("kernel @")) {
        ++kernels;
        const Kernel kernel = parsed(block);
        INFO(print_marked(kernel, verify(kernel)));
        CHECK(verify(kernel).empty());
        CHECK(print(kernel) == block);
      }
      inside = !inside;
      block.clear();
    } else if (inside) {
      block += line.substr(0, line.find("    ; ")) + "\n";  // without the comment behind an operation
    }
  }
  CHECK(kernels == 2);
}

TEST_CASE("limits of texts end in an error", "[infreg]") {
  std::string nested;
  for (int i = 0; i < 300; ++i) {
    nested += "if %c {\n";
  }
  CHECK(refusal(with_body("%c : i1 = constant 1\n" + nested)).find("regions lie in each other at most 256 deep") != std::string::npos);
  std::string product = "wi";
  std::string sum = "wi";
  for (int i = 0; i < 300; ++i) {
    product += "*wi";
    sum += " + %v" + std::to_string(i);
  }
  CHECK(body_refusal("%x : i64[wi 4 x ix 1] = index { " + product + " }\n") ==
        "2:33: error: a polynomial has at most 256 terms of 16 factors");
  CHECK(body_refusal("%x : i64[wi 4 x ix 1] = index { " + sum + " }\n").ends_with("a polynomial has at most 256 terms of 16 factors"));
}

TEST_CASE("no text makes the parser crash", "[infreg]") {
  const std::string whole = with_body(
      "%x : f64[wi 4 x ix 2] = load %a [wi*2 + ix] contiguous\n%y : i1 = mask { %n < 3 }\n%z : f64 = if %y {\n%o : f64 = constant 1.0\n"
      "yield %o\n} else {\n%p : f64 = constant nan(0x7ff8000000000001)\nyield %p\n}\n%r : i64 = for %s = 0 to %n step -1 (%t = %n) "
      "{\nyield "
      "%t\n}\n%u : f64[ix 3] = reorder %x { [0, _, 7] }\nstore %a [0, lanes %n] gather, %z\n");
  CHECK(verify(parsed(whole)).empty());
  const bool holds =
      rc::check("a text with some changed bytes has an answer", [&](const std::vector<std::pair<std::uint16_t, char>>& changes) {
        std::string text = whole;
        for (const auto& [place, byte] : changes) {
          text[place % text.size()] = byte;
        }
        const auto source = std::make_shared<const SourceFile>("k.ir", text);
        if (const auto kernel = parse(source)) {
          RC_ASSERT(!print_marked(*kernel, verify(*kernel)).empty());
        } else {
          RC_ASSERT(!render(*source, kernel.error()).empty());
        }
      });
  CHECK(holds);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    refusal(whole.substr(0, length));
  }
}

}  // namespace
}  // namespace lockstep::infreg
