// Every misuse of PTX is a diagnostic that names line, block and thread.

#include <catch2/catch.hpp>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using ptx_machine::FaultKind;

namespace {

/// The kind of the fault that the body ends in, and that its text has `words` in it.
void check_fault(FaultKind kind, const std::string& words, const PtxRun& run) {
  INFO(run.fault());
  REQUIRE(run.outcome.fault);
  CHECK(name_of(run.outcome.fault->kind) == name_of(kind));
  CHECK_THAT(run.fault(), Contains(words));
}

}  // namespace

TEST_CASE("a register that was never written cannot be used, but copied") {
  check_fault(FaultKind::UndefinedRegister, "the register %r1 is read, but has never been written (block (0,0,0), thread (0,0,0))",
              run_body("add.u32 %r0, %r1, 1;"));
  CHECK_FALSE(run_body("mov.u32 %r0, %r1;").outcome.fault);
  check_fault(FaultKind::UndefinedRegister, "%r0", run_body("mov.u32 %r0, %r1;\nst.global.u32 [%rd8], %r0;"));
  // Defined in some threads only.
  check_fault(FaultKind::UndefinedRegister, "thread (7,0,0)",
              run_body("setp.lt.u32 %p1, %r9, 7;\n@%p1 mov.u32 %r0, 1;\nadd.u32 %r1, %r0, 1;"));
}

TEST_CASE("a copy is defined where it was made from what is defined") {
  // Threads below 8 have a number in %r1, all have one in %r0.
  const std::string some = "mov.u32 %r0, 5;\nsetp.lt.u32 %p1, %r9, 8;\n@%p1 mov.u32 %r1, 7;\n";
  CHECK_FALSE(run_body(some + "@%p1 mov.u32 %r0, %r1;\nst.global.u32 [%rd8], %r0;").outcome.fault);
  check_fault(FaultKind::UndefinedRegister, "thread (8,0,0)", run_body(some + "mov.u32 %r0, %r1;\nst.global.u32 [%rd8], %r0;"));
  // The same of a whole block.
  PtxLaunch block(1024);
  block.out.resize(1024);
  const std::string most = "mov.u32 %r0, 5;\nsetp.lt.u32 %p1, %r9, 1000;\n@%p1 mov.u32 %r1, 7;\nmov.u32 %r0, %r1;\n";
  CHECK_FALSE(run_body(most + "@%p1 st.global.u32 [%rd8], %r0;", block).outcome.fault);
  check_fault(FaultKind::UndefinedRegister, "thread (1000,0,0)", run_body(most + "st.global.u32 [%rd8], %r0;", block));
  // Threads below 16 copy it, of which those below 8 have it; the others have nothing.
  check_fault(FaultKind::UndefinedRegister, "thread (16,0,0)",
              run_body(some + "setp.lt.u32 %p2, %r9, 16;\n@%p2 mov.u32 %r2, %r1;\n@!%p2 st.global.u32 [%rd8], %r2;"));
  // From a variable to a register that is a parameter.
  check_fault(
      FaultKind::UndefinedRegister, "the register x",
      run_text(kernel_text("{\n.param .b32 a;\ncall f, (a);\n}", ".func f(.reg .b32 x)\n{\n.reg .b32 %a;\nadd.u32 %a, x, 1;\nret;\n}\n")));
}

