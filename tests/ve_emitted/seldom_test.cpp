// What random kernels hardly ever do, with more groups than a pack has: votes over a pack as numbers, objects of several groups in rows,
// pointers that differ from lane to lane, and truth values that are compared.

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

constexpr std::uint64_t groups = 11;

/// Of items that have a number of their own in %a; they store one.
std::string kernel_of(const std::string& objects, const std::string& body, unsigned pack) {
  const std::string wg = pack == 1 ? "" : "wg " + std::to_string(pack) + " x ";
  std::string text = "kernel @k(%a: ptr<i64>, %n: i64) wg_size 4 wg_pack " + std::to_string(pack) + " {\n" + objects +
                     "  %x : i64[WG wi 4 x ix 1] = load %a [wg.ix*4 + wi] gather\n  %all : i1[WG wi 4 x ix 1] = mask { }\n" + body +
                     "  store %a [wg.ix*4 + wi] gather, %r\n}\n";
  for (std::size_t at = text.find("WG "); at != std::string::npos; at = text.find("WG ")) {
    text.replace(at, 3, wg);
  }
  return text;
}

void compare(const std::string& text, std::uint32_t pack, const host::Compiler& clang) {
  const infreg::Kernel kernel = infreg::with_pack(infreg::verified(text), pack);
  infreg::Buffer numbers = infreg::make_buffer(ScalarType::Long, groups * 4 + 16);
  for (std::uint64_t k = 0; k < numbers.count; ++k) {
    test::put_number(numbers, k, static_cast<std::int64_t>(k * 37 % 19));
  }
  for (const LayoutChoice layout : ve_emitted::arrangements_of(kernel)) {
    INFO(text << (layout == LayoutChoice::Rows ? "rows" : "groups") << ", packs of " << pack);
    const auto answer = ve_emitted::compared(kernel, {BufferNumber{0}, ScalarBits{2}}, {numbers}, groups, clang, {layout, {}});
    REQUIRE((answer == ve_emitted::Answer::Agrees));
  }
}

}  // namespace

TEST_CASE("votes over a pack are numbers of its groups alone", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const char* vote :
       {"u64 = popcount.pack %m, %all\n  %s : u64[WG wi 4 x ix 1] = spread %v\n  %b : i64[WG wi 4 x ix 1] = bitcast %s\n",
        "i1 = any.pack %m, %all\n  %s : i1[WG wi 4 x ix 1] = spread %v\n  %b : i64[WG wi 4 x ix 1] = convert %s\n",
        "i1 = all.pack %m, %all\n  %s : i1[WG wi 4 x ix 1] = spread %v\n  %b : i64[WG wi 4 x ix 1] = convert %s\n"}) {
    for (const unsigned pack : {1U, 2U, 3U}) {
      if (clang) {
        compare(kernel_of("",
                          "  %t : i64[WG wi 4 x ix 1] = constant 15\n  %m : i1[WG wi 4 x ix 1] = lt %x, %t\n  %v : " + std::string(vote) +
                              "  %r : i64[WG wi 4 x ix 1] = add %b, %x\n",
                          pack),
                pack, *clang);
      }
    }
  }
}

TEST_CASE("a vote over a pack goes on as a number from a branch", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  const std::string body =
      "  %t : i64[WG wi 4 x ix 1] = constant 15\n  %m : i1[WG wi 4 x ix 1] = lt %x, %t\n  %c : i1 = mask { %n > 1 }\n"
      "  %v : i1 = any.pack %m, %all\n  %o : i1 = all.pack %m, %all\n"
      "  %w : i1 = if %c {\n    yield %o\n  } else {\n    yield %v\n  }\n"
      "  %s : i1[WG wi 4 x ix 1] = spread %w\n  %b : i64[WG wi 4 x ix 1] = convert %s\n  %r : i64[WG wi 4 x ix 1] = add %b, %x\n";
  for (const unsigned pack : {1U, 2U}) {
    if (clang) {
      compare(kernel_of("", body, pack), pack, *clang);
    }
  }
}

