// What PTX texts are as trees, and that a printed tree reads back as the same one.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "semantics/ptx/print.hpp"
#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

const std::string head = ".version 8.5\n.target sm_80, debug\n.address_size 64\n";

void check_round_trip(const std::string& text) {
  INFO(text.substr(0, 4000));
  const Module module = parsed(text);
  const std::string printed = print(module);
  INFO(printed.substr(0, 4000));
  const Module again = parsed(printed);
  CHECK(again == module);
  CHECK(print(again) == printed);
}

/// The only item behind the head.
template <class T>
T item_of(const std::string& text) {
  check_round_trip(head + text);
  return std::get<T>(parsed(head + text).items.at(0));
}

template <class T>
T statement_of(const std::string& text) {
  check_round_trip(kernel_of(text));
  const Module module = parsed(kernel_of(text));
  for (const Statement& statement : std::get<Function>(module.items.back()).body) {
    const auto* variable = std::get_if<Variable>(&statement);
    const bool of_head = variable != nullptr && variable->space == Space::Reg && variable->range && variable->name[0] == '%';
    if (const auto* found = std::get_if<T>(&statement); found != nullptr && !of_head) {
      return *found;
    }
  }
  FAIL("no such statement");
  return {};
}

}  // namespace

TEST_CASE("the head of a module") {
  const Module module = parsed("// a comment\n/* another\none */ .version 8.5\n.target sm_80, texmode_independent\n.address_size 64");
  CHECK(module.major == 8);
  CHECK(module.minor == 5);
  CHECK(module.target == std::vector<std::string>{"sm_80", "texmode_independent"});
  CHECK(module.address_size == 64);
  CHECK(parsed(".version 3.10\n").minor == 10);
  check_round_trip(".version 8.5\n.address_size 64\n");  // nothing has to be said of a target
  CHECK(parsed("/**/.version 8.5/**/\n.target/* */sm_80 /*/ no end yet */ /***/\n").target == std::vector<std::string>{"sm_80"});
}

TEST_CASE("variables of a module") {
  const auto table = item_of<Variable>(".visible .const .align 8 .f32 table[2][3] = {{1.0, 2.0}, {0f40400000}};");
  CHECK(table.linkage == Linkage::Visible);
  CHECK(table.space == Space::Const);
  CHECK(table.align == 8);
  CHECK(table.type == Type::F32);
  CHECK(table.dimensions == std::vector<std::uint64_t>{2, 3});
  REQUIRE(table.initialiser->items.size() == 3);
  CHECK(table.initialiser->items[1].element == 1);
  CHECK(table.initialiser->items[2].element == 3);

  const auto flat = item_of<Variable>(".global .b32 flat[2][2] = {1, 2, {3}};");
  CHECK(flat.initialiser->items.at(2).element == 2);

  // Braces behind a single value begin the next row.
  const auto mixed = item_of<Variable>(".global .b32 mixed[3][2] = {1, {3, 4}, 5};");
  CHECK(mixed.initialiser->items.at(1).element == 2);
  CHECK(mixed.initialiser->items.at(3).element == 4);

  const auto pointers = item_of<Variable>(".global .u64 p[4] = {table, generic(table)+8, table-4, 0};");
  const auto second = std::get<SymbolValue>(pointers.initialiser->items.at(1).value);
  CHECK(second.generic);
  CHECK(second.offset == 8);
  CHECK(std::get<SymbolValue>(pointers.initialiser->items.at(2).value).offset == -4);

  const auto bytes = item_of<Variable>(".global .u8 a[] = {0xff(foo), 0xff00(generic(foo)+4), 0xFF00(0x1234)};");
  CHECK(std::get<SymbolValue>(bytes.initialiser->items.at(1).value).mask == 0xFF00);
  CHECK(std::get<Number>(bytes.initialiser->items.at(2).value).bits == 0x12);

  CHECK(item_of<Variable>(".extern .shared .align 16 .b8 dyn[];").dimensions == std::vector<std::uint64_t>{0});
  CHECK(item_of<Variable>(".weak .global .v4 .f32 v = {1.0, 2.0};").vector == 4);
  CHECK(item_of<Variable>(".global .v2 .u32 v = {1, 2};").initialiser->items.at(1).element == 1);
  CHECK(item_of<Variable>(".global .attribute(.managed, .unified(1, 2)) .u32 m;").attributes ==
        std::vector<std::string>{"managed", "unified(1,2)"});
  CHECK(item_of<Variable>(".common .global .u32 c;").linkage == Linkage::Common);
  CHECK(item_of<Variable>(".const[3] .u32 bank;").bank == 3);
  CHECK(print(parsed(head + ".const .u32 c;")).ends_with(".const .u32 c;\n"));
  CHECK(print(parsed(head + ".const .u32 c = 5;")).ends_with(".const .u32 c = 5;\n"));
  check_round_trip(head + ".global .u32 x, y = 2, z[2];");
}

