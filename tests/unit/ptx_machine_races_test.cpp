// Races of PTX kernels are found, and nothing else is taken for one.

#include <catch2/catch.hpp>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using ptx_machine::OpenResult;
using ptx_machine::Schedule;

namespace {

/// The number of races, which is 0 under all schedules or under none.
std::uint64_t races(const std::string& body, const PtxLaunch& launch = PtxLaunch()) {
  const PtxRun run = run_body(body, launch);
  CHECK(run.fault().empty());
  const std::uint64_t count = run.outcome.race_count;
  for (const Schedule schedule : {Schedule::Stack, Schedule::Fair, Schedule::Random}) {
    PtxLaunch under = launch;
    under.options.schedule = schedule;
    CHECK((run_body(body, under).outcome.race_count == 0) == (count == 0));
  }
  return count;
}

const std::string shared = ".shared .align 4 .b8 s[512];\nmov.u32 %r0, s;\nmad.lo.u32 %r1, %r9, 4, %r0;\nst.shared.u32 [%r1], %r9;\n";

}  // namespace

TEST_CASE("both sides of a race are named") {
  const PtxRun run = run_body(shared + "ld.shared.u32 %r2, [s];", PtxLaunch(2));
  REQUIRE(run.outcome.races.size() == 1);
  CHECK(render(run.module, run.outcome.races[0]) ==
        "k.ptx:17:1: warning: race: nothing orders two accesses to byte 0 of 's'; one reads it here (block (0,0,0), thread (1,0,0))\n"
        "  ld.shared.u32 %r2, [s];\n  ^^^^^^^^^^^^^^^^^^^^^^^\n"
        "k.ptx:16:1: note: the other one writes it here (block (0,0,0), thread (0,0,0))\n"
        "  st.shared.u32 [%r1], %r9;\n  ^^^^^^^^^^^^^^^^^^^^^^^^^\n");
  CHECK(run.outcome.race_count == 4);  // bytes
}

TEST_CASE("a race is a fault where it is asked to be one, and where there is none that came first") {
  PtxLaunch strict(2);
  strict.options.strict = true;
  const std::string race = shared + "ld.shared.u32 %r2, [s];\n";
  REQUIRE(run_body(race, strict).outcome.fault);
  CHECK(name_of(run_body(race, strict).outcome.fault->kind) == name_of(ptx_machine::FaultKind::Race));
  REQUIRE(run_body(race + "trap;", strict).outcome.fault);
  CHECK(name_of(run_body(race + "trap;", strict).outcome.fault->kind) == name_of(ptx_machine::FaultKind::Trap));
  CHECK_FALSE(run_body(shared, strict).outcome.fault);
  CHECK_FALSE(run_body(race, PtxLaunch(2)).outcome.fault);
}

TEST_CASE("what orders accesses of a block") {
  const std::string neighbour = "xor.b32 %r2, %r9, 1;\nmad.lo.u32 %r3, %r2, 4, %r0;\nld.shared.u32 %r4, [%r3];\n";
  CHECK(races(shared + neighbour) > 0);
  CHECK(races(shared + "bar.sync 0;\n" + neighbour) == 0);
  CHECK(races(shared + "bar.warp.sync -1;\n" + neighbour) == 0);
  CHECK(races(shared + "membar.cta;\n" + neighbour) > 0);
  // Pairs of threads have barriers of their own.
  CHECK(races(shared + "and.b32 %r5, %r9, 30;\nmov.u32 %r6, 3;\nshl.b32 %r5, %r6, %r5;\nbar.warp.sync %r5;\n" + neighbour) == 0);
  // A barrier of the warp orders nothing with other warps.
  const std::string other_warp = "xor.b32 %r2, %r9, 32;\nmad.lo.u32 %r3, %r2, 4, %r0;\nld.shared.u32 %r4, [%r3];\n";
  CHECK(races(shared + "bar.warp.sync -1;\n" + other_warp, PtxLaunch(64)) > 0);
  CHECK(races(shared + "bar.sync 0;\n" + other_warp, PtxLaunch(64)) == 0);
  CHECK(races(shared + "bar.sync 3, 64;\n" + other_warp, PtxLaunch(64)) == 0);
}

