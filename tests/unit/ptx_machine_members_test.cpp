// Who takes part: members of collectives and barriers, threads with functions, registers and places of their own, under every schedule.

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/ptx_machine_text.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Matchers::Contains;
using ptx_machine::FaultKind;
using ptx_machine::Schedule;

namespace {

PtxLaunch under(Schedule schedule, std::uint32_t threads) {
  PtxLaunch launch(threads);
  launch.options.schedule = schedule;
  launch.options.seed = 5;
  return launch;
}

constexpr Schedule all_schedules[] = {Schedule::LowestPc, Schedule::Stack, Schedule::Fair, Schedule::Random};

/// Under all schedules the body ends in this fault, with `words` in its text.
void check_fault(FaultKind kind, const std::string& words, const std::string& text, std::uint32_t threads = 32) {
  for (const Schedule schedule : all_schedules) {
    const PtxRun run = run_text(text, under(schedule, threads));
    INFO(static_cast<int>(schedule) << " " << run.fault());
    REQUIRE(run.outcome.fault);
    CHECK(name_of(run.outcome.fault->kind) == name_of(kind));
    CHECK_THAT(run.fault(), Contains(words));
  }
}

/// Under all schedules it ends well, and `out` has these numbers by thread.
void check_out(const std::string& text, std::uint32_t threads, auto expected) {
  for (const Schedule schedule : all_schedules) {
    const PtxRun run = run_text(text, under(schedule, threads));
    INFO(static_cast<int>(schedule) << " " << run.fault());
    REQUIRE_FALSE(run.outcome.fault);
    for (std::uint32_t t = 0; t < threads; ++t) {
      INFO(t);
      CHECK(run.out[t] == static_cast<std::uint32_t>(expected(t)));
    }
  }
}

}  // namespace

TEST_CASE("a member of a full mask that has a mask of its own is missed") {
  check_fault(
      FaultKind::UnequalMasks, "lane 31 of it waits at line",
      kernel_text("setp.eq.u32 %p0, %r9, 31;\nselp.b32 %r1, 0x80000001, 0xffffffff, %p0;\nshfl.sync.idx.b32 %r0, %r9, 0, 31, %r1;"));
}

TEST_CASE("who waits at the same barrier is not told as being somewhere else") {
  check_fault(FaultKind::MissingMember, "barrier 0 waits for 96 threads, of which 64 have come; 32 threads have ended (block (0,0,0)",
              kernel_text("setp.lt.u32 %p0, %r9, 64;\n@!%p0 exit;\nbar.sync 0;"), 96);
}

TEST_CASE("a collective has its operands from each member's own function") {
  // Half of the warp shuffles in a function, whose register is another one.
  const std::string function =
      ".func (.reg .b32 y) f(.reg .b32 x)\n{\n.reg .b32 %a, %b, %c;\nadd.u32 %c, x, 300;\nshfl.sync.bfly.b32 y, %c, 16, 31, -1;\nret;\n}\n";
  check_out(kernel_text("setp.lt.u32 %p0, %r9, 16;\n@%p0 bra A;\ncall (%r0), f, (%r9);\nbra B;\nA: add.u32 %r1, %r9, 200;\n"
                        "shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;\nB: st.global.u32 [%rd8], %r0;",
                        function),
            32, [](std::uint32_t t) { return (t ^ 16U) + ((t ^ 16U) < 16 ? 200 : 300); });
}

TEST_CASE("a shuffle from a thread that is no member gives no number") {
  const std::string body = "setp.lt.u32 %p0, %r9, 4;\n@!%p0 bra B;\nshfl.sync.idx.b32 %r0, %r9, ";
  check_out(kernel_text(body + "3, 31, 15;\nst.global.u32 [%rd8], %r0;\nB:"), 32, [](std::uint32_t t) { return t < 4 ? 3 : 0; });
  check_fault(FaultKind::UndefinedRegister, "%r0", kernel_text(body + "5, 31, 15;\nst.global.u32 [%rd8], %r0;\nB:"));
  check_out(kernel_text(body + "5, 31, 15;\nB:"), 32, [](std::uint32_t) { return 0; });  // nobody looks
}

