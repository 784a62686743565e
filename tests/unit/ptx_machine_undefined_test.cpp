// What only moves bits copies what is undefined of its operands: compilers put vectors together of registers that nothing has written, and
// look at the elements that they have.

#include <catch2/catch.hpp>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;

namespace {

/// %r2 has the thread's number in bytes 0 and 3, and nothing in the others.
const std::string vector_of_bytes = "bfi.b32 %r2, %r1, %r9, 8, 8;\nbfi.b32 %r2, %r3, %r2, 16, 8;\nbfi.b32 %r2, %r9, %r2, 24, 8;\n";
/// %r2 has it in its lower half.
const std::string lower_half = "cvt.u16.u32 %h0, %r9;\nmov.b32 %r2, {%h0, %h1};\n";

PtxRun run_bytes(const std::string& body) { return run_body(".reg .b16 %h<4>;\n" + body); }

/// What comes to `out` where `body` makes %r0 of it.
void check_number(const std::string& body, std::uint32_t (*expected)(std::uint32_t thread)) {
  const PtxRun run = run_bytes(body + "\nst.global.u32 [%rd8], %r0;");
  INFO(body << '\n' << run.fault());
  REQUIRE_FALSE(run.outcome.fault);
  for (std::uint32_t t = 0; t < 32; ++t) {
    CHECK((run.out[t] == expected(t)));
  }
}

void check_undefined(const std::string& body, const std::string& words) {
  const PtxRun run = run_bytes(body);
  INFO(body << '\n' << run.fault());
  REQUIRE(run.outcome.fault.has_value());
  CHECK((name_of(run.outcome.fault->kind) == "undefined-register"));
  CHECK_THAT(run.fault(), Contains(words));
}

/// The byte of %r0 that is computed with is undefined, or is not.
void check_bytes(const std::string& body, const std::string& undefined) {
  for (unsigned byte = 0; byte < 4; ++byte) {
    const std::string look = body + "\nbfe.u32 %r0, %r0, " + std::to_string(8 * byte) + ", 8;\nadd.u32 %r0, %r0, 1;";
    const PtxRun run = run_bytes(look);
    INFO(look << '\n' << run.fault());
    CHECK((run.outcome.fault.has_value() == (undefined[3 - byte] == 'u')));
  }
}

}  // namespace

TEST_CASE("bytes of a vector are looked at though others are undefined") {
  check_number(vector_of_bytes + "bfe.u32 %r0, %r2, 24, 8;", [](std::uint32_t t) { return t; });
  check_number(vector_of_bytes + "shr.u32 %r0, %r2, 24;", [](std::uint32_t t) { return t; });
  check_number(vector_of_bytes + "and.b32 %r0, %r2, 0xff0000ff;", [](std::uint32_t t) { return t << 24 | t; });
  check_number(vector_of_bytes + "or.b32 %r0, %r2, 0x00ffff00;", [](std::uint32_t t) { return t << 24 | 0xffff00 | t; });
  check_number(vector_of_bytes + "shl.b32 %r0, %r2, 24;", [](std::uint32_t t) { return t << 24; });
  check_number(vector_of_bytes + "cvt.s32.s8 %r0, %r2;", [](std::uint32_t t) { return t; });
  check_number(vector_of_bytes + "prmt.b32 %r0, %r2, %r4, 0x3003;", [](std::uint32_t t) { return t << 24 | t << 16 | t << 8 | t; });
  check_number(vector_of_bytes + "prmt.b32 %r0, %r4, %r2, 0x7474;", [](std::uint32_t t) { return t << 24 | t << 16 | t << 8 | t; });
  check_number(
      vector_of_bytes + "xor.b32 %r0, %r2, %r2;\nnot.b32 %r0, %r0;\nshf.l.wrap.b32 %r0, %r0, %r0, 8;\nprmt.b32 %r0, %r0, 0, 0x4441;",
      [](std::uint32_t) { return 0xffU; });
  check_number(lower_half + "add.u16x2 %r0, %r2, %r2;\ncvt.u32.u16 %r0, %r0;", [](std::uint32_t t) { return 2 * t; });
  check_number(lower_half + "setp.lt.u32 %p0, %r9, 9;\nselp.b32 %r0, %r2, %r3, %p0;\nselp.b32 %r0, %r0, 7, %p0;\nand.b32 %r0, %r0, 255;",
               [](std::uint32_t t) { return t < 9 ? t : 7; });
}

