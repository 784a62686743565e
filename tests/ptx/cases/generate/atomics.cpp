// Atomic operations whose results do not depend on the order in which they come: sums, and the old values as a set.

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

}  // namespace

std::vector<CaseText> atomic_cases() {
  std::vector<CaseText> cases;
  for (const std::string space : {"", ".global"}) {
    const std::string form = "atom" + space + ".add.i";
    cases.push_back(Written(form, {form}, form + ": each old value below the number of threads is somebody's; sums of 32 and of 64 bits.")
                        .grid(2)
                        .block(32)
                        .output("counter", "u32", 1, [](Bits) -> Bits { return 64; })
                        .output("marks", "u32", 2, [](Bits) -> Bits { return 0xffffffff; })
                        .output("sum", "u64", 1, [](Bits) -> Bits { return Bits{64} << 32U; })
                        .body("  ld.param.u64 %rd2, [counter];\n  atom" + space +
                              ".add.u32 %r1, [%rd2], 1;\n  ld.param.u64 %rd3, [marks];\n  shr.u32 %r2, %r1, 5;\n  mad.wide.u32 %rd3, %r2, "
                              "4, %rd3;\n  and.b32 %r3, %r1, 31;\n  mov.u32 %r4, 1;\n"
                              "  shl.b32 %r3, %r4, %r3;\n  red.global.or.b32 [%rd3], %r3;\n  ld.param.u64 %rd4, [sum];\n  mov.u64 %rd5, "
                              "0x100000000;\n  atom" +
                              space + ".add.u64 %rd6, [%rd4], %rd5;\n")
                        .text());
  }
  for (const std::string space : {"", ".global"}) {
    const std::string form = "atom" + space + ".inc.i";
    cases.push_back(
        Written(form, {form}, form + ": counts up to a bound, and begins at 0 again: each old value from 0 to 6 is ten threads'.")
            .block(70)
            .output("counter", "u32", 1, [](Bits) -> Bits { return 0; })
            .output("got", "u32", 8, [](Bits k) -> Bits { return k < 7 ? 10 : 0; })
            .body("  ld.param.u64 %rd2, [counter];\n  atom" + space +
                  ".inc.u32 %r1, [%rd2], 6;\n  ld.param.u64 %rd3, [got];\n  mad.wide.u32 %rd3, %r1, 4, %rd3;\n  red.global.add.u32 [%rd3], "
                  "1;\n")
            .text());
  }
  cases.push_back(
      Written("atom.cas.i", {"atom.cas.i"}, "atom.cas: a sum by comparing and exchanging until it has succeeded; of 32 and of 64 bits.")
          .block(40)
          .output("sum", "u32", 1, [](Bits) -> Bits { return 40 * 39 / 2; })
          .output("longer", "u64", 1, [](Bits) -> Bits { return Bits{40} << 40U; })
          .body(R"(
  ld.param.u64 %rd2, [sum];
  ld.volatile.global.u32 %r1, [%rd2];
Again:
  add.u32 %r2, %r1, %r0;
  atom.cas.b32 %r3, [%rd2], %r1, %r2;
  setp.ne.u32 %p0, %r3, %r1;
  mov.u32 %r1, %r3;
  @%p0 bra Again;
  ld.param.u64 %rd3, [longer];
  ld.volatile.global.u64 %rd4, [%rd3];
Longer:
  add.u64 %rd5, %rd4, 0x10000000000;
  atom.cas.b64 %rd6, [%rd3], %rd4, %rd5;
  setp.ne.u64 %p0, %rd6, %rd4;
  mov.u64 %rd4, %rd6;
  @%p0 bra Longer;
)")
          .text());
  cases.push_back(Written("atom.shared.add.i", {"atom.shared.add.i"}, "atom.shared.add: a sum of each block's own.")
                      .grid(3)
                      .block(48)
                      .output("out", "u32", 3, [](Bits k) -> Bits { return 48 * (k + 1) + 5; })
                      .before(".shared .u32 total;\n")
                      .body(R"(
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd1, %r1, 4, %rd0;
  setp.ne.u32 %p0, %r0, 0;
  @!%p0 st.shared.u32 [total], 5;
  bar.sync 0;
  add.u32 %r2, %r1, 1;
  atom.shared.add.u32 %r3, [total], %r2;
  bar.sync 0;
  ld.shared.u32 %r4, [total];
  @!%p0 st.global.u32 [%rd1], %r4;
)")
                      .text());
  cases.push_back(
      Written("atom.shared.add.f32", {"atom.shared.add.f32"}, "atom.shared.add of floats: numbers whose sum is exact in any order.")
          .block(64)
          .output("out", "f32", 1, [](Bits) -> Bits { return 0x44fc2000; })  // 2017 = 1 + 0 + 1 + ... + 63
          .before(".shared .f32 total;\n")
          .body(R"(
  setp.ne.u32 %p0, %r0, 0;
  @!%p0 st.shared.f32 [total], 0f3F800000;
  bar.sync 0;
  cvt.rn.f32.u32 %f0, %r0;
  atom.shared.add.f32 %f1, [total], %f0;
  bar.sync 0;
  ld.shared.f32 %f2, [total];
  @!%p0 st.global.f32 [%rd0], %f2;
)")
          .text());
  return cases;
}

}  // namespace lockstep::ptx_cases
