// Rows: each way to reorder lanes, made to be taken by leaving out the others, leaves what the evaluator leaves. In packs of one and of
// several groups, of which the last launch fills no vector; and stores of lanes that meet in a cell.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;

namespace {

constexpr std::uint64_t groups = 23;

struct Case {
  const char* way;
  const char* pattern;
  const char* defined;  ///< where it has a source; what is stored
  bool alone;           ///< it is there for packs of one group
  bool in_packs;        ///< and for packs of several
};

/// Of vectors of two elements; %n is 2.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"number", "{ (wi, ix) <- (3, ix) }", "", true, false},
      {"number", "{ (wi, ix) <- (%n - 1, -ix + 1) }", "", true, false},
      {"memory", "{ (wi, ix) <- (2, ix) }", "", true, false},
      {"memory", "{ (wi, ix) <- (-wi + 5, ix) }", "", true, false},
      {"move", "{ (wi, ix) <- (wi + 2, ix) }", "wi < 4", true, true},
      {"move", "{ (wi, ix) <- (wi - %n, -ix + 1) }", "wi >= 2", true, true},
      {"moves", "{ (wi, ix) <- (-wi + 5, ix) }", "", true, true},
      {"moves", "{ (wi, ix) <- (wi + 2, ix) }", "wi < 4", true, true},
      {"moves", "{ (wi, ix) <- (wi*2, -ix + 1) }", "wi < 3", true, true},
      {"segments", "{ (wi, ix) <- (4, ix) }", "", false, true},
      {"segments", "{ (wi, ix) <- (%n, ix) }", "", false, true},
      {"doubling", "{ (wi, ix) <- (0, ix) }", "", false, true},
      {"doubling", "{ (wi, ix) <- (%n + 1, ix) }", "", false, true},
      {"compress", "{ (wi, ix) <- (wi*2, ix) }", "wi < 3", true, true},
      {"gather", "{ (wi, ix) <- (wi*wi, ix) }", "wi < 3", true, true},
      {"gather", "{ (wi, ix) <- (wi - %n, wi - 3) }", "wi > 2, wi < 5", true, true},
      {"gather", "{ [5, 4, 2, 0, 1, 3, 11, 11, 2, 9, 0, 7] }", "", true, true},
  };
  return all;
}

std::string kernel_of(const Case& one, bool of_truth) {
  return "kernel @k(%a: ptr<i64>, %n: i64) wg_size 6 wg_pack 1 {\n"
         "  %x : i64[wi 6 x ix 2] = load %a [wg.ix*12 + wi*2 + ix] gather\n" +
         std::string(of_truth ? "  %y : i64[wi 6 x ix 2] = index { 40 - wi*ix }\n  %t : i1[wi 6 x ix 2] = lt %x, %y\n"
                              : "  %t : i64[wi 6 x ix 2] = add %x, %x\n") +
         "  %r : " + (of_truth ? "i1" : "i64") + "[wi 6 x ix 2] = reorder %t " + one.pattern + "\n" +
         (of_truth ? "  %s : i64[wi 6 x ix 2] = convert %r\n" : "  %s : i64[wi 6 x ix 2] = add %r, %x\n") +
         "  %m : i1[wi 6 x ix 2] = mask { " + one.defined + " }\n" + "  store %a [wg.ix*12 + wi*2 + ix] gather, %s, %m\n}\n";
}

infreg::Buffer numbers(std::uint64_t count) {
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Long, count);
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    const std::uint64_t number = (k * 37 + 11) % 97;
    std::memcpy(buffer.bytes.data() + 8 * k, &number, 8);
  }
  return buffer;
}

infreg::Kernel read(const std::string& text, std::uint32_t pack) {
  const auto kernel = infreg::parse(std::make_shared<SourceFile>("case.ir", text));
  INFO(text << (kernel ? "" : kernel.error().front().message));
  REQUIRE(kernel.has_value());
  REQUIRE(infreg::verify(*kernel).empty());
  return infreg::with_pack(*kernel, pack);
}

