// Wrong PTX, and exactly what is said of it; what is said of names and types is ptx_check_test.cpp.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

const std::string head = ".version 8.5\n.target sm_80\n.entry k() {\n";

struct WrongLine {
  std::string line;    ///< the fourth of its text
  std::size_t column;  ///< from 1
  std::size_t width;   ///< in carets
  std::string message;
};

std::string marked(std::size_t number, const WrongLine& wrong) {
  return "t:" + std::to_string(number) + ":" + std::to_string(wrong.column) + ": error: " + wrong.message + "\n  " + wrong.line + "\n  " +
         std::string(wrong.column - 1, ' ') + std::string(wrong.width, '^') + "\n";
}

}  // namespace

TEST_CASE("a wrong line costs one sentence, and nothing else") {
  const std::vector<WrongLine> lines = {
      {R"(ad.s32 %r1, %r2, %r3;)", 1, 2, R"(there is no instruction 'ad'; did you mean 'add'?)"},
      {R"(add.s33 %r1, %r2, %r3;)", 4, 4, R"('add' has no modifier or type .s33; did you mean 's32'?)"},
      {R"(add.rm.s32 %r1, %r2, %r3;)", 7, 4, R"('add.rm' takes no .s32 here, but .f32, .f64, .f32x2)"},
      {R"(add.f32.ro %f1, %f2, %f3;)", 8, 3, R"('add' has no modifier or type .ro; did you mean 'rn'?)"},
      {R"(ld.gobal.f32 %f1, [%d1];)", 3, 6, R"('ld' has no modifier or type .gobal; did you mean 'global'?)"},
      {R"(ld.global.v3.f32 %f1, [%d1];)", 10, 3, R"('ld' has no modifier or type .v3; did you mean 'v2'?)"},
      {R"(mul.s32 %r1, %r2, %r3;)", 1, 7, R"('mul.s32' lacks .lo, or .hi, or .wide)"},
      {R"(setp.lt %p1, %r1, %r2;)", 1, 7, R"('setp.lt' lacks a type)"},
      {R"(add.s32 %r1, %r2;)", 1, 16, R"('add' has 3 operands here, not 2)"},
      {R"(add.s32 %r1, [%d1], %r2;)", 14, 5, R"(expected a value here, not an address)"},
      {R"(add.s32 5, %r2, %r3;)", 9, 1, R"(expected a register here, not a number)"},
      {R"(ld.global.f32 %f1, %d1;)", 20, 3, R"(expected an address in brackets here, not a name)"},
      {R"(st.global.f32 %f1, [%d1];)", 15, 3, R"(expected an address in brackets here, not a name)"},
      {R"(bra 5;)", 5, 1, R"(expected a label here, not a number)"},
      {R"(bra;)", 1, 3, R"('bra' has 1 operand here, not 0)"},
      {R"(lop3.b32 %r1, %r2, %r3, %r4, %r5;)", 30, 3, R"(expected a number here, not a name)"},
      {R"(add.s32 %r1 %r2, %r3;)", 1, 11, R"('add' has 3 operands here, not 1)"},
      {R"(add.s32 %r1, %r2, 0x;)", 19, 2, R"('0x' is no number)"},
      {R"(add.s32 %r1, %r2, 12ab;)", 19, 4, R"('12ab' is no number)"},
      {R"(add.s32 %r1, %r2, 99999999999999999999;)", 19, 20, R"('99999999999999999999' does not fit 64 bits)"},
      {R"(mov.f32 %f1, 0f3F80;)", 14, 6, R"('0f3F80' has to have 8 hexadecimal digits behind 0f)"},
      {R"(mov.f32 %f1, 1e999;)", 14, 5, R"('1e999' does not fit a double)"},
      {R"(add.s32 %r1, %r2, 1/0;)", 20, 1, R"(this divides by 0)"},
      {R"(add.s32 %r1, %r2, (1;)", 21, 1, R"(expected ')' before ';')"},
      {R"(setp.lt.s32 %p1|%p2|%p3, %r1, %r2;)", 1, 33, R"('setp' has 3 to 4 operands here, not 5)"},
      {R"(add.s32 %r1|%r2, %r3, %r4;)", 1, 25, R"('add' has 3 operands here, not 4)"},
      {R"(shfl.sync.idx.b32 %r1, %p1, %r2, 0, 31, -1;)", 41, 2, R"('shfl' has no further operand here)"},
      {R"(ld.global.f32 %f1, [%d1;)", 24, 1, R"(expected ']' before ';')"},
      {R"(ld.global.v2.f32 {%f1, %f2, [%d1];)", 29, 1, R"(expected an operand before '[')"},
      {R"(@%p1;)", 5, 1, R"(expected an instruction before ';')"},
      {R"(@5 ret;)", 2, 1, R"(expected a predicate before '5')"},
      {R"(.regg .b32 %q;)", 1, 5, R"(there is no directive .regg here; did you mean 'reg'?)"},
      {R"(.reg .b32;)", 10, 1, R"(expected a name before ';')"},
      {R"(.reg .b33 %q;)", 6, 4, R"(there is no type .b33)"},
      {R"(.reg %q;)", 6, 2, R"(expected a type before '%q')"},
      {R"(.reg .b32 %q<-1>;)", 14, 2, R"(a range is a whole number from 0 to 4294967295)"},
      {R"(.reg .b32 %q<99999999999>;)", 14, 11, R"(a range is a whole number from 0 to 4294967295)"},
      {R"(.shared .align 3 .b8 s[4];)", 16, 1, R"(an alignment is a power of two)"},
      {R"(.shared .align 0 .b8 s[4];)", 16, 1, R"(an alignment is a power of two)"},
      {R"(.shared .b8 s[4][];)", 17, 1, R"(only an array's first dimension may be left out)"},
      {R"(.global .b32 g[2] = {1, 2, 3};)", 28, 1, R"(there are more values than elements)"},
      {R"(.global .b32 g[2][2] = {{1, 2, 3}, {4}};)", 32, 1, R"(there are more values than elements)"},
      {R"(.global .b32 g[2] = {{1}};)", 22, 1, R"(these braces are deeper than the array has dimensions)"},
      {R"(.global .b8 g = 0xfe(foo);)", 17, 4, R"(a mask is 0xff, or that by a whole number of bytes further up)"},
      {R"(.loc 1 x 3)", 8, 1, R"(expected a number before 'x')"},
      {R"(.pragma nounroll;)", 9, 8, R"(expected a pragma's text before 'nounroll')"},
      {R"(call (%r1) ff;)", 12, 2, R"(expected ',' before 'ff')"},
      {R"(tab: .branchtargets;)", 20, 1, R"(expected an operand before ';')"},
      {R"(tab: .callprototype (.param .b32 _) (.param .b32 _);)", 37, 1, R"(expected '_' before '(')"},
      {R"(?)", 1, 1, R"(expected a statement before '?')"},
      {R"(mov.u32 %r1, "text";)", 14, 6, R"(expected an operand before '"text"')"},
      {R"(cvt.s32.f32 %r1, %f1;)", 1, 11, R"('cvt.s32.f32' lacks one of .rni, .rzi, .rmi, .rpi)"},
      {R"(cvt.rn.f64.f32 %e1, %f1;)", 11, 4, R"('cvt.rn.f64' takes no .f32 here)"},
      {R"(membar;)", 1, 6, R"('membar' lacks one of .cta, .gl, .sys)"},
      {R"(shl.b32.wrap %r1, %r2, 1;)", 8, 5, R"('shl' has no modifier .wrap)"},
      {R"(atom.global.add.b32 %r1, [%d1], 1;)", 16, 4, R"('atom.global.add' takes no .b32 here)"},
      {R"(bar.sync 0, 32, 32;)", 1, 18, R"('bar' has 1 to 2 operands here, not 3)"},
      {R"(_ret;)", 1, 4, R"(there is no instruction '_ret'; did you mean 'ret'?)"},
      {R"(mov.u64 %d1, (.s64)1.5;)", 14, 1, R"(a cast is for integers here)"},
      {R"(.global .b32 g = {1, 2};)", 22, 1, R"(there are more values than elements)"},
      {R"(add.s32 %r1, %r2, 1 ";";)", 21, 3, R"(expected ';' before '";"')"},
      {R"(add.s32 _, _, _;)", 12, 1, R"(expected a value here, not '_')"},
  };
  for (const WrongLine& wrong : lines) {
    INFO(wrong.line);
    CHECK(report_of(head + wrong.line + "\nret;\n}\n") == marked(4, wrong));
    // The mistake of the next line is told as well: nothing is lost.
    const WrongLine next{"ad.s32;", 1, 2, "there is no instruction 'ad'; did you mean 'add'?"};
    CHECK(report_of(head + wrong.line + "\n" + next.line + "\n}\n") == marked(4, wrong) + marked(5, next));
  }
}

