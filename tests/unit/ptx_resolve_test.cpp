// What the machine gets: numbers of registers, indices of instructions, addresses of variables.

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

const resolved::Function& kernel(const resolved::Module& module) { return *module.function("k"); }

template <class T>
const T& operand(const resolved::Module& module, std::size_t instruction, std::size_t i) {
  return std::get<T>(kernel(module).code.at(instruction).operands.at(i));
}

std::string register_name(const resolved::Module& module, const resolved::Register& value) {
  return kernel(module).registers.at(value.index).name;
}

}  // namespace

TEST_CASE("registers are numbered when they are used, each block's for itself") {
  const auto module = resolved_from(kernel_of("mov.u32 %r5, 1; mov.u32 %r2, %r5; { .reg .b64 %r5; mov.u64 %r5, 2; } mov.u32 %r2, %r5;"));
  const auto& registers = kernel(module).registers;
  REQUIRE(registers.size() == 3);
  CHECK(registers[0].name == "%r5");
  CHECK(registers[0].type == Type::B32);
  CHECK(registers[2].type == Type::B64);
  CHECK(operand<resolved::Register>(module, 1, 1).index == 0);
  CHECK(operand<resolved::Register>(module, 2, 0).index == 2);
  CHECK(operand<resolved::Register>(module, 3, 1).index == 0);
}

TEST_CASE("a range whose prefix ends in digits") {
  const auto module = resolved_from(kernel_of(".reg .b32 %x1<3>; mov.u32 %x12, 1; mov.u32 %x10, 1;"));
  CHECK(register_name(module, operand<resolved::Register>(module, 0, 0)) == "%x12");
  CHECK(register_name(module, operand<resolved::Register>(module, 1, 0)) == "%x10");
}

TEST_CASE("labels are instructions, also behind the last one") {
  const auto module = resolved_from(kernel_of("bra END; A: { B: bra A; bra B; } t: .branchtargets A, END; brx.idx %r1, t; END:"));
  const auto& code = kernel(module).code;
  REQUIRE(code.size() == 4);
  CHECK(code[0].targets == std::vector<std::uint32_t>{4});
  CHECK(code[1].targets == std::vector<std::uint32_t>{1});
  CHECK(code[2].targets == std::vector<std::uint32_t>{1});
  CHECK(code[3].targets == std::vector<std::uint32_t>{1, 4});
}

TEST_CASE("guards, negated predicates and what is left out") {
  const auto module = resolved_from(kernel_of("@!%p1 setp.eq.and.s32 %p2, %r1, -1, !%p3; @%p2 ret;"));
  const auto& first = kernel(module).code[0];
  REQUIRE(first.guard);
  CHECK(first.guard->negated);
  CHECK(kernel(module).registers[first.guard->predicate].name == "%p1");
  CHECK(std::holds_alternative<resolved::None>(first.operands[1]));
  CHECK(operand<resolved::Constant>(module, 0, 3).bits[0] == 0xFFFFFFFF);
  CHECK(operand<resolved::Register>(module, 0, 4).negated);
  CHECK_FALSE(kernel(module).code[1].guard->negated);
}

TEST_CASE("vectors: in braces, in registers, of special registers, as bits") {
  const auto module = resolved_from(
      kernel_of(".reg .v4 .f32 v; ld.global.v4.f32 v, [%d1]; mov.f32 %f1, v.z; mov.f32 %f1, v.a; mov.v4.u32 {%r1, _, %r2, %r3}, %tid;"
                "mov.b64 {%r1, %r2}, %d1; mov.b64 %d1, {%r1, 7};"));
  CHECK(operand<resolved::Vector>(module, 0, 0).elements.size() == 4);
  CHECK(register_name(module, operand<resolved::Register>(module, 1, 1)) == "v.z");
  CHECK(register_name(module, operand<resolved::Register>(module, 2, 1)) == "v.w");
  CHECK(std::holds_alternative<resolved::None>(operand<resolved::Vector>(module, 3, 0).elements[1]));
  CHECK(std::get<Special>(operand<resolved::Vector>(module, 3, 1).elements[2]) == Special{SpecialRegister::Tid, 2});
  CHECK(std::get<resolved::Constant>(operand<resolved::Vector>(module, 5, 1).elements[1]).bits[0] == 7);
}

TEST_CASE("what a form that does not run names keeps its type") {
  const auto module =
      resolved_from(kernel_of("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5}]; suld.b.1d.b32.trap {%r6}, [%d1, {%r5}];"
                              "st.global.u32 [%d1], %r6;"));
  CHECK(register_name(module, operand<resolved::Register>(module, 2, 1)) == "%r6");
}

