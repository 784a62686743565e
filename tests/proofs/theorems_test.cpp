// Every theorem is proved, and every twin of it is refuted, a third of both a day. Unknown and vacuous count as failures of either.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "semantics/prove/theorem.hpp"
#include "semantics/prove/theorems/outcomes.hpp"
#include "tests/campaign/run.hpp"

using namespace lockstep::prove;
using lockstep::musimd::RuleId;

namespace {

constexpr std::uint64_t days = 5;

std::vector<Theorem> of_family(std::vector<Theorem> all, const std::string& family) {
  std::erase_if(all, [&](const Theorem& theorem) { return !theorem.name.starts_with(family + "."); });
  return all;
}

void prove_family(const std::string& family) {
  const std::vector<Theorem> list = of_family(theorems(lockstep::test::full_run()), family);
  REQUIRE(!list.empty());
  for (std::uint64_t k = 0; k < list.size(); ++k) {
    if (!lockstep::test::has_turn(k, days)) {
      continue;
    }
    const Theorem& theorem = list[k];
    const ProofResult result = prove(theorem, options_from_environment());
    INFO(theorem.name << ": " << theorem.statement << "\n" << result.where << "\n" << result.counterexample);
    CHECK(result.verdict == Verdict::Proved);
    CHECK(result.questions >= 2 * theorem.cases.size());  // each case and its hypotheses
  }
}

void refute_family(const std::string& family) {
  const std::vector<Theorem> list = of_family(twins(), family);
  REQUIRE(!list.empty());
  for (std::uint64_t k = 0; k < list.size(); ++k) {
    if (!lockstep::test::has_turn(k, days)) {
      continue;
    }
    const Theorem& twin = list[k];
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
TEST_CASE("poison comes from shuffles that find nobody, and reaches what is made of it", "[proofs]") { prove_family("poison"); }
TEST_CASE("poison: rules that lose it and shuffles from outside are found", "[proofs]") { refute_family("poison"); }
TEST_CASE("reconvergence: every rule keeps the threads of each entry", "[proofs]") { prove_family("reconvergence"); }
TEST_CASE("reconvergence: broken rules are found", "[proofs]") { refute_family("reconvergence"); }
TEST_CASE("thread order makes no difference without a race", "[proofs]") { prove_family("thread_order"); }
TEST_CASE("thread order: races and one-phase shuffles are found", "[proofs]") { refute_family("thread_order"); }
TEST_CASE("shuffle laws hold", "[proofs]") { prove_family("shuffle"); }
TEST_CASE("shuffle laws: one-phase shuffles and dropped hypotheses are found", "[proofs]") { refute_family("shuffle"); }
TEST_CASE("without active threads nothing happens", "[proofs]") { prove_family("empty_mask"); }
TEST_CASE("without active threads: rules that write anyway are found", "[proofs]") { refute_family("empty_mask"); }

TEST_CASE("warps that do not race give the same in either order", "[proofs]") { prove_family("commutativity"); }
TEST_CASE("warps: races are found", "[proofs]") { refute_family("commutativity"); }
TEST_CASE("a call that returns its argument is an assignment", "[proofs]") { prove_family("composition"); }
TEST_CASE("calls: a frame that is no new one is found", "[proofs]") { refute_family("composition"); }
TEST_CASE("an instruction cannot tell whether it runs within a block", "[proofs]") { prove_family("parity"); }
TEST_CASE("rules that can tell are found", "[proofs]") { refute_family("parity"); }

TEST_CASE("a step comes to what the table says, and to nothing else", "[proofs]") { prove_family("outcomes"); }
TEST_CASE("outcomes: what the table does not list is found", "[proofs]") { refute_family("outcomes"); }

TEST_CASE("theorems know the rules that they speak of", "[proofs]") {
  // From docs/rules: which rules an instruction has, what its operands are looked up by, and what it runs under.
  const std::vector<std::pair<std::string, Rules>> expected = {
      {"determinism.jmp", {RuleId::JP}},
      {"determinism.bz", {RuleId::BT, RuleId::BF, RuleId::BD, RuleId::MV, RuleId::BP}},
      {"invariant.typed.sync", {RuleId::SS, RuleId::SI_sync}},
      {"determinism.typed.fetch", {RuleId::IT, RuleId::TL, RuleId::LD, RuleId::MM, RuleId::MV, RuleId::BP}},
      {"determinism.typed.move", {RuleId::IT, RuleId::TL, RuleId::CT, RuleId::AS, RuleId::BP, RuleId::MV, RuleId::MT}},
      {"invariant.typed.move", {RuleId::IT, RuleId::TL, RuleId::CT, RuleId::AS, RuleId::BP, RuleId::MV, RuleId::MT}},
      {"thread_order.typed.move", {RuleId::IT, RuleId::TL, RuleId::CT, RuleId::AS, RuleId::BP, RuleId::MV, RuleId::MT}},
      {"poison.made.typed.move", {RuleId::IT, RuleId::TL, RuleId::CT, RuleId::AS, RuleId::BP, RuleId::MV, RuleId::MT}},
      {"determinism.assign_copy", {RuleId::IT, RuleId::TL, RuleId::AS, RuleId::MV}},             // CT and BP are for other shapes
      {"poison.made.typed.shfl", {RuleId::IT, RuleId::TL, RuleId::SV, RuleId::MV, RuleId::BP}},  // everybody finds a number
      {"empty_mask.typed.drop", {RuleId::IT, RuleId::TL, RuleId::AS}},
      {"empty_mask.typed.change", {RuleId::IT, RuleId::TL, RuleId::AT, RuleId::MV, RuleId::BP}},
      {"composition.typed.call", {RuleId::CALL, RuleId::RET, RuleId::MV}},
      {"shuffle.identity", {RuleId::IT, RuleId::TL, RuleId::SV, RuleId::SI_shfl, RuleId::MT}},
      {"shuffle.identity.typed.exchange", {RuleId::IT, RuleId::TL, RuleId::SVA, RuleId::MT}},
      {"parity.typed.wait", {RuleId::BR}},
  };
  const std::vector<Theorem> all = theorems(false);
  for (const auto& [name, rules] : expected) {
    INFO(name);
    const auto theorem = std::ranges::find(all, name, &Theorem::name);
    REQUIRE(theorem != all.end());
    CHECK(theorem->rules() == rules);
  }
  for (const Theorem& theorem : all) {
    INFO(theorem.name);
    CHECK(std::string(theorem.where.file_name()).find("semantics/prove/theorems/") != std::string::npos);
    CHECK((theorem.name == "invariant.initial" || !theorem.rules().empty()));  // initial states have met no rule
  }
}

TEST_CASE("a theorem that lists a rule which fires in none of its cases is vacuous", "[proofs]") {
  const std::vector<Theorem> all = theorems(false);
  for (const auto& [name, rules] : std::vector<std::pair<std::string, Rules>>{
           {"invariant.typed.jmp", {RuleId::JP, RuleId::BA}},         // another instruction's
           {"determinism.assign_copy", {RuleId::AS, RuleId::CT}},     // a candidate that its shape rules out
           {"poison.made.typed.shfl", {RuleId::SV, RuleId::SI_shfl}}  // one that the hypotheses rule out
       }) {
    INFO(name);
    Theorem theorem = *std::ranges::find(all, name, &Theorem::name);
    theorem.rules = [rules = rules] { return rules; };
    const ProofResult result = prove(theorem, {});
    CHECK(result.verdict == Verdict::Vacuous);
    CHECK(result.where.ends_with(" never fires"));
  }
}

TEST_CASE("a twin of poison.flow breaks one claim, and all else holds", "[proofs]") {
  const bool full = lockstep::test::full_run();
  const std::vector<Theorem> broken = of_family(twins(), "poison.flow");
  std::size_t tried = 0;
  for (const Theorem& control : controls()) {
    CHECK(std::ranges::find(broken, control.name, &Theorem::name) != broken.end());
    const bool of_kind = std::ranges::count(control.name, '.') == 3;  // not of a type: of these, int stands for all
    if (full || of_kind || control.name.find(".int/") != std::string::npos) {
      INFO(control.name << ": " << control.statement);
      CHECK(prove(control, options_from_environment()).verdict == Verdict::Proved);
      ++tried;
    }
  }
  CHECK(tried > 30);
}

TEST_CASE("docs/proofs.md has the table of outcomes, which lists nothing that is never asked", "[proofs]") {
  std::ifstream in(LOCKSTEP_SOURCE_DIR "/docs/proofs.md");
  std::stringstream page;
  page << in.rdbuf();
  INFO("expected:\n" << outcome_table());
  CHECK(page.str().find("\n" + outcome_table() + "\n") != std::string::npos);

  std::set<std::string> asked;  // "RET: RET.2"
  for (const Theorem& theorem : of_family(theorems(false), "outcomes")) {
    for (const Case& c : theorem.cases) {
      for (const NamedTruth& each : theorem.oblige(c).reachable) {
        asked.insert(each.name);
      }
    }
  }
  std::set<std::string> listed;
  std::set<std::string> at_roots;
  for (const lockstep::musimd::PremiseInfo& premise : lockstep::musimd::premise_table) {
    for (const lockstep::musimd::RuleInfo& rule : lockstep::musimd::rule_table) {
      const std::string name = premise_name(premise.rule, premise.number);
      if (names(outcome(rule.id).stuck_by, name) || names(outcome(rule.id).undefined_by, name)) {
        (rule.id == RuleId::MM || rule.id == RuleId::MV ? listed : at_roots).insert(std::string(rule.name) + ": " + name);
      }
    }
  }
  CHECK(listed == std::set<std::string>{"MM: MM.2", "MV: MV.2"});  // premises of other rules, which list them
  for (const std::string& each : at_roots) {
    INFO(each);
    CHECK(asked.contains(each));
  }
  CHECK(asked.size() == at_roots.size() + 2);  // and SI.shfl and SVA make poison
}

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
      {"determinism.typed.put/without-ST.4", "w1-p0"},
      {"determinism.typed.leave/without-RET.3", "w1-p1c.1.0"},  // a block within the call
      {"invariant.typed.end_everywhere/callers-block", "w2-p1.1c.0"},
      {"poison.made.typed.exchange/from-outside", "w1-p0"},
      {"reconvergence.typed.bz/push-forgets-todo", "w2-p0"},
      {"reconvergence.calls.typed.leave/not-assumed", "w1-p1c.0"},
      {"shuffle.identity.typed.shfl/outside-the-mask", "w1-p0.0"},
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