TEST_CASE("functions, their parameters and directives") {
  const auto kernel = item_of<Function>(
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 s[12])\n"
      ".maxntid 128, 2\n.minnctapersm 2 .reqntid 128 { ret; }");
  CHECK(kernel.entry);
  CHECK(kernel.linkage == Linkage::Visible);
  CHECK(kernel.signature.parameters.at(0).pointer == Variable::Pointer{Space::Global, 16});
  CHECK(kernel.signature.parameters.at(1).dimensions == std::vector<std::uint64_t>{12});
  REQUIRE(kernel.directives.size() == 3);
  CHECK(kernel.directives[0].numbers == std::vector<std::uint64_t>{128, 2});

  const auto function = item_of<Function>(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);");
  CHECK_FALSE(function.has_body);
  CHECK(function.signature.results.size() == 1);
  CHECK(item_of<Function>(".func f(.reg .u32 x, .param .b64 _) .noreturn { exit; }").signature.noreturn);
  CHECK(item_of<Function>(".entry empty { }").signature.parameters.empty());
  CHECK(item_of<Function>(".func f() .pragma \"noinline\"; { ret; }").has_body);
  CHECK(std::get<Alias>(parsed(head + ".func f() { ret; } .alias g, f;").items.at(1)).aliasee.text == "f");
}

TEST_CASE("attributes of functions") {
  CHECK(item_of<Function>(".func .attribute(.unified(1, 2)) f() { ret; }").attributes.size() == 1);
  CHECK(item_of<Function>(".func f() .attribute(.unified(1, 2)) { ret; }").attributes.size() == 1);
  CHECK(item_of<Function>(".func .attribute(.unified(1, 2)) f() .attribute(.unified(3, 4)) .noreturn { ret; }").attributes.size() == 2);
}

TEST_CASE("statements of PTX") {
  const auto range = statement_of<Variable>(".reg .b32 x<5>;");
  CHECK(range.range == 5);
  CHECK(statement_of<Variable>(".reg .v2 .f32 v;").vector == 2);
  CHECK(statement_of<Label>("$L__BB0_1: bra $L__BB0_1;").name == "$L__BB0_1");
  CHECK(statement_of<Pragma>(".pragma \"nounroll\", \"used_bytes_mask 0xf\";").texts.size() == 2);
  const auto loc = statement_of<Loc>(".loc 1 12 5, function_name $L__info_string0+8, inlined_at 2 30 7\nret;");
  CHECK(loc.line == 12);
  REQUIRE(loc.inlined_at);
  CHECK(loc.inlined_at->function == "$L__info_string0");
  CHECK(loc.inlined_at->function_offset == 8);
  CHECK(loc.inlined_at->line == 30);
  CHECK(statement_of<Loc>(".loc 1 2 3 prologue_end is_stmt 0\nret;").flags == std::vector<std::string>{"prologue_end", "is_stmt 0"});
  const auto list = statement_of<TargetList>("A: B: t: .branchtargets A, B; brx.idx %r1, t;");
  CHECK(list.targets.size() == 2);
  const auto prototype =
      statement_of<Prototype>("p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;");
  CHECK(prototype.signature.parameters.at(1).dimensions == std::vector<std::uint64_t>{16});
  CHECK(prototype.signature.noreturn);
  check_round_trip(kernel_of("{ .reg .b32 t; { mov.u32 t, 1; } } ;;"));
  // Blocks are indented, and what stands behind them is not.
  CHECK(print(parsed(head + ".func f() { { { L: ret; } ret; } ret; }").items.at(0))
            .ends_with("\n{\n  {\n    {\nL:\n      ret;\n    }\n    ret;\n  }\n  ret;\n}"));
}

