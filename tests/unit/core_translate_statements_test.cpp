// Structured reconvergence: what each kind of statement becomes. The expected code is written by hand from the statements' meaning (rules
// BD, SS and SI.sync; "break, continue and return are lowered to live flags").

#include <catch2/catch.hpp>

#include "tests/unit/core_translate_text.hpp"

using namespace lockstep;

TEST_CASE("core translate: if without else joins behind its arm", "[core][translate]") {
  const auto program = translated("__kernel void k(__global int *a, int n) { if (n > 1) a[0] = n; a[1] = 2; }");
  CHECK(listing(program) ==
        "bz n > 1, Join1\n"
        "st a[0] = n\n"
        "Join1: sync\n"
        "st a[1] = 2\n"
        "stop\n");
}

TEST_CASE("core translate: the then-arm stands before the else-arm", "[core][translate]") {
  const auto program = translated("__kernel void k(__global int *a, int n) { if (n) a[0] = 1; else { a[0] = 2; a[1] = 3; } }");
  CHECK(listing(program) ==
        "bz n, Else1\n"
        "st a[0] = 1\n"
        "jmp Join1\n"
        "Else1: st a[0] = 2\n"
        "st a[1] = 3\n"
        "Join1: sync\n"
        "stop\n");
}

TEST_CASE("core translate: loops that nobody leaves need no flag", "[core][translate]") {
  SECTION("for") {
    const auto program = translated("__kernel void k(__global int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }");
    CHECK(listing(program) ==
          "i = 0\n"
          "Loop1: bz i < n, End1\n"
          "st a[i] = i\n"
          "i = i + 1\n"
          "jmp Loop1\n"
          "End1: sync\n"
          "stop\n");
  }
  SECTION("while") {
    const auto program = translated("__kernel void k(__global int *a, int n) { while (a[n] > 0) n -= 1; }");
    CHECK(listing(program) ==
          "Loop1: t.1 = ld a[n]\n"
          "bz t.1 > 0, End1\n"
          "n = n - 1\n"
          "jmp Loop1\n"
          "End1: sync\n"
          "stop\n");
  }
  SECTION("do: the branch stands at the end, as in Fig. 8") {
    const auto program = translated("__kernel void k(__global int *a, int n) { do n -= 1; while (n); }");
    CHECK(listing(program) ==
          "Loop1: n = n - 1\n"
          "bz !n, Loop1\n"
          "sync\n"
          "stop\n");
  }
  SECTION("a loop without end has nothing behind it") {
    const auto program = translated("__kernel void k(__global int *a) { for (;;) a[0] = 1; a[1] = 2; }");
    CHECK(listing(program) ==
          "Loop1: st a[0] = 1\n"
          "jmp Loop1\n");
  }
  SECTION("do once") {
    const auto program = translated("__kernel void k(__global int *a) { do { a[0] = 1; } while (0); }");
    CHECK(listing(program) == "st a[0] = 1\nstop\n");
  }
}

TEST_CASE("core translate: break clears the loop's flag, the rest of the body is guarded by it, the branch asks for it",
          "[core][translate]") {
  const auto program = translated(
      "__kernel void k(__global int *a, int n) {\n"
      "  for (int i = 0; i < n; i++) { if (a[i] == 7) break; a[i] = 1; }\n"
      "  a[0] = 9;\n"
      "}\n");
  CHECK(listing(program) ==
        "i = 0\n"
        "live.1 = 1\n"
        "Loop1: bz live.1 && i < n, End1\n"  // i < n is total and not poison, so no branch of its own
        "t.1 = ld a[i]\n"
        "bz t.1 == 7, Join2\n"
        "live.1 = 0\n"
        "Join2: sync\n"
        "bz live.1, Rest3\n"
        "st a[i] = 1\n"
        "Rest3: sync\n"
        "bz live.1, Step4\n"
        "i = i + 1\n"
        "Step4: sync\n"
        "jmp Loop1\n"
        "End1: sync\n"
        "st a[0] = 9\n"
        "stop\n");
}

TEST_CASE("core translate: a condition that reads memory is for those who are still in the loop", "[core][translate]") {
  const auto program = translated("__kernel void k(__global int *a, int n) { while (a[n]) { n -= 1; if (n == 3) break; } }");
  CHECK(listing(program) ==
        "live.1 = 1\n"
        "Loop1: t.1 = live.1\n"
        "bz t.1, Join2\n"
        "t.2 = ld a[n]\n"
        "t.1 = t.2 != 0\n"
        "Join2: sync\n"
        "bz t.1, End1\n"
        "n = n - 1\n"
        "bz n == 3, Join3\n"
        "live.1 = 0\n"
        "Join3: sync\n"
        "jmp Loop1\n"
        "End1: sync\n"
        "stop\n");
}