emit_ve::EmitOptions only(const std::string& way) {
  emit_ve::EmitOptions options;
  options.layout = emit_ve::LayoutChoice::Rows;
  for (const std::string& other : emit_ve::names_of_ways()) {
    if (other != way) {
      options.without.insert(*emit_ve::way_named(other));
    }
  }
  return options;
}

}  // namespace

TEST_CASE("each way to reorder rows brings the right lanes", "[ve]") {
  const auto clang = ve_emitted::clang_with("-Wall -Wextra -Werror");
  if (!clang) {
    return;
  }
  for (const Case& one : cases()) {
    for (const std::uint32_t pack : {1U, 5U}) {
      if (!(pack == 1 ? one.alone : one.in_packs)) {
        continue;
      }
      for (const bool of_truth : {false, true}) {
        const std::string text = kernel_of(one, of_truth);
        INFO(one.way << ", packs of " << pack << '\n' << text);
        const infreg::Kernel kernel = read(text, pack);
        const auto emitted = emit_ve::emit(kernel, only(one.way));
        REQUIRE(emitted.has_value());
        INFO(emitted->explain);
        REQUIRE((emitted->explain.find(std::string(", by ") + one.way) != std::string::npos));
        const auto answer =
            ve_emitted::compared(kernel, {BufferNumber{0}, ScalarBits{2}}, {numbers(groups * 12)}, groups, *clang, only(one.way));
        REQUIRE((answer == ve_emitted::Answer::Agrees));
      }
    }
  }
}

TEST_CASE("of lanes of rows that meet in a cell the highest wins", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  // An item's elements and those of the next ones; all in one cell; by what is known late; backwards, where no lane meets another.
  for (const char* place : {"wg.ix*12 + wi + ix", "wg.ix*12", "wg.ix*12 + wi*%n - wi + ix*%n - ix", "wg.ix*12 - wi*2 - ix + 11"}) {
    for (const std::uint32_t pack : {1U, 5U}) {
      const std::string text =
          "kernel @k(%a: ptr<i64>, %n: i64) wg_size 6 wg_pack 1 {\n"
          "  %x : i64[wi 6 x ix 2] = load %a [wg.ix*12 + wi*2 + ix] gather\n"
          "  %o : i64[wi 6 x ix 2] = constant 50\n  %m : i1[wi 6 x ix 2] = lt %x, %o\n"
          "  store %a [" +
          std::string(place) + "] gather, %x, %m\n}\n";
      INFO(text);
      const auto answer = ve_emitted::compared(read(text, pack), {BufferNumber{0}, ScalarBits{2}}, {numbers(groups * 12)}, groups, *clang,
                                               {emit_ve::LayoutChoice::Rows, {}});
      REQUIRE((answer == ve_emitted::Answer::Agrees));
    }
  }
}

TEST_CASE("rows need a pack that fits into a vector", "[ve]") {
  const std::string text =
      "kernel @k(%a: ptr<i64>) wg_size 100 wg_pack 1 {\n"
      "  %x : i64[wi 100 x ix 1] = load %a [wg.ix*100 + wi] contiguous\n"
      "  store %a [wg.ix*100 + wi] contiguous, %x\n}\n";
  const emit_ve::EmitOptions rows{emit_ve::LayoutChoice::Rows, {}};
  REQUIRE(emit_ve::emit(read(text, 2), rows).has_value());
  const auto refused = emit_ve::emit(read(text, 3), rows);
  REQUIRE_FALSE(refused.has_value());
  REQUIRE((refused.error() == "the 300 items of a pack are more than a vector of rows has elements, 256"));
  REQUIRE(emit_ve::emit(read(text, 3), {}).has_value());
  REQUIRE((emit_ve::choose_pack(read(text, 1), rows) == 2));
  REQUIRE((emit_ve::choose_pack(read(text, 1), {}) == 1));
}
