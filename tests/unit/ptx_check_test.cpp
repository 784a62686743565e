// What the checker says of names and types, word for word.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

struct Finding {
  std::string statement;  ///< the sixth line of kernel_of
  std::size_t column;     ///< from 1
  std::size_t width;      ///< in carets
  std::string message;
  std::string severity = "error";
};

std::string marked(const Finding& finding) {
  return "t:6:" + std::to_string(finding.column) + ": " + finding.severity + ": " + finding.message + "\n  " + finding.statement + "\n  " +
         std::string(finding.column - 1, ' ') + std::string(finding.width, '^') + "\n";
}

}  // namespace

TEST_CASE("what does not fit is said in a sentence") {
  const std::vector<Finding> findings = {
      {R"(mov.u32 %r9, 1;)", 9, 3, R"('%r9' is not declared: %r<8> goes to %r7)"},
      {R"(mov.u32 %q1, 1;)", 9, 3, R"('%q1' is not declared)"},
      {R"(mov.u32 %tidx, 1;)", 9, 5, R"('%tidx' is not declared; did you mean '%tid'?)"},
      {R"(mov.u32 %r1, %tid.q;)", 14, 6, R"('%tid' has the components .x, .y, .z and .w)"},
      {R"(mov.u32 %tid.x, 1;)", 9, 6, R"('%tid.x' cannot be written)"},
      {R"(add.s32 %r1, %tid.x, 1;)", 14, 6,
       R"(only mov and cvt read special registers; 'mov.u32 %r, %tid.x;' puts this one into a register)"},
      {R"(add.s32 %f1, %r1, %r2;)", 9, 3, R"('%f1' is an .f32 register, and 'add.s32' has .s32 here)"},
      {R"(add.s32 %r1, %d1, %r2;)", 14, 3, R"('%d1' is a .b64 register, and 'add.s32' has .s32 here)"},
      {R"(setp.lt.s32 %r1, %r1, %r2;)", 13, 3, R"('%r1' is a .b32 register, and 'setp.lt.s32' has .pred here)"},
      {R"(selp.b32 %r1, %r1, %r2, %r3;)", 25, 3, R"('%r3' is a .b32 register, and 'selp.b32' has .pred here)"},
      {R"(@%r1 ret;)", 2, 3, R"('%r1' is no predicate)"},
      {R"(add.s32 %r1, !%r2, 1;)", 14, 4, R"(only a predicate that is read can have a '!')"},
      {R"(add.f32 %f1, %f2, 1;)", 19, 1, R"(an integer is no .f32 number; write it as a float, such as 1.0)"},
      {R"(add.s32 %r1, %r2, 1.5;)", 19, 3, R"(a float is no .s32 number)"},
      {R"(add.u16 %h1, %h2, 70000;)", 19, 5, R"(this number does not fit .u16: its low bits are taken)", "warning"},
      {R"(ld.global.v2.f32 {%f1, %f2, %f3}, [%d1];)", 18, 15, R"('ld.global.v2.f32' has 2 elements here, not 3)"},
      {R"(ld.global.v2.f32 %f1, [%d1];)", 1, 16, R"('ld.global.v2.f32' has 2 elements, in braces, where this has one)"},
      {R"(mov.b64 %d1, {%r1, %h1};)", 20, 3, R"('%h1' is a .b16 register, and 'mov.b64' has .b32 here)"},
      {R"(mov.b64 %d1, {%h1, %h2, %h3};)", 14, 15, R"(the 64 bits of .b64 are no 3 equal parts)"},
      {R"(mov.u64 %d1, {%r1, %r2};)", 14, 10, R"(a vector is put together or taken apart as bits: mov.b64)"},
      {R"(ld.shared.u32 %r1, [a];)", 21, 1, R"('a' lies in .param, not in .shared)"},
      {R"(ld.global.u32 %r1, [%f1];)", 21, 3, R"('%f1' is an .f32 register, which holds no address)"},
      {R"(ld.global.u32 %r1, [%h1];)", 21, 3, R"('%h1' is a .b16 register, which holds no address)"},
      {R"(st.global.u64 [%d1], gone;)", 22, 4, R"('gone' is not declared)"},
      {R"(mov.f64 %e1, a;)", 14, 1, R"(the address of 'a' does not fit .f64)"},
      {R"(add.s64 %d1, a, 1;)", 14, 1, R"(only mov and cvta read the address of 'a'; what lies there is read by ld)"},
      {R"(bra gone;)", 5, 4, R"(there is no label 'gone' in this function)"},
      {R"(bra %r1;)", 5, 3, R"('%r1' is no label)"},
      {R"(brx.idx %r1, gone;)", 14, 4, R"(there is no .branchtargets 'gone' in reach)"},
      {R"(call gone;)", 6, 4, R"('gone' is not declared)"},
      {R"(call k;)", 6, 1, R"('k' is a kernel, which cannot be called)"},
      {R"(call %d1, (%r1);)", 6, 3, R"(a call through a register has a .callprototype or .calltargets behind it)"},
      {R"(call %r1, (%r1), a;)", 18, 1, R"('a' is no .callprototype and no .calltargets)"},
      {R"(call a;)", 6, 1, R"('a' is no function)"},
      {R"(setp.lt.b32 %p1, %r1, %r2;)", 1, 11, R"(bits have no order: .b32 is compared by .eq and .ne)"},
      {R"(setp.lo.s32 %p1, %r1, %r2;)", 1, 11, R"(.lo, .ls, .hi and .hs compare unsigned integers, and .s32 has a sign)"},
      {R"(setp.hi.f32 %p1, %f1, %f2;)", 8, 4, R"('setp.hi' takes no .f32 here)"},
      {R"(add.ftz.f64 %e1, %e1, %e1;)", 1, 11, R"('add' of .f64 takes no .ftz)"},
      {R"(add.sat.f64 %e1, %e1, %e1;)", 1, 11, R"('add' of .f64 takes no .sat)"},
      {R"(min.xorsign.f32 %f1, %f2, %f3;)", 1, 15, R"(.xorsign stands with .abs)"},
      {R"(bar.sync 16;)", 10, 2, R"(the number of a barrier is from 0 to 15)"},
      {R"(bar.sync 0, 40;)", 13, 2, R"(the threads at a barrier are a multiple of 32)"},
      {R"(bfe.u32 %r1, %r2, 256, 1;)", 19, 3, R"(the position of a field is from 0 to 255)"},
      {R"(add.s32 _, %r1, %r2;)", 9, 1, R"(the result of 'add.s32' cannot be left out)"},
      {R"({ M: ret; } bra M;)", 17, 1, R"(the label 'M' is in a block that this one is not in)"},
      {R"(.shared .pred sp;)", 15, 2, R"('sp' is a predicate, which lies in a register only)"},
      {R"(.local .b32 l = 5;)", 13, 1, R"('l' lies in .local, where variables have no initial values)"},
      {R"(.shared .b8 s[];)", 13, 1, R"('s' has no size; only what is .extern may leave it out)"},
      {R"(.reg .b32 y[4];)", 11, 1, R"(the register 'y' has dimensions, which registers have not)"},
      {R"(mov.u32 %r1, %tid;)", 14, 4, R"('%tid' is several numbers, such as %tid.x)"},
      {R"(mov.f32 %f1, %f2.x;)", 14, 5, R"('%f2' is no vector, so it has no component .x)"},
      {R"(griddepcontrol.wait;)", 1, 19, R"('griddepcontrol.wait' is read, but does not run)", "warning"},
      {R"(ld.global.u32 %r1, [%d1], %d2;)", 1, 13, R"(a cache policy, the last operand, needs .L2::cache_hint)"},
      {R"(ld.volatile.cg.u32 %r1, [%d1];)", 1, 18, R"(.volatile and .cg do not stand together)"},
      {R"(ld.global.L2::evict_last.v2.u32 {%r1, %r2}, [%d1];)", 1, 31,
       R"(.L2::evict_last stands with vectors of 256 bits: .v8.b32 and .v4.b64)"},
      {R"(add.s32 %r1, -%r2, 1;)", 14, 4, R"(a minus stands in front of numbers, and of registers of vmad, only)"},
      {R"(mov.pred %p1, %r1;)", 15, 3, R"('%r1' is a .b32 register, and 'mov.pred' has .pred here)"},
      {R"(shl.b64 %d1, %d2, %d3;)", 19, 3, R"('%d3' is a .b64 register, and 'shl.b64' has .u32 here)"},
      {R"(cvt.u32.u64 %r1, %r2;)", 18, 3, R"('%r2' is a .b32 register, and 'cvt.u32.u64' has .u64 here)"},
  };
  for (const Finding& finding : findings) {
    INFO(finding.statement);
    CHECK(report_of(kernel_of(finding.statement)) == marked(finding));
  }
}