TEST_CASE("core translate: continue waits at the step", "[core][translate]") {
  const auto program =
      translated("__kernel void k(__global int *a, int n) { for (int i = 0; i < n; i++) { if (i == 3) continue; a[i] = i; } }");
  CHECK(listing(program) ==
        "i = 0\n"
        "Loop1: bz i < n, End1\n"
        "round.1 = 1\n"
        "bz i == 3, Join2\n"
        "round.1 = 0\n"
        "Join2: sync\n"
        "bz round.1, Rest3\n"
        "st a[i] = i\n"
        "Rest3: sync\n"
        "i = i + 1\n"
        "jmp Loop1\n"
        "End1: sync\n"
        "stop\n");
}

TEST_CASE("core translate: a continue or break with nothing behind it needs no guard", "[core][translate]") {
  const auto program = translated(
      "__kernel void k(__global int *a, int n) {\n"
      "  for (int i = 0; i < n; i++) { a[i] = i; if (i == 3) { a[i] = 4; continue; } else a[i] = 5; }\n"
      "}\n");
  CHECK(listing(program) ==
        "i = 0\n"
        "Loop1: bz i < n, End1\n"
        "st a[i] = i\n"
        "bz i == 3, Else2\n"
        "st a[i] = 4\n"
        "jmp Join2\n"
        "Else2: st a[i] = 5\n"
        "Join2: sync\n"
        "i = i + 1\n"
        "jmp Loop1\n"
        "End1: sync\n"
        "stop\n");
}

TEST_CASE("core translate: return waits at the function's end, its value in a register", "[core][translate]") {
  const std::string kernel = "__kernel void k(__global int *a, int n) { a[0] = f(a, n); }\n";
  SECTION("the only return, at the end") {
    const auto program = translated("int f(__global int *a, int n) { a[1] = 1; return n + 1; }\n" + kernel);
    CHECK(listing(program) ==
          "t.1 = call f(a, n)\n"
          "st a[0] = t.1\n"
          "stop\n");
    CHECK(listing(program, "f") ==
          "st a[1] = 1\n"
          "ret n + 1\n");
  }
  SECTION("an early one") {
    const auto program = translated("int f(__global int *a, int n) { if (n > 3) return 1; a[1] = 1; return n; }\n" + kernel);
    CHECK(listing(program, "f") ==
          "live.1 = 1\n"
          "bz n > 3, Join1\n"
          "result.1 = 1\n"
          "live.1 = 0\n"
          "Join1: sync\n"
          "bz live.1, Rest2\n"
          "st a[1] = 1\n"
          "result.1 = n\n"  // the flag is asked for nowhere behind it
          "Rest2: sync\n"
          "ret result.1\n");
  }
  SECTION("both arms, and nothing behind them") {
    const auto program = translated("int f(__global int *a, int n) { if (n > 3) return 1; else return 2; }\n" + kernel);
    CHECK(listing(program, "f") ==
          "bz n > 3, Else1\n"
          "result.1 = 1\n"
          "jmp Join1\n"
          "Else1: result.1 = 2\n"
          "Join1: sync\n"
          "ret result.1\n");
  }
  SECTION("out of a loop: the loop's flag and the function's") {
    const auto program = translated("int f(__global int *a, int n) { while (1) { if (n > 3) return n; n += 1; } }\n" + kernel);
    CHECK(listing(program, "f") ==
          "live.1 = 1\n"
          "Loop1: bz live.1, End1\n"
          "bz n > 3, Join2\n"
          "result.1 = n\n"
          "live.1 = 0\n"
          "Join2: sync\n"
          "bz live.1, Rest3\n"
          "n = n + 1\n"
          "Rest3: sync\n"
          "jmp Loop1\n"
          "End1: sync\n"
          "ret result.1\n");
  }
}

TEST_CASE("core translate: what no path leads to is not written", "[core][translate]") {
  const auto program = translated("__kernel void k(__global int *a, int n) { a[0] = 1; return; a[1] = 2; }");
  CHECK(listing(program) == "st a[0] = 1\nstop\n");
}