TEST_CASE("nothing orders blocks") {
  CHECK(races("st.global.u32 [%rd8], %r9;", PtxLaunch(4, 2)) > 0);
  CHECK(races("ld.global.u32 %r0, [%rd8];", PtxLaunch(4, 2)) == 0);
  CHECK(races("mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 st.global.u32 [%rd8], 1;\n@!%p0 ld.global.u32 %r1, [%rd8];",
              PtxLaunch(4, 2)) > 0);
  CHECK(races("mov.u32 %r0, %ctaid.x;\nmad.wide.u32 %rd0, %r0, 16, %rd8;\nst.global.u32 [%rd0], 1;", PtxLaunch(4, 2)) == 0);
}

TEST_CASE("atomics race with other accesses alone") {
  CHECK(races("red.global.add.u32 [%rd9], 1;", PtxLaunch(32, 2)) == 0);
  CHECK(races("red.global.add.u32 [%rd9], 1;\nld.global.u32 %r0, [%rd9];") > 0);
  CHECK(races("red.global.add.u32 [%rd9], 1;\nld.volatile.global.u32 %r0, [%rd9];") == 0);
  CHECK(races("red.global.add.u32 [%rd9], 1;\nld.relaxed.gpu.global.u32 %r0, [%rd9];") == 0);
  CHECK(races("st.global.u32 [%rd9], %r9;") > 0);
  // The last one to add reads what its own addition and those of the others have made.
  CHECK(races("red.global.add.u32 [%rd9], 1;\nsetp.eq.u32 %p0, %r9, 31;\n@%p0 ld.global.u32 %r0, [%rd9];") > 0);
}

TEST_CASE("a write races with readers of earlier blocks and of all warps, whoever of them writes") {
  for (const char* writer : {"0", "31", "32", "63"}) {
    INFO(writer);
    const std::string body =
        std::string("ld.global.u32 %r0, [%rd9];\nsetp.eq.u32 %p0, %r9, ") + writer + ";\n@%p0 st.global.u32 [%rd9], 1;";
    CHECK(races(body, PtxLaunch(64)) > 0);
  }
  CHECK(races("ld.global.u32 %r0, [%rd9];\nsetp.eq.u32 %p0, %r9, 31;\n@%p0 st.global.u32 [%rd9], 1;") > 0);
  // One thread a block: what block 0 has read block 1 reads and writes.
  CHECK(races("ld.global.u32 %r0, [%rd9];\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p0, %r1, 1;\n@%p0 st.global.u32 [%rd9], 1;",
              PtxLaunch(1, 2)) > 0);
  // Each thread reads its neighbour's number, and writes its own.
  CHECK(races("xor.b32 %r0, %r9, 1;\nmad.wide.u32 %rd0, %r0, 4, %rd9;\nld.global.u32 %r1, [%rd0];\nst.global.u32 [%rd8], %r1;") > 0);
}

TEST_CASE("a strong access covers no weak one before it") {
  // Thread 0 stores, and adds; thread 1 adds: the store and the second sum are in no order.
  const std::string body =
      "setp.eq.u32 %p0, %r9, 0;\n@%p0 st.global.u32 [%rd9], 1;\n@%p0 red.global.add.u32 [%rd9], 1;\nsetp.eq.u32 %p1, %r9, 1;\n"
      "@%p1 red.global.add.u32 [%rd9], 1;";
  CHECK(races(body) > 0);
  // The same by way of reads.
  CHECK(
      races(
          "setp.eq.u32 %p0, %r9, 0;\n@%p0 ld.global.u32 %r0, [%rd9];\n@%p0 ld.volatile.global.u32 %r0, [%rd9];\nsetp.eq.u32 %p1, %r9, 1;\n"
          "@%p1 st.volatile.global.u32 [%rd9], 1;") > 0);
}