TEST_CASE("forms that do not run are read, and a warning says so") {
  for (const std::string statement :
       {"cp.async.commit_group;", "cp.async.ca.shared.global [%r1], [%d1], 4;", "cp.async.cg.shared.global.L2::128B [%r1], [%d1], 16, 8;",
        "cp.async.wait_group 0;", "cvt.rn.f16x2.e4m3x2 %r1, %h1;", "cvt.rn.f16x2.e5m2x2 %r1, %h1;",
        "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2;",
        "ldmatrix.sync.aligned.m8n8.x2.b16 {%r1, %r2}, [%d1];",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f1};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1}, {%r1}, {%r2}, {%r3};", "vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4;"}) {
    INFO(statement);
    const std::string mnemonic = statement.substr(0, statement.find_first_of(" ;"));
    CHECK(report_of(kernel_of(statement)) ==
          marked({statement, 1, mnemonic.size(), "'" + mnemonic + "' is read, but does not run", "warning"}));
  }
}

TEST_CASE("addresses of 32 bits are read, and a warning says that they do not run") {
  CHECK(report_of(".version 8.5\n.target sm_80\n.address_size 32\n") ==
        "t:3:15: warning: a module with addresses of 32 bits is read, but does not run\n  .address_size 32\n                ^^\n");
}