TEST_CASE("of the lane's number shfl takes five bits, and clamps by operand c") {
  const auto shuffle = [](const std::string& rest) {
    return kernel_text("mov.u32 %r1, 1000;\nshfl.sync." + rest + ", -1;\n@%p0 add.u32 %r0, %r0, %r1;\nst.global.u32 [%rd8], %r0;");
  };
  check_out(shuffle("idx.b32 %r0|%p0, %r9, 41, 31"), 32, [](std::uint32_t) { return 1009; });
  check_out(shuffle("down.b32 %r0|%p0, %r9, 4, 20"), 32, [](std::uint32_t t) { return t + 4 <= 20 ? 1000 + t + 4 : t; });
  check_out(shuffle("bfly.b32 %r0|%p0, %r9, 16, 20"), 32, [](std::uint32_t t) { return (t ^ 16U) <= 20 ? 1000 + (t ^ 16U) : t; });
  check_out(shuffle("up.b32 %r0|%p0, %r9, 4, 10"), 32, [](std::uint32_t t) { return t >= 14 ? 1000 + t - 4 : t; });
  check_out(shuffle("up.b32 %r0|%p0, %r9, 1, 0x1800"), 32, [](std::uint32_t t) { return t % 8 >= 1 ? 1000 + t - 1 : t; });
}

TEST_CASE("votes and matches of some members") {
  const auto of_low = [](const std::string& what) {
    return kernel_text("mov.u32 %r0, 77;\nsetp.lt.u32 %p0, %r9, 8;\n@!%p0 bra B;\n" + what + "\nB: st.global.u32 [%rd8], %r0;");
  };
  const auto as_number = [&](const std::string& what) { return of_low(what + "\nselp.u32 %r0, 1, 0, %p1;"); };
  const std::string none = "setp.gt.u32 %p2, %r9, 40;\n";
  const std::string some = "setp.gt.u32 %p2, %r9, 5;\n";
  const std::string all = "setp.lt.u32 %p2, %r9, 40;\n";
  const auto gives = [&](const std::string& text, std::uint32_t number) {
    check_out(text, 32, [number](std::uint32_t t) { return t < 8 ? number : 77; });
  };
  for (const auto& [mode, of_none, of_some, of_all] : {std::tuple("all", 0, 0, 1), {"any", 0, 1, 1}, {"uni", 1, 0, 1}}) {
    const std::string vote = std::string("vote.sync.") + mode + ".pred %p1, %p2, 0xff;";
    INFO(vote);
    gives(as_number(none + vote), static_cast<std::uint32_t>(of_none));
    gives(as_number(some + vote), static_cast<std::uint32_t>(of_some));
    gives(as_number(all + vote), static_cast<std::uint32_t>(of_all));
  }
  gives(of_low(some + "vote.sync.ballot.b32 %r0, %p2, 0xff;"), 0xc0);
  gives(of_low("match.all.sync.b32 %r0|%p1, 3, 0xff;"), 0xff);
  gives(of_low("and.b32 %r1, %r9, 1;\nmatch.all.sync.b32 %r0|%p1, %r1, 0xff;"), 0);
  check_out(of_low("and.b32 %r1, %r9, 1;\nmatch.any.sync.b32 %r0, %r1, 0xff;"), 32, [](std::uint32_t t) {
    return t >= 8 ? 77 : t % 2 == 0 ? 0x55 : 0xaa;
  });
  check_out(of_low("sub.u32 %r1, %r9, 3;\nredux.sync.min.s32 %r0, %r1, 0xff;"), 32, [](std::uint32_t t) { return t < 8 ? -3 : 77; });
  check_out(of_low("sub.u32 %r1, %r9, 3;\nredux.sync.max.s32 %r0, %r1, 0xff;"), 32, [](std::uint32_t t) { return t < 8 ? 4 : 77; });
  check_out(of_low("sub.u32 %r1, %r9, 3;\nredux.sync.max.u32 %r0, %r1, 0xff;"), 32, [](std::uint32_t t) { return t < 8 ? -1 : 77; });
}

