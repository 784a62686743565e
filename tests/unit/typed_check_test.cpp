// Well-formedness of typed programs: the four conditions, function by function.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "semantics/musimd/check.hpp"
#include "semantics/typed/check.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/skeleton.hpp"

namespace lockstep::typed {
namespace {

Program parsed(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("t", text);
  auto result = parse(source);
  INFO((result ? std::string() : render(*source, result.error())));
  REQUIRE(result.has_value());
  return *result;
}

const std::string head = ".typed\n.wg_size 4\n.kernel k(global int* a, uniform int n)\n.var int i, v, row[2]\n.var private int* p\n";

/// The messages of the errors, one a line.
std::string errors_of(const std::string& text) {
  std::string out;
  for (const Diagnostic& finding : check(parsed(text))) {
    out += finding.severity == Severity::Error ? finding.message + "\n" : "";
  }
  return out;
}

/// A kernel whose block has a loop of that condition, computed from what `before` has set, and no sync.
std::string loop_in_block(const std::string& before, const std::string& condition) {
  return head + "everywhere\ni = 0\n" + before + "\nLoop: i = i + 1\nbz " + condition + ", Loop\nend_everywhere\nstop\n";
}
const std::string not_converged = "condition 3: threads may still wait for a sync at this end_everywhere";

}  // namespace

TEST_CASE("typed programs that are well-formed", "[typed][check]") {
  const std::vector<std::string> cases = {
      head + "stop\n",
      head + "bz local_id, L\nv = 1\nL: sync\nstop\n",
      head +
          "Loop: bz i < n, Done\ni = i + 1\ncall f(i)\njmp Loop\nDone: sync\nbarrier\nstop\n.function void f(int x)\nbz x, L\ncall f(x - "
          "1)\nL: "
          "sync\nret\n",
      head +
          "everywhere\ni = 0\nLoop: bz i < 4, End\njmp_mask i, Do\njmp Next\nDo: v = shfl(n, i)\ncall f(v)\nNext: i = i + 1\njmp "
          "Loop\nEnd: "
          "sync\nend_everywhere\nstop\n.function void f(int x)\nret\n",
  };
  for (const std::string& text : cases) {
    INFO(text);
    CHECK(check(parsed(text)).empty());
    CHECK(musimd::well_formed(check(parsed(text))));
  }
}

TEST_CASE("each condition has a typed program that violates it", "[typed][check]") {
  CHECK(errors_of(head + "end_everywhere\nstop\n") == "condition 1: no everywhere block is open at this end_everywhere\n");
  CHECK(errors_of(head + "sync\nstop\n") == "condition 2: this sync meets the empty sync stack\n");
  CHECK(errors_of(loop_in_block("", "i > int(local_id)")).starts_with(not_converged));
  CHECK(errors_of(head + "bz n, L\nL: stop\n") == "condition 4: this stop meets a sync stack that is not empty\n");
  CHECK(errors_of(head + "v = 1\n") == "condition 4: control runs off the end of the program here\n");
}

TEST_CASE("findings in functions name the function and say ret", "[typed][check]") {
  const std::string function = "stop\n.function int f(int x)\n";
  CHECK(errors_of(head + function + "bz x, L\nL: ret x\n") == "condition 4: this ret meets a sync stack that is not empty (in 'f')\n");
  CHECK(errors_of(head + function + "x = 1\n") == "condition 4: control runs off the end of the function here (in 'f')\n");
  CHECK(errors_of(head + function + "everywhere\nret x\n").find("condition 4: this ret stands inside an everywhere block (in 'f')\n") !=
        std::string::npos);
  CHECK(errors_of(head + function + "stop\n") == "condition 4: only the kernel can 'stop'; a function ends with 'ret' (in 'f')\n");
  CHECK(errors_of(head + "ret\n") == "condition 4: the kernel ends with 'stop', not with 'ret'\n");
}

TEST_CASE("findings point at the typed instruction", "[typed][check]") {
  const Program program = parsed(head + "stop\n.function void f(int x)\nv: x = 1\n sync\nret\n");
  const Diagnostics findings = check(program);
  REQUIRE(findings.size() == 1);
  CHECK(program.source->place(findings[0].span.begin) == LineColumn{9, 2});
}

// What is the same in all threads of a block, by what the value is made of. The uniform ones are accepted, the others are not.
TEST_CASE("uniformity of typed values", "[typed][check]") {
  struct Case {
    std::string before;
    std::string condition;
    bool uniform;
  };
  const std::vector<Case> cases = {
      {"", "i > 3", true},
      {"", "ulong(i) > group_id + num_groups + warp_size + warp_id", true},
      {"", "ulong(i) > lane_id", false},
      {"", "ulong(i) > local_id", false},
      {"v = ld a[3]", "i > v", true},
      {"v = ld a[local_id]", "i > v", false},
      {"", "i > n", true},
      {"n = n + 1", "i > n", false},
      {"v = shfl(n, 2)", "i > v", true},
      {"v = shfl(n, i + int(local_id))", "i > v", false},
      {"v = any.active(local_id)", "i > v", true},
      {"v = all.group(local_id)", "i > v", true},
      {"v = call f(1)", "i > v", false},
      {"forget row\nrow[i] = 3", "i > row[0]", true},
      {"forget row\nrow[i] = int(local_id)", "i > row[0]", false},
      {"forget row\nrow[int(local_id) % 2] = 3", "i > row[0]", false},
      {"forget row\nrow[i] = 3", "i > row[int(local_id) % 2]", false},
      {"forget row\nrow[0] = int(local_id)\nrow[1] = 3", "i > row[0]", false},
      {"forget row\nrow[i] = 3\nst (&row)[0] = int(local_id)", "i > row[0]", false},
      {"forget row\nrow[i] = 3\nv = ld (&row)[0]", "i > v", false},
      {"v = within(i, 4)", "i > v", true},
  };
  for (const Case& one : cases) {
    const std::string text = loop_in_block(one.before, one.condition) + ".function int f(int x)\nret x\n";
    INFO(text);
    const std::string errors = errors_of(text);
    CHECK(errors.empty() == one.uniform);
    CHECK((one.uniform || errors.starts_with(not_converged)));
  }
}

TEST_CASE("a skeleton has the control instructions at the same places", "[typed][check]") {
  const Program program = parsed(head + "stop\n.function void f(int x)\nL: bz x, M\ncall f(x)\njmp L\nM: sync\nret\n");
  const musimd::Program control = skeleton(program, program.functions[1]);
  REQUIRE(control.code.size() == 5);
  CHECK(std::get<musimd::BranchZero>(control.code[0].instruction).target.pc == 3);
  CHECK(std::holds_alternative<musimd::Assign>(control.code[1].instruction));
  CHECK(std::get<musimd::Jump>(control.code[2].instruction).target.pc == 0);
  CHECK(std::holds_alternative<musimd::Sync>(control.code[3].instruction));
  CHECK(std::holds_alternative<musimd::Stop>(control.code[4].instruction));
}

}  // namespace lockstep::typed
