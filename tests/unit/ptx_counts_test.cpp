// What the PTX machine counts of a launch: worked out by hand.

#include <catch2/catch.hpp>
#include <numeric>

#include "interpreter/ptx/live_registers.hpp"
#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using ptx_machine::AccessCount;
using ptx_machine::Counts;
using ptx_machine::IssueClass;

namespace {

Counts counts_of(const std::string& text, std::uint32_t threads = 32, std::size_t numbers = 64) {
  PtxLaunch launch(threads);
  launch.options.counts = true;
  launch.out.resize(numbers);
  const PtxRun run = run_text(text, launch);
  INFO(run.fault());
  REQUIRE_FALSE(run.outcome.fault);
  return run.outcome.counts.value();
}

Counts counts_of_body(const std::string& body, std::uint32_t threads = 32, std::size_t numbers = 64) {
  return counts_of(kernel_text(body), threads, numbers);
}

void check(const AccessCount& count, std::uint64_t instructions, std::uint64_t bytes, std::uint64_t transactions) {
  CHECK(count.instructions == instructions);
  CHECK(count.bytes == bytes);
  CHECK(count.transactions == transactions);
}

}  // namespace

TEST_CASE("instructions are counted for each warp that has threads there") {
  // 40 threads are two warps; those from 36 on, of the second one, go another way.
  const Counts counts = counts_of_body(
      "setp.gt.u32 %p0, %r9, 35;\n@%p0 bra A;\nadd.u32 %r0, %r9, 1;\nA: mul.rn.f32 %f0, 0f40000000, 0f40000000;\n@%p0 div.rn.f32 %f1, %f0, "
      "%f0;",
      40);
  CHECK(counts.of(IssueClass::Compare) == 2);
  CHECK(counts.of(IssueClass::Integer) == 2 + 2);  // with the multiplication in front of the body
  CHECK(counts.of(IssueClass::Control) == 2 + 2);  // and the end
  CHECK(counts.of(IssueClass::Float) == 2);
  CHECK(counts.of(IssueClass::DivideFloat) == 2);  // issued also where the guard holds nowhere
  CHECK(counts.of(IssueClass::Parameter) == 2);
  CHECK(counts.of(IssueClass::Move) == 2);
}

TEST_CASE("classes go by unit and width") {
  const Counts counts = counts_of_body(
      "mov.b64 %rd0, 5;\nadd.u64 %rd1, %rd0, %rd0;\nsetp.eq.u64 %p0, %rd1, %rd0;\nselp.b64 %rd2, %rd0, %rd1, %p0;\nselp.b32 %r0, 1, 2, "
      "%p0;\n"
      "not.pred %p1, %p0;\ncvt.rn.f32.u32 %f0, %r0;\nsqrt.rn.f32 %f1, %f0;\nrem.u32 %r1, %r0, 7;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
      "vote.sync.ballot.b32 %r3, %p0, -1;\nbar.warp.sync -1;\nbar.sync 0;\nred.global.add.u32 [%rd9], 1;");
  for (const IssueClass one :
       {IssueClass::Integer64, IssueClass::Compare, IssueClass::Select64, IssueClass::Select, IssueClass::Predicate, IssueClass::Convert,
        IssueClass::DivideFloat, IssueClass::DivideInteger, IssueClass::Shuffle, IssueClass::Vote, IssueClass::Atomic}) {
    INFO(ptx_machine::name_of(one));
    CHECK(counts.of(one) == 1);
  }
  CHECK(counts.of(IssueClass::Meeting) == 2);
}

TEST_CASE("accesses to global memory touch sectors of 32 bytes") {
  SECTION("side by side") {
    const Counts counts = counts_of_body("ld.global.u32 %r0, [%rd8];\nst.global.u32 [%rd8], %r0;");
    check(counts.global.loads, 1, 128, 4);
    check(counts.global.stores, 1, 128, 4);
    CHECK(counts.global.loads.lines == 1);
    CHECK(counts.sectors_read == 4);
    CHECK(counts.sectors_written == 4);
  }
  SECTION("the same for all, twice") {
    const Counts counts = counts_of_body("ld.global.u32 %r0, [%rd9];\nld.global.u32 %r1, [%rd9+4];", 64);
    check(counts.global.loads, 4, 512, 4);
    CHECK(counts.global.loads.lines == 4);  // two loads of two warps
    CHECK(counts.sectors_read == 1);
    CHECK(counts.sectors_written == 0);
  }
  SECTION("a sector for each") {
    const Counts counts = counts_of_body("mad.wide.u32 %rd0, %r9, 32, %rd9;\nst.global.v2.u32 [%rd0+8], {%r9, %r9};", 32, 256);
    check(counts.global.stores, 1, 256, 32);
    CHECK(counts.global.stores.lines == 8);
    CHECK(counts.global.loads.lines == 0);
    CHECK(counts.sectors_written == 32);
  }
  SECTION("a line for each, and sectors that lie in two") {
    const Counts counts = counts_of_body("mad.wide.u32 %rd0, %r9, 160, %rd9;\nst.global.u32 [%rd0], %r9;", 32, 2048);
    check(counts.global.stores, 1, 128, 32);
    CHECK(counts.global.stores.lines == 32);
    const Counts both = counts_of_body("mad.wide.u32 %rd0, %r9, 4, %rd9;\nst.global.u32 [%rd0+64], %r9;", 32, 64);
    check(both.global.stores, 1, 128, 4);
    CHECK(both.global.stores.lines == 2);
  }
  SECTION("only those for which the guard holds") {
    const Counts counts = counts_of_body("setp.lt.u32 %p0, %r9, 9;\n@%p0 st.global.u32 [%rd8], 1;");
    check(counts.global.stores, 1, 36, 2);
  }
}