TEST_CASE("whatever reads a register wants it written") {
  for (const char* body : {"cvta.global.u64 %rd0, %rd1;",
                           "isspacep.global %p0, %rd1;",
                           "ld.global.u32 %r0, [%rd1];",
                           "st.global.u32 [%rd1], %r9;",
                           "st.global.u32 [%rd8], %r1;",
                           "st.global.v2.u32 [%rd9], {%r9, %r1};",
                           "atom.global.add.u32 %r0, [%rd1], 1;",
                           "atom.global.add.u32 %r0, [%rd9], %r1;",
                           "atom.global.cas.b32 %r0, [%rd9], 0, %r1;",
                           "@%p1 mov.u32 %r0, 1;",
                           "L: .branchtargets A;\nbrx.idx %r1, L;\nA:",
                           "P: .callprototype _ ();\ncall %rd1, P;",
                           "bar.sync %r1;",
                           "bar.sync 0, %r1;",
                           "bar.red.and.pred %p0, 0, %p1;",
                           "bar.warp.sync %r1;",
                           "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;",
                           "shfl.sync.idx.b32 %r0, %r9, %r1, 31, -1;",
                           "shfl.sync.idx.b32 %r0, %r9, 0, %r1, -1;",
                           "shfl.sync.idx.b32 %r0, %r9, 0, 31, %r1;",
                           "vote.sync.any.pred %p0, %p1, -1;",
                           "match.any.sync.b32 %r0, %r1, -1;",
                           "redux.sync.add.s32 %r0, %r1, -1;",
                           "fma.rn.f32 %f0, %f2, %f2, %f1;",
                           "selp.u32 %r0, %r9, %r9, %p1;"}) {
    INFO(body);
    const PtxRun run = run_body("mov.f32 %f2, 0f3F800000;\n" + std::string(body));
    REQUIRE(run.outcome.fault);
    CHECK(name_of(run.outcome.fault->kind) == "undefined-register");
    CHECK_THAT(run.fault(), Contains("1 is read, but has never been written"));
  }
}

TEST_CASE("the fault's text points at the instruction") {
  CHECK(run_text(kernel_text("trap;")).fault() ==
        "k.ptx:13:1: error: the kernel has come to a trap (block (0,0,0), thread (0,0,0))\n  trap;\n  ^^^^^\n");
}

TEST_CASE("accesses have to be inside, aligned and allowed") {
  check_fault(FaultKind::OutOfBounds, "byte 256 is outside of 'out', which has 256 bytes", run_body("ld.global.u32 %r0, [%rd9+256];"));
  check_fault(FaultKind::OutOfBounds, "byte -4 is outside of 'out'", run_body("ld.global.u32 %r0, [%rd9+-4];"));
  check_fault(FaultKind::OutOfBounds, "byte 256 is outside of 'out'", run_body("ld.global.v2.u32 {%r0, %r1}, [%rd9+256];"));
  check_fault(FaultKind::OutOfBounds, "nothing lies at the global address 0x0", run_body("mov.u64 %rd0, 0;\nld.global.u32 %r0, [%rd0];"));
  check_fault(FaultKind::OutOfBounds, "nothing lies at the shared address 0x0",
              run_body(".shared .u32 s;\nmov.u32 %r0, 0;\nld.shared.u32 %r1, [%r0];"));
  check_fault(FaultKind::Misaligned, "an access of 4 bytes at byte 2 of 'out' is not aligned", run_body("ld.global.u32 %r0, [%rd9+2];"));
  check_fault(FaultKind::Misaligned, "an access of 8 bytes at byte 4 of 'out'", run_body("ld.global.v2.u32 {%r0, %r1}, [%rd9+4];"));
  check_fault(FaultKind::OutOfBounds, "it is the generic address of 's', which lies in shared space",
              run_body(".shared .align 4 .b8 s[16];\nmov.u64 %rd0, s;\ncvta.shared.u64 %rd1, %rd0;\nld.global.u32 %r0, [%rd1];"));
  check_fault(FaultKind::Forbidden, "which nothing may write",
              run_text(kernel_text("mov.u64 %rd0, c;\ncvta.const.u64 %rd1, %rd0;\nst.u32 [%rd1], %r9;", ".const .align 4 .u32 c = 5;\n")));
}

TEST_CASE("atomic operations are for global and shared memory") {
  const std::string local = ".local .u32 l;\nst.local.u32 [l], 1;\nmov.u64 %rd0, l;\ncvta.local.u64 %rd0, %rd0;\n";
  check_fault(FaultKind::Forbidden, "'l' lies in local space, where there are no atomic operations",
              run_body(local + "atom.add.u32 %r0, [%rd0], 1;"));
  check_fault(FaultKind::Forbidden, "'l' lies in local space", run_body(local + "red.max.u32 [%rd0], 1;"));
}