TEST_CASE("special registers of three dimensions, and others") {
  CHECK(special_named("%tid.x") == Special{SpecialRegister::Tid, 0});
  CHECK(special_named("%nctaid.z") == Special{SpecialRegister::Nctaid, 2});
  CHECK(special_named("%laneid") == Special{SpecialRegister::Laneid, 0});
  CHECK(special_named("%envreg31") == Special{SpecialRegister::Envreg, 31});
  CHECK(special_named("%pm7") == Special{SpecialRegister::Pm, 7});
  for (const std::string text : {"%tid", "%tid.q", "%laneid.x", "%envreg32", "%pm8", "%pm", "tid.x", "%none", "%"}) {
    INFO(text);
    CHECK_FALSE(special_named(text));
  }
}

TEST_CASE("variables: of the module, of the function, parameters; their sizes") {
  const auto module = resolved_from(kernel_of(".shared .align 16 .b8 s[24]; .local .v2 .u64 l; mov.u64 %d1, g+4; mov.u64 %d1, g[2]+1;"
                                              "ld.shared.u32 %r1, [s+8]; ld.param.u64 %d1, [a]; st.local.u64 [l+8], %d1;") +
                                    ".global .u16 g[3];\n.extern .shared .b8 dyn[];\n");
  const auto& variables = kernel(module).variables;
  REQUIRE(variables.size() == 4);
  CHECK(variables[0].space == Space::Param);
  CHECK(variables[0].bytes == 8);
  CHECK(variables[1].bytes == 4);
  CHECK(variables[2].bytes == 24);
  CHECK(variables[2].align == 16);
  CHECK(variables[3].bytes == 16);
  CHECK(variables[3].align == 16);
  CHECK_FALSE(variables[2].zeroed);
  CHECK(module.variables.at(0).bytes == 6);
  CHECK(module.variables[0].zeroed);
  CHECK(module.variables[1].bytes == 0);
  CHECK(module.variables[1].is_extern);
  CHECK(operand<resolved::AddressOf>(module, 0, 1) == resolved::AddressOf{{false, 0}, 4});
  CHECK(operand<resolved::AddressOf>(module, 1, 1).offset == 5);
  const auto& shared = operand<resolved::Address>(module, 2, 1);
  CHECK(std::get<resolved::AddressOf>(shared.base).variable == resolved::VariableRef{true, 2});
  CHECK(shared.offset == 8);
}

TEST_CASE("initial values lie at their bytes") {
  const auto module = resolved_from(kernel_of("ret;") +
                                    ".const .b16 t[2][3] = {{1, -1}, {3}};\n.global .u64 p[2] = {t, generic(t)+6};\n"
                                    ".global .u8 b[] = {0xff00(k)};\n.global .f64 d = 1.0;\n");
  const auto& t = module.variables.at(0);
  REQUIRE(t.initial.size() == 3);
  CHECK(t.initial[1].offset == 2);
  CHECK(std::get<resolved::Constant>(t.initial[1].value).bits[0] == 0xFFFF);
  CHECK(t.initial[2].offset == 6);
  const auto symbol = std::get<resolved::InitialBytes::Symbol>(module.variables.at(1).initial.at(1).value);
  CHECK(symbol.generic);
  CHECK(symbol.offset == 6);
  CHECK(std::get<resolved::AddressOf>(symbol.target).variable == resolved::VariableRef{false, 0});
  CHECK(module.variables.at(2).bytes == 1);
  const auto byte = std::get<resolved::InitialBytes::Symbol>(module.variables[2].initial.at(0).value);
  CHECK(byte.mask == 0xFF00);
  CHECK(std::get<resolved::FunctionRef>(byte.target).index == 0);
  CHECK(std::get<resolved::Constant>(module.variables.at(3).initial.at(0).value).bits[0] == 0x3FF0000000000000);
}

TEST_CASE("the carry flag is a register that is not written out") {
  const auto module = resolved_from(kernel_of("add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r1, %r2, %r3; addc.u32 %r1, %r2, %r3;"));
  const auto flag = operand<resolved::Register>(module, 0, 3);
  CHECK(register_name(module, flag) == "%cc");
  CHECK(kernel(module).registers[flag.index].type == Type::Pred);
  CHECK(operand<resolved::Register>(module, 1, 3) == flag);
  CHECK(operand<resolved::Register>(module, 1, 4) == flag);
  CHECK(operand<resolved::Register>(module, 2, 3) == flag);
}

