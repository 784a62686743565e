// What threads of the PTX machine do together and apart, under every schedule.

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using ptx_machine::Schedule;

namespace {

/// Runs it under all schedules; all have to end well, without races, and with these numbers at the beginning of `out`.
void check_out(const std::string& text, const PtxLaunch& launch, const std::vector<std::uint32_t>& expected) {
  for (const auto& [schedule, seed] : std::vector<std::pair<Schedule, std::uint64_t>>{{Schedule::LowestPc, 0},
                                                                                      {Schedule::Stack, 0},
                                                                                      {Schedule::Fair, 0},
                                                                                      {Schedule::Random, 1},
                                                                                      {Schedule::Random, 2},
                                                                                      {Schedule::Random, 3}}) {
    PtxLaunch under = launch;
    under.options.schedule = schedule;
    under.options.seed = seed;
    const PtxRun run = run_text(text, under);
    INFO(static_cast<int>(schedule) << " " << seed << " " << run.fault());
    CHECK_FALSE(run.outcome.fault);
    CHECK(run.outcome.race_count == 0);
    CHECK(std::vector<std::uint32_t>(run.out.begin(), run.out.begin() + static_cast<std::ptrdiff_t>(expected.size())) == expected);
  }
}

std::vector<std::uint32_t> numbers(std::size_t count, auto f) {
  std::vector<std::uint32_t> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    result[k] = static_cast<std::uint32_t>(f(k));
  }
  return result;
}

}  // namespace

TEST_CASE("threads that go different ways meet again") {
  // Each thread counts down from its number: 0 + 1 + … + tid.
  const std::string loop =
      "mov.u32 %r0, 0;\nmov.u32 %r1, %r9;\nA: setp.eq.u32 %p0, %r1, 0;\n@%p0 bra B;\nadd.u32 %r0, %r0, %r1;\nsub.u32 %r1, %r1, 1;\nbra A;\n"
      "B: st.global.u32 [%rd8], %r0;";
  check_out(kernel_text(loop), PtxLaunch(45), numbers(45, [](std::size_t t) { return t * (t + 1) / 2; }));
  // Under lowest-pc they go through what is behind the loop together: one store for all.
  const PtxRun run = run_body(loop);
  CHECK(run.outcome.steps == 3 + 2 + 32 * 5 - 3 + 2);
}

TEST_CASE("a thread that waits in a loop is let down by no schedule but the stack's") {
  // Lane 0 waits for what the others do behind it in the code: they have to be let through.
  const std::string body =
      "setp.ne.u32 %p0, %r9, 0;\n@%p0 bra B;\nA: ld.volatile.global.u32 %r0, [%rd9];\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra A;\n"
      "st.volatile.global.u32 [%rd9+4], 7;\nbra C;\nB: setp.eq.u32 %p2, %r9, 5;\n@%p2 st.volatile.global.u32 [%rd9], 1;\nC:";
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    PtxLaunch launch;
    launch.options.schedule = schedule;
    const PtxRun run = run_body(body, launch);
    CHECK_FALSE(run.outcome.fault);
    CHECK(run.out[1] == 7);
    CHECK(run.outcome.race_count == 0);  // volatile accesses are strong
  }
}

TEST_CASE("a spin lock lets every thread in") {
  const std::string body =
      "A: atom.global.cas.b32 %r0, [%rd9], 0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra A;\nld.volatile.global.u32 %r1, [%rd9+4];\nadd.u32 "
      "%r1, %r1, 1;\n"
      "st.volatile.global.u32 [%rd9+4], %r1;\nmembar.gl;\natom.global.exch.b32 %r2, [%rd9], 0;";
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    PtxLaunch launch;
    launch.options.schedule = schedule;
    launch.options.max_steps = 10'000'000;
    const PtxRun run = run_body(body, launch);
    INFO(run.fault());
    CHECK(run.out[1] == 32);
  }
}

