// What loops carry shares its place with what they begin with and with the next round's value, where nobody reads the one when the other is
// written. Kernels in which somebody might; and others whose vectors depend on the group in unusual ways. More groups than a vector has
// elements, in packs of one and two.

#include <array>
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

constexpr std::uint64_t groups = 519;
constexpr std::uint64_t items = 3;

/// Three vectors of an item, of which %x, %y and %z are loaded, and %x and %y stored.
std::string kernel_of(const std::string& body) {
  return "kernel @k(%a: ptr<i64>, %n: i64) wg_size 3 wg_pack 1 {\n"
         "  %x0 : i64[wi 3 x ix 2] = load %a [wg.ix*18 + wi*6 + ix] gather\n"
         "  %y0 : i64[wi 3 x ix 2] = load %a [wg.ix*18 + wi*6 + ix + 2] gather\n"
         "  %z : i64[wi 3 x ix 2] = load %a [wg.ix*18 + wi*6 + ix + 4] gather\n" +
         body +
         "  store %a [wg.ix*18 + wi*6 + ix] gather, %x\n"
         "  store %a [wg.ix*18 + wi*6 + ix + 2] gather, %y\n"
         "}\n";
}

const std::string two = "  %x : i64[wi 3 x ix 2], %y : i64[wi 3 x ix 2] = for %s = 0 to 5 step 1 ";