TEST_CASE("what a warp reads again is counted by what it has touched since") {
  const Counts counts = counts_of_body(
      "ld.global.u32 %r0, [%rd9];\nld.global.u32 %r0, [%rd9+4];\nld.global.u32 %r0, [%rd9+32];\nld.global.u32 %r0, [%rd9];\n"
      "st.global.u32 [%rd9], %r0;");
  CHECK(counts.again[1] == 1);  // at once
  CHECK(counts.again[2] == 1);  // with one sector in between; stores do not count
  CHECK(std::accumulate(counts.again.begin(), counts.again.end(), std::uint64_t{0}) == 2);
}

TEST_CASE("accesses to shared memory take as many passes as a bank has words to give") {
  const auto body = [](const std::string& access) {
    return kernel_text(".shared .align 16 .b8 s[4096];\nmov.u64 %rd0, s;\ncvt.u64.u32 %rd1, %r9;\n" + access);
  };
  const auto stores = [](const Counts& counts) { return counts.shared.stores.transactions; };
  CHECK(stores(counts_of(body("mad.lo.u64 %rd0, %rd1, 4, %rd0;\nst.shared.u32 [%rd0], %r9;"))) == 1);
  CHECK(stores(counts_of(body("mad.lo.u64 %rd0, %rd1, 8, %rd0;\nst.shared.u32 [%rd0], %r9;"))) == 2);
  CHECK(stores(counts_of(body("mad.lo.u64 %rd0, %rd1, 128, %rd0;\nst.shared.u32 [%rd0], %r9;"))) == 32);
  CHECK(stores(counts_of(body("mad.lo.u64 %rd0, %rd1, 8, %rd0;\nst.shared.u64 [%rd0], %rd1;"))) == 2);  // two words a bank
  CHECK(stores(counts_of(body("mad.lo.u64 %rd0, %rd1, 16, %rd0;\nst.shared.v2.u64 [%rd0], {%rd1, %rd1};"))) == 4);
  const Counts broadcast = counts_of(body("st.shared.u32 [%rd0], 7;\nbar.sync 0;\nld.shared.u32 %r0, [%rd0];"));
  check(broadcast.shared.loads, 1, 128, 1);
}

TEST_CASE("words of local memory lie side by side for the threads of a warp") {
  const Counts counts = counts_of_body(
      ".local .align 8 .b8 l[64];\nmov.u64 %rd0, 7;\nst.local.u32 [l+8], %r9;\nst.local.u64 [l+16], %rd0;\nld.local.u32 %r0, [l+8];");
  check(counts.local.stores, 2, 128 + 256, 4 + 8);
  check(counts.local.loads, 1, 128, 4);
  CHECK(counts.local.loads.lines == 1);
  CHECK(counts.local.stores.lines == 1 + 2);
}

TEST_CASE("registers are live from where they are written to where they are last read") {
  const auto live = [](const std::string& body) {
    const PtxRun run = run_body(body);
    return ptx_machine::most_live(*run.module.function("k"));
  };
  // In front of the body %rd9 and %r9 are written, and %rd8 takes the place of what it is made of: 2 + 1.
  CHECK(live("").words == 3);
  // %rd8 and %r9 live on: with %r0 to %r2 these are 2 + 1 + 3.
  CHECK(live("mov.u32 %r0, 1;\nmov.u32 %r1, 2;\nmov.u32 %r2, 3;\nadd.u32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, %r2;\nadd.u32 %r0, %r0, %r9;\n"
             "st.global.u32 [%rd8], %r0;")
            .words == 6);
  // What a loop reads at its beginning is live at its end: %r0, %r1, %r9, and %rd8.
  const auto loop = live(
      "mov.u32 %r0, 0;\nmov.u32 %r1, 3;\nA: add.u32 %r0, %r0, %r9;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra A;\n"
      "st.global.u32 [%rd8], %r0;");
  CHECK(loop.words == 5);
  CHECK(loop.predicates == 1);
  // %r1 lives through all ways between where it is written and where it is read, also where nothing has to do with it; nobody reads %r2.
  CHECK(live("mov.u32 %r1, 9;\nmov.u32 %r2, 9;\nsetp.eq.u32 %p0, %r9, 1;\n@%p0 bra B;\nA: setp.eq.u32 %p0, %r9, 2;\n@%p0 bra D;\nbra A;\n"
             "B: mov.u64 %rd1, 1;\nmov.u64 %rd2, 2;\nst.global.u64 [%rd8], %rd1;\nst.global.u64 [%rd8], %rd2;\nbra A;\n"
             "D: st.global.u32 [%rd8], %r1;")
            .words == 8);
  // A guarded write keeps what was there: %r1 lives beside %r0, %r9 and %rd8.
  CHECK(live("mov.u32 %r1, 9;\nmov.u32 %r0, 4;\nsetp.eq.u32 %p0, %r9, 1;\n@%p0 mov.u32 %r1, %r0;\nadd.u32 %r0, %r0, %r9;\nadd.u32 %r1, "
             "%r1, %r0;\n"
             "st.global.u32 [%rd8], %r1;")
            .words == 5);
}
