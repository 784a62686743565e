// Several elements of each item that go to memory at once, in rows: where lanes meet in a cell the highest one wins, whatever is known of
// the cells, and however elements lie beside one another.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/infreg/with_pack.hpp"
#include "tests/unit/borg_call.hpp"
#include "tests/unit/infreg_parsed.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;
using emit_ve::LayoutChoice;

namespace {

constexpr std::uint64_t groups = 5;
constexpr std::uint64_t cells = 32;  ///< of each group

/// With %n being 2.
void compare(const std::string& body, const host::Compiler& clang) {
  const std::string text = "kernel @k(%a: ptr<i64>, %b: ptr<i64>, %n: i64) wg_size 3 wg_pack 1 {\n" + body + "}\n";
  for (const unsigned pack : {1U, 2U}) {
    const infreg::Kernel kernel = infreg::with_pack(infreg::verified(text), pack);
    infreg::Buffer numbers = infreg::make_buffer(ScalarType::Long, groups * cells);
    for (std::uint64_t k = 0; k < numbers.count; ++k) {
      test::put_number(numbers, k, static_cast<std::int64_t>(k * k + 100));
    }
    for (const LayoutChoice layout : ve_emitted::arrangements_of(kernel)) {
      INFO(text << (layout == LayoutChoice::Rows ? "rows" : "groups") << ", packs of " << pack);
      const auto answer =
          ve_emitted::compared(kernel, {BufferNumber{0}, BufferNumber{1}, ScalarBits{2}},
                               {numbers, infreg::make_buffer(ScalarType::Long, groups * cells)}, groups, clang, {layout, {}});
      REQUIRE((answer == ve_emitted::Answer::Agrees));
    }
  }
}

}  // namespace

TEST_CASE("where elements of several items meet in a cell, the highest lane wins", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const char* cell : {"wi + ix", "wi*2 + ix", "4 - wi + ix", "wi*%n + ix", "%n*%n + wi*%n - ix", "wi*ix", "wi*wi*wi*3 + ix", "5"}) {
    if (clang) {
      compare(fmt::format("  %x : i64[wi 3 x ix 4] = load %a [wg.ix*{0} + wi*4 + ix] gather\n"
                          "  store %b [wg.ix*{0} + {1}] gather, %x\n",
                          cells, cell),
              *clang);
    }
  }
}

TEST_CASE("elements that lie ever farther apart are found", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const char* pattern : {"wi*wi", "wi*wi + ix", "6 - wi*wi - ix", "wi*ix"}) {
    if (clang) {
      compare(fmt::format("  %x : i64[ix 8] = load %a [wg.ix*{0} + ix] gather\n"
                          "  %y : i64[wi 3 x ix 3] = reorder %x {{ (wi, ix) <- ({1}) }}\n"
                          "  store %b [wg.ix*{0} + wi*3 + ix] gather, %y\n",
                          cells, pattern),
              *clang);
    }
  }
}