TEST_CASE("barriers have numbers and counts of their own") {
  // Each warp meets at a barrier of its own number.
  check_out(kernel_text("shr.u32 %r0, %r9, 5;\nbar.sync %r0, 32;\nst.global.u32 [%rd8], %r0;"), 64, [](std::uint32_t t) { return t / 32; });
  // The first warp says that it has come, and does not wait.
  check_out(kernel_text("setp.lt.u32 %p0, %r9, 32;\n@%p0 bra A;\nbar.sync 2, 64;\nbar.sync 1, 64;\nbra B;\nA: bar.arrive 1, 64;\n"
                        "bar.sync 2, 64;\nB: st.global.u32 [%rd8], 9;"),
            64, [](std::uint32_t) { return 9; });
  check_fault(FaultKind::BarrierMismatch, "but threads that have come before wait for",
              kernel_text("setp.lt.u32 %p0, %r9, 32;\nselp.u32 %r0, 64, 96, %p0;\nbar.sync 1, %r0;"), 64);
}

TEST_CASE("threads that branch by an index go to as many places") {
  check_out(
      kernel_text("L: .branchtargets A, B, C;\nrem.u32 %r0, %r9, 3;\nbrx.idx %r0, L;\nA: mov.u32 %r1, 10;\nbra D;\nB: mov.u32 %r1, 20;\n"
                  "bra D;\nC: mov.u32 %r1, 30;\nD: st.global.u32 [%rd8], %r1;"),
      64, [](std::uint32_t t) { return 10 * (t % 3 + 1); });
}

TEST_CASE("threads go where all others meet, and those that a guard keeps go on") {
  // Of three ways one is where they meet.
  check_out(kernel_text("mov.u32 %r1, 5;\nL: .branchtargets A, B, D;\nrem.u32 %r0, %r9, 3;\nbrx.idx %r0, L;\nA: mov.u32 %r1, 10;\nbra D;\n"
                        "B: mov.u32 %r1, 20;\nD: bar.sync 0;\nst.global.u32 [%rd8], %r1;"),
            64, [](std::uint32_t t) { return t % 3 == 0   ? 10
                                             : t % 3 == 1 ? 20
                                                          : 5; });
  check_out(kernel_text("mov.u32 %r1, 5;\nL: .branchtargets A, D;\nsetp.lt.u32 %p0, %r9, 10;\nand.b32 %r0, %r9, 1;\n@%p0 brx.idx %r0, L;\n"
                        "mov.u32 %r1, 7;\nbra D;\nA: mov.u32 %r1, 10;\nD: st.global.u32 [%rd8], %r1;"),
            64, [](std::uint32_t t) { return t >= 10      ? 7
                                             : t % 2 == 0 ? 10
                                                          : 5; });
  check_out(kernel_text("mov.u32 %r0, 5;\nsetp.lt.u32 %p0, %r9, 10;\n@%p0 call (%r0), f, (%r9);\nst.global.u32 [%rd8], %r0;",
                        ".func (.reg .b32 y) f(.reg .b32 x)\n{\nadd.u32 y, x, 100;\nret;\n}\n"),
            64, [](std::uint32_t t) { return t < 10 ? t + 100 : 5; });
  check_out(kernel_text("st.global.u32 [%rd8], 5;\nsetp.lt.u32 %p0, %r9, 10;\n@%p0 exit;\nst.global.u32 [%rd8], 6;"), 64,
            [](std::uint32_t t) { return t < 10 ? 5 : 6; });
  check_out(kernel_text("st.global.u32 [%rd8], 5;\nsetp.lt.u32 %p0, %r9, 10;\n@!%p0 ret;\nst.global.u32 [%rd8], 6;"), 64,
            [](std::uint32_t t) { return t < 10 ? 6 : 5; });
}

TEST_CASE("threads that a guard keeps go on behind the instruction") {
  // What stands in front of it is done once.
  const std::string function = ".func f(.reg .b32 x)\n{\nret;\n}\n";
  const std::string begin = "mov.u32 %r0, 5;\nsetp.lt.u32 %p0, %r9, 16;\nL: .branchtargets D;\nadd.u32 %r0, %r0, 1;\n";
  for (const char* guarded : {"call f, (%r9);", "brx.idx 0, L;", "bar.warp.sync 0xffff;", "shfl.sync.idx.b32 %r1, %r9, 0, 31, 0xffff;",
                              "vote.sync.ballot.b32 %r1, %p0, 0xffff;", "barrier.arrive 1, 32;"}) {
    INFO(guarded);
    check_out(kernel_text(begin + "@%p0 " + guarded + "\nD: st.global.u32 [%rd8], %r0;", function), 32, [](std::uint32_t) { return 6; });
  }
  for (const char* end : {"ret;", "exit;"}) {
    INFO(end);
    check_out(kernel_text("add.u32 %r0, %r9, 1;\nsetp.lt.u32 %p0, %r9, 16;\nadd.u32 %r0, %r0, 1;\n@%p0 " + std::string(end) +
                          "\nst.global.u32 [%rd8], %r0;"),
              32, [](std::uint32_t t) { return t < 16 ? 0 : t + 2; });
  }
}