TEST_CASE("calls, their parameters, aliases and what is declared only") {
  const auto module = resolved_from(
      ".version 8.5\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.func g(.reg .u32 x);\n.alias h, g;\n" +
      kernel_of(".param .b32 r; .param .b64 p; call (r), vprintf, (p, %d1); call g, (5); call h, (%r1); mov.u64 %d1, g;").substr(13) +
      ".func g(.reg .u32 x) { add.u32 x, x, 1; ret; }\n");
  const auto& code = kernel(module).code;
  CHECK(std::get<resolved::FunctionRef>(code.at(0).call->callee).index == 0);
  CHECK(std::get<resolved::AddressOf>(code[0].call->results.at(0)).variable.local);
  CHECK(std::holds_alternative<resolved::Register>(code[0].call->arguments.at(1)));
  CHECK(std::get<resolved::Constant>(code.at(1).call->arguments.at(0)).bits[0] == 5);
  CHECK(std::get<resolved::FunctionRef>(code.at(2).call->callee).index == 1);
  CHECK(operand<resolved::FunctionRef>(module, 3, 1).index == 1);
  CHECK_FALSE(module.functions.at(0).defined);
  CHECK(module.function("h") == module.function("g"));
  const auto& g = *module.function("g");
  CHECK(g.defined);
  CHECK(std::get<resolved::Register>(g.parameters.at(0)).index == 0);
  CHECK(std::get<resolved::Register>(g.code.at(0).operands.at(0)).index == 0);
}

TEST_CASE("instructions know their line of the source") {
  const auto module =
      resolved_from(kernel_of("mov.u32 %r1, 1; .loc 1 7 3\nmov.u32 %r1, 2; .loc 1 8 1, function_name f, inlined_at 1 9 9\nret;"));
  const auto& code = kernel(module).code;
  CHECK(code.at(0).loc == -1);
  CHECK(kernel(module).locs.at(static_cast<std::size_t>(code.at(1).loc)).line == 7);
  CHECK(kernel(module).locs.at(static_cast<std::size_t>(code.at(2).loc)).inlined_at->line == 9);
  CHECK(module.source->place(code[2].place.begin).line == 8);
}

TEST_CASE("directives of a kernel") {
  const auto module = resolved_from(".version 8.5\n.entry k() .reqntid 32, 2 .maxnreg 64 { ret; }\n");
  REQUIRE(kernel(module).directive("reqntid") != nullptr);
  CHECK(kernel(module).directive("reqntid")->numbers == std::vector<std::uint64_t>{32, 2});
  CHECK(kernel(module).directive("maxntid") == nullptr);
}

TEST_CASE("errors are returned, warnings are not") {
  const auto wrong = ptx_source(kernel_of("add.s32 %r1, %f1, 1;"));
  const auto result = resolve(*parse(*wrong), wrong);
  REQUIRE_FALSE(result);
  CHECK(result.error().size() == 1);
  const auto warned = ptx_source(kernel_of("add.u16 %h1, %h2, 70000;"));
  CHECK(resolve(*parse(*warned), warned));
  CHECK(check(*parse(*warned)).size() == 1);
}

TEST_CASE("a register of a range is its name and a number, and nothing else") {
  CHECK(report_of(kernel_of("mov.u32 %r1, 1; mov.u32 %r7, %r0;")).empty());
  for (const char* name : {"%r1x", "%r01", "%r", "%r8", "%r-1", "%q1"}) {
    INFO(name);
    CHECK_FALSE(report_of(kernel_of("mov.u32 " + std::string(name) + ", 1;")).empty());
  }
}

TEST_CASE("an alias is another name for a function, and no second meaning of a name") {
  const std::string functions = ".version 8.5\n.target sm_80\n.address_size 64\n.func f() { ret; }\n";
  CHECK(report_of(functions + ".alias g, f;").empty());
  CHECK(report_of(functions + ".func g();\n.alias g, f;").empty());
  CHECK_FALSE(report_of(functions + ".func g() { ret; }\n.alias g, f;").empty());
  CHECK_FALSE(report_of(functions + ".global .u32 g;\n.alias g, f;").empty());
  CHECK_FALSE(report_of(functions + ".alias g, h;").empty());
}

TEST_CASE("variables of a module lie in spaces of a module") {
  for (const char* space : {".param", ".local", ".reg"}) {
    INFO(space);
    CHECK_FALSE(report_of(".version 8.5\n.target sm_80\n.address_size 64\n" + std::string(space) + " .u32 x;").empty());
  }
  for (const char* space : {".global", ".const", ".shared"}) {
    INFO(space);
    CHECK(report_of(".version 8.5\n.target sm_80\n.address_size 64\n" + std::string(space) + " .u32 x;").empty());
  }
}

TEST_CASE("an array without a size has as many rows as its values need") {
  const auto bytes = [](const std::string& variable) {
    return resolved_from(".version 8.5\n.target sm_80\n.address_size 64\n" + variable).variables.at(0).bytes;
  };
  CHECK(bytes(".global .u32 x[] = {1, 2, 3};") == 12);
  CHECK(bytes(".global .u16 x[][2] = {{1, 2}, {3, 4}, {5}};") == 12);
  CHECK(bytes(".global .v2 .u32 x[] = {{1, 2}, {3, 4}};") == 16);
  CHECK(bytes(".global .u8 x[4] = {1};") == 4);
}

}  // namespace lockstep::ptx