TEST_CASE("what is declared twice says where first") {
  CHECK(report_of(kernel_of(".reg .b32 x; .reg .b64 x;")) ==
        marked({".reg .b32 x; .reg .b64 x;", 24, 1, "'x' is declared twice in this block"}) +
            "t:6:11: note: the first one is here\n  .reg .b32 x; .reg .b64 x;\n            ^\n");
  CHECK(report_of(kernel_of(".reg .b32 %r1;")).starts_with("t:6:11: error: '%r1' is declared twice in this block\n"));
  CHECK(report_of(kernel_of("L: L: ret;")).starts_with("t:6:4: error: 'L' is declared twice in this block\n"));
  CHECK(report_of(kernel_of("ret;") + ".entry k() { ret; }\n").starts_with("t:8:8: error: 'k' is declared twice\n"));
  CHECK(report_of(kernel_of("ret;") + ".global .u32 x; .global .u32 x;\n").starts_with("t:8:30: error: 'x' is declared twice\n"));
  // An inner block has names of its own, and so have labels.
  CHECK(report_of(kernel_of("{ .reg .b64 %r1; mov.u64 %r1, 0; L: ret; } { L: ret; } add.u32 %r1, %r1, 1;")).empty());
}

TEST_CASE("a range has as many registers as it says, each by one name") {
  CHECK(report_of(kernel_of("mov.u32 %r7, 1;")).empty());
  CHECK(report_of(kernel_of("mov.u32 %r8, 1;")) == marked({"mov.u32 %r8, 1;", 9, 3, "'%r8' is not declared: %r<8> goes to %r7"}));
  CHECK(report_of(kernel_of("mov.u32 %r01, 1;")).starts_with("t:6:9: error: '%r01' is not declared"));
  CHECK(report_of(kernel_of(".reg .b32 %none<0>; mov.u32 %none0, 1;"))
            .starts_with("t:6:29: error: '%none0' is not declared: %none<0> has no register\n"));
}

TEST_CASE("names are known from where they are declared, labels and functions in front of it too") {
  CHECK(report_of(kernel_of("mov.u32 x, 1; .reg .b32 x;")).starts_with("t:6:9: error: 'x' is not declared"));
  CHECK(report_of(kernel_of("bra L; { bra L; } L: ret;")).empty());
  CHECK(report_of(kernel_of("call f;") + ".func f() { ret; }\n").empty());
  CHECK(report_of(kernel_of("mov.u64 %d1, g;") + ".global .u32 g;\n").empty());
}

