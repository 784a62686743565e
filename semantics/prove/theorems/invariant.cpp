// Property 1, second half: every rule preserves Inv, of the present frame and of the saved ones.

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using musimd::AsPrinted;
using musimd::Erratum;
using musimd::RuleId;

namespace {

struct InvariantSetup {
  AsPrinted printed;
  bool with_invariant = true;
  bool saved_frames = true;  ///< Inv speaks of the saved frames too
  std::function<void(const State& before, Successor&)> alter;
};

Truth invariant_of(const State& s, const InvariantSetup& setup) {
  return setup.saved_frames ? invariant(s) : invariant(s, frames(s).back());
}

Obligation preserved(Kind kind, const Case& c, const InvariantSetup& setup) {
  Symbolic d(c.threads, setup.printed);
  const State s = arbitrary_state(d, c);
  Obligation result;
  if (setup.with_invariant) {
    result.hypotheses.push_back(invariant_of(s, setup));
  }
  show(result.shown, "before", s);
  for (const Subject& subject : subjects(kind, d, s)) {
    for (Successor& next : step(d, s, subject.instruction)) {
      if (setup.alter) {
        setup.alter(s, next);
      }
      result.goal = result.goal && implies(next.condition, invariant_of(next.state, setup));
      result.shown.truths.push_back({"rule " + std::string(musimd::name(next.rule.root)), next.condition});
    }
    append(result.fires, firings(candidates_of(d, s, subject.instruction)));
  }
  return result;
}

/// The states that a program starts in: a set of threads with members, and empty stacks.
Obligation initial(const Case& c, bool some_thread) {
  const Symbolic d(c.threads);
  const State s = arbitrary_state(d, c);
  Obligation result;
  if (some_thread) {
    result.hypotheses.push_back(!empty(s.active));
  }
  result.goal = invariant(s);
  show(result.shown, "before", s);
  return result;
}

std::vector<Case> initial_cases() { return {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}}; }

void bd_keeps_active(const State& before, Successor& next) {
  if (next.rule.root == RuleId::BD) {
    next.state.active = before.active;
  }
}

void ss_keeps_todo(const State& before, Successor& next) {
  if (next.rule.root == RuleId::SS) {
    next.state.sync.back().todo = before.sync.back().todo;
  }
}

void si_sync_keeps_entry(const State& before, Successor& next) {
  if (next.rule.root == RuleId::SI_sync) {
    next.state.sync.push_back(before.sync.back());
  }
}

void eb_keeps_sync(const State& before, Successor& next) { next.state.frame_base = before.frame_base; }

constexpr int invariant_property = 1;

}  // namespace

std::vector<Theorem> invariant_theorems(bool full) {
  std::vector<Theorem> result;
  for (const Kind kind : all_kinds) {
    result.push_back({"invariant." + name(kind), invariant_property, "every rule of " + name(kind) + " preserves Inv of all frames", "",
                      stack_cases(full), [kind](const Case& c) { return preserved(kind, c, {}); }, [kind] { return rules_of(kind); }});
  }
  result.push_back({"invariant.initial", invariant_property, "every initial state satisfies Inv", "", initial_cases(),
                    [](const Case& c) { return initial(c, true); }});
  return result;
}

std::vector<Theorem> invariant_twins() {
  struct Twin {
    Kind kind;
    const char* name;
    const char* statement;
    InvariantSetup setup;
  };
  const Twin list[] = {
      {Kind::Bz, "bd-keeps-active", "BD leaves Θ as it is", {{}, true, true, bd_keeps_active}},
      {Kind::Bz, "printed-E1", "BD does not ask that both sets have members", {{Erratum::E1}, true, true, {}}},
      {Kind::Sync, "ss-keeps-todo", "SS leaves todo as it is", {{}, true, true, ss_keeps_todo}},
      {Kind::Sync, "si-keeps-entry", "SI.sync does not pop", {{}, true, true, si_sync_keeps_entry}},
      {Kind::Everywhere, "eb-keeps-sync", "EB leaves Π in the new frame", {{}, true, true, eb_keeps_sync}},
      {Kind::EndEverywhere, "present-frame-only", "Inv of the present frame alone is not inductive", {{}, true, false, {}}},
      {Kind::Stop, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::Jmp, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::JmpMask, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::AssignConstant, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::AssignCopy, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::AssignOperation, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::Ld, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::St, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
      {Kind::Shfl, "without-inv", "Inv is not assumed", {{}, false, true, {}}},
  };
  std::vector<Theorem> result;
  for (const Twin& twin : list) {
    const std::string of = "invariant." + name(twin.kind);
    result.push_back({of + "/" + twin.name, invariant_property, twin.statement, of, stack_cases(false),
                      [kind = twin.kind, setup = twin.setup](const Case& c) { return preserved(kind, c, setup); }});
  }
  result.push_back({"invariant.initial/no-thread", invariant_property, "Θ may be empty at the start", "invariant.initial", initial_cases(),
                    [](const Case& c) { return initial(c, false); }});
  return result;
}

}  // namespace lockstep::prove