TEST_CASE("a missing semicolon leaves the next line alone") {
  CHECK(report_of(head + "membar.gl\nad.s32;\n}\n") ==
        marked(5, {"ad.s32;", 1, 2, "expected ';' before 'ad'"}) +
            marked(5, {"ad.s32;", 1, 2, "there is no instruction 'ad'; did you mean 'add'?"}));
}

TEST_CASE("items that are wrong") {
  const std::string top = ".version 8.5\n";
  CHECK(report_of("") == "t:1:1: error: a file of PTX begins with .version\n  \n  ^\n");
  CHECK(report_of(".version x") == marked(1, {".version x", 10, 1, "expected a version before 'x'"}));
  CHECK(report_of(".version 8.x") == marked(1, {".version 8.x", 10, 3, "'8.x' is no version of PTX"}));
  CHECK(report_of(top + ".address_size 48") == marked(2, {".address_size 48", 15, 2, "addresses have 32 or 64 bits"}));
  CHECK(report_of(top + ".globl .u32 x;") ==
        marked(2, {".globl .u32 x;", 1, 6, "there is no directive .globl here; did you mean 'global'?"}));
  CHECK(report_of(top + "x") == marked(2, {"x", 1, 1, "expected a directive before 'x'"}));
  CHECK(report_of(top + ".visible x") == marked(2, {".visible x", 10, 1, "expected a function or a variable before 'x'"}));
  CHECK(report_of(top + ".entry k( { ret; }\n.entry q() { ad; }") ==
        marked(2, {".entry k( { ret; }", 11, 1, "expected a state space before '{'"}) +
            marked(3, {".entry q() { ad; }", 14, 2, "there is no instruction 'ad'; did you mean 'add'?"}));
  CHECK(report_of(top + ".entry q(param .b32 a) { ret; }") ==
        marked(2, {".entry q(param .b32 a) { ret; }", 10, 5, "expected a state space before 'param'"}));
  // The rest of a line is read behind the ';' of what is wrong in it.
  CHECK(report_of(top + ".globl .u32 x; .globl .u32 y;") ==
        marked(2, {".globl .u32 x; .globl .u32 y;", 1, 6, "there is no directive .globl here; did you mean 'global'?"}) +
            marked(2, {".globl .u32 x; .globl .u32 y;", 16, 6, "there is no directive .globl here; did you mean 'global'?"}));
  CHECK(report_of(top + ".entry k() { ret;") == marked(2, {".entry k() { ret;", 12, 1, "this body has no '}'"}));
  CHECK(report_of(top + ".func f() { /* ret; }") == marked(2, {".func f() { /* ret; }", 11, 1, "this body has no '}'"}) +
                                                        marked(2, {".func f() { /* ret; }", 13, 1, "this comment has no end"}));
  CHECK(report_of(top + ".file 1 \"x") == marked(2, {".file 1 \"x", 9, 1, "this string has no end"}));
  CHECK(report_of(top + ".section .debug_info {\n.b8 1") == marked(2, {".section .debug_info {", 1, 8, "this section has no '}'"}));
}