TEST_CASE("calls fit what they call") {
  const std::string functions =
      ".func (.param .b32 r) f(.param .b64 a, .reg .f32 b) { ret; }\n.func g(.param .align 4 .b8 s[12]) { ret; }\n";
  const auto calling = [&](const std::string& statements) { return report_of(kernel_of(statements) + functions); };
  CHECK(calling(".param .b32 r; .param .b64 p; call (r), f, (p, %f1);").empty());
  CHECK(calling("call (%r1), f, (%d1, 1.0);").empty());
  CHECK(calling(".param .align 4 .b8 s[12]; call g, (s);").empty());
  CHECK(calling("call (%r1), f, (%d1);") == marked({"call (%r1), f, (%d1);", 6, 15, "the function has 2 parameters, and the call 1"}));
  CHECK(calling("call f, (%d1, %f1);") == marked({"call f, (%d1, %f1);", 6, 13, "the function has 1 result, and the call 0"}));
  CHECK(calling("call (%r1), f, (%r2, %f1);") ==
        marked({"call (%r1), f, (%r2, %f1);", 17, 3, "'%r2' is a .b32 register, and the function has .b64 there"}));
  CHECK(calling(".param .align 4 .b8 s[8]; call g, (s);") ==
        marked({".param .align 4 .b8 s[8]; call g, (s);", 36, 1, "'s' has 8 bytes, and the function has 12 there"}));
  CHECK(calling(".param .align 4 .b8 s[16]; call g, (s);") ==
        marked({".param .align 4 .b8 s[16]; call g, (s);", 37, 1, "'s' has 16 bytes, and the function has 12 there"}));
  const std::string small = ".func h(.param .b8 c) { ret; }\n.func v(.param .align 4 .b8 list[]);\n";
  CHECK(report_of(kernel_of(".param .b8 s; call h, (s);") + small).empty());
  CHECK(report_of(kernel_of(".param .align 4 .b8 s[4]; call h, (s);") + small) ==
        marked({".param .align 4 .b8 s[4]; call h, (s);", 36, 1, "'s' has 4 bytes, and the function has 1 there"}));
  CHECK(report_of(kernel_of(".param .align 4 .b8 s[12]; call v, (s);") + small).empty());  // of any size
  CHECK(calling("call (5), f, (%d1, %f1);") ==
        marked({"call (5), f, (%d1, %f1);", 7, 1, "a call's result goes to a register or a variable"}));
  CHECK(calling("call (%r1), f, (%d1, 1);") ==
        marked({"call (%r1), f, (%d1, 1);", 22, 1, "an integer is no .f32 number; write it as a float, such as 1.0"}));
  // Through a register.
  CHECK(calling("p: .callprototype (.param .b32 _) _ (.param .b64 _, .reg .f32 _); call (%r1), %d1, (%d2, %f1), p;").empty());
  CHECK(calling("t: .calltargets f; call (%r1), %d1, (%d2, %f1), t;").empty());
  CHECK(calling("t: .calltargets q; call %d1, t;") ==
        marked({"t: .calltargets q; call %d1, t;", 17, 1, "'q' is not declared; did you mean 'a'?"}));
}

TEST_CASE("a module's variables") {
  const auto top = [](const std::string& text) { return report_of(".version 8.5\n" + text + "\n"); };
  CHECK(top(".reg .b32 x;").starts_with("t:2:11: error: 'x' lies in .reg, which only functions have\n"));
  CHECK(top(".global .u64 p = q;").starts_with("t:2:18: error: there is no variable or function 'q' of the module\n"));
  CHECK(top(".global .u16 p = p;").starts_with("t:2:18: error: an address does not fit .u16\n"));
  CHECK(top(".global .f32 p = 1;").starts_with("t:2:14: error: a value of 'p': an integer is no .f32 number"));
  CHECK(top(".global .b8 p = 300;").starts_with("t:2:13: warning: a value of 'p' does not fit .b8: its low bits are taken\n"));
  CHECK(top(".global .b8 p[];").starts_with("t:2:13: error: 'p' has no size"));
  CHECK(top(".extern .shared .b8 p[];").empty());
  CHECK(top(".extern .global .u32 p; .global .u32 p = 1; .extern .global .u32 p;").empty());
  CHECK(top(".extern .func f(.param .b32 a); .extern .func f(.param .b64 b);")
            .starts_with("t:2:47: error: 'f' is declared with other parameters further up\n"));
}

}  // namespace lockstep::ptx