TEST_CASE("core translate: switch serves its sections in the order of the text", "[core][translate]") {
  SECTION("each section ends in a break: no flag") {
    const auto program = translated(
        "__kernel void k(__global int *a, int n) {\n"
        "  switch (n) { default: a[0] = 3; break; case 1: case 2: a[0] = 1; break; case 5: a[0] = 2; }\n"
        "}\n");
    CHECK(listing(program) ==
          "switch.1 = n\n"
          "bz !(switch.1 == 1 || switch.1 == 2 || switch.1 == 5), Case1\n"
          "st a[0] = 3\n"
          "Case1: sync\n"
          "bz switch.1 == 1 || switch.1 == 2, Case2\n"
          "st a[0] = 1\n"
          "Case2: sync\n"
          "bz switch.1 == 5, Case3\n"
          "st a[0] = 2\n"
          "Case3: sync\n"
          "stop\n");
  }
  SECTION("falling into the next section") {
    const auto program = translated(
        "__kernel void k(__global int *a, int n) {\n"
        "  switch (n) { case 1: if (a[0]) break; case 2: a[1] = 2; }\n"
        "  a[2] = 3;\n"
        "}\n");
    CHECK(listing(program) ==
          "switch.1 = n\n"
          "live.1 = switch.1 == 1\n"
          "bz live.1, Case1\n"
          "t.1 = ld a[0]\n"
          "bz t.1, Join2\n"
          "live.1 = 0\n"
          "Join2: sync\n"
          "Case1: sync\n"
          "live.1 = live.1 || switch.1 == 2\n"
          "bz live.1, Case3\n"
          "st a[1] = 2\n"
          "Case3: sync\n"
          "st a[2] = 3\n"
          "stop\n");
  }
  SECTION("continue goes through a switch to its loop") {
    const auto program = translated(
        "__kernel void k(__global int *a, int n) {\n"
        "  while (n > 0) { n -= 1; switch (n) { case 1: continue; case 2: break; } a[n] = n; }\n"
        "}\n");
    CHECK(listing(program) ==
          "Loop1: bz n > 0, End1\n"
          "round.1 = 1\n"
          "n = n - 1\n"
          "switch.1 = n\n"
          "bz switch.1 == 1, Case2\n"
          "round.1 = 0\n"
          "Case2: sync\n"
          "bz switch.1 == 2, Case3\n"
          "Case3: sync\n"
          "bz round.1, Rest4\n"
          "st a[n] = n\n"
          "Rest4: sync\n"
          "jmp Loop1\n"
          "End1: sync\n"
          "stop\n");
  }
}

TEST_CASE("core translate: a declaration that is met again forgets, where a read may come before a write", "[core][translate]") {
  const auto program = translated(
      "__kernel void k(__global int *a, int n) {\n"
      "  int first;\n"
      "  if (n) first = 1;\n"
      "  for (int i = 0; i < n; i++) { int x; int y; if (i) x = i; y = 2; a[i] = x + y + first; }\n"
      "}\n");
  CHECK(listing(program) ==
        "bz n, Join1\n"
        "first = 1\n"
        "Join1: sync\n"
        "i = 0\n"
        "Loop2: bz i < n, End2\n"
        "forget x\n"
        "bz i, Join3\n"
        "x = i\n"
        "Join3: sync\n"
        "y = 2\n"
        "st a[i] = x + y + first\n"
        "i = i + 1\n"
        "jmp Loop2\n"
        "End2: sync\n"
        "stop\n");
  for (const typed::RegisterInfo& info : program.kernel().registers) {
    CHECK(info.always_written == (info.name != "x" && info.name != "first"));
  }
}

TEST_CASE("core translate: variables of one name are told apart", "[core][translate]") {
  const auto program = translated("__kernel void k(__global int *a) { int x = 1; { int x = 2; a[x] = 3; } a[x] = 4; }");
  CHECK(listing(program) ==
        "x = 1\n"
        "x.2 = 2\n"
        "st a[x.2] = 3\n"
        "st a[x] = 4\n"
        "stop\n");
  CHECK(program.kernel().registers[2].variable == "x");
}