TEST_CASE("undefined bytes go where an instruction moves them, and nowhere else") {
  check_bytes("mov.b32 %r0, %r9;", "dddd");
  check_bytes(vector_of_bytes + "mov.b32 %r0, %r2;", "duud");
  check_bytes(vector_of_bytes + "shl.b32 %r0, %r2, 8;", "uudd");
  check_bytes(vector_of_bytes + "shl.b32 %r0, %r2, 4;", "uuud");
  check_bytes(vector_of_bytes + "shr.u32 %r0, %r2, 8;", "dduu");
  check_bytes(vector_of_bytes + "shl.b32 %r0, %r2, 8;\nshr.s32 %r0, %r0, 16;", "uuuu");
  check_bytes(vector_of_bytes + "shl.b32 %r0, %r2, 8;\nshr.u32 %r0, %r0, 16;", "dduu");
  check_bytes(vector_of_bytes + "bfi.b32 %r0, 5, %r2, 12, 8;", "duud");
  check_bytes(vector_of_bytes + "bfi.b32 %r0, 5, %r2, 8, 8;", "dudd");
  check_bytes(vector_of_bytes + "bfi.b32 %r0, %r1, 0, 4, 8;", "dduu");
  check_bytes(vector_of_bytes + "and.b32 %r0, %r2, 0x0f0;", "dddd");
  check_bytes(vector_of_bytes + "and.b32 %r0, %r2, 0x0f00;", "ddud");
  // Two undefined bytes of which either may be anything.
  check_bytes(vector_of_bytes + "xor.b32 %r4, %r2, %r9;\nxor.b32 %r0, %r4, %r2;", "duud");
  check_bytes(vector_of_bytes + "not.b32 %r4, %r2;\nand.b32 %r0, %r4, %r2;", "duud");
  check_bytes(vector_of_bytes + "lop3.b32 %r0, %r2, %r2, -1, 0x28;", "duud");
  check_bytes(vector_of_bytes + "brev.b32 %r0, %r2;", "duud");
  check_bytes(vector_of_bytes + "cvt.u32.u16 %r0, %r2;", "ddud");
  check_bytes(vector_of_bytes + "shf.l.wrap.b32 %r0, %r9, %r2, 8;", "uudd");
  check_bytes(vector_of_bytes + "prmt.b32.b4e %r0, %r2, %r9, 1;", "dddu");
  // Halves that are computed with are undefined altogether where one byte is.
  check_bytes(vector_of_bytes + "add.u16x2 %r0, %r2, %r9;", "uuuu");
  check_bytes(lower_half + "add.u16x2 %r0, %r2, %r9;", "uudd");
  check_bytes(lower_half + "min.s16x2 %r0, %r9, %r2;", "uudd");
  check_bytes(lower_half + "fma.rn.f16x2 %r0, %r2, %r9, %r9;", "uudd");
  check_bytes(lower_half + "neg.f16x2 %r0, %r2;", "uudd");
  check_bytes("cvt.u16.u32 %h0, %r9;\nmov.b32 %r2, {%h1, %h0};\nmul.rn.f16x2 %r0, %r2, %r9;", "dduu");
}

TEST_CASE("what is undefined is not computed with") {
  for (const char* use : {"add.u32 %r0, %r2, 1;", "mul.lo.u32 %r0, %r9, %r2;", "setp.eq.u32 %p0, %r2, 0;", "cvt.sat.u8.u32 %r0, %r2;",
                          "cvt.rn.f32.u32 %f0, %r2;", "popc.b32 %r0, %r2;", "shl.b32 %r0, 1, %r2;", "bfi.b32 %r0, %r9, %r9, %r2, 8;",
                          "prmt.b32 %r0, %r9, %r9, %r2;", "shfl.sync.idx.b32 %r0, %r2, 0, 31, -1;",
                          "cvt.u64.u32 %rd0, %r2;\nadd.u64 %rd0, %rd0, %rd9;\nst.global.u32 [%rd0], 1;",
                          "atom.global.add.u32 %r0, [%rd9], %r2;", "and.b32 %r0, %r2, 256;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra A;\nA:"}) {
    check_undefined(vector_of_bytes + use, "has no number: line 14 copies a register to it that has never been written");
  }
  check_undefined("cvt.u16.u32 %h0, %r9;\nmov.b32 %r2, {%h0, %h1};\nmov.b32 {%h2, %h3}, %r2;\nadd.u16 %h2, %h2, %h3;",
                  "the register %h3 is read, but has no number: line 15 copies a register to it");
  // Nothing of it at all was ever written.
  for (const char* use : {"and.b32 %r0, %r1, 255;", "xor.b32 %r0, %r9, %r1;", "not.b32 %r0, %r1;", "shl.b32 %r0, %r1, 8;",
                          "bfe.u32 %r0, %r1, 0, 8;", "cvt.u32.u16 %r0, %r1;", "cvt.u16.u32 %h0, %r1;", "lop3.b32 %r0, %r1, %r9, %r9, 1;",
                          "shf.r.wrap.b32 %r0, %r1, %r9, 8;", "add.u16x2 %r0, %r1, %r9;", "selp.b32 %r0, %r9, %r9, %p1;"}) {
    check_undefined(use, "1 is read, but has never been written");
  }
  // A half is no pair.
  check_undefined(vector_of_bytes + "{\n.reg .b16 %g;\nmov.b32 {%h0, %g}, %r2;\nadd.rn.f16 %h1, %h0, %h0;\n}",
                  "%h0 is read, but has no number");
}