TEST_CASE("a weak store takes away what was released there") {
  // Block 0 writes a number, and releases a flag; block 1 acquires the flag, and reads the number.
  const auto races_at = [](const std::string& more, std::uint64_t byte) {
    const PtxRun run = run_body(
        "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@!%p0 bra B;\nst.global.u32 [%rd9], 5;\n"
        "st.release.gpu.global.u32 [%rd9+4], 1;\n" +
            more + "bra E;\nB: ld.acquire.gpu.global.u32 %r1, [%rd9+4];\nld.global.u32 %r2, [%rd9];\nE:",
        PtxLaunch(1, 2));
    return std::ranges::any_of(run.outcome.races, [&](const ptx_machine::Race& race) { return race.byte == byte; });
  };
  CHECK_FALSE(races_at("", 0));
  CHECK_FALSE(races_at("", 4));
  CHECK(races_at("st.global.u32 [%rd9+4], 1;\n", 0));
  CHECK(races_at("st.global.u32 [%rd9+4], 1;\n", 4));
  CHECK_FALSE(races_at("st.relaxed.gpu.global.u32 [%rd9+4], 1;\n", 0));
}

TEST_CASE("a thread learns from several threads of another block") {
  // In block 0 threads 0 and 1 write a number each, and say so; thread 0 of block 1 reads both.
  const std::string body =
      "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\nadd.u64 %rd0, %rd8, 8;\n@%p0 st.global.u32 [%rd8], 5;\n"
      "@%p0 st.release.gpu.global.u32 [%rd0], 1;\nsetp.eq.and.u32 %p1, %r9, 0, !%p0;\n@%p1 ld.acquire.gpu.global.u32 %r1, [%rd9+8];\n"
      "@%p1 ld.acquire.gpu.global.u32 %r1, [%rd9+12];\n@%p1 ld.global.u32 %r2, [%rd9];\n@%p1 ld.global.u32 %r2, [%rd9+4];";
  CHECK(races(body, PtxLaunch(2, 2)) == 0);
  std::string of_one = body;
  of_one.replace(of_one.find("@%p1 ld.acquire.gpu.global.u32 %r1, [%rd9+12];\n"), 47, "");
  CHECK(races(of_one, PtxLaunch(2, 2)) > 0);
}

TEST_CASE("who has heard of a later time of another block hears nothing new from an earlier one") {
  // Block 0 says something, meets, writes a number and says so; block 1 hears both, in either order, and reads the number.
  const auto races_of = [](const std::string& first, const std::string& second) {
    return races(
        "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@!%p0 bra B;\nst.release.gpu.global.u32 [%rd9+4], 1;\nbar.sync 0;\n"
        "st.global.u32 [%rd9], 5;\nst.release.gpu.global.u32 [%rd9+8], 1;\nbra E;\nB: ld.acquire.gpu.global.u32 %r1, [" +
            first + "];\nld.acquire.gpu.global.u32 %r1, [" + second + "];\nld.global.u32 %r2, [%rd9];\nE:",
        PtxLaunch(1, 2));
  };
  CHECK(races_of("%rd9+8", "%rd9+4") == 0);
  CHECK(races_of("%rd9+4", "%rd9+8") == 0);
  CHECK(races_of("%rd9+4", "%rd9+4") > 0);
}

TEST_CASE("a barrier in one block orders nothing for another") {
  // Block 0 begins a counter, which both blocks count with.
  CHECK(races("mov.u32 %r0, %ctaid.x;\nor.b32 %r0, %r0, %r9;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 st.global.u32 [%rd9], 0;\nbar.sync 0;\n"
              "red.global.add.u32 [%rd9], 1;",
              PtxLaunch(32, 2)) > 0);
  CHECK(races("mov.u32 %r0, %ctaid.x;\nor.b32 %r0, %r0, %r9;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 st.global.u32 [%rd9], 0;\nbar.sync 0;\n"
              "red.global.add.u32 [%rd9], 1;") == 0);
}