TEST_CASE("collectives of threads that come from different places") {
  // Both arms shuffle with the full mask: lane l gets what lane l ^ 16 gave in its own arm.
  const std::string body =
      "setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\nadd.u32 %r1, %r9, 100;\nshfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;\nbra B;\n"
      "A: add.u32 %r1, %r9, 200;\nshfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;\nB: st.global.u32 [%rd8], %r0;";
  check_out(kernel_text(body), PtxLaunch(), numbers(32, [](std::size_t t) { return (t ^ 16U) + ((t ^ 16U) < 16 ? 200 : 100); }));
  // Halves of warps with masks of their own, in a loop of different length.
  const std::string halves =
      "setp.lt.u32 %p0, %r9, 16;\nselp.b32 %r1, 0xffff, 0xffff0000, %p0;\nselp.b32 %r2, 3, 5, %p0;\nmov.u32 %r0, %r9;\n"
      "A: shfl.sync.down.b32 %r3, %r0, 1, 0x100f, %r1;\nadd.u32 %r0, %r0, %r3;\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra "
      "A;\nst.global.u32 [%rd8], %r0;";
  const auto expected = [] {
    std::vector<std::uint32_t> v = numbers(32, [](std::size_t t) { return t; });
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned round = 0; round < (half == 0 ? 3 : 5); ++round) {
        std::vector<std::uint32_t> next = v;
        for (unsigned l = 0; l < 16; ++l) {
          next[half * 16 + l] = v[half * 16 + l] + v[half * 16 + (l < 15 ? l + 1 : l)];
        }
        v = next;
      }
    }
    return v;
  }();
  check_out(kernel_text(halves), PtxLaunch(), expected);
}

TEST_CASE("a member that is late is waited for, also if it was there before") {
  check_out(kernel_text(
                "shfl.sync.idx.b32 %r0, %r9, 3, 31, -1;\nmov.u32 %r1, 0;\nsetp.ne.u32 %p0, %r9, 31;\n@%p0 bra B;\nA: add.u32 %r1, %r1, 1;\n"
                "setp.lt.u32 %p1, %r1, 100;\n@%p1 bra A;\nB: add.u32 %r1, %r1, %r9;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
                "add.u32 %r2, %r2, %r0;\nst.global.u32 [%rd8], %r2;"),
            PtxLaunch(), numbers(32, [](std::size_t t) { return (t ^ 1U) + ((t ^ 1U) == 31 ? 100 : 0) + 3; }));
}

TEST_CASE("one of the members is elected, and all know which") {
  // Lanes 8 to 15. Which it is PTX leaves open.
  const PtxRun run = run_body(
      "setp.lt.u32 %p0, %r9, 8;\n@%p0 bra B;\nsetp.gt.u32 %p0, %r9, 15;\n@%p0 bra B;\nelect.sync %r0|%p1, 0xff00;\n"
      "selp.u32 %r1, 100, 0, %p1;\nadd.u32 %r0, %r0, %r1;\nst.global.u32 [%rd8], %r0;\nB:");
  CHECK(run.fault().empty());
  const std::uint32_t leader = run.out[8] % 100;
  CHECK((leader >= 8 && leader <= 15));
  for (std::uint32_t t = 8; t < 16; ++t) {
    CHECK(run.out[t] == leader + (t == leader ? 100 : 0));
  }
}