TEST_CASE("the module's first function is called through a register too") {
  check_out(
      kernel_text(
          "mov.u64 %rd0, f;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r0), %rd0, (%r9), P;\nst.global.u32 [%rd8], %r0;",
          ".func (.reg .b32 y) f(.reg .b32 x)\n{\nadd.u32 y, x, 100;\nret;\n}\n"),
      32, [](std::uint32_t t) { return t + 100; });
}

TEST_CASE("special registers say where a thread lies") {
  // 40 threads: one warp, and 8 threads of another one.
  const auto gives = [](const std::string& name, auto expected) {
    INFO(name);
    check_out(kernel_text("mov.u32 %r0, %" + name + ";\nst.global.u32 [%rd8], %r0;"), 40, expected);
  };
  gives("laneid", [](std::uint32_t t) { return t % 32; });
  gives("warpid", [](std::uint32_t t) { return t / 32; });
  gives("nwarpid", [](std::uint32_t) { return 2; });
  gives("ntid.x", [](std::uint32_t) { return 40; });
  gives("ntid.y", [](std::uint32_t) { return 1; });
  gives("tid.z", [](std::uint32_t) { return 0; });
  gives("nctaid.x", [](std::uint32_t) { return 1; });
  gives("lanemask_eq", [](std::uint32_t t) { return 1U << t % 32; });
  gives("lanemask_lt", [](std::uint32_t t) { return (1U << t % 32) - 1; });
  gives("lanemask_le", [](std::uint32_t t) { return (1U << t % 32 << 1) - 1; });
  gives("lanemask_gt", [](std::uint32_t t) { return ~((1U << t % 32 << 1) - 1); });
  gives("lanemask_ge", [](std::uint32_t t) { return ~((1U << t % 32) - 1); });
}

TEST_CASE("a function knows nothing of an earlier call, and of arguments what the caller has written") {
  const std::string remembers =
      ".func f(.reg .b32 x)\n{\n.reg .pred %p; .reg .b32 %a;\nsetp.eq.u32 %p, x, 0;\n@%p mov.u32 %a, 1;\nadd.u32 %a, %a, 1;\nret;\n}\n";
  check_out(kernel_text("call f, (0);\ncall f, (0);", remembers), 32, [](std::uint32_t) { return 0; });
  check_fault(FaultKind::UndefinedRegister, "%a", kernel_text("call f, (0);\ncall f, (1);", remembers));
  const std::string uses = ".func f(.reg .b32 x)\n{\n.reg .b32 %a;\nadd.u32 %a, x, 1;\nret;\n}\n";
  check_fault(FaultKind::UndefinedRegister, "the register x", kernel_text("call f, (%r5);", uses));
  const std::string loads = ".func f(.param .b32 x)\n{\n.reg .b32 %a;\nld.param.b32 %a, [x];\nadd.u32 %a, %a, 1;\nret;\n}\n";
  check_fault(FaultKind::UndefinedByte, "byte 0 of 'x'", kernel_text("{\n.param .b32 a;\ncall f, (a);\n}", loads));
}

TEST_CASE("an address of 32 bits wraps") {
  check_out(kernel_text(".shared .u32 s;\nmov.u32 %r0, s;\nst.shared.u32 [%r0], 5;\nsub.u32 %r1, %r0, 0x10000000;\n"
                        "ld.shared.u32 %r2, [%r1+0x10000000];\nst.global.u32 [%rd8], %r2;"),
            1, [](std::uint32_t) { return 5; });
}