TEST_CASE("barriers of some threads order these alone") {
  // Threads 0 and 1 meet; thread 2 reads what thread 0 has written.
  const std::string pair = "setp.lt.u32 %p0, %r9, 2;\nsetp.eq.u32 %p1, %r9, 0;\n@%p1 st.global.u32 [%rd9], 1;\n@%p0 bar.warp.sync 3;\n";
  CHECK(races(pair + "setp.eq.u32 %p2, %r9, 1;\n@%p2 ld.global.u32 %r0, [%rd9];") == 0);
  CHECK(races(pair + "setp.eq.u32 %p2, %r9, 2;\n@%p2 ld.global.u32 %r0, [%rd9];") > 0);
  // Of three warps two meet; each thread reads what the warp in front of its own has written.
  const std::string warps =
      ".shared .align 4 .b8 s[512];\nmov.u32 %r0, s;\nmad.lo.u32 %r1, %r9, 4, %r0;\nst.shared.u32 [%r1], %r9;\nsetp.lt.u32 %p0, %r9, 64;\n"
      "@%p0 bar.sync 1, 64;\n";
  CHECK(races(warps + "setp.ge.u32 %p1, %r9, 32;\nsetp.lt.and.u32 %p1, %r9, 64, %p1;\n@%p1 ld.shared.u32 %r2, [%r1+-128];",
              PtxLaunch(96)) == 0);
  CHECK(races(warps + "setp.ge.u32 %p1, %r9, 64;\n@%p1 ld.shared.u32 %r2, [%r1+-128];", PtxLaunch(96)) > 0);
}

TEST_CASE("shared memory of two blocks is never the same, also where a race is looked for") {
  // In each block 32 threads store to their own places; the races are those of the one number in global memory: 4 bytes, the 31 stores of
  // block 0 behind the first, and 32 of block 1.
  const PtxRun run = run_body(shared + "bar.sync 0;\nld.shared.u32 %r2, [%r1];\nst.global.u32 [%rd9], %r2;", PtxLaunch(32, 2));
  CHECK(run.outcome.race_count == 4 * (31 + 32));
  for (const ptx_machine::Race& race : run.outcome.races) {
    CHECK(race.object == "out");
  }
}

TEST_CASE("who comes to a barrier and does not wait knows of nobody") {
  // The upper warp reads what the lower one writes.
  const auto produce = [](const std::string& lower, const std::string& upper) {
    return shared + "bar.sync 0;\nsetp.ge.u32 %p0, %r9, 32;\n@%p0 bra C;\n" + lower + "bra D;\nC:\n" + upper + "D:";
  };
  const std::string store = "st.shared.u32 [%r1], 7;\n";
  const std::string load = "sub.u32 %r2, %r9, 32;\nmad.lo.u32 %r3, %r2, 4, %r0;\nld.shared.u32 %r4, [%r3];\n";
  CHECK(races(produce(store + "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n" + load), PtxLaunch(64)) == 0);
  CHECK(races(produce("bar.arrive 1, 64;\n" + store, "bar.sync 1, 64;\n" + load), PtxLaunch(64)) > 0);
  CHECK(races(produce("bar.arrive 1, 64;\n" + store, load + "bar.sync 1, 64;\n"), PtxLaunch(64)) > 0);
  CHECK(races(produce("bar.sync 1, 64;\n" + store, load + "bar.sync 1, 64;\n"), PtxLaunch(64)) == 0);
  CHECK(races(produce("bar.sync 1, 64;\n" + store, load + "bar.arrive 1, 64;\n"), PtxLaunch(64)) == 0);
  // Two of three warps wait; what the first one writes behind it, they do not know.
  CHECK(races(produce(store + "bar.arrive 1, 96;\n", "bar.sync 1, 96;\n" + load), PtxLaunch(96)) == 0);
  CHECK(races(produce("bar.arrive 1, 96;\n" + store, "bar.sync 1, 96;\n" + load), PtxLaunch(96)) > 0);
}