TEST_CASE("each group has its own objects", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const char* body :
       {"  store %l [wi] contiguous, %x\n  %y : i64[WG wi 4 x ix 1] = load %l [2] gather\n  %r : i64[WG wi 4 x ix 1] = add %x, %y\n",
        "  store %l [wi] contiguous, %x\n  %y : i64[WG ix 1] = load %l [1] gather\n  %z : i64[WG wi 4 x ix 1] = spread %y\n"
        "  %r : i64[WG wi 4 x ix 1] = add %x, %z\n",
        "  store %p [1] gather, %x\n  %y : i64[WG wi 4 x ix 1] = load %p [1] gather\n  %r : i64[WG wi 4 x ix 1] = add %x, %y\n"}) {
    for (const unsigned pack : {1U, 2U, 3U}) {
      if (clang) {
        compare(kernel_of("  local %l : i64[4]\n  private %p : i64[2]\n", body, pack), pack, *clang);
      }
    }
  }
}

TEST_CASE("pointers of lanes, their distances, and truth values", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  // Behind what groups store.
  const std::string pointers =
      "  %t : i64[WG wi 4 x ix 1] = constant 9\n  %m : i1[WG wi 4 x ix 1] = lt %x, %t\n"
      "  %a0 : ptr = address %a\n  %c : i64 = constant 44\n  %p0 : ptr = offset i64 %a0, %c\n  %p1 : ptr = offset i64 %p0, %n\n"
      "  %p : ptr[WG wi 4 x ix 1] = spread %p0\n  %q : ptr[WG wi 4 x ix 1] = spread %p1\n"
      "  %s : ptr[WG wi 4 x ix 1] = select %m, %p, %q\n";
  for (const std::string& body :
       {pointers + "  %r : i64[WG wi 4 x ix 1] = load %s [0] gather\n", pointers + "  %r : i64[WG wi 4 x ix 1] = load %s [3] gather\n",
        pointers + "  %r : i64[WG wi 4 x ix 1] = load %s [%n + 1] gather\n",
        pointers + "  %r : i64[WG wi 4 x ix 1] = load %s [wi + wg.ix] gather\n",
        pointers + "  %r : i64[WG wi 4 x ix 1] = distance i64 %s, %p\n",
        pointers + "  %d : i64 = distance i64 %p1, %p0\n  %r : i64[WG wi 4 x ix 1] = spread %d\n",
        pointers + "  %d : i64 = distance i64 %p0, %p1\n  %r : i64[WG wi 4 x ix 1] = spread %d\n",
        std::string(
            "  %t : i64[WG wi 4 x ix 1] = constant 9\n  %u : i64[WG wi 4 x ix 1] = constant 4\n  %m : i1[WG wi 4 x ix 1] = lt %x, %t\n"
            "  %o : i1[WG wi 4 x ix 1] = lt %x, %u\n  %e : i1[WG wi 4 x ix 1] = eq %m, %o\n  %f : i1[WG wi 4 x ix 1] = ne %m, %o\n"
            "  %g : i1[WG wi 4 x ix 1] = and %m, %o\n  %h : i1[WG wi 4 x ix 1] = or %m, %o\n  %i : i1[WG wi 4 x ix 1] = xor %m, %o\n"
            "  %e1 : i64[WG wi 4 x ix 1] = convert %e\n  %f1 : i64[WG wi 4 x ix 1] = convert %f\n  %g1 : i64[WG wi 4 x ix 1] = convert %g\n"
            "  %h1 : i64[WG wi 4 x ix 1] = convert %h\n  %i1 : i64[WG wi 4 x ix 1] = convert %i\n  %two : i64[WG wi 4 x ix 1] = constant "
            "2\n"
            "  %a1 : i64[WG wi 4 x ix 1] = mul %e1, %two\n  %a2 : i64[WG wi 4 x ix 1] = add %a1, %f1\n  %a3 : i64[WG wi 4 x ix 1] = mul "
            "%a2, %two\n"
            "  %a4 : i64[WG wi 4 x ix 1] = add %a3, %g1\n  %a5 : i64[WG wi 4 x ix 1] = mul %a4, %two\n  %a6 : i64[WG wi 4 x ix 1] = add "
            "%a5, %h1\n"
            "  %a7 : i64[WG wi 4 x ix 1] = mul %a6, %two\n  %r : i64[WG wi 4 x ix 1] = add %a7, %i1\n")}) {
    for (const unsigned pack : {1U, 2U}) {
      if (clang) {
        compare(kernel_of("", body, pack), pack, *clang);
      }
    }
  }
}