TEST_CASE("shuffles by their mode, clamp and segments") {
  const auto shuffle = [](const std::string& mode, unsigned amount, unsigned c) {
    return kernel_text("shfl.sync." + mode + ".b32 %r0|%p0, %r9, " + std::to_string(amount) + ", " + std::to_string(c) +
                       ", -1;\nselp.u32 %r1, 1000, 0, %p0;\nadd.u32 %r0, %r0, %r1;\nst.global.u32 [%rd8], %r0;");
  };
  check_out(shuffle("up", 3, 0), PtxLaunch(), numbers(32, [](std::size_t t) { return t >= 3 ? 1000 + t - 3 : t; }));
  check_out(shuffle("down", 3, 31), PtxLaunch(), numbers(32, [](std::size_t t) { return t + 3 <= 31 ? 1000 + t + 3 : t; }));
  check_out(shuffle("bfly", 1, 31), PtxLaunch(), numbers(32, [](std::size_t t) { return 1000 + (t ^ 1U); }));
  check_out(shuffle("idx", 9, 31), PtxLaunch(), numbers(32, [](std::size_t) { return 1009; }));
  // Segments of 8 lanes: the mask of segments is 0b11000.
  check_out(shuffle("idx", 2, 0x181f), PtxLaunch(), numbers(32, [](std::size_t t) { return 1000 + t / 8 * 8 + 2; }));
  check_out(shuffle("down", 5, 0x1807), PtxLaunch(), numbers(32, [](std::size_t t) { return t % 8 + 5 <= 7 ? 1005 + t : t; }));
}

TEST_CASE("barriers order shared memory") {
  const std::string reverse =
      ".shared .align 4 .b8 s[256];\nmov.u32 %r0, s;\nmad.lo.u32 %r1, %r9, 4, %r0;\nst.shared.u32 [%r1], %r9;\nbar.sync 0;\n"
      "mov.u32 %r2, 63;\nsub.u32 %r2, %r2, %r9;\nmad.lo.u32 %r1, %r2, 4, %r0;\nld.shared.u32 %r3, [%r1];\nst.global.u32 [%rd8], %r3;";
  check_out(kernel_text(reverse), PtxLaunch(64), numbers(64, [](std::size_t t) { return 63 - t; }));
  check_out(kernel_text("setp.lt.u32 %p0, %r9, 40;\nbar.red.popc.u32 %r0, 0, %p0;\nst.global.u32 [%rd8], %r0;"), PtxLaunch(64),
            numbers(64, [](std::size_t) { return 40; }));
}

TEST_CASE("dynamic shared memory begins at one place for all of its names") {
  PtxLaunch launch(32);
  launch.options.shared_bytes = 128;
  const std::string above = ".extern .shared .align 4 .b8 d[];\n.extern .shared .align 4 .b8 e[];\n";
  check_out(kernel_text("mad.lo.u32 %r0, %r9, 4, 0;\nmov.u32 %r1, d;\nadd.u32 %r0, %r0, %r1;\nst.shared.u32 [%r0], %r9;\nmov.u32 %r2, "
                        "e;\nsub.u32 %r3, %r2, %r1;\n"
                        "ld.shared.u32 %r4, [%r0];\nadd.u32 %r4, %r4, %r3;\nst.global.u32 [%rd8], %r4;",
                        above),
            launch, numbers(32, [](std::size_t t) { return t; }));
}

TEST_CASE("functions pass parameters, recurse and are called through registers") {
  const std::string sum =
      ".func (.param .b32 result) sum(.param .b32 n)\n{\n.reg .pred %p; .reg .b32 %n, %m;\nld.param.b32 %n, [n];\nsetp.eq.u32 %p, %n, 0;\n"
      "@%p bra Z;\nsub.u32 %m, %n, 1;\n{\n.param .b32 a; .param .b32 r;\nst.param.b32 [a], %m;\ncall (r), sum, (a);\nld.param.b32 %m, "
      "[r];\n}\n"
      "add.u32 %n, %n, %m;\nZ: st.param.b32 [result], %n;\nret;\n}\n"
      ".func (.reg .b32 y) twice(.reg .b32 x)\n{\nadd.u32 y, x, x;\nret;\n}\n"
      ".func (.reg .b32 y) thrice(.reg .b32 x)\n{\nmul.lo.u32 y, x, 3;\nret;\n}\n";
  check_out(kernel_text("{\n.param .b32 a; .param .b32 r;\nst.param.b32 [a], %r9;\ncall (r), sum, (a);\nld.param.b32 %r0, "
                        "[r];\n}\nst.global.u32 [%rd8], %r0;",
                        sum),
            PtxLaunch(), numbers(32, [](std::size_t t) { return t * (t + 1) / 2; }));
  check_out(
      kernel_text(
          "mov.u64 %rd0, twice;\nmov.u64 %rd1, thrice;\nand.b32 %r1, %r9, 1;\nsetp.eq.u32 %p0, %r1, 0;\nselp.b64 %rd2, %rd0, %rd1, %p0;\n"
          "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r0), %rd2, (%r9), P;\nst.global.u32 [%rd8], %r0;",
          sum),
      PtxLaunch(), numbers(32, [](std::size_t t) { return t % 2 == 0 ? 2 * t : 3 * t; }));
}

