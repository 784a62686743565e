// What may notice a fault of the prover: pairs of kernels with known verdicts, asked and run; random pairs; unit tests of terms.

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "differential/campaign/pairs.hpp"
#include "tests/mutation/folders.hpp"
#include "tests/proofs/pairs/pair.hpp"

namespace lockstep::test {

namespace {

/// A pair that does not come to an end says nothing.
std::optional<std::string> ask(const Pair& pair) {
  const Trial trial = try_pair(pair);
  return trial.ending == Trial::Ending::Otherwise ? std::optional(trial.sentence) : std::nullopt;
}

/// Random pairs (differential/campaign/pairs.cpp), of which none may be a finding; so many as LOCKSTEP_PAIRS says, or 150.
std::optional<std::string> ask_random_pairs() {
  const char* asked_for = std::getenv("LOCKSTEP_PAIRS");
  const std::uint64_t pairs = asked_for != nullptr ? std::stoull(asked_for) : 150;
  differential::FuzzPlan plan;
  plan.subject = differential::FuzzPlan::Subject::Pairs;
  for (std::uint64_t number = 0; number < pairs; ++number) {
    differential::Counts counts;
    const differential::FuzzAnswer answer = differential::try_pair(differential::fuzz_case(plan, number), counts);
    if (answer.ending == differential::FuzzAnswer::Ending::Finding) {
      return fmt::format("pair {}: {}: {}", number, answer.kind, answer.sentence);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Check> all_checks() {
  const auto pairs = read_all_pairs(LOCKSTEP_SOURCE_DIR "/tests/proofs/pairs");
  if (!pairs) {
    throw std::runtime_error(pairs.error());
  }
  std::vector<Check> checks = unit_test_checks();
  for (const Pair& pair : *pairs) {
    checks.push_back({pair.name, {"pairs"}, [pair] { return ask(pair); }});
  }
  checks.push_back({"random pairs", {"random pairs"}, ask_random_pairs});
  return checks;
}

}  // namespace lockstep::test
