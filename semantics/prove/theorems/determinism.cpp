// Property 1: under Inv exactly one candidate applies, or none, and it is known when.

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using musimd::AsPrinted;
using musimd::Erratum;

namespace {

/// What a twin breaks: rules as printed, Inv not assumed, or premises changed by `alter`.
struct DeterminismSetup {
  AsPrinted printed;
  bool with_invariant = true;
  std::function<void(const State&, std::vector<Candidate>&)> alter;
};

Obligation determinism(Kind kind, const Case& c, const DeterminismSetup& setup) {
  Symbolic d(c.threads, setup.printed);
  const State s = arbitrary_state(d, c);
  Obligation result;
  if (setup.with_invariant) {
    result.hypotheses.push_back(invariant(s));
  }
  for (const Subject& subject : subjects(kind, d, s)) {
    std::vector<Candidate> candidates = candidates_of(d, s, subject.instruction);
    if (setup.alter) {
      setup.alter(s, candidates);
    }
    result.goal = result.goal && same(any(candidates), subject.applicable) &&
                  (kind == Kind::Shfl ? each_thread_one(s.active, subject.applicable, candidates) : at_most_one(candidates));
    append(result.fires, firings(candidates));
  }
  show(result.shown, "before", s);
  return result;
}

constexpr int determinism_property = 1;

/// BA without "e ∈ Θ'", SS without "todo ≠ ∅".
void first_asks_less(const State&, std::vector<Candidate>& candidates) {
  candidates[0].applies = candidates[0].applies || candidates[1].applies;
}

void needs_a_frame(const State& s, std::vector<Candidate>& candidates) {
  candidates[0].applies = candidates[0].applies && Truth(!s.context.empty());
}

}  // namespace

std::vector<Theorem> determinism_theorems(bool full) {
  std::vector<Theorem> result;
  for (const Kind kind : all_kinds) {
    const std::string what =
        kind == Kind::Shfl ? "each thread of Θ takes exactly one of SV and SI.shfl where the lane operand is defined, else no rule applies"
                           : "at most one rule applies, and one does exactly where the instruction is defined and not stuck";
    result.push_back({"determinism." + name(kind), determinism_property, name(kind) + " under Inv: " + what, "", stack_cases(full),
                      [kind](const Case& c) { return determinism(kind, c, {}); }, [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> determinism_twins() {
  struct Twin {
    Kind kind;
    const char* name;
    const char* statement;
    DeterminismSetup setup;
  };
  const Twin list[] = {
      {Kind::Stop, "printed-E8", "stop may run inside an everywhere block", {{Erratum::E8}, true, {}}},
      {Kind::Jmp, "needs-a-frame", "JP asks for a pair on Λ", {{}, true, needs_a_frame}},
      {Kind::Bz, "printed-E1", "BD does not ask that both sets have members", {{Erratum::E1}, true, {}}},
      {Kind::Bz, "printed-E2", "push has no clause for a top entry with a done set", {{Erratum::E2}, true, {}}},
      {Kind::Bz, "printed-E7", "bz has no rule for a constant", {{Erratum::E7}, true, {}}},
      {Kind::Bz, "without-inv", "Θ may be empty", {{}, false, {}}},
      {Kind::JmpMask, "ba-asks-less", "BA does not ask e ∈ Θ'", {{}, true, first_asks_less}},
      {Kind::Sync, "ss-asks-less", "SS does not ask todo ≠ ∅", {{}, true, first_asks_less}},
      {Kind::Everywhere, "needs-a-frame", "EB asks for a pair on Λ", {{}, true, needs_a_frame}},
      {Kind::EndEverywhere, "printed-E3", "EE asks for Π = []", {{Erratum::E3}, true, {}}},
      {Kind::AssignConstant, "printed-E4", "IT asks for a pair on Λ", {{Erratum::E4}, true, {}}},
      {Kind::AssignCopy, "printed-E4", "IT asks for a pair on Λ", {{Erratum::E4}, true, {}}},
      {Kind::AssignOperation, "printed-E4", "IT asks for a pair on Λ", {{Erratum::E4}, true, {}}},
      {Kind::Ld, "printed-E4", "IT asks for a pair on Λ", {{Erratum::E4}, true, {}}},
      {Kind::St, "printed-E7", "st has no rule for constants", {{Erratum::E7}, true, {}}},
      {Kind::Shfl, "printed-E7", "shfl has no rule for a constant lane", {{Erratum::E7}, true, {}}},
      {Kind::Shfl, "printed-E10", "shfl wants v1 initialised in the reading thread", {{Erratum::E10}, true, {}}},
      {Kind::Shfl, "without-inv", "Θ may be empty, and then neither SV nor SI.shfl has a thread", {{}, false, {}}},
  };
  std::vector<Theorem> result;
  for (const Twin& twin : list) {
    const std::string of = "determinism." + name(twin.kind);
    result.push_back({of + "/" + twin.name, determinism_property, twin.statement, of, stack_cases(false),
                      [kind = twin.kind, setup = twin.setup](const Case& c) { return determinism(kind, c, setup); }});
  }
  return result;
}

}  // namespace lockstep::prove