TEST_CASE("bytes that were never written cannot be used") {
  // Where others have to write, nothing at all is there to be loaded.
  check_fault(FaultKind::UndefinedByte, "byte 8 of 's' is read, but has never been written",
              run_body(".shared .align 8 .b8 s[16];\nst.shared.u32 [s], %r9;\nld.shared.u32 %r0, [s+8];", PtxLaunch(1)));
  check_fault(FaultKind::UndefinedByte, "byte 6 of 's'",
              run_body(".shared .align 8 .b8 s[16];\nst.shared.u32 [s], %r9;\nst.shared.u16 [s+4], 1;\nld.shared.u64 %rd0, [s];\n"
                       "add.u64 %rd0, %rd0, 1;",
                       PtxLaunch(1)));
  check_fault(FaultKind::UndefinedByte, "byte 0 of 'l'",
              run_body(".local .align 4 .b8 l[8];\nst.local.u32 [l+4], 1;\nld.local.u32 %r0, [l];\nadd.u32 %r0, %r0, 1;"));
  // Of what another module may begin, only what begins here is known.
  const std::string other = ".extern .global .align 4 .u32 x[2] = {5};\n";
  CHECK_FALSE(run_text(kernel_text("ld.global.u32 %r0, [x];", other)).outcome.fault);
  check_fault(FaultKind::UndefinedByte, "byte 4 of 'x'", run_text(kernel_text("ld.global.u32 %r0, [x+4];", other)));
  // Shared memory is another one in each block.
  check_fault(
      FaultKind::UndefinedByte, "block (1,0,0)",
      run_body(".shared .u32 s;\nmov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 st.shared.u32 [s], 1;\nld.shared.u32 %r1, [s];",
               PtxLaunch(1, 2)));
  // Else the register has a hole, and whoever uses it is told where that comes from.
  const std::string hole = ".shared .align 8 .b8 s[16];\nst.shared.u32 [s], %r9;\nst.shared.u16 [s+4], 1;\nld.shared.u64 %rd0, [s];\n";
  CHECK_FALSE(run_body(hole, PtxLaunch(1)).outcome.fault);
  check_fault(
      FaultKind::UndefinedByte,
      "k.ptx:17:1: error: the register %rd0 is read, but has no number: line 16 loads byte 6 of 's', to which no number has been written",
      run_body(hole + "add.u64 %rd1, %rd0, 1;", PtxLaunch(1)));
  const std::string local = ".local .align 4 .b8 l[8];\nst.local.u32 [l+4], 1;\nld.local.u32 %r0, [l];\n";
  CHECK_FALSE(run_body(local).outcome.fault);
  check_fault(FaultKind::UndefinedByte, "line 15 loads byte 0 of 'l'", run_body(local + "setp.eq.u32 %p0, %r0, 0;"));
  check_fault(FaultKind::UndefinedByte, "line 15 loads byte 0 of 'l'",
              run_body(local + "mov.u32 %r1, %r0;\nmov.u32 %r2, %r1;\nnot.b32 %r3, %r2;"));
  check_fault(FaultKind::UndefinedByte, "the register %r0 is read", run_body(local + "atom.global.add.u32 %r1, [%rd8], %r0;"));
  // The sign of what is not there is not there; zeros above it are.
  check_fault(FaultKind::UndefinedByte, "byte 1 of 'l'",
              run_body(local + "st.local.u8 [l], 1;\nld.local.s16 %r1, [l];\nadd.u32 %r2, %r1, 1;"));
  // An atomic operation needs all of it.
  check_fault(FaultKind::UndefinedByte, "byte 2 of 's' is read, but has never been written",
              run_body(".shared .u32 s;\nst.shared.u16 [s], 1;\natom.shared.add.u32 %r0, [s], 1;", PtxLaunch(1)));
  // One thread adds to shared memory, of which the other half is not there, and the other one to a buffer.
  for (const char* first : {"0", "1"}) {
    const std::string apart = std::string(".shared .align 4 .b8 s[8];\nst.shared.u32 [s], 5;\nsetp.eq.u32 %p0, %r9, ") + first +
                              ";\nmov.u64 %rd0, s;\ncvta.shared.u64 %rd0, %rd0;\nselp.b64 %rd0, %rd0, %rd9, %p0;\n";
    PtxLaunch two(2);
    two.options.races = false;
    const PtxRun run = run_body(apart + "atom.add.u32 %r0, [%rd0], 3;\nst.global.u32 [%rd8+4], %r0;", two);
    INFO(first << run.fault());
    CHECK_FALSE(run.outcome.fault);
    CHECK(run.out[first[0] == '0' ? 1 : 2] == 5);
    CHECK(run.out[0] == 3);
    check_fault(FaultKind::UndefinedByte, "byte 4 of 's' is read, but has never been written",
                run_body(apart + "@%p0 add.u64 %rd0, %rd0, 4;\natom.add.u32 %r0, [%rd0], 3;", two));
  }
}

