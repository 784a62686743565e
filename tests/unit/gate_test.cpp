// The proof in front of code: what it says of lowerings whose truth is known.

#include "codegen/gate/gate.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"

using namespace lockstep;
using Kind = LoweringVerdict::Kind;

namespace {

LoweringTask task_of(const std::string& text, unsigned wg_size, unsigned wg_pack = 1) {
  LoweringTask task;
  task.source = std::make_shared<const SourceFile>("k.cl", text);
  task.options.wg_size = wg_size;
  task.options.kernel = "k";
  task.wg_pack = wg_pack;
  return task;
}

LoweringTask with_given(LoweringTask task, const std::string& text) {
  const auto kernel = infreg::parse(std::make_shared<const SourceFile>("k.ir", text));
  REQUIRE(kernel.has_value());
  REQUIRE(infreg::verify(*kernel).empty());
  task.given = std::make_shared<const infreg::Kernel>(*kernel);
  return task;
}

constexpr const char* twice = "kernel void k(global int *a) { a[get_global_id()] = a[get_global_id()] * 2; }";

std::string ir(const char* constant) {
  return std::string(
             "kernel @k(%a: ptr<i32>) wg_size 2 wg_pack 1 {\n"
             "  %x : i32[wi 2 x ix 1] = load %a [wg.ix*2 + wi] contiguous\n"
             "  %c : i32[wi 2 x ix 1] = constant ") +
         constant +
         "\n"
         "  %y : i32[wi 2 x ix 1] = mul %x, %c\n"
         "  store %a [wg.ix*2 + wi] contiguous, %y\n"
         "}\n";
}

}  // namespace

TEST_CASE("gate: what is proved, at which sizes", "[gate]") {
  const auto sentence = [](unsigned wg_size, unsigned wg_pack) {
    const LoweringVerdict verdict = prove_lowering(task_of(twice, wg_size, wg_pack));
    CHECK(verdict.kind == Kind::Proved);
    CHECK(verdict.level == VerifyLevel::Auto);
    return verdict.sentence;
  };
  CHECK(sentence(1, 1) == "InfReg-IR proved at WG_SIZE 1");
  CHECK(sentence(2, 1) == "InfReg-IR proved at WG_SIZE 2");
  CHECK(sentence(3, 1) == "InfReg-IR proved at WG_SIZE 2 and 3");
  CHECK(sentence(4, 2) == "InfReg-IR proved at WG_SIZE 2 to 4");
  CHECK(sentence(1024, 8) == "InfReg-IR proved at WG_SIZE 2 to 4");
}

TEST_CASE("gate: sizes at which a kernel cannot be compiled are said", "[gate]") {
  const std::string required = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global int *a) { a[get_global_id()] = 1; }";
  const LoweringVerdict verdict = prove_lowering(task_of(required, 64));
  CHECK(verdict.kind == Kind::Unknown);
  CHECK(verdict.sentence ==
        "InfReg-IR not proved at WG_SIZE 2 to 4: it cannot be compiled for that ('k' requires work groups of 64 items, but they have 2)");
  const std::string four = "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *a) { a[get_global_id()] = 1; }";
  const LoweringVerdict one = prove_lowering(task_of(four, 4));
  CHECK(one.kind == Kind::Partly);
  CHECK(one.sentence.starts_with("InfReg-IR not proved at WG_SIZE 2 and 3: it cannot be compiled for that ("));
  CHECK(one.sentence.ends_with("); proved at WG_SIZE 4"));
}

TEST_CASE("gate: a kernel that is undefined on all inputs has nothing to prove", "[gate]") {
  const LoweringVerdict verdict = prove_lowering(task_of("kernel void k(global int *a) { a[0] = 1 / (a[0] - a[0]); }", 4));
  CHECK(verdict.kind == Kind::Unknown);
  CHECK(verdict.sentence.starts_with("InfReg-IR not proved at WG_SIZE 2 to 4: "));
}

TEST_CASE("gate: a large array is too much before its elements are made terms", "[gate]") {
  const std::string large =
      "kernel void k(global int *a) { local int t[16777216]; t[get_local_id()] = 1; a[get_global_id()] = t[get_local_id()]; }";
  const LoweringVerdict verdict = prove_lowering(task_of(large, 4));
  CHECK(verdict.kind == Kind::Unknown);
  CHECK(verdict.sentence == "InfReg-IR not proved at WG_SIZE 2 to 4: undecided within the budget");
}