namespace {

/// Whether there are races if thread 0 writes a number, then a flag, and thread 32 waits for the flag and reads the number: in one block
/// under the schedules that let it wait, or in two blocks.
bool races_by_flag(const std::string& write_flag, const std::string& read_flag, bool blocks) {
  std::string body = blocks ? "mov.u32 %r5, %ctaid.x;\n" : "shr.u32 %r5, %r9, 5;\n";
  body += "and.b32 %r6, %r9, 31;\nsetp.ne.u32 %p0, %r6, 0;\n@%p0 bra D;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra C;\n";
  body += "st.global.u32 [%rd9], 5;\n" + write_flag + "bra D;\nC:\n" + read_flag + "ld.global.u32 %r2, [%rd9];\nD:";
  bool first = true;
  bool result = false;
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    PtxLaunch launch(blocks ? 32 : 64, blocks ? 2 : 1);
    launch.options.schedule = schedule;
    const PtxRun run = run_body(body, launch);
    CHECK(run.fault().empty());
    const bool found = run.outcome.race_count > 0;
    CHECK((first || found == result));
    result = found;
    first = false;
  }
  return result;
}

std::string wait_by(const std::string& load) { return "A: " + load + " %r1, [%rd9+4];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra A;\n"; }

}  // namespace

TEST_CASE("what a strong read takes from a strong write orders what is around them") {
  for (const bool blocks : {false, true}) {
    const auto clean = [&](const std::string& write, const std::string& read) { return !races_by_flag(write, read, blocks); };
    const std::string plain_store = "st.volatile.global.u32 [%rd9+4], 1;\n";
    const std::string plain_load = wait_by("ld.volatile.global.u32");
    const std::string release = "st.release.gpu.global.u32 [%rd9+4], 1;\n";
    const std::string acquire = wait_by("ld.acquire.gpu.global.u32");
    const std::string fence = "membar.gl;\n";
    CHECK(clean(release, acquire));
    CHECK(clean(fence + plain_store, plain_load + fence));
    CHECK(clean(fence + plain_store, acquire));
    CHECK(clean(release, plain_load + "fence.acq_rel.sys;\n"));
    CHECK(clean("atom.release.gpu.global.exch.b32 %r7, [%rd9+4], 1;\n", acquire));
    CHECK(clean(fence + "red.global.add.u32 [%rd9+4], 1;\n", wait_by("ld.relaxed.gpu.global.u32") + fence));
    CHECK(clean(release, "A: atom.acquire.gpu.global.cas.b32 %r1, [%rd9+4], 1, 1;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra A;\n"));
    CHECK(clean("fence.acq_rel.gpu;\n" + plain_store, plain_load + "fence.acq_rel.gpu;\n"));
    CHECK(clean("fence.sc.gpu;\n" + plain_store, plain_load + "fence.sc.gpu;\n"));
    CHECK(clean("fence.release.gpu;\n" + plain_store, plain_load + "fence.acquire.gpu;\n"));
    CHECK_FALSE(clean("fence.acquire.gpu;\n" + plain_store, plain_load + fence));
    CHECK_FALSE(clean(fence + plain_store, plain_load + "fence.release.gpu;\n"));
    // One side alone orders nothing, and neither does a fence in the wrong place.
    CHECK_FALSE(clean(plain_store, plain_load));
    CHECK_FALSE(clean(plain_store, acquire));
    CHECK_FALSE(clean(release, plain_load));
    CHECK_FALSE(clean(fence + plain_store, plain_load));
    CHECK_FALSE(clean(plain_store + fence, plain_load + fence));
    CHECK_FALSE(clean(fence + plain_store, fence + plain_load));
    CHECK_FALSE(clean("atom.global.exch.b32 %r7, [%rd9+4], 1;\n", acquire));
    CHECK_FALSE(clean("atom.acquire.gpu.global.exch.b32 %r7, [%rd9+4], 1;\n", acquire));
    // A chain of atomic operations passes it on, and so does a further strong store of the thread; a weak one does not.
    CHECK(clean(release + "red.global.add.u32 [%rd9+4], 1;\n", acquire));
    CHECK(clean(release + plain_store, acquire));
    CHECK_FALSE(clean("st.global.u32 [%rd9+4], 1;\n", acquire));
    // What is ordered in a block is not between blocks.
    CHECK(clean("st.release.cta.global.u32 [%rd9+4], 1;\n", wait_by("ld.acquire.cta.global.u32")) == !blocks);
    CHECK(clean("membar.cta;\n" + plain_store, plain_load + "membar.cta;\n") == !blocks);
    CHECK(clean(release, wait_by("ld.acquire.cta.global.u32")) == !blocks);
  }
}