TEST_CASE("core translate: crev is the loop of Fig. 8, with every argument broadcast", "[core][translate]") {
  const std::string text =
      "void f(uniform __global int *a, uniform int n) { a[get_local_id(0)] = n; }\n"
      "__kernel void k(__global int *a) { int v = get_local_id(0); if (v > 2) crev f(a, v + 1); }\n";
  core::Options options;
  options.wg_size = 4;
  SECTION("ascending") {
    CHECK(listing(translated(text, options)) ==
          "v = int(local_id)\n"
          "bz v > 2, Join1\n"
          "t.1 = v + 1\n"  // by the callers alone
          "everywhere\n"
          "crev.i.1 = 0ul\n"
          "Serve2: jmp_mask crev.i.1, Call2\n"
          "jmp Next2\n"
          "Call2: crev.p.1 = shfl(a, crev.i.1)\n"
          "crev.p.2 = shfl(t.1, crev.i.1)\n"
          "call f(crev.p.1, crev.p.2)\n"
          "Next2: crev.i.1 = crev.i.1 + 1ul\n"
          "bz crev.i.1 == warp_size, Serve2\n"
          "sync\n"
          "end_everywhere\n"
          "Join1: sync\n"
          "stop\n");
  }
  SECTION("descending: the lane counts down from the warp's last") {
    options.crev_order = core::CrevOrder::Descending;
    const std::string code = listing(translated(text, options));
    CHECK(code.find("Serve2: crev.lane.1 = warp_size - 1ul - crev.i.1\n"
                    "jmp_mask crev.lane.1, Call2\n") != std::string::npos);
    CHECK(code.find("crev.p.2 = shfl(t.1, crev.lane.1)\n") != std::string::npos);
  }
  SECTION("permuted: each lane once, in an order that the seed decides") {
    options.crev_order = core::CrevOrder::Permuted;
    options.wg_size = 16;
    const auto program = translated(text, options);
    CHECK(listing(program).find("Serve2: crev.lane.1 = ld @crev.order[crev.i.1]\n"
                                "jmp_mask crev.lane.1, Call2\n") != std::string::npos);
    REQUIRE(program.objects.size() == 1);
    std::vector<bool> served(16, false);
    for (const std::uint64_t lane : program.objects.front().values) {
      served.at(lane) = true;
    }
    CHECK(served == std::vector<bool>(16, true));
    CHECK(program.objects.front().values == translated(text, options).objects.front().values);
    options.crev_seed = 1;
    CHECK(program.objects.front().values != translated(text, options).objects.front().values);
  }
}

TEST_CASE("core translate: only what the kernel reaches is there, and each function once", "[core][translate]") {
  const auto program = translated(
      "void unused(__global int *a) { a[0] = 1; }\n"
      "int twice(int n) { return n < 1 ? 0 : twice(n - 1) + 2; }\n"
      "int once(int n) { return twice(n) + twice(n); }\n"
      "__kernel void other(__global int *a) { unused(a); }\n"
      "__kernel void k(__global int *a, int n) { a[0] = once(n) + twice(n); }\n",
      {}, "k");
  REQUIRE(program.functions.size() == 3);
  CHECK(program.functions[0].name == "k");
  CHECK(program.functions[1].name == "once");
  CHECK(program.functions[2].name == "twice");
  CHECK(program.functions[0].begin == 0);
  CHECK(program.functions[1].begin == program.functions[0].end);
  CHECK(program.functions[2].end == program.code.size());
  CHECK(&typed::function_at(program, 0) == &program.functions[0]);
  CHECK(&typed::function_at(program, program.functions[2].begin) == &program.functions[2]);
  CHECK(&typed::function_at(program, program.functions[2].begin - 1) == &program.functions[1]);
}

TEST_CASE("core translate: a function that may end without a value has a copy that gives none", "[core][translate]") {
  const auto program =
      translated("int f(int x) { if (x > 1) return x / 2; }\n__kernel void k(__global int *a, int n) { f(n); a[0] = f(n); }");
  CHECK(listing(program) ==
        "call f.unused(n)\n"
        "t.1 = call f(n)\n"
        "st a[0] = t.1\n"
        "stop\n");
  CHECK(listing(program, "f") ==
        "bz x > 1, Join2\n"
        "result.1 = x / 2\n"
        "Join2: sync\n"
        "ret result.1\n");
  CHECK(listing(program, "f.unused") ==
        "bz x > 1, Join1\n"
        "t.1 = x / 2\n"
        "Join1: sync\n"
        "ret\n");
  CHECK(listing(translated("int f(int x) { return x; }\n__kernel void k(int n) { f(n); }")) == "call f(n)\nstop\n");
}