TEST_CASE("nothing runs behind an undefined operand of a conversion into a wider register") {
  const PtxRun run = run_bytes(
      ".reg .b64 %w<2>;\n.reg .f32 %g<3>;\nmov.f32 %g0, 0f3f800000;\ncvt.rn.f16x2.f32 %w0, %g0, %g1;\nmov.u32 %r0, 7777;\n"
      "st.global.u32 [%rd8], %r0;");
  REQUIRE(run.outcome.fault.has_value());
  CHECK_THAT(run.fault(), Contains("%g1"));
  CHECK((run.out[0] != 7777));
}

TEST_CASE("of undefined operands the first one is told of") {
  const std::string loads =
      ".local .align 4 .b8 l[8];\nst.local.u8 [l], 1;\nst.local.u8 [l+4], 1;\nld.local.u32 %r0, [l];\nld.local.u32 %r1, [l+4];\n";
  CHECK_THAT(run_body(loads + "or.b32 %r2, %r0, %r1;\nadd.u32 %r2, %r2, 1;").fault(), Contains("line 16 loads byte 1 of 'l'"));
  CHECK_THAT(run_body(loads + "or.b32 %r2, %r1, %r0;\nadd.u32 %r2, %r2, 1;").fault(), Contains("line 17 loads byte 5 of 'l'"));
}

TEST_CASE("undefined bytes are stored with others that have a number") {
  const std::string vectors =
      ".reg .f32 %g<5>;\nmov.f32 %g1, 0f3F800000;\nmov.f32 %g2, %g1;\nmov.f32 %g3, %g1;\nshl.b32 %r0, %r9, 4;\n"
      "and.b32 %r0, %r0, 127;\ncvt.u64.u32 %rd0, %r0;\nadd.u64 %rd0, %rd0, %rd9;\n";
  const PtxLaunch one(1);
  CHECK_FALSE(run_body(vector_of_bytes + "st.global.u32 [%rd8], %r2;", one).outcome.fault);
  CHECK_FALSE(run_body(".reg .b16 %h<4>;\n" + lower_half + "st.global.u32 [%rd8], %r2;", one).outcome.fault);
  CHECK_FALSE(run_body(vectors + "st.global.v4.f32 [%rd0], {%g1, %g2, %g3, %g4};", one).outcome.fault);
  check_undefined(vectors + "st.global.v4.f32 [%rd0], {%g1, %g2, %g4, %g3};", "the register %g4 is read, but has never been written");
  check_undefined(vectors + "st.global.v2.f32 [%rd0], {%g1, %g4};", "%g4");
  check_undefined(vectors + "st.global.v8.f32 [%rd9], {%g1, %g2, %g3, %g4, %g1, %g1, %g1, %g1};", "%g4");
  check_undefined("mov.b64 %rd0, {%r1, %r3};\nst.global.u64 [%rd9], %rd0;",
                  "the register %rd0 is read, but has no number: line 14 copies a register to it that has never been written");
  check_undefined(vector_of_bytes + "shr.u32 %r0, %r2, 8;\nst.global.u16 [%rd8], %r0;", "%r0");
  // Of a register that is wider than what is stored only the bytes that are stored count.
  const std::string byte = "bfi.b32 %r2, %r1, %r9, 8, 24;\n";
  CHECK_FALSE(run_body(byte + "st.global.u32 [%rd8], %r2;", one).outcome.fault);
  CHECK_FALSE(run_body(byte + "mov.b64 %rd0, {%r2, %r1};\nst.global.u32 [%rd8], %rd0;", one).outcome.fault);
  check_undefined("mov.b64 %rd0, {%r1, %r9};\nst.global.u32 [%rd8], %rd0;", "%rd0");
  CHECK_FALSE(run_body(".local .b32 l;\nst.local.u32 [l], %r1;", one).outcome.fault);
  // Whoever reads such a byte there has none.
  CHECK_THAT(run_body(vector_of_bytes + "st.global.u32 [%rd8], %r2;\nld.global.u8 %r0, [%rd8+1];\nadd.u32 %r0, %r0, 1;", one).fault(),
             Contains("loads byte 1 of 'out', to which no number has been written"));
  CHECK_FALSE(
      run_body(vector_of_bytes + "st.global.u32 [%rd8], %r2;\nld.global.u8 %r0, [%rd8+3];\nadd.u32 %r0, %r0, 1;", one).outcome.fault);
}

TEST_CASE("threads of which some have all bytes") {
  // Those below 8 have all, those below 16 a hole, the others nothing.
  const std::string some =
      "setp.lt.u32 %p0, %r9, 8;\nsetp.lt.u32 %p1, %r9, 16;\n@%p1 bfi.b32 %r2, %r1, %r9, 8, 8;\n@%p0 mov.u32 %r2, %r9;\n";
  check_number(some + "mov.u32 %r0, 3;\n@%p1 and.b32 %r0, %r2, 15;", [](std::uint32_t t) { return t < 16 ? t : 3; });
  CHECK_THAT(run_body(some + "@%p1 add.u32 %r0, %r2, 1;").fault(), Contains("thread (8,0,0)"));
  CHECK_THAT(run_body(some + "and.b32 %r0, %r2, 15;").fault(), Contains("thread (16,0,0)"));
}
