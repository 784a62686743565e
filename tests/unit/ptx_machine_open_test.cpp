// Results that PTX leaves open are followed on every way that a number can take: through registers, functions and other threads.

#include <catch2/catch.hpp>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using ptx_machine::OpenResult;

namespace {

/// %f1, %r1 and %rd1 depend on an approximation; %p1 on whether it is less than 0.
const std::string approximation =
    "cvt.rn.f32.u32 %f0, %r9;\nsin.approx.f32 %f1, %f0;\nsetp.lt.f32 %p1, %f1, 0f00000000;\ncvt.rzi.u32.f32 %r1, %f1;\ncvt.u64.u32 %rd1, "
    "%r1;\n";

std::vector<OpenResult> open(const std::string& body, const std::string& above = "") {
  const PtxRun run = run_text(kernel_text(approximation + body, above), PtxLaunch(1));
  INFO(body << "\n" << run.fault());
  CHECK_FALSE(run.outcome.fault);
  return run.outcome.open;
}

/// Whether the one thing that is told is of that kind, and of the line of the approximation.
bool is_told(const std::vector<OpenResult>& results, OpenResult::What what, std::uint32_t line = 14) {
  return results.size() == 1 && results[0].what == what && results[0].origin == line;
}

}  // namespace

TEST_CASE("what is open reaches memory by every kind of copy") {
  for (const char* body : {
           "mov.f32 %f2, %f1;\nst.global.f32 [%rd8], %f2;",
           "mov.b64 %rd2, {%r1, %r9};\nst.global.u64 [%rd9], %rd2;",
           "mov.b64 %rd2, {%r9, %r1};\nst.global.u64 [%rd9], %rd2;",
           "mov.b64 {%r2, %r3}, %rd1;\nst.global.u32 [%rd8], %r3;",
           "cvta.to.global.u64 %rd2, %rd1;\nst.global.u64 [%rd9], %rd2;",
           "isspacep.global %p2, %rd1;\nselp.u32 %r2, 1, 0, %p2;\nst.global.u32 [%rd8], %r2;",
           "selp.u32 %r2, 1, 0, %p1;\nst.global.u32 [%rd8], %r2;",
           "cvt.f64.f32 %rd2, %rd1;\nst.global.u64 [%rd9], %rd2;",
           "fma.rn.f32 %f2, %f0, %f0, %f1;\nst.global.f32 [%rd8], %f2;",
           "st.global.v2.u32 [%rd9], {%r9, %r1};",
           "red.global.add.u32 [%rd9], %r1;",
           "atom.global.cas.b32 %r2, [%rd9], 5, %r1;",
           "bar.red.and.pred %p2, 0, %p1;\nselp.u32 %r2, 1, 0, %p2;\nst.global.u32 [%rd8], %r2;",
           "vote.sync.any.pred %p2, %p1, 1;\nselp.u32 %r2, 1, 0, %p2;\nst.global.u32 [%rd8], %r2;",
           ".shared .u32 s;\nst.shared.u32 [s], %r1;\nld.shared.u32 %r2, [s];\nst.global.u32 [%rd8], %r2;",
       }) {
    INFO(body);
    CHECK(is_told(open(body), OpenResult::What::Stored));
  }
}

TEST_CASE("what is open goes into functions and comes back") {
  const std::string registers = ".func (.reg .b32 y) f(.reg .b32 x)\n{\nadd.u32 y, x, 1;\nret;\n}\n";
  CHECK(is_told(open("call (%r2), f, (%r1);\nst.global.u32 [%rd8], %r2;", registers), OpenResult::What::Stored, 14 + 5));
  CHECK(open("call (%r2), f, (%r9);\nst.global.u32 [%rd8], %r2;", registers).empty());
  const std::string variables =
      ".func (.param .b32 y) f(.param .b32 x)\n{\n.reg .b32 %a;\nld.param.b32 %a, [x];\nadd.u32 %a, %a, 1;\nst.param.b32 [y], "
      "%a;\nret;\n}\n";
  CHECK(is_told(open("{\n.param .b32 a; .param .b32 r;\nst.param.b32 [a], %r1;\ncall (r), f, (a);\nld.param.b32 %r2, [r];\n}\n"
                     "st.global.u32 [%rd8], %r2;",
                     variables),
                OpenResult::What::Stored, 14 + 8));
}