TEST_CASE("the last block reads what all blocks have written") {
  // Each block adds to a counter behind its numbers; the last one reads them all, by threads that a barrier has told.
  const auto body = [](const std::string& before, const std::string& after) {
    return ".shared .u32 s;\nmov.u32 %r0, %ctaid.x;\nmad.wide.u32 %rd0, %r0, 128, %rd8;\nst.global.u32 [%rd0+4], %r9;\n"
           "bar.sync 0;\nsetp.ne.u32 %p0, %r9, 0;\n@%p0 bra A;\n" +
           before + "atom.global.add.u32 %r1, [%rd9], 1;\n" + after +
           "st.shared.u32 [s], %r1;\nA: bar.sync 0;\nld.shared.u32 %r2, [s];\nsetp.ne.u32 %p1, %r2, 2;\n@%p1 bra B;\n"
           "ld.global.u32 %r3, [%rd8+4];\nld.global.u32 %r4, [%rd8+132];\nB:";
  };
  PtxLaunch launch(32, 3);
  launch.out.resize(128);
  CHECK(races(body("membar.gl;\n", "membar.gl;\n"), launch) == 0);
  CHECK(races(body("", "membar.gl;\n"), launch) > 0);
  CHECK(races(body("membar.gl;\n", ""), launch) > 0);
  CHECK(races(body("membar.cta;\n", "membar.gl;\n"), launch) > 0);
}

TEST_CASE("atomic operations are so among the threads of their scope") {
  CHECK(races("red.global.cta.add.u32 [%rd9], 1;", PtxLaunch(64)) == 0);
  CHECK(races("red.global.cta.add.u32 [%rd9], 1;", PtxLaunch(32, 2)) > 0);
  CHECK(races("red.global.gpu.add.u32 [%rd9], 1;", PtxLaunch(32, 2)) == 0);
  CHECK(
      races("mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 red.global.cta.add.u32 [%rd9], 1;\n@!%p0 red.global.add.u32 [%rd9], 1;",
            PtxLaunch(4, 2)) > 0);
}

TEST_CASE("what is read by .nc is written by nobody") {
  const std::string read = "ld.global.nc.u32 %r0, [%rd9];\n";
  // Every other number, behind a barrier; and what an atomic operation writes.
  const std::string apart = "mad.wide.u32 %rd0, %r9, 8, %rd9;\nld.global.nc.u32 %r0, [%rd0];\nbar.sync 0;\n";
  CHECK(races(apart + "st.global.u32 [%rd0], 1;") > 0);
  CHECK(races(apart + "st.global.u32 [%rd0+4], 1;") == 0);
  CHECK(races(apart + "red.global.add.u32 [%rd0], 1;") > 0);
  CHECK(races(read, PtxLaunch(32, 2)) == 0);
  CHECK(races(read + "st.global.u32 [%rd8+128], %r0;", PtxLaunch(32)) == 0);
  CHECK(races("setp.eq.u32 %p0, %r9, 0;\n@%p0 st.global.u32 [%rd9], 1;\nbar.sync 0;\n" + read) > 0);
  CHECK(races(read + "bar.sync 0;\nsetp.eq.u32 %p0, %r9, 0;\n@%p0 st.global.u32 [%rd9], 1;\n") > 0);
  CHECK(races("st.global.u32 [%rd9], 1;\n" + read, PtxLaunch(1)) > 0);  // not even by the thread itself
  CHECK(races("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 ld.global.nc.v2.u32 {%r2, %r3}, [%rd9];\n@!%p0 st.global.u32 "
              "[%rd9+4], 1;",
              PtxLaunch(1, 2)) > 0);
  const PtxRun run = run_body("st.global.u32 [%rd9], 1;\n" + read, PtxLaunch(1));
  REQUIRE(run.outcome.races.size() == 1);
  CHECK_THAT(
      render(run.module, run.outcome.races[0]),
      Contains("race: an access by .nc, which says that nothing writes there, and a write meet at byte 0 of 'out'; one reads it here"));
}