TEST_CASE("gate: wrong InfReg-IR is refuted, by a run", "[gate]") {
  const LoweringVerdict right = prove_lowering(with_given(task_of(twice, 2), ir("2")));
  CHECK(right.kind == Kind::Proved);
  CHECK(right.sentence == "InfReg-IR proved at WG_SIZE 2");
  const LoweringVerdict wrong = prove_lowering(with_given(task_of(twice, 2), ir("3")));
  CHECK(wrong.kind == Kind::Refuted);
  CHECK(wrong.sentence.starts_with("InfReg-IR refuted at WG_SIZE 2: "));
}

TEST_CASE("gate: inputs on which groups race refute nothing", "[gate]") {
  // Without exact floats the solver may take it that nobody stores to y, and that x + x is not x * 2. When that is run, groups race.
  const std::string text =
      "kernel void k(global float *in, global int *y) {\n"
      "  int g = (int)get_group_id();\n"
      "  int v = y[g];\n"
      "  if (in[0] - in[1] < 4.0f) y[g + 1] = v + 1;\n"
      "  in[g + 2] = in[g + 2] * 2.0f;\n"
      "}\n";
  const std::string doubled =
      "kernel @k(%in: ptr<f32>, %y: ptr<i32>) wg_size 1 wg_pack 2 {\n"
      "  %v : i32[wg 2 x ix 1] = load %y [wg.ix] contiguous\n"
      "  %a : f32 = load %in [0] contiguous\n"
      "  %b : f32 = load %in [1] contiguous\n"
      "  %d : f32 = fsub %a, %b\n"
      "  %four : f32 = constant 4.0\n"
      "  %less : i1 = flt %d, %four\n"
      "  %one : i32[wg 2 x ix 1] = constant 1\n"
      "  %w : i32[wg 2 x ix 1] = add %v, %one\n"
      "  %mask : i1[wg 2 x ix 1] = spread %less\n"
      "  store %y [wg.ix + 1] contiguous, %w, %mask\n"
      "  %x : f32[wg 2 x ix 1] = load %in [wg.ix + 2] contiguous\n"
      "  %s : f32[wg 2 x ix 1] = fadd %x, %x\n"
      "  store %in [wg.ix + 2] contiguous, %s\n"
      "}\n";
  CHECK(prove_lowering(with_given(task_of(text, 1, 2), doubled)).kind != Kind::Refuted);
}

TEST_CASE("gate: what depends on the group is proved for packs of one group as well", "[gate]") {
  std::string first_group_alone = ir("2");
  for (const std::string which = "wg.ix*2 + "; first_group_alone.find(which) != std::string::npos;) {
    first_group_alone.erase(first_group_alone.find(which), which.size());
  }
  CHECK(prove_lowering(with_given(task_of(twice, 2), first_group_alone)).kind == Kind::Refuted);
}

TEST_CASE("gate: where groups race on all inputs one alone is looked at, and that is said", "[gate]") {
  const std::string race = "kernel void k(global int *a) { a[get_local_id()] = 1; }";
  const LoweringVerdict one = prove_lowering(task_of(race, 2));
  CHECK(one.kind == Kind::Partly);
  CHECK(one.sentence == "InfReg-IR proved at WG_SIZE 2 for one group alone");
  CHECK(prove_lowering(task_of(race, 2, 2)).kind == Kind::Unknown);
}

TEST_CASE("gate: unknown numbers that are too hard are fixed, and that is said", "[gate]") {
  // Products of three unknown numbers as indices, and a loop of unknown length.
  const std::string hard =
      "kernel void k(global int *a, global const int *b, int n) {\n"
      "  int s = 0;\n"
      "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) s += b[(i * n + j) * n % 97] * b[(j * n + i) * n % 89];\n"
      "  a[get_global_id()] = s;\n"
      "}\n";
  const LoweringVerdict verdict = prove_lowering(task_of(hard, 8));
  CHECK(verdict.kind == Kind::Partly);
  CHECK(verdict.sentence.find(" with n = 1") != std::string::npos);
  CHECK(verdict.sentence.find(" alone") != std::string::npos);
  CHECK(prove_lowering(task_of(hard, 8)) == verdict);
}