TEST_CASE("what is undefined of a structure is copied with it, byte by byte") {
  // {u8, u32}: bytes 1 to 3 are a hole.
  const std::string make =
      ".local .align 8 .b8 a[8];\n.local .align 8 .b8 b[8];\n.shared .align 8 .b8 s[256];\nmov.u32 %r8, s;\n"
      "mad.lo.u32 %r8, %r9, 8, %r8;\nmad.wide.u32 %rd7, %r9, 8, %rd9;\nst.local.u8 [a], %r9;\nst.local.u32 [a+4], 77;\n";
  const std::string take = "ld.local.u8 %r1, [b];\nld.local.u32 %r2, [b+4];\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%rd8], %r1;";
  for (const std::string copy :
       {"ld.local.u64 %rd0, [a];\nst.local.u64 [b], %rd0;\n", "ld.local.v2.u32 {%r0, %r1}, [a];\nst.local.v2.u32 [b], {%r0, %r1};\n",
        "ld.local.u64 %rd0, [a];\nmov.b64 %rd1, %rd0;\nmov.b64 {%r0, %r1}, %rd1;\nmov.b64 %rd2, {%r0, %r1};\nst.local.u64 [b], %rd2;\n",
        "ld.local.u64 %rd0, [a];\nst.shared.u64 [%r8], %rd0;\nld.shared.u64 %rd1, [%r8];\nst.local.u64 [b], %rd1;\n",
        "ld.local.u64 %rd0, [a];\nst.global.u64 [%rd7], %rd0;\nld.global.u64 %rd1, [%rd7];\nst.local.u64 [b], %rd1;\nbar.sync 0;\n",
        "ld.local.u8 %r0, [a+1];\nst.global.u8 [%rd7], %r0;\nld.global.u8 %r1, [%rd7];\nst.local.u8 [b+1], %r1;\nld.local.u64 %rd0, "
        "[a];\nst.local.u64 [b], %rd0;\nbar.sync 0;\n"}) {
    PtxLaunch launch(20);
    launch.options.races = true;
    const PtxRun run = run_body(make + copy + take, launch);
    INFO(copy << run.fault());
    REQUIRE_FALSE(run.outcome.fault);
    bool right = true;
    for (std::uint32_t t = 0; t < 20; ++t) {
      right = right && run.out[t] == t + 77;
    }
    CHECK(right);
    // The hole is there still, wherever it went.
    check_fault(FaultKind::UndefinedByte, "byte 2 of 'b', to which no number has been written",
                run_body(make + copy + take + "\nld.local.u8 %r3, [b+2];\nadd.u32 %r3, %r3, 1;", launch));
  }
  // A register that was never written is stored where its thread alone can see it.
  CHECK_FALSE(run_body(make + "st.local.u32 [b], %r0;").outcome.fault);
  check_fault(FaultKind::UndefinedByte, "line 22 loads byte 0 of 'b'",
              run_body(make + "st.local.u32 [b], %r0;\nld.local.u32 %r1, [b];\nnot.b32 %r1, %r1;"));
  check_fault(FaultKind::UndefinedRegister, "%r0", run_body(make + "st.shared.u32 [%r8], %r0;"));
  // A number over the hole, and an old hole behind a number.
  CHECK_FALSE(run_body(make + "ld.local.u64 %rd0, [a];\nmov.u64 %rd0, 5;\nadd.u64 %rd0, %rd0, 1;").outcome.fault);
  check_fault(FaultKind::UndefinedRegister, "the register %rd0 is read, but has never been written",
              run_body(make + "ld.local.u64 %rd0, [a];\nmov.u64 %rd0, 5;\nmov.u64 %rd0, %rd1;\nadd.u64 %rd0, %rd0, 1;"));
}