TEST_CASE("local memory is each thread's own, and generic addresses tell their space") {
  check_out(kernel_text(
                ".local .align 4 .b8 l[8];\nmov.u64 %rd0, l;\ncvta.local.u64 %rd1, %rd0;\nst.u32 [%rd1+4], %r9;\nld.local.u32 %r0, [l+4];\n"
                "isspacep.local %p0, %rd1;\nselp.u32 %r1, 100, 0, %p0;\nisspacep.global %p1, %rd9;\nselp.u32 %r2, 1000, 0, %p1;\nadd.u32 "
                "%r0, %r0, %r1;\n"
                "add.u32 %r0, %r0, %r2;\nst.u32 [%rd8], %r0;"),
            PtxLaunch(), numbers(32, [](std::size_t t) { return 1100 + t; }));
}

TEST_CASE("variables of the module begin with their values, and constants with addresses") {
  const std::string above = ".global .align 4 .u32 table[4] = {10, 20, 30, 40};\n.global .u64 where = table;\n.const .u32 c[2] = {5, 6};\n";
  check_out(kernel_text("ld.global.u64 %rd0, [where];\nand.b32 %r0, %r9, 3;\nmad.wide.u32 %rd0, %r0, 4, %rd0;\nld.global.u32 %r1, "
                        "[%rd0];\nld.const.u32 %r2, [c+4];\n"
                        "add.u32 %r1, %r1, %r2;\nst.global.u32 [%rd8], %r1;",
                        above),
            PtxLaunch(), numbers(32, [](std::size_t t) { return 10 * (t % 4 + 1) + 6; }));
}

TEST_CASE("sums of atomics are flushed in global memory, and not in shared memory") {
  // The smallest subnormal number twice, by one thread.
  check_out(
      kernel_text(
          ".shared .f32 s;\nmov.f32 %f0, 0f00000001;\nst.shared.f32 [s], %f0;\nred.shared.add.f32 [s], %f0;\nld.shared.b32 %r0, [s];\n"
          "st.global.f32 [%rd9+4], %f0;\nred.global.add.f32 [%rd9+4], %f0;\nst.global.b32 [%rd9], %r0;"),
      PtxLaunch(1), {2, 0});
}

TEST_CASE("atomics take effect one after the other") {
  check_out(kernel_text("atom.global.add.u32 %r0, [%rd9], 2;\nred.global.max.u32 [%rd9+4], %r9;\nred.global.min.s32 [%rd9+8], "
                        "-5;\nred.global.inc.u32 [%rd9+12], 9;\n"
                        "red.global.xor.b32 [%rd9+16], %r9;\nred.global.dec.u32 [%rd9+20], 9;"),
            PtxLaunch(), {64, 31, 0xfffffffbU, 32 % 10, 0, 8});
}