TEST_CASE("all mistakes of a file are told, up to a limit") {
  std::string text = head;
  for (int i = 0; i < 1000; ++i) {
    text += "ad;\n";
  }
  const std::string report = report_of(text + "}\n");
  CHECK(std::ranges::count(report, '^') == 2 * 20 + 2);
  CHECK(report.find("note: there are more errors from here on") != std::string::npos);
  CHECK(report_of(text) == report);  // behind the limit nothing is read: nobody misses the '}'
}

TEST_CASE("deep and huge texts are refused or read, in no time and memory") {
  const auto repeated = [](const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) {
      out += text;
    }
    return out;
  };
  const std::string deep = repeated("(", 100'000) + "1" + repeated(")", 100'000);
  CHECK(report_of(head + "mov.u32 %r1, " + deep + ";\n}\n").find("this expression is too deep") != std::string::npos);
  CHECK(report_of(head + "mov.u32 %r1, " + repeated("-", 100'000) + "1;\n}\n").find("this expression is too deep") != std::string::npos);
  CHECK(report_of(head + "mov.u32 %r1, " + repeated("1?1:", 100'000) + "1;\n}\n").find("this expression is too deep") != std::string::npos);
  CHECK(report_of(head + repeated("{", 100'000) + repeated("}", 100'000) + "\n}\n").empty());
  CHECK(report_of(head + repeated("{", 100'000)).find("this body has no '}'") != std::string::npos);
  CHECK(report_of(head + ".reg .b32 %r<4294967295>; mov.u32 %r4294967294, 1;\n}\n").empty());
  CHECK(report_of(".version 8.5\n.global .b32 x[2] = " + repeated("{", 100'000)).find("deeper than the array has dimensions") !=
        std::string::npos);
  CHECK(report_of(".version 8.5\n.global .b32 x" + repeated("[1]", 100'000) + ";").find("at most 32 dimensions") != std::string::npos);
  CHECK(report_of(".version 8.5\n.global .b32 x[281474976710656][2];").find("this array is too large") != std::string::npos);
  CHECK(report_of(".version 8.5\n.global .b32 x[281474976710656];").find("more bytes than the largest object") != std::string::npos);
  CHECK(report_of(head + "add" + repeated(".s32", 100'000) + ";\n}\n").find("takes no .s32") != std::string::npos);
  CHECK(report_of(head + "call f, (" + repeated("1,", 100'000) + "1);\n}\n").find("at most 4096") != std::string::npos);
}

}  // namespace lockstep::ptx