TEST_CASE("members of a mask have to come") {
  const std::string shuffle = "shfl.sync.idx.b32 %r0, %r9, 0, 31, -1;\n";
  check_fault(FaultKind::MissingMember, "lane 3 of the mask 0xffffffff has ended",
              run_body("setp.eq.u32 %p0, %r9, 3;\n@%p0 exit;\n" + shuffle));
  check_fault(FaultKind::MissingMember, "has lane 16, but the block has no such thread", run_body(shuffle, PtxLaunch(16)));
  check_fault(FaultKind::NotInMask, "lane 1 of its warp, is not in its own mask 0x00000001",
              run_body("shfl.sync.idx.b32 %r0, %r9, 0, 31, 1;"));
  check_fault(FaultKind::UnequalMasks, "but lane 16 of it waits at line",
              run_body("setp.lt.u32 %p0, %r9, 16;\nselp.b32 %r1, 0xffffffff, 0xffff0001, %p0;\nshfl.sync.idx.b32 %r0, %r9, 0, 31, %r1;"));
  check_fault(FaultKind::MissingMember, "has come to another operation",
              run_body("setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\nvote.sync.ballot.b32 %r0, %p0, -1;\nbra B;\nA: " + shuffle + "B:"));
  check_fault(FaultKind::MissingMember, "lane 3 of the mask 0xffffffff has ended, and never comes here",
              run_body("setp.eq.u32 %p0, %r9, 3;\n@%p0 bra X;\n" + shuffle + "bra B;\nX: exit;\nB:"));
  // Waits for a thread that waits at a barrier of the block.
  check_fault(FaultKind::MissingMember, "never comes here: it waits at line",
              run_body("setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\nbar.sync 0;\nbra B;\nA: " + shuffle + "B:"));
}

