// Property 1 for typed programs, second half: every rule preserves Inv, of the present frame and of those that blocks and calls saved.

#include <algorithm>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

struct TypedInvariantSetup {
  bool with_invariant = true;
  bool saved_frames = true;  ///< Inv speaks of the saved frames too
  bool own_block = true;     ///< end_everywhere leaves no block that a caller has entered, as in well-formed programs
  std::function<void(const TypedState& before, TypedSuccessor&)> alter = {};
};

Truth invariant_of(const TypedState& s, const TypedInvariantSetup& setup) {
  return setup.saved_frames ? typed_invariant(s) : frame_invariant(s, typed_frames(s).back());
}

Obligation preserved(TypedKind kind, const Case& c, const TypedInvariantSetup& setup) {
  Obligation result;
  for (const World& world : typed_worlds(kind, c)) {
    const bool leaves_own = world.state.context.size() > world.state.bank.back().contexts;
    if (kind == TypedKind::EndEverywhere && setup.own_block && !leaves_own) {
      break;
    }
    if (result.shown.truths.empty()) {
      show(result.shown, world);
      if (setup.with_invariant) {
        result.hypotheses.push_back(invariant_of(world.state, setup));
      }
    }
    for (TypedSuccessor& next : step(world)) {
      if (setup.alter) {
        setup.alter(world.state, next);
      }
      result.goals.push_back(implies(next.condition, invariant_of(next.state, setup)));
    }
    append(result.fires, firings(world));
  }
  return result;
}

void bd_keeps_active(const TypedState& before, TypedSuccessor& next) {
  if (next.rule.root == RuleId::BD) {
    next.state.active = before.active;
  }
}
void ss_keeps_todo(const TypedState& before, TypedSuccessor& next) {
  if (next.rule.root == RuleId::SS) {
    next.state.sync.back().todo = before.sync.back().todo;
  }
}
void si_sync_keeps_entry(const TypedState& before, TypedSuccessor& next) {
  if (next.rule.root == RuleId::SI_sync) {
    next.state.sync.push_back(before.sync.back());
  }
}
void keeps_sync(const TypedState& before, TypedSuccessor& next) { next.state.frame_base = before.frame_base; }
void keeps_active(const TypedState& before, TypedSuccessor& next) { next.state.active = before.active; }

constexpr int typed_invariant_property = 1;

}  // namespace

std::vector<Theorem> typed_invariant_theorems(bool full) {
  std::vector<Theorem> result;
  for (const TypedKind kind : typed_kinds) {
    result.push_back({"invariant." + name(kind), typed_invariant_property, "every rule of " + name(kind) + " preserves Inv of all frames",
                      "", cases_of(kind, full), [kind](const Case& c) { return preserved(kind, c, {}); },
                      [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> typed_invariant_twins() {
  struct Twin {
    TypedKind kind;
    const char* name;
    const char* statement;
    TypedInvariantSetup setup;
  };
  std::vector<Twin> list = {
      {TypedKind::Bz, "bd-keeps-active", "BD leaves Θ as it is", {.alter = bd_keeps_active}},
      {TypedKind::Sync, "ss-keeps-todo", "SS leaves todo as it is", {.alter = ss_keeps_todo}},
      {TypedKind::Sync, "si-keeps-entry", "SI.sync does not pop", {.alter = si_sync_keeps_entry}},
      {TypedKind::Everywhere, "eb-keeps-sync", "EB leaves Π in the new frame", {.alter = keeps_sync}},
      {TypedKind::EndEverywhere, "present-frame-only", "Inv of the present frame alone is not inductive", {.saved_frames = false}},
      {TypedKind::EndEverywhere, "ee-keeps-active", "EE leaves Θ as it is", {.alter = keeps_active}},
      {TypedKind::EndEverywhere, "callers-block", "the block may be one that the caller has entered", {.own_block = false}},
      {TypedKind::Leave, "present-frame-only", "Inv of the present frame alone is not inductive", {.saved_frames = false}},
      {TypedKind::Leave, "ret-keeps-active", "RET leaves Θ as it is", {.alter = keeps_active}},
  };
  for (const TypedKind kind : typed_kinds) {
    if (std::ranges::find(list, kind, &Twin::kind) == list.end()) {
      list.push_back({kind, "without-inv", "Inv is not assumed", {.with_invariant = false}});
    }
  }
  std::vector<Theorem> result;
  for (const Twin& twin : list) {
    const std::string of = "invariant." + name(twin.kind);
    result.push_back({of + "/" + twin.name, typed_invariant_property, twin.statement, of, cases_of(twin.kind, false),
                      [kind = twin.kind, setup = twin.setup](const Case& c) { return preserved(kind, c, setup); }});
  }
  return result;
}

}  // namespace lockstep::prove