TEST_CASE("operands have the places that their form says") {
  const auto plain = first_instruction("@!%p1 setp.lt.and.s32 %p2|%p3, %r1, -4, !%p1;");
  CHECK(plain.guard->predicate.negated);
  REQUIRE(plain.operands.size() == 5);
  CHECK(std::get<Name>(plain.operands[1]).text == "%p3");
  CHECK(std::get<Name>(plain.operands[4]).negated);
  const auto one = first_instruction("setp.lt.s32 %p2, %r1, %r2;");
  CHECK(std::holds_alternative<Absent>(one.operands.at(1)));
  const auto sink = first_instruction("setp.lt.s32 _|%p2, %r1, %r2;");
  CHECK(std::holds_alternative<Sink>(sink.operands.at(0)));
  // Of bar.red the number of threads may be left out in the middle.
  const auto barrier = first_instruction("bar.red.or.pred %p1, 0, %p2;");
  CHECK(std::holds_alternative<Absent>(barrier.operands.at(2)));
  CHECK(std::get<Name>(barrier.operands.at(3)).text == "%p2");
  CHECK(std::get<Immediate>(first_instruction("bar.red.or.pred %p1, 0, 64, %p2;").operands.at(2)).number.bits == 64);
  const auto load = first_instruction("ld.global.v4.f32 {%f1, %f2, _, %f3}, [%d1+-16];");
  CHECK(std::get<Vector>(load.operands.at(0)).elements.size() == 4);
  CHECK(std::get<Name>(std::get<Address>(load.operands.at(1)).base).offset == -16);
  const auto call = std::get<CallOperand>(first_instruction("call.uni (%r1, %r2), f, (%r3, 4), p;").operands.at(0));
  CHECK(call.results.size() == 2);
  CHECK(call.arguments.size() == 2);
  CHECK(call.prototype->text == "p");
  CHECK(std::get<CallOperand>(first_instruction("call f;").operands.at(0)).arguments.empty());
  const auto minus = first_instruction("vmad.s32.s32.s32 %r1, %r2, -%r3, %r4;");
  CHECK(std::get<Name>(minus.operands.at(2)).minus);
  CHECK_FALSE(std::get<Name>(minus.operands.at(3)).minus);
  const auto element = std::get<Name>(first_instruction("mov.u64 %d1, t[3]+4;").operands.at(1));
  CHECK(element.element == 3);
  CHECK(element.offset == 4);
}

TEST_CASE("instructions survive printing") {
  for (const std::string statement : {"mov.b64 {%r1, _}, %d1;",
                                      "mov.b64 %d1, {%r1, 5};",
                                      "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;",
                                      "ld.local.u8 %r1, [16];",
                                      "call (%r1), %d1, (%r2), proto;",
                                      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f1, %f2}];",
                                      "mov.f32 %f1, -1.5;",
                                      "vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4;",
                                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
                                      "mov.u64 %d1, 0x8000000000000000;",
                                      "mov.u64 %d1, -9223372036854775807-1;",
                                      "cp.async.ca.shared.global [%r1], [%d1], 16;",
                                      "bar.sync 0;",
                                      "vmad.s32.s32.u32.sat.shr7 %r1, -%r2, %r3, -4;",
                                      "vmad.u32.u32.u32 %r1, %r2, %r3, -WARP_SZ;",
                                      "membar.gl;",
                                      "fence.acq_rel.gpu;",
                                      "prmt.b32.rc8 %r1, %r2, %r3, %r4;",
                                      "exit;",
                                      "mov.u32 %r1, %tid.x;",
                                      "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 128, %p2;",
                                      "add.s32 %r1, %r2, -9223372036854775808;",
                                      "@%p1 bra.uni L;"}) {
    check_round_trip(kernel_of(statement));
  }
}

TEST_CASE("debugging sections are skipped, in both forms that compilers give them") {
  const Module module = parsed(head +
                               ".file 1 \"/src/a b.cu\", 1700000000, 512\n"
                               ".func f() { .loc 1 2 3\n ret; }\n"
                               ".section .debug_abbrev\n{\n.b8 1\n.b8 17 // DW_TAG\nL: .b32 .debug_str+4\n}\n"
                               ".section .debug_loc { }\n"
                               ".section .debug_info, \"\", @progbits\n.byte 0x10, 0x20\n.4byte L2\n.func g() { ret; }\n");
  REQUIRE(module.items.size() == 3);
  CHECK(std::get<File>(module.items[0]).name == "/src/a b.cu");
  CHECK(std::get<File>(module.items[0]).more.size() == 2);
  CHECK(std::get<Function>(module.items[2]).name == "g");
}

TEST_CASE("the compilers' files read back as what they are") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LOCKSTEP_SOURCE_DIR "/tests/ptx")) {
    if (entry.path().extension() != ".ptx") {
      continue;
    }
    ++files;
    INFO(entry.path().string());
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const Module module = parsed(text.str());
    CHECK(parsed(print(module)) == module);
    CHECK(check(module).empty());
  }
  CHECK(files > 0);
}

}  // namespace lockstep::ptx