struct Case {
  const char* name;
  std::string body;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"both change places", two + "(%p = %x0, %q = %y0) {\n    yield %q, %p\n  }\n"},
      {"one goes around the items", two + "(%p = %x0, %q = %y0) {\n"
                                          "    %r : i64[wi 3 x ix 2] = reorder %p { (wi, ix) <- (2 - wi, 1 - ix) }\n"
                                          "    %t : i64[wi 3 x ix 2] = add %q, %r\n"
                                          "    yield %r, %t\n  }\n"},
      {"each reads the other", two + "(%p = %x0, %q = %y0) {\n"
                                     "    %t : i64[wi 3 x ix 2] = add %p, %q\n"
                                     "    yield %q, %t\n  }\n"},
      {"the old one is read behind the new one", two + "(%p = %x0, %q = %y0) {\n"
                                                       "    %t : i64[wi 3 x ix 2] = mul %p, %z\n"
                                                       "    %u : i64[wi 3 x ix 2] = sub %q, %p\n"
                                                       "    yield %t, %u\n  }\n"},
      {"another item's old one is read behind the new one", two + "(%p = %x0, %q = %y0) {\n"
                                                                  "    %t : i64[wi 3 x ix 2] = mul %p, %z\n"
                                                                  "    %r : i64[wi 3 x ix 2] = reorder %p { (wi, ix) <- (0, ix) }\n"
                                                                  "    %u : i64[wi 3 x ix 2] = sub %q, %r\n"
                                                                  "    yield %t, %u\n  }\n"},
      {"another item's old one makes the new one", two + "(%p = %x0, %q = %y0) {\n"
                                                         "    %r : i64[wi 3 x ix 2] = reorder %p { (wi, ix) <- (0, ix) }\n"
                                                         "    %t : i64[wi 3 x ix 2] = add %p, %r\n"
                                                         "    %u : i64[wi 3 x ix 2] = xor %q, %t\n"
                                                         "    yield %t, %u\n  }\n"},
      {"both begin alike and go on alike", two + "(%p = %x0, %q = %x0) {\n"
                                                 "    %t : i64[wi 3 x ix 2] = add %p, %q\n"
                                                 "    %u : i64[wi 3 x ix 2] = xor %t, %y0\n"
                                                 "    yield %u, %u\n  }\n"},
      {"the beginning is read in the loop and behind it", two + "(%p = %x0, %q = %y0) {\n"
                                                                "    %t : i64[wi 3 x ix 2] = add %p, %x0\n"
                                                                "    %u : i64[wi 3 x ix 2] = sub %q, %t\n"
                                                                "    yield %t, %u\n  }\n"
                                                                "  store %a [wg.ix*18 + wi*6 + ix + 4] gather, %y0\n"},
      {"a loop in a loop goes on with it", two + "(%p = %x0, %q = %y0) {\n"
                                                 "    %t : i64[wi 3 x ix 2] = for %u = 0 to 3 step 1 (%v = %p) {\n"
                                                 "      %w : i64[wi 3 x ix 2] = mul %v, %z\n"
                                                 "      %w1 : i64[wi 3 x ix 2] = add %w, %q\n"
                                                 "      yield %w1\n    }\n"
                                                 "    %r : i64[wi 3 x ix 2] = xor %q, %t\n"
                                                 "    yield %t, %r\n  }\n"},
      {"a loop in a loop makes the other one", two + "(%p = %x0, %q = %y0) {\n"
                                                     "    %t : i64[wi 3 x ix 2] = for %u = 0 to 3 step 1 (%v = %p) {\n"
                                                     "      %w : i64[wi 3 x ix 2] = add %v, %z\n"
                                                     "      yield %w\n    }\n"
                                                     "    %r : i64[wi 3 x ix 2] = mul %q, %z\n"
                                                     "    yield %r, %t\n  }\n"},
      {"a loop behind a loop",
       "  %p1 : i64[wi 3 x ix 2] = for %s = 0 to 5 step 1 (%p = %x0) {\n"
       "    %t : i64[wi 3 x ix 2] = add %p, %z\n    yield %t\n  }\n"
       "  %x : i64[wi 3 x ix 2], %y : i64[wi 3 x ix 2] = for %s2 = 4 to -3 step -2 (%q = %p1, %r = %p1) {\n"
       "    %u : i64[wi 3 x ix 2] = sub %q, %y0\n    %v : i64[wi 3 x ix 2] = xor %r, %u\n    yield %u, %v\n  }\n"},
      {"an if yields either", two + "(%p = %x0, %q = %y0) {\n"
                                    "    %m : i1 = mask { %s > 2 }\n"
                                    "    %t : i64[wi 3 x ix 2] = if %m {\n"
                                    "      %u : i64[wi 3 x ix 2] = add %p, %q\n      yield %u\n    } else {\n      yield %z\n    }\n"
                                    "    %r : i64[wi 3 x ix 2] = sub %q, %p\n"
                                    "    yield %t, %r\n  }\n"},
      {"bounds that are known late, and numbers that change places",
       "  %c : i64 = index { %n + 1 }\n"
       "  %d : i64 = index { %n*3 }\n"
       "  %x : i64[wi 3 x ix 2], %y : i64[wi 3 x ix 2], %c1 : i64, %d1 : i64 = for %s = %n to %n*4 - 1 step 2 (%p = %x0, %q = %y0, %e = "
       "%c, %f = "
       "%d) {\n"
       "    %i : i64[wi 3 x ix 2] = index { %e*wi + %f*ix + %s }\n"
       "    %t : i64[wi 3 x ix 2] = add %p, %i\n"
       "    yield %t, %p, %f, %e\n  }\n"},
      {"squares of the group's number",
       "  %x : i64[wi 3 x ix 2] = index { wg.ix*wg.ix*wi - wg.ix*ix + wg.ix*wg.ix*wg.ix + 5 }\n"
       "  %m : i1[wi 3 x ix 2] = mask { wg.ix*wg.ix < 1000 - wi, ix < wg.ix }\n"
       "  %i : i64[wi 3 x ix 2] = index { 17 - ix*3 }\n"
       "  %y : i64[wi 3 x ix 2] = load %a [wg.ix*18, lanes %i] gather, %m\n"},
      {"a table, also of a mask",
       "  %x : i64[wi 3 x ix 2] = reorder %x0 { [5, 4, 0, 0, 1, 3] }\n"
       "  %m : i1[wi 3 x ix 2] = mask { -ix + 1 >= wi }\n"
       "  %r : i1[wi 3 x ix 2] = reorder %m { [5, 4, 0, 1, 1, 3] }\n"
       "  %y : i64[wi 3 x ix 2] = select %r, %y0, %z\n"},
      {"a shuffle by what was loaded, and votes",
       "  %e : i64[wi 3 x ix 1] = reorder %z { (wi, ix) <- (wi, 0) }\n"
       "  %two : i64[wi 3 x ix 1] = constant 3\n"
       "  %b : u64[wi 3 x ix 1] = bitcast %e\n"
       "  %three : u64[wi 3 x ix 1] = constant 3\n"
       "  %l0 : u64[wi 3 x ix 1] = rem %b, %three\n"
       "  %l : i64[wi 3 x ix 1] = bitcast %l0\n"
       "  %m : i1[wi 3 x ix 1] = mask { }\n"
       "  %x : i64[wi 3 x ix 2] = shuffle %x0, %l, %m\n"
       "  %zero : i64[wi 3 x ix 1] = constant 0\n"
       "  %odd : i1[wi 3 x ix 1] = lt %e, %zero\n"
       "  %v : u64[ix 1] = ballot.group %odd, %m\n"
       "  %any : i1[ix 1] = any.group %odd, %m\n"
       "  %w : i64[ix 1] = bitcast %v\n"
       "  %w1 : i64[wi 3 x ix 1] = spread %w\n"
       "  %w2 : i64[wi 3 x ix 2] = spread %w1\n"
       "  %a1 : i1[wi 3 x ix 1] = spread %any\n"
       "  %a2 : i1[wi 3 x ix 2] = spread %a1\n"
       "  %y : i64[wi 3 x ix 2] = select %a2, %w2, %y0\n"},
  };
  return all;
}

infreg::Buffer numbers() {
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Long, groups * items * 6);
  std::uint64_t state = 1;
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::memcpy(buffer.bytes.data() + 8 * k, &state, 8);
  }
  return buffer;
}

}  // namespace

TEST_CASE("values that share their place do not disturb one another", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  for (const Case& one : cases()) {
    const auto kernel = infreg::parse(std::make_shared<SourceFile>("case.ir", kernel_of(one.body)));
    INFO(one.name << '\n' << kernel_of(one.body));
    REQUIRE(kernel.has_value());
    REQUIRE(infreg::verify(*kernel).empty());
    for (const std::uint32_t pack : {1U, 2U}) {
      for (const emit_ve::LayoutChoice layout : ve_emitted::arrangements_of(*kernel)) {
        const auto answer = ve_emitted::compared(infreg::with_pack(*kernel, pack), {BufferNumber{0}, ScalarBits{2}}, {numbers()}, groups,
                                                 *clang, {layout, {}});
        REQUIRE((answer == ve_emitted::Answer::Agrees));
      }
    }
  }
}
