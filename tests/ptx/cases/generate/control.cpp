// Branches, calls, and the end of threads.

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

CaseText branches() {
  return Written(
             "bra", {"bra"},
             "bra: loops of different lengths, a branch in them, and branches that all threads take: the steps of the Collatz sequence.")
      .block(40)
      .output("out", "u32", 40,
              [](Bits k) -> Bits {
                Bits steps = 0;
                for (Bits n = k + 1; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
                  ++steps;
                }
                return steps;
              })
      .body(R"(
  add.u32 %r1, %r0, 1;
  mov.u32 %r2, 0;
  bra.uni Test;
Odd:
  mad.lo.u32 %r1, %r1, 3, 1;
Count:
  add.u32 %r2, %r2, 1;
Test:
  setp.eq.u32 %p0, %r1, 1;
  @%p0 bra Done;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0;
  @!%p1 bra Odd;
  shr.u32 %r1, %r1, 1;
  bra Count;
Done:
  st.global.u32 [%rd1], %r2;
)")
      .text();
}

const char* const functions = R"(.func (.param .b32 result) square(.param .b32 x) {
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  mul.lo.u32 %a, %a, %a;
  st.param.b32 [result], %a;
  ret;
}

.func (.param .b32 result) sum_of_squares(.param .b32 x, .param .b64 y) {
  .reg .pred %p;
  .reg .b32 %a, %b;
  .reg .b64 %c;
  ld.param.u32 %a, [x];
  ld.param.u64 %c, [y];
  cvt.u32.u64 %b, %c;
  setp.eq.u32 %p, %a, 3;
  @%p bra Three;
  {
    .param .b32 argument;
    .param .b32 answer;
    st.param.b32 [argument], %a;
    call (answer), square, (argument);
    ld.param.b32 %a, [answer];
  }
  {
    .param .b32 argument;
    .param .b32 answer;
    st.param.b32 [argument], %b;
    call.uni (answer), square, (argument);
    ld.param.b32 %b, [answer];
  }
  add.u32 %a, %a, %b;
  st.param.b32 [result], %a;
  ret;
Three:
  st.param.b32 [result], 0;
  ret;
}
)";

CaseText calls(const std::string& form, const std::string& meaning) {
  return Written(form, {form}, meaning)
      .block(8)
      .output("out", "u32", 8, [](Bits k) -> Bits { return k == 3 ? 0 : k * k + (k + 10) * (k + 10); })
      .before(functions)
      .body(R"(
  add.u32 %r1, %r0, 10;
  cvt.u64.u32 %rd2, %r1;
  {
    .param .b32 a;
    .param .b64 b;
    .param .b32 c;
    st.param.b32 [a], %r0;
    st.param.b64 [b], %rd2;
    call (c), sum_of_squares, (a, b);
    ld.param.b32 %r2, [c];
  }
  st.global.u32 [%rd1], %r2;
)")
      .text();
}

/// Of each thread whose number is odd, what it has written before it ends.
CaseText ends(const std::string& form, const std::string& instruction) {
  return Written(form, {form}, form + ": some threads end before the others.")
      .block(12)
      .output("out", "u32", 12, [](Bits k) -> Bits { return k % 2 == 1 ? 1 : 2 + k; })
      .body(R"(
  st.global.u32 [%rd1], 1;
  and.b32 %r1, %r0, 1;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 )" + instruction +
            R"(;
  add.u32 %r2, %r0, 2;
  st.global.u32 [%rd1], %r2;
)")
      .text();
}

}  // namespace

std::vector<CaseText> control_cases() {
  return {branches(), calls("call", "call: functions with parameters and results, one within another, in part of a block."),
          calls("st.param", "st.param: arguments of a call, and a function's result."), ends("exit", "exit"), ends("ret", "ret")};
}

}  // namespace lockstep::ptx_cases
