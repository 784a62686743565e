// The table of instructions: that it can be read, what is found in it, and what forms are called.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "semantics/ptx/print.hpp"
#include "tests/unit/ptx_text.hpp"

namespace lockstep::ptx {
namespace {

std::string name_of_first(const std::string& statement) {
  const Instruction instruction = first_instruction(statement);
  return name_of(instruction.form, instruction.modifiers, instruction.types);
}

}  // namespace

TEST_CASE("rows are read: each has an id of its own, a sentence, and a function if it computes") {
  std::set<std::string_view> ids;
  for (const FormInfo& row : forms()) {
    INFO(row.id);
    CHECK(ids.insert(row.id).second);
    CHECK(&info(row.form) == &row);
    CHECK(row.sentence.ends_with('.'));
    CHECK((row.kind == Kind::Compute) == !row.function.empty());
    CHECK(row.types_behind <= row.modifiers.size());
    for (const OperandShape& shape : row.operands) {
      for (const auto& types : row.types) {
        CHECK((shape.type.source == OperandType::Source::Fixed || shape.type.source == OperandType::Source::None ||
               shape.type.slot < types.size()));
      }
    }
  }
}

TEST_CASE("rows of the same words differ in how many operands they have") {
  // Then a text is one row only. The words of two rows are alike if each mandatory one of either fits the other.
  CHECK(first_instruction("max.f32 %f1, %f2, %f3;").form == Form::MaxFloat);
  CHECK(first_instruction("max.f32 %f1, %f2, %f3, %f4;").form == Form::Max3Float);
  CHECK(first_instruction("rsqrt.approx.f64 %e1, %e2;").form == Form::RsqrtF64);
  CHECK(first_instruction("rsqrt.approx.ftz.f64 %e1, %e2;").form == Form::RsqrtGross);
  CHECK(first_instruction("ld.global.nc.f32 %f1, [%d1];").form == Form::LdNc);
  CHECK(first_instruction("cvt.f32.f32 %f1, %f2;").form == Form::CvtFloatSame);
  CHECK(first_instruction("cvt.rni.f32.f32 %f1, %f2;").form == Form::CvtFloatRound);
}

TEST_CASE("forms are called by what changes their meaning") {
  // Names as in the lists of forms that compilers give: hints, scopes and .uni are no part of them.
  CHECK(name_of_first("add.s64 %d1, %d2, %d3;") == "add.i");
  CHECK(name_of_first("add.rn.ftz.f32 %f1, %f2, %f3;") == "add.rn.ftz.f32");
  CHECK(name_of_first("ld.volatile.global.v2.f32 {%f1, %f2}, [%d1];") == "ld.global.v");
  CHECK(name_of_first("ld.u32 %r1, [%d1];") == "ld");
  CHECK(name_of_first("setp.lt.and.s32 %p1, %r1, %r2, %p2;") == "setp.cmp.and.i");
  CHECK(name_of_first("and.b32 %r1, %r2, %r3;") == "and");
  CHECK(name_of_first("and.pred %p1, %p2, %p3;") == "and.pred");
  CHECK(name_of_first("bra.uni L; L:") == "bra");
  CHECK(name_of_first("atom.relaxed.gpu.global.add.u32 %r1, [%d1], 1;") == "atom.global.add.i");
  CHECK(name_of_first("bar.red.and.pred %p1, 0, %p2;") == "bar.red.and.pred");
  CHECK(name_of_first("prmt.b32.f4e %r1, %r2, %r3, %r4;") == "prmt.i.f4e");
  CHECK(name_of_first("cvt.rn.f32.s8 %f1, %r1;") == "cvt.rn.f32.i");
}

TEST_CASE("modifiers are read in any order and printed in one") {
  CHECK(print(first_instruction("sqrt.ftz.rn.f32 %f1, %f2;")) == "sqrt.rn.ftz.f32 %f1, %f2;");
  CHECK(print(first_instruction("ld.global.volatile.u32 %r1, [%d1];")) == "ld.volatile.global.u32 %r1, [%d1];");
  CHECK(print(first_instruction("add.f32.rn %f1, %f2, %f3;")) == "add.rn.f32 %f1, %f2, %f3;");
  CHECK(print(first_instruction("prmt.f4e.b32 %r1, %r2, %r3, 1;")) == "prmt.b32.f4e %r1, %r2, %r3, 1;");
}

}  // namespace lockstep::ptx