TEST_CASE("barriers are for all threads") {
  check_fault(FaultKind::MissingMember, "barrier 0 waits for 32 threads, of which 31 have come; 1 thread has ended",
              run_body("setp.eq.u32 %p0, %r9, 31;\n@%p0 exit;\nbar.sync 0;"));
  check_fault(FaultKind::DivergentBarrier, "threads of one warp have come to barrier 0 in different places",
              run_body("setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\nbar.sync 0;\nbra B;\nA: bar.sync 0;\nB:"));
  // Also those who do not wait.
  const std::string first_warp =
      "setp.lt.u32 %p0, %r9, 32;\nsetp.lt.u32 %p1, %r9, 16;\n@!%p0 bra S;\n@%p1 bra A;\nbar.arrive 0, 64;\nbra B;\n";
  check_fault(FaultKind::DivergentBarrier, "threads of one warp have come to barrier 0 in different places",
              run_body(first_warp + "A: bar.arrive 0, 64;\nbra B;\nS: bar.sync 0, 64;\nB:", PtxLaunch(64)));
  check_fault(FaultKind::DivergentBarrier, "threads of one warp have come to barrier 0 in different places",
              run_body(first_warp + "A: bar.sync 0, 64;\nbra B;\nS: bar.sync 0, 64;\nB:", PtxLaunch(64)));
  CHECK_FALSE(run_body("setp.lt.u32 %p0, %r9, 32;\nsetp.lt.u32 %p1, %r9, 16;\n@!%p0 bra S;\n@%p1 bra A;\nbarrier.arrive 0, 64;\nbra B;\n"
                       "A: barrier.arrive 0, 64;\nbra B;\nS: bar.sync 0, 64;\nB:",
                       PtxLaunch(64))
                  .outcome.fault);
  check_fault(FaultKind::DivergentBarrier, "of which 16 have come; 16 threads wait at",
              run_body("setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\nbar.sync 0;\nbra B;\nA: bar.sync 1;\nB:"));
  check_fault(FaultKind::BarrierMismatch, "there is no barrier 16", run_body("mov.u32 %r0, 16;\nbar.sync %r0;"));
  check_fault(FaultKind::BarrierMismatch, "cannot wait for 33 threads", run_body("mov.u32 %r0, 33;\nbar.sync 0, %r0;"));
  // A barrier is of bar.red for all, or for none.
  const std::string halves =
      "setp.lt.u32 %p0, %r9, 32;\nsetp.ne.u32 %p1, %r9, 40;\n@%p0 bra A;\nbar.red.and.pred %p2, 1, 64, %p1;\nbra B;\nA: ";
  check_fault(FaultKind::BarrierMismatch, "some threads come to barrier 1 with bar.red, and others without",
              run_body(halves + "bar.sync 1, 64;\nB:", PtxLaunch(64)));
  check_fault(FaultKind::BarrierMismatch, "with bar.red, and others without", run_body(halves + "bar.arrive 1, 64;\nB:", PtxLaunch(64)));
  CHECK_FALSE(run_body(halves + "bar.red.and.pred %p2, 1, 64, %p1;\nB:\nbar.sync 1, 64;", PtxLaunch(64)).outcome.fault);
  // Two warps by halves of the program: each barrier has its own.
  CHECK_FALSE(
      run_body("setp.lt.u32 %p0, %r9, 32;\n@%p0 bra A;\nbar.sync 1, 64;\nbra B;\nA: bar.arrive 1, 64;\nB:", PtxLaunch(64)).outcome.fault);
}

TEST_CASE("calls, branches and limits") {
  check_fault(FaultKind::BadCall, "is not the address of a function",
              run_body("P: .callprototype _ ();\nmov.u64 %rd0, 64;\ncall %rd0, P;"));
  check_fault(FaultKind::BranchIndex, "the index 2 is outside of the list of 2 targets",
              run_body("L: .branchtargets A, B;\nmov.u32 %r0, 2;\nbrx.idx %r0, L;\nA:\nB:"));
  check_fault(FaultKind::StepLimit, "the step limit of 100000 is reached (--max-steps)", run_body("A: bra A;"));
  check_fault(FaultKind::DepthLimit, "calls inside of each other", run_text(kernel_text("call f;", ".func f() { call f; ret; }\n")));
  PtxLaunch small;
  small.options.frame_memory = 1000;
  check_fault(FaultKind::MemoryLimit, "take more than 1000 bytes (--frame-memory)", run_body("", small));
  small.options.frame_memory = 0;
  check_fault(FaultKind::MemoryLimit, "take more than 0 bytes (--frame-memory)", run_body("", small));
  CHECK_THROWS_WITH(run_body("", PtxLaunch(1025)), Contains("a block of 1025 threads"));
  // Of these products the low 64 bits are 0, and 32.
  PtxLaunch large;
  large.options.geometry.grid = {1U << 21, 1U << 21, 1U << 22};
  CHECK_THROWS_WITH(run_body("", large), Contains("a grid of 2097152,2097152,4194304 blocks"));
  large.options.geometry.grid = {1U << 20, 1U << 21, 1U << 22};
  CHECK_THROWS_WITH(run_body("", large), Contains("a grid of 1048576,2097152,4194304 blocks"));
  large.options.geometry = {{1, 1, 1}, {271968, 37171, 1824726041}};
  CHECK_THROWS_WITH(run_body("", large), Contains("it can have 1 to 1024"));
  // No room for who has touched which of the buffer's 256 bytes.
  PtxLaunch narrow;
  narrow.options.memory_limit = 600;
  CHECK_THROWS_WITH(run_body("", narrow), Contains("the launch takes more than 600 bytes of memory (--memory-limit)"));
  narrow.options.races = false;
  CHECK_FALSE(run_body("", narrow).outcome.fault);
}