TEST_CASE("what is open in a block's shared memory is not so in the next one's") {
  const PtxRun run =
      run_text(kernel_text(".shared .b32 s;\nmov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\nmov.u32 %r1, %clock;\n"
                           "@!%p0 bra B;\nst.shared.u32 [s], %r1;\nret;\nB:\nst.shared.u32 [s], 5;\nld.shared.u32 %r2, [s];\n"
                           "st.global.u32 [%rd8], %r2;"),
               PtxLaunch(1, 2));
  CHECK(run.out[0] == 5);
  CHECK(run.outcome.open.empty());
}

TEST_CASE("what is open decides, or is an address") {
  CHECK(is_told(open("L: .branchtargets A, B;\nand.b32 %r2, %r1, 1;\nbrx.idx %r2, L;\nA:\nB:"), OpenResult::What::Decided));
  CHECK(is_told(open("@%p1 bra A;\nA:"), OpenResult::What::Decided));
  CHECK(is_told(open("and.b64 %rd2, %rd1, 4;\nadd.u64 %rd2, %rd2, %rd9;\nld.global.u32 %r2, [%rd2];"), OpenResult::What::Address));
}

TEST_CASE("a special register that PTX leaves open is so in parts, too") {
  for (const char* body : {
           "mov.b64 {%r2, %r3}, %clock64;\nst.global.u32 [%rd8], %r3;",
           "mov.b64 %rd2, {%smid, %r9};\nst.global.u64 [%rd9], %rd2;",
           "mov.v2.b32 {%r2, %r3}, {%r9, %smid};\nst.global.u32 [%rd8], %r3;",
       }) {
    INFO(body);
    const PtxRun run = run_text(kernel_text(body), PtxLaunch(1));
    CHECK(is_told(run.outcome.open, OpenResult::What::Stored, 13));
  }
}

TEST_CASE("which threads happen to be active together is open, and nothing else has to be for that") {
  const auto open_of = [](const std::string& body) { return run_body(body + "\nst.global.u32 [%rd8], %r2;", PtxLaunch(32)).outcome.open; };
  CHECK(is_told(open_of("activemask.b32 %r2;"), OpenResult::What::Stored, 13));
  CHECK(open_of("setp.lt.u32 %p0, %r9, 5;\nvote.sync.ballot.b32 %r2, %p0, -1;").empty());
}

TEST_CASE("what is open goes from thread to thread, also where they come to it in different places, or one after the other") {
  // The first half has the approximation, and the other half stores what it gets of it.
  const std::string apart =
      "setp.lt.u32 %p2, %r9, 16;\nmov.u32 %r3, %r9;\n@!%p2 bra B;\ncvt.rn.f32.u32 %f0, %r9;\nsin.approx.f32 %f1, %f0;\nmov.b32 %r3, %f1;\n"
      "shfl.sync.bfly.b32 %r2, %r3, 16, 31, -1;\nret;\nB:\nshfl.sync.bfly.b32 %r2, %r3, 16, 31, -1;\nst.global.u32 [%rd8], %r2;";
  // The first warp has the approximation, and the other one stores how many threads have a sine below 0.
  const auto barrier = [](const std::string& reader) {
    return "setp.lt.u32 %p2, %r9, 32;\nsetp.gt.u32 %p1, %r9, 40;\n@!%p2 bra B;\ncvt.rn.f32.u32 %f0, %r9;\nsin.approx.f32 %f1, %f0;\n"
           "setp.lt.f32 %p1, %f1, 0f00000000;\nB:\nbar.red.popc.u32 %r2, 0, %p1;\nsetp.lt.u32 %p2, %r9, 32;\n" +
           reader + "st.global.u32 [%rd8], %r2;";
  };
  for (const auto schedule :
       {ptx_machine::Schedule::LowestPc, ptx_machine::Schedule::Stack, ptx_machine::Schedule::Fair, ptx_machine::Schedule::Random}) {
    INFO(static_cast<int>(schedule));
    PtxLaunch one_warp(32);
    one_warp.options.schedule = schedule;
    CHECK(is_told(run_text(kernel_text(apart), one_warp).outcome.open, OpenResult::What::Stored, 17));
    PtxLaunch two_warps(64);
    two_warps.options.schedule = schedule;
    CHECK(is_told(run_text(kernel_text(barrier("@%p2 ret;\n")), two_warps).outcome.open, OpenResult::What::Stored, 17));
    CHECK(is_told(run_text(kernel_text(barrier("")), two_warps).outcome.open, OpenResult::What::Stored, 17));
  }
}