TEST_CASE("neighbouring bytes are different places") {
  CHECK(races("cvt.u64.u32 %rd0, %r9;\nadd.u64 %rd0, %rd0, %rd9;\nst.global.u8 [%rd0], %r9;") == 0);
  CHECK(races("shr.u32 %r0, %r9, 1;\ncvt.u64.u32 %rd0, %r0;\nadd.u64 %rd0, %rd0, %rd9;\nst.global.u8 [%rd0], %r9;") > 0);
}

TEST_CASE("what depends on results that PTX leaves open is told") {
  const auto open = [](const std::string& body) { return run_body(body).outcome.open; };
  const std::string number = "cvt.rn.f32.u32 %f0, %r9;\n";
  CHECK(open(number + "add.rn.f32 %f1, %f0, %f0;\nst.global.f32 [%rd8], %f1;").empty());
  const auto sum = open(number + "add.f32 %f1, %f0, %f0;\nst.global.f32 [%rd8], %f1;");
  REQUIRE(sum.size() == 1);
  CHECK(sum[0].what == OpenResult::What::Stored);
  CHECK(sum[0].origin == 14);
  CHECK(open(number + "sin.approx.f32 %f1, %f0;\nmul.rn.f32 %f2, %f1, %f0;\nst.global.f32 [%rd8], %f2;").size() == 1);
  // It is not used, or is overwritten.
  CHECK(open(number + "sin.approx.f32 %f1, %f0;\nmov.f32 %f1, %f0;\nst.global.f32 [%rd8], %f1;").empty());
  // Through memory, and through a decision.
  CHECK(
      open(number + ".local .f32 l;\nex2.approx.f32 %f1, %f0;\nst.local.f32 [l], %f1;\nld.local.f32 %f2, [l];\nst.global.f32 [%rd8], %f2;")
          .size() == 1);
  const auto branch = open(number + "sin.approx.f32 %f1, %f0;\nsetp.lt.f32 %p0, %f1, 0f00000000;\n@%p0 bra A;\nA:");
  REQUIRE(branch.size() == 1);
  CHECK(branch[0].what == OpenResult::What::Decided);
  // Through a choice, and through a shuffle from the one thread that has it.
  CHECK(open(number + "sin.approx.f32 %f1, %f0;\nsetp.eq.u32 %p0, %r9, 0;\nselp.f32 %f2, %f1, %f0, %p0;\nst.global.f32 [%rd8], %f2;")
            .size() == 1);
  CHECK(open(number + "setp.eq.u32 %p0, %r9, 0;\nmov.f32 %f1, %f0;\n@%p0 sin.approx.f32 %f1, %f0;\nshfl.sync.idx.b32 %f2, %f1, 0, 31, -1;\n"
                      "setp.eq.u32 %p1, %r9, 5;\n@%p1 st.global.f32 [%rd8], %f2;")
            .size() == 1);
  // Through a guard that is no branch's.
  const auto guard = open(number + "sin.approx.f32 %f1, %f0;\nsetp.lt.f32 %p0, %f1, 0f00000000;\n@%p0 mov.u32 %r0, 1;");
  REQUIRE(guard.size() == 1);
  CHECK(guard[0].what == OpenResult::What::Decided);
  CHECK(open("mov.u32 %r0, %smid;\nst.global.u32 [%rd8], %r0;").size() == 1);
  CHECK(open("div.u32 %r0, %r9, 3;\nst.global.u32 [%rd8], %r0;").empty());
  CHECK(open("sub.u32 %r1, %r9, 3;\ndiv.u32 %r0, %r9, %r1;\nst.global.u32 [%rd8], %r0;").size() == 1);
}
