// Every theorem is proved, and every twin of it is refuted. Unknown and vacuous count as failures of either.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "semantics/prove/theorem.hpp"
#include "tests/campaign/run.hpp"

using namespace lockstep::prove;

namespace {

std::vector<Theorem> of_family(std::vector<Theorem> all, const std::string& family) {
  std::erase_if(all, [&](const Theorem& theorem) { return !theorem.name.starts_with(family + "."); });
  return all;
}

void prove_family(const std::string& family) {
  const std::vector<Theorem> list = of_family(theorems(lockstep::test::full_run()), family);
  REQUIRE(!list.empty());
  for (const Theorem& theorem : list) {
    const ProofResult result = prove(theorem, options_from_environment());
    INFO(theorem.name << ": " << theorem.statement << "\n" << result.where << "\n" << result.counterexample);
    CHECK(result.verdict == Verdict::Proved);
    CHECK(result.questions >= 2 * theorem.cases.size());  // each case and its hypotheses
  }
}

void refute_family(const std::string& family) {
  const std::vector<Theorem> list = of_family(twins(), family);
  REQUIRE(!list.empty());
  for (const Theorem& twin : list) {
    const ProofResult result = prove(twin, options_from_environment());
    INFO(twin.name << ": " << twin.statement << "\n" << result.where);
    CHECK(result.verdict == Verdict::Refuted);
    CHECK(!result.where.empty());
  }
}

}  // namespace

TEST_CASE("determinism: at most one rule applies, and it is known when", "[proofs]") { prove_family("determinism"); }
TEST_CASE("determinism: broken rules and a dropped invariant are found", "[proofs]") { refute_family("determinism"); }
TEST_CASE("the invariant is inductive", "[proofs]") { prove_family("invariant"); }
TEST_CASE("the invariant: broken rules and weaker invariants are found", "[proofs]") { refute_family("invariant"); }
TEST_CASE("reconvergence: every rule keeps the threads of each entry", "[proofs]") { prove_family("reconvergence"); }
TEST_CASE("reconvergence: broken rules are found", "[proofs]") { refute_family("reconvergence"); }
TEST_CASE("thread order makes no difference without a race", "[proofs]") { prove_family("thread_order"); }
TEST_CASE("thread order: races and one-phase shuffles are found", "[proofs]") { refute_family("thread_order"); }
TEST_CASE("shuffle laws hold", "[proofs]") { prove_family("shuffle"); }
TEST_CASE("shuffle laws: one-phase shuffles and dropped hypotheses are found", "[proofs]") { refute_family("shuffle"); }
TEST_CASE("without active threads nothing happens", "[proofs]") { prove_family("empty_mask"); }
TEST_CASE("without active threads: rules that write anyway are found", "[proofs]") { refute_family("empty_mask"); }

TEST_CASE("every theorem has a twin and every twin a theorem", "[proofs]") {
  std::set<std::string> names;
  for (const Theorem& theorem : theorems(false)) {
    CHECK(names.insert(theorem.name).second);
    CHECK(theorem.twin_of.empty());
  }
  std::set<std::string> with_twin;
  for (const Theorem& twin : twins()) {
    CHECK(names.contains(twin.twin_of));
    with_twin.insert(twin.twin_of);
  }
  CHECK(with_twin == names);
}

TEST_CASE("the cases reach the stated sizes", "[proofs]") {
  const auto sizes = [](bool all) {
    for (const Theorem& theorem : theorems(all)) {
      if (theorem.name == "invariant.sync") {
        return theorem.cases;
      }
    }
    return std::vector<Case>{};
  };
  // 4 thread counts; for 0 to 3 saved frames 4 depths each, and 4 of the present one.
  CHECK(sizes(true).size() == 4 * (4 + 16 + 64 + 256));
  CHECK(sizes(false).size() == 4 * (4 + 3 * 16));
  const auto has = [](const std::vector<Case>& list, const Case& c) {
    return std::any_of(list.begin(), list.end(), [&](const Case& each) { return each.threads == c.threads && each.depths == c.depths; });
  };
  CHECK(has(sizes(false), {4, {3, 3, 3, 3}}));
  CHECK(has(sizes(true), {4, {0, 3, 1, 2}}));
}

TEST_CASE("counterexamples are found in the smallest state that can show the fault", "[proofs]") {
  // Cases go up in threads, then in frames, then in entries; the sizes below follow from what each fault needs.
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"determinism.bz/without-inv", "w1-p0"},               // Θ = ∅: BT and BF
      {"determinism.bz/printed-E1", "w1-p0"},                // one thread: BT or BF, and BD
      {"determinism.bz/printed-E2", "w2-p1"},                // an entry with a done thread besides Θ
      {"determinism.end_everywhere/printed-E3", "w1-p0.1"},  // a frame with a converged entry
      {"invariant.bz/bd-keeps-active", "w2-p0"},             // two threads that part
      {"invariant.end_everywhere/present-frame-only", "w1-p0.0"},
      {"invariant.everywhere/eb-keeps-sync", "w2-p1"},  // a waiting thread besides Θ
      {"reconvergence.bz/push-forgets-todo", "w2-p0"},
      {"reconvergence.sync/si-drops-done", "w1-p1"},  // Inv is no hypothesis: a done thread and Θ = ∅
      {"thread_order.st/races", "w2-p0"},
      {"thread_order.shfl/printed-E5", "w2-p0"},
      {"shuffle.identity/outside-the-mask", "w1-p0.0"},
      {"shuffle.inverse/printed-E5", "w2-p0"},
      {"shuffle.broadcast/any-lanes", "w2-p0"},
  };
  const std::vector<Theorem> all = twins();
  for (const auto& [name, where] : expected) {
    const auto twin = std::find_if(all.begin(), all.end(), [&, &wanted = name](const Theorem& each) { return each.name == wanted; });
    INFO(name);
    REQUIRE(twin != all.end());
    const ProofResult result = prove(*twin, {});
    INFO(result.counterexample);
    CHECK(result.where == where);
    if (name == "determinism.bz/without-inv") {
      CHECK(result.counterexample.find(" in theta") == std::string::npos);
    } else if (name == "invariant.bz/bd-keeps-active") {
      CHECK(result.counterexample.find("rule BD\n") != std::string::npos);
    }
  }
}