TEST_CASE("barriers count whole warps, also the last one that is none") {
  const std::string shared = ".shared .u32 s[64];\nmov.u32 %r0, s;\nmad.lo.u32 %r1, %r9, 4, %r0;\nst.shared.u32 [%r1], %r9;\n";
  const std::string read = "sub.u32 %r2, 39, %r9;\nmad.lo.u32 %r1, %r2, 4, %r0;\nld.shared.u32 %r3, [%r1];\nst.global.u32 [%rd8], %r3;";
  for (const std::string barrier : {"bar.sync 0;\n", "bar.sync 0, 64;\n", "barrier.sync 3, 64;\n"}) {
    check_out(kernel_text(shared + barrier + read), PtxLaunch(40), numbers(40, [](std::size_t t) { return 39 - t; }));
  }
  // Its eight threads are a warp.
  check_out(kernel_text("setp.lt.u32 %p0, %r9, 32;\n@%p0 bra A;\nbar.sync 1, 32;\nst.global.u32 [%rd8], 1;\nA:"), PtxLaunch(40),
            numbers(40, [](std::size_t t) { return t >= 32 ? 1 : 0; }));
}

TEST_CASE("the window of parameters lies within that of global memory") {
  check_out(kernel_text("mov.u64 %rd0, out;\ncvta.param.u64 %rd0, %rd0;\nisspacep.param %p0, %rd0;\nisspacep.global %p1, %rd0;\n"
                        "isspacep.const %p2, %rd0;\nselp.u32 %r0, 1, 0, %p0;\nselp.u32 %r1, 1, 0, %p1;\nselp.u32 %r2, 1, 0, %p2;\n"
                        "st.global.u32 [%rd9], %r0;\nst.global.u32 [%rd9+4], %r1;\nst.global.u32 [%rd9+8], %r2;"),
            PtxLaunch(1), {1, 1, 0});
}

TEST_CASE("registers of 128 bits get integers with their sign") {
  const auto both = [](const std::string& make) {
    return kernel_text(".reg .b128 %q;\nmov.u32 %r0, -5;\nst.global.u32 [%rd9+16], %r0;\n" + make +
                       "\nmov.b128 {%rd0, %rd1}, %q;\nst.global.u64 [%rd9], %rd0;\nst.global.u64 [%rd9+8], %rd1;");
  };
  const std::uint32_t ones = 0xffffffff;
  check_out(both("ld.global.s32 %q, [%rd9+16];"), PtxLaunch(1), {0xfffffffb, ones, ones, ones});
  check_out(both("ld.global.u32 %q, [%rd9+16];"), PtxLaunch(1), {0xfffffffb, 0, 0, 0});
  check_out(both("cvt.s32.s32 %q, %r0;"), PtxLaunch(1), {0xfffffffb, ones, ones, ones});
  check_out(both("cvt.u8.s32 %q, %r0;"), PtxLaunch(1), {0xfb, 0, 0, 0});
  check_out(both("cvt.sat.s8.u32 %q, %r0;"), PtxLaunch(1), {127, 0, 0, 0});
  check_out(both("mov.b128 %q, {%rd9, %rd9};\nmov.u32 %r1, 300;\ncvt.u64.u32 %rd2, %r1;\nmov.b128 %q, {%rd2, %rd9};\ncvt.u8.u64 %r2, %q;\n"
                 "cvt.u32.u32 %q, %r2;"),
            PtxLaunch(1), {44, 0, 0, 0});
}

