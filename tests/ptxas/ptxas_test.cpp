// Every statement that is made from the table of instructions is taken here where NVIDIA's assembler takes it, and refused where that
// refuses it, but for the differences that are listed, each with its reason.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"
#include "tests/ptxas/judge.hpp"
#include "tests/ptxas/statements.hpp"

namespace lockstep::ptxas {
namespace {

/// The first error, or nothing.
std::string error_of(const std::string& statement) {
  const SourceFile source("t.ptx", head() + statement + "\n" + tail());
  const auto module = ptx::parse(source);
  if (!module) {
    return module.error().front().message;
  }
  const Diagnostics found = ptx::check(*module);
  const auto wrong = std::ranges::find(found, Severity::Error, &Diagnostic::severity);
  return wrong == found.end() ? "" : wrong->message;
}

/// Statements on which both may differ.
struct Difference {
  bool taken = false;  ///< here; ptxas refuses them
  std::string statements;
  std::string why;
};

const std::vector<Difference>& differences() {
  static const std::vector<Difference> list = {
      // What ptxas takes, and the text of the instruction set does not have.
      {false, R"(^\w+(\.[\w:]+)*?\.([\w:]+)(\.[\w:]+)*?\.\2\b.*)", "a modifier that stands twice"},
      {false, R"(.*\.(finite|infinite|number|notanumber|normal|subnormal|pred|texref|samplerref|surfref)\b.*)",
       "modifiers of testp, and types of no number, are looked over by ptxas, wherever they stand"},
      {false, R"(testp\.f.*)", "testp without what it tests"},
      {false, R"(.*%f16x2_.*)", "registers of .f16x2 fit everything for ptxas"},
      {false, R"(.*[^.]\{.*)", "braces around an operand that is no vector"},
      {false, R"((mov|set)\..*%v[24]\b.*)", "a vector register where there is no vector"},
      {false, R"(mov\.b128 .*%tid;)", "a vector register where there is no vector"},
      {false, R"(set(p)?\.eq\..*bf16x2.*%p0;)", "a predicate where there is a number"},
      {false, R"(set\.eq\.(and\.)?bf16(x2)?\..* %[usf](16|32)_0, .*)", "a .bf16 lies in a register of bits"},
      {false, R"(setp\.eq(\.and)?\.b?f16x2 .*)", "a comparison of two halves has two results"},
      {false, R"(setp\..*f16 _,.*)", "a comparison without a result"},
      {false, R"(lop3\.b32 _.*)", "an operation without a result"},
      {false, R"(lop3\..*(300|-1).*)", "a table of lop3 that is larger than its 8 bits"},
      {false, R"((atom|red)\..*)", "a cache policy without .L2::cache_hint, and a red without an address"},
      {false, R"((bar|barrier)\.(all|any)\.sync .*)", "there is no bar.all"},
      {false, R"((bar|barrier)\..* 0(, %p3)?;)", "0 threads at a barrier"},
      {false, R"(bra undeclared;)", "a label that is not there"},
      {false, R"(cvt\.(bf16\.f16|f16\.bf16) .*)", "a conversion of halves without its rounding"},
      {false, R"((fns|shfl\.sync)\..*(%f32_0|0f3F800000).*)", "a float for a number of bits or of a lane"},
      {false, R"(mov\.[bus](16|128) .*, (gv|sv|cv|p0);)", "an address of another width"},
      // What the text has, and is not done here.
      {false, R"(isspacep\..*%[bus]32_0;)", "a generic address of 32 bits"},
      // What ptxas refuses, and the text of the instruction set, or of older versions, has.
      {true, R"((shfl|vote)\.(?!.*sync).*)", "forms without .sync, of targets before sm_70"},
      {true, R"((add|min|max)\.(relu\.)?[us]16x2 .*(-1|0|5|300|WARP_SZ).*)", "numbers as operands"},
      {true, R"(set(p)?\.eq\.and\..*(-1|0|5|300|WARP_SZ);)", "numbers as predicates"},
      {true, R"((bmsk|match|redux|elect|cvt\.pack|cvt\.rna)\b.*(%f32_0|%f64_0|%f16x2_0|0f3F800000).*)", "bits in a register of floats"},
      {true, R"(cvt\..*bf16.*)", "what a .bf16 is made from, or made to, in a wider register"},
      // What is read and does not run is not looked at closely.
      {true, R"((add|sub|mul|fma)\..*f32x2 .*)", "pairs of floats do not run"},
      {true, R"((atom|red)\..*v[248]\b.*)", "vectors in atomic operations do not run"},
  };
  return list;
}

}  // namespace

TEST_CASE("the same statements are well-formed here and for ptxas") {
  const std::vector<Statement> all = statements();
  const std::vector<std::string> theirs = verdicts(LOCKSTEP_PTXAS, all);
  std::vector<std::regex> expressions;
  for (const Difference& difference : differences()) {
    expressions.emplace_back(difference.statements, std::regex::optimize);
  }
  std::vector<std::size_t> met(expressions.size());
  std::size_t taken = 0;
  std::string unknown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string ours = error_of(all[i].text);
    taken += ours.empty() && theirs[i].empty() ? 1U : 0U;
    // Modifiers may stand in any order here; ptxas has some that come first.
    if (ours.empty() == theirs[i].empty() || (ours.empty() && theirs[all[i].ordered].empty())) {
      continue;
    }
    bool known = false;
    for (std::size_t k = 0; k < expressions.size() && !known; ++k) {
      known = differences()[k].taken == ours.empty() && std::regex_match(all[i].text, expressions[k]);
      met[k] += known ? 1U : 0U;
    }
    if (!known) {
      unknown += fmt::format("{}\n  {}\n", all[i].text, ours.empty() ? "ptxas: " + theirs[i] : "here: " + ours);
    }
  }
  CHECK(unknown == "");
  CHECK(taken > 10000);
  for (std::size_t k = 0; k < met.size(); ++k) {
    INFO(differences()[k].statements << ": " << differences()[k].why);
    CHECK(met[k] > 0);
  }
}

}  // namespace lockstep::ptxas
