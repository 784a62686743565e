// Property 2, the other way round: each condition of well-formedness is needed. For each one there are programs that violate it
// alone, and that get stuck where the condition says.

#include <catch2/catch.hpp>

#include "semantics/musimd/check.hpp"
#include "semantics/musimd/parse.hpp"
#include "tests/properties/trial.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Violation {
  const char* condition;
  const char* premise;  ///< what fails for one of the candidates when the program is stuck; "" behind the last instruction
  const char* text;
};

const Violation violations[] = {
    {"condition 1: ", "EE.2", "jmp In\neverywhere\nIn: end_everywhere\nstop\n"},
    {"condition 1: ", "EE.2", "everywhere\nend_everywhere\nend_everywhere\nstop\n"},
    {"condition 1: ", "EE.2", ".shared 0 : 0\nv = ld 0\nbz v, In\nsync\neverywhere\nIn: end_everywhere\nstop\n"},
    {"condition 2: ", "SS.2", "sync\nstop\n"},
    {"condition 2: ", "SI.sync.2", "bz tid, L\nL: sync\nsync\nstop\n"},
    {"condition 2: ", "SS.2", "bz tid, L\neverywhere\nsync\nend_everywhere\nL: sync\nstop\n"},
    {"condition 2: ", "SP.2", "i = 0\nAgain: bz 1, Skip\nSkip: i = i + 1\nbz i == 3, Again\nsync\nsync\nstop\n"},
    {"condition 3: ", "EE.3", "everywhere\nbz tid, L\nL: v = 1\nend_everywhere\nstop\n"},
    {"condition 3: ", "EE.3", "everywhere\ni = 0\nL: i = i + 1\nbz i > tid, L\nend_everywhere\nstop\n"},
    {"condition 4: ", "SP.2", "bz tid, L\nL: stop\n"},
    {"condition 4: ", "BA.2", "jmp_mask 0, L\nL: stop\n"},
    {"condition 4: ", "", "jmp L\nstop\nL:\n"},
};

/// "EE.3" for each premise that failed.
std::vector<std::string> failed_premises(const Stuck& stuck) {
  std::vector<std::string> result;
  for (const CandidateReport& candidate : stuck.candidates) {
    for (const AskedPremise& premise : candidate.premises) {
      if (!premise.holds) {
        result.push_back(std::string(musimd::name(premise.rule)) + "." + std::to_string(premise.number));
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("Each condition of well-formedness is needed for progress", "[property]") {
  for (const Violation& v : violations) {
    INFO(v.text);
    const auto program = musimd::parse(SourceFile("violation.mus", v.text));
    REQUIRE(program);
    unsigned errors = 0;
    for (const Diagnostic& finding : musimd::check(*program)) {
      if (finding.severity == Severity::Error) {
        ++errors;
        CHECK(finding.message.starts_with(v.condition));
      }
    }
    CHECK(errors > 0);
    const Ending ending = machine_for(std::make_shared<const musimd::Program>(*program))->run(1000);
    REQUIRE(std::holds_alternative<Stuck>(ending));
    const auto failed = failed_premises(std::get<Stuck>(ending));
    if (*v.premise == '\0') {
      CHECK(failed.empty());
    } else {
      CHECK(std::find(failed.begin(), failed.end(), v.premise) != failed.end());
    }
  }
}