TEST_CASE("floats lie in the low bits of wider registers") {
  const auto both = [](const std::string& make) {
    return kernel_text(".reg .b16 %h;\n.reg .b128 %q;\n.reg .f64 %d;\nmov.b64 %rd0, 0xdeadbeef40400000;\nmov.b32 %r0, 0xdead4200;\n" +
                       make + "\nst.global.u64 [%rd9], %rd0;\nst.global.u32 [%rd9+8], %r0;");
  };
  const std::uint32_t high = 0xdeadbeef;
  // 3, as a float in %rd0 and as a half in %r0.
  check_out(both("cvt.rni.s32.f32 %r0, %rd0;"), PtxLaunch(1), {0x40400000, high, 3});
  check_out(both("cvt.f64.f32 %rd0, %rd0;"), PtxLaunch(1), {0, 0x40080000, 0xdead4200});
  check_out(both("cvt.f32.f16 %rd0, %r0;"), PtxLaunch(1), {0x40400000, 0, 0xdead4200});
  check_out(both("cvt.f32.f16 %f0, %r0;\nmov.b32 %r0, %f0;"), PtxLaunch(1), {0x40400000, high, 0x40400000});
  check_out(both("cvt.rn.f16.f32 %r0, %rd0;"), PtxLaunch(1), {0x40400000, high, 0x4200});
  check_out(both("cvt.rzi.f16.f16 %rd0, %r0;"), PtxLaunch(1), {0x4200, 0, 0xdead4200});
  check_out(both("cvt.rn.f32.s32 %rd0, 3;"), PtxLaunch(1), {0x40400000, 0, 0xdead4200});
  check_out(both("cvt.rn.f32.s8 %rd0, %rd0;"), PtxLaunch(1), {0, 0, 0xdead4200});
  check_out(both("cvt.rn.f16x2.f32 %rd0, %rd0, 0f3F800000;"), PtxLaunch(1), {0x42003c00, 0, 0xdead4200});
  check_out(both("cvt.f64.f32 %q, %rd0;\ncvt.rn.f16.f64 %r0, %q;"), PtxLaunch(1), {0x40400000, high, 0x4200});
  check_out(both("mov.b64 %rd1, 0xff00000007;\nmov.b64 %rd2, 0xff00000100;\ncvt.pack.sat.u8.s32.b32 %rd0, %rd1, %rd2, %rd0;"), PtxLaunch(1),
            {0x000007ff, 0, 0xdead4200});
  // In some threads only; each has its own.
  const std::string some =
      "cvt.rn.f32.u32 %f0, %r9;\nmov.b32 %r1, %f0;\nmov.b64 %rd0, {%r1, %r9};\nsetp.lt.u32 %p0, %r9, 9;\nmov.u32 %r0, 77;\n"
      "@%p0 cvt.rni.u32.f32 %r0, %rd0;\nst.global.u32 [%rd8], %r0;";
  check_out(kernel_text(some), PtxLaunch(40), numbers(40, [](std::size_t t) { return t < 9 ? t : 77; }));
  const std::string packed =
      "mov.b64 %rd1, {%r9, %r9};\nadd.u32 %r1, %r9, 1;\nmov.b64 %rd2, {%r1, %r9};\n"
      "cvt.pack.sat.u8.s32.b32 %r0, %rd1, %rd2, 0;\nst.global.u32 [%rd8], %r0;";
  check_out(kernel_text(packed), PtxLaunch(40), numbers(40, [](std::size_t t) { return t << 8 | (t + 1); }));
  CHECK_THAT(run_body("cvt.rni.u32.f32 %r0, %rd1;").fault(), Contains("the register %rd1 is read, but has never been written"));
}

TEST_CASE("structures with holes are passed and returned") {
  const std::string functions =
      ".func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 p[16])\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
      "ld.param.u32 %r0, [p];\nld.param.u64 %rd0, [p+8];\nld.param.u64 %rd1, [p];\nadd.u64 %rd0, %rd0, 1;\n"
      "st.param.u64 [r], %rd1;\nst.param.u64 [r+8], %rd0;\nret;\n}\n";
  check_out(
      kernel_text(
          ".param .align 8 .b8 a[16];\n.param .align 8 .b8 b[16];\nst.param.u32 [a], %r9;\nmov.u64 %rd0, 40;\nst.param.u64 [a+8], %rd0;\n"
          "call (b), f, (a);\nld.param.u64 %rd1, [b];\nld.param.u64 %rd2, [b+8];\n.local .align 8 .b8 l[8];\nst.local.u64 [l], %rd1;\n"
          "ld.local.u32 %r1, [l];\ncvt.u32.u64 %r2, %rd2;\nmad.lo.u32 %r1, %r1, 100, %r2;\nst.global.u32 [%rd8], %r1;",
          functions),
      PtxLaunch(40), numbers(40, [](std::size_t t) { return 100 * t + 41; }));
}
