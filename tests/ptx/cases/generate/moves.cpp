// Moving values: mov, selp, vectors of registers.

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

CaseText moves() {
  return Written("mov", {"mov"}, "mov: of numbers, registers, special registers and the address of a variable.")
      .grid(3)
      .block(4)
      .output("out", "u64", 3 * 4 * 8,
              [](Bits k) -> Bits {
                const Bits thread = k / 8 % 4;
                const Bits block = k / 32;
                switch (k % 8) {
                  case 0:
                    return block * 1000 + thread;
                  case 1:
                    return 4 * 1000 + 3;
                  case 2:
                    return 0xfffffffe;  // -2 in a register of 32 bits
                  case 3:
                    return 0x3fc00000;  // 1.5
                  case 4:
                    return 0xc004000000000000;  // -2.5
                  case 5:
                    return 0x123456789abcdef0;
                  case 6:
                    return 0x8001;
                  default:
                    return 42;
                }
              })
      .before(".global .u32 variable = 42;\n")
      .body(R"(
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, 4, %r0;
  mad.wide.u32 %rd1, %r2, 64, %rd0;
  mad.lo.u32 %r2, %r1, 1000, %r0;
  cvt.u64.u32 %rd2, %r2;
  st.global.u64 [%rd1], %rd2;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r2, %r2, 1000, %r3;
  cvt.u64.u32 %rd2, %r2;
  st.global.u64 [%rd1+8], %rd2;
  mov.s32 %r2, -2;
  mov.b32 %r3, %r2;
  cvt.u64.u32 %rd2, %r3;
  st.global.u64 [%rd1+16], %rd2;
  mov.f32 %f0, 0f3FC00000;
  mov.b32 %r2, %f0;
  cvt.u64.u32 %rd2, %r2;
  st.global.u64 [%rd1+24], %rd2;
  mov.f64 %fd0, 0dC004000000000000;
  mov.b64 %rd2, %fd0;
  st.global.u64 [%rd1+32], %rd2;
  mov.u64 %rd3, 0x123456789abcdef0;
  mov.b64 %rd2, %rd3;
  st.global.u64 [%rd1+40], %rd2;
  mov.b16 %h0, 0x8001;
  cvt.u64.u16 %rd2, %h0;
  st.global.u64 [%rd1+48], %rd2;
  mov.u64 %rd3, variable;
  ld.global.u32 %r2, [%rd3];
  cvt.u64.u32 %rd2, %r2;
  st.global.u64 [%rd1+56], %rd2;
)")
      .text();
}

CaseText vectors() {
  Elementwise e("mov.v", {"mov.v"}, "mov of a vector: the first element is the lowest.");
  const std::vector<Bits> words = {0, 0x01020304, 0xffffffff, 0x80000001};
  const std::vector<Bits> long_words = {0, 0x0102030405060708, 0xffffffffffffffff, 0x80000001c0000003};
  e.operation("mov.b64 %d, {%a, %b};", "b64", crossed({"b32", "b32"}, {words, words}), [](const Inputs& v) { return v[0] | v[1] << 32U; });
  e.operation("mov.b64 {%x0, %x1}, %a; mov.b64 %d, {%x1, %x0};", "b64", {{"b64", long_words}},
              [](const Inputs& v) { return v[0] >> 32U | v[0] << 32U; });
  e.operation("mov.b32 {%h0, %h1}, %a; mov.b32 %d, {%h1, %h0};", "b32", {{"b32", words}},
              [](const Inputs& v) { return (v[0] >> 16U | v[0] << 16U) & 0xffffffffU; });
  e.operation("mov.b64 {%h0, %h1, %h2, %h3}, %a; mov.b64 %d, {%h3, %h2, %h1, %h0};", "b64", {{"b64", long_words}}, [](const Inputs& v) {
    Bits result = 0;
    for (unsigned n = 0; n < 4; ++n) {
      result |= ((v[0] >> (16 * n)) & 0xffffU) << (48 - 16 * n);
    }
    return result;
  });
  return e.text();
}

CaseText predicates() {
  Elementwise e("mov.pred", {"mov.pred"}, "mov of predicates, and of a number to one.");
  e.operation(
      "setp.ne.u32 %p0, %a, 0; mov.pred %p1, %p0; mov.pred %p2, -1; mov.pred %p3, 0; selp.u32 %x0, 1, 0, %p1; selp.u32 %x1, 2, 0, "
      "%p2; selp.u32 %x2, 4, 0, %p3; add.u32 %x0, %x0, %x1; add.u32 %d, %x0, %x2;",
      "u32", {{"u32", {0, 1, 2, 0x80000000}}}, [](const Inputs& v) -> Bits { return v[0] != 0 ? 3 : 2; });
  return e.text();
}

CaseText selections() {
  Elementwise e("selp", {"selp"}, "selp: the bits of the first operand where the predicate holds, else those of the second; also of NaNs.");
  for (const auto& [type, numbers] : {std::pair<std::string, std::vector<Bits>>{"b16", {0x8001, 0x7fff}},
                                      {"s32", {0x80000000, 5}},
                                      {"u64", {0x8000000000000001, 7}},
                                      {"f32", {0x7f800001, 0x80000000}},
                                      {"f64", {0xfff0000000000001, 0x8000000000000000}}}) {
    e.operation("setp.ne.u32 %p0, %c, 0; selp." + type + " %d, %a, %b, %p0;", "b" + type.substr(1),
                crossed({"b" + type.substr(1), "b" + type.substr(1), "u32"}, {numbers, numbers, {0, 1}}),
                [](const Inputs& v) { return v[2] != 0 ? v[0] : v[1]; });
  }
  return e.text();
}

}  // namespace

std::vector<CaseText> move_cases() { return {moves(), vectors(), predicates(), selections()}; }

}  // namespace lockstep::ptx_cases