TEST_CASE("a random schedule is another one for another seed, and the same for the same") {
  // Who draws which ticket is the schedule's choice.
  const auto tickets = [](std::uint64_t seed) {
    PtxLaunch launch = under(Schedule::Random, 63);
    launch.options.seed = seed;
    return run_text(kernel_text("atom.global.add.u32 %r0, [%rd9+252], 1;\nst.global.u32 [%rd8], %r0;"), launch).out;
  };
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    seen.insert(tickets(seed));
    CHECK(tickets(seed) == tickets(seed));
  }
  CHECK(seen.size() > 1);
}

TEST_CASE("threads and blocks lie in three dimensions, the first of which runs fastest") {
  // Each thread, and then each block, writes where it lies at its number.
  PtxLaunch threads;
  threads.options.geometry = {{1, 1, 1}, {3, 4, 2}};
  const std::string where =
      "mov.u32 %r1, %WHAT.x;\nmov.u32 %r2, %WHAT.y;\nmov.u32 %r3, %WHAT.z;\nmad.lo.u32 %r1, %r2, 10, %r1;\n"
      "mad.lo.u32 %r1, %r3, 100, %r1;\nst.global.u32 [%rd0], %r1;";
  const auto text = [&](const std::string& number, const std::string& what) {
    std::string body = number + "mad.wide.u32 %rd0, %r0, 4, %rd9;\n" + where;
    for (std::size_t at = body.find("WHAT"); at != std::string::npos; at = body.find("WHAT")) {
      body.replace(at, 4, what);
    }
    return kernel_text(body, ".global .u32 next;\n");
  };
  const auto check = [](const std::vector<std::uint32_t>& out, std::uint32_t xs, std::uint32_t ys, std::uint32_t zs) {
    std::size_t k = 0;
    for (std::uint32_t z = 0; z < zs; ++z) {
      for (std::uint32_t y = 0; y < ys; ++y) {
        for (std::uint32_t x = 0; x < xs; ++x) {
          CHECK(out[k++] == x + 10 * y + 100 * z);
        }
      }
    }
  };
  check(run_text(text("mov.u32 %r0, %laneid;\n", "tid"), threads).out, 3, 4, 2);
  PtxLaunch blocks(1);
  blocks.options.geometry = {{2, 3, 4}, {1, 1, 1}};  // blocks run one after the other
  check(run_text(text("atom.global.add.u32 %r0, [next], 1;\n", "ctaid"), blocks).out, 2, 3, 4);
}

TEST_CASE("under the stack, threads are together again where their ways meet, whatever stands in front of it") {
  const std::string call = ".func f(.reg .b32 x)\n{\nret;\n}\n";
  const std::string begin = "setp.lt.u32 %p0, %r9, 16;\nsetp.lt.u32 %p1, %r9, 24;\nmov.u32 %r1, 0x00ff0000;\n";
  for (const char* last : {"call f, (%r9);", "@%p1 call f, (%r9);", "@%p1 bar.warp.sync %r1;", "bar.warp.sync 0xffff0000;",
                           "@%p1 bra A;\nbar.warp.sync 0xff000000;", "@%p1 bra M;\nM: call f, (%r9);", "@%p1 mov.u32 %r1, 0;"}) {
    INFO(last);
    const std::string body = begin + "@%p0 bra A;\n" + last + "\nA:\nactivemask.b32 %r0;\nst.global.u32 [%rd8], %r0;";
    const PtxRun run = run_text(kernel_text(body, call), under(Schedule::Stack, 32));
    INFO(run.fault());
    REQUIRE_FALSE(run.outcome.fault);
    CHECK(std::vector<std::uint32_t>(run.out.begin(), run.out.begin() + 32) == std::vector<std::uint32_t>(32, 0xffffffff));
  }
}

TEST_CASE("under the stack, threads do not wait where ways meet for others that wait for them") {
  // The upper half waits in front of where the ways meet, the lower half comes to the same barrier behind it.
  for (const char* barrier : {"bar.warp.sync -1;", "barrier.sync 1, 32;", "shfl.sync.idx.b32 %r1, %r9, 3, 31, -1;"}) {
    INFO(barrier);
    check_out(kernel_text("mov.u32 %r0, 5;\nsetp.lt.u32 %p0, %r9, 16;\n@%p0 bra M;\nmov.u32 %r0, 6;\n" + std::string(barrier) +
                          "\nM:\n@%p0 " + barrier + "\nst.global.u32 [%rd8], %r0;"),
              32, [](std::uint32_t t) { return t < 16 ? 5 : 6; });
  }
}
