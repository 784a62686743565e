// Operands that stand for more than a register: a predicate with a '!', elements in braces.

#include <catch2/catch.hpp>

#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;

TEST_CASE("negated predicates", "[ptx]") {
  // Bit k of the number that a thread stores is what instruction k gives, where p is whether it is one of the first three, q whether it is
  // even.
  const PtxFile file = read_ptx("negated.ptx", R"(
.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p, %q, %t; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  mov.u32 %r0, %tid.x;
  ld.param.u64 %rd0, [out];
  mad.wide.u32 %rd0, %r0, 4, %rd0;
  setp.lt.u32 %p, %r0, 3;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %q, %r1, 0;
  mov.u32 %r2, 0;
  mov.pred %t, !%p;
  @%t or.b32 %r2, %r2, 1;
  and.pred %t, !%p, !%q;
  @%t or.b32 %r2, %r2, 2;
  or.pred %t, %p, !%q;
  @%t or.b32 %r2, %r2, 4;
  xor.pred %t, !%p, %q;
  @%t or.b32 %r2, %r2, 8;
  not.pred %t, !%p;
  @%t or.b32 %r2, %r2, 16;
  selp.b32 %r1, 32, 0, !%p;
  or.b32 %r2, %r2, %r1;
  setp.eq.and.u32 %t, %r0, %r0, !%q;
  @%t or.b32 %r2, %r2, 64;
  mov.pred %p, !%p;
  @!%p or.b32 %r2, %r2, 128;
  st.global.u32 [%rd0], %r2;
  ret;
}
)");
  for (const NamedSchedule& schedule : schedules()) {
    ptx_machine::Arguments arguments;
    add_buffer(arguments, {0, 0, 0, 0, 0, 0, 0, 0}, 4);
    ptx_machine::LaunchOptions options;
    options.geometry.block = {8, 1, 1};
    options.schedule = schedule.schedule;
    options.seed = schedule.seed;
    run_ptx(file, "", arguments, options);
    for (unsigned thread = 0; thread < 8; ++thread) {
      INFO(schedule.name << ", thread " << thread);
      const bool p = thread < 3;
      const bool q = thread % 2 == 0;
      const unsigned expected = (!p ? 1U : 0U) | (!p && !q ? 2U : 0U) | (p || !q ? 4U : 0U) | (!p != q ? 8U : 0U) | (p ? 16U : 0U) |
                                (!p ? 32U : 0U) | (!q ? 64U : 0U) | (p ? 128U : 0U);
      CHECK(element_of(arguments.buffers[0], thread, 4) == expected);
    }
  }
}

TEST_CASE("elements are moved to elements all at once", "[ptx]") {
  const PtxFile file = read_ptx("elements.ptx", R"(
.version 8.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .v2 .b32 %v; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.v4.u32 {%r0, %r4, %r5, %r6}, %tid;
  ld.param.u64 %rd0, [out];
  mad.wide.u32 %rd0, %r0, 16, %rd0;
  mov.v2.b32 {%r1, %r2}, {%r0, 7};
  mov.v2.b32 {%r1, %r2}, {%r2, %r1};
  mov.v2.b32 %v, {%r2, %r1};
  mov.v2.u64 {%rd2, %rd3}, {4294967299, 5};
  mov.v2.u32 {%r3, %r7}, {%r4, 9};
  shl.b32 %r2, %r2, 8;
  or.b32 %r1, %r1, %r2;
  cvt.u32.u64 %r5, %rd2;
  st.global.v4.b32 [%rd0], {%r1, %v.y, %r7, %r5};
  ret;
}
)");
  for (const NamedSchedule& schedule : schedules()) {
    ptx_machine::Arguments arguments;
    add_buffer(arguments, std::vector<std::uint64_t>(20, 0), 4);
    ptx_machine::LaunchOptions options;
    options.geometry.block = {5, 1, 1};
    options.schedule = schedule.schedule;
    options.seed = schedule.seed;
    run_ptx(file, "", arguments, options);
    for (unsigned thread = 0; thread < 5; ++thread) {
      INFO(schedule.name << ", thread " << thread);
      CHECK(element_of(arguments.buffers[0], 4 * thread, 4) == (thread << 8 | 7));
      CHECK(element_of(arguments.buffers[0], 4 * thread + 1, 4) == 7);
      CHECK(element_of(arguments.buffers[0], 4 * thread + 2, 4) == 9);
      CHECK(element_of(arguments.buffers[0], 4 * thread + 3, 4) == 3);
    }
  }
}
