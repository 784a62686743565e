// Property 5 for typed programs: no item is lost or won between a branch and its sync, nor between a call and its return.

#include <algorithm>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

using Alter = std::function<void(const TypedState& before, TypedSuccessor&)>;

/// What a twin breaks.
struct TypedReconvergenceSetup {
  Alter alter = {};
  bool own_block = true;   ///< end_everywhere leaves no block that a caller has entered, as in well-formed programs
  bool with_calls = true;  ///< it is assumed what is to be shown of the state before
};

/// The frame's Θ with the done and todo sets of its entries from `k` upwards.
ThreadSet items_from(const TypedState& s, const Frame& frame, std::size_t k) {
  ThreadSet result = frame.mask;
  for (; k < frame.end; ++k) {
    result = result | s.sync[k].done | s.sync[k].todo;
  }
  return result;
}

/// For every frame and entry that both states have, the items from it upwards are the same; a new entry starts with Θ.
Truth kept(const TypedState& before, const TypedState& after) {
  const std::vector<Frame> old_frames = typed_frames(before);
  const std::vector<Frame> new_frames = typed_frames(after);
  Truth result(true);
  for (std::size_t f = 0; f < std::min(old_frames.size(), new_frames.size()); ++f) {
    const Frame& a = old_frames[f];
    const Frame& b = new_frames[f];
    result = result && Truth(a.begin == b.begin) && same(items_from(before, a, a.begin), items_from(after, b, b.begin));
    for (std::size_t k = a.begin; k < std::min(a.end, b.end); ++k) {
      result = result && same(items_from(before, a, k), items_from(after, b, k));
    }
    for (std::size_t k = a.end; k < b.end; ++k) {
      result = result && same(before.active, items_from(after, b, k));
    }
  }
  return result;
}

/// The items of each call's first frame are those that have called; false if a call's block count has no meaning any more.
Truth called_by(const TypedState& s) {
  const std::vector<Frame> frames = typed_frames(s);
  Truth result(true);
  for (std::size_t call = 1; call < s.bank.size(); ++call) {
    const std::size_t first = call + s.bank[call].contexts;  // in front of it are what this call saved, and the calls and blocks before
    if (first >= frames.size()) {
      return Truth(false);
    }
    result = result && same(items_from(s, frames[first], frames[first].begin), s.bank[call].active);
  }
  return result;
}

/// One step of an instruction of the kind, in states which `assume` and `show` speak of.
Obligation steps(TypedKind kind, const Case& c, const TypedReconvergenceSetup& setup,
                 const std::function<Truth(const TypedState&)>& assumed,
                 const std::function<Truth(const TypedState&, const TypedSuccessor&)>& shown) {
  Obligation result;
  for (const World& world : typed_worlds(kind, c)) {
    const bool leaves_own = world.state.context.size() > world.state.bank.back().contexts;
    if (kind == TypedKind::EndEverywhere && setup.own_block && !leaves_own) {
      break;
    }
    if (result.shown.truths.empty()) {
      show(result.shown, world);
      result.hypotheses.push_back(assumed(world.state));
    }
    for (TypedSuccessor& next : step(world)) {
      if (setup.alter) {
        setup.alter(world.state, next);
      }
      result.goals.push_back(implies(next.condition, shown(world.state, next)));
    }
    append(result.fires, firings(world));
  }
  return result;
}

Obligation reconvergence(TypedKind kind, const Case& c, const TypedReconvergenceSetup& setup) {
  return steps(
      kind, c, setup, [](const TypedState&) { return Truth(true); },
      [](const TypedState& before, const TypedSuccessor& next) { return kept(before, next.state); });
}

/// The items of a call are its callers, all the time; so Θ at `ret` is Θ at the call, where RET gives the result to.
Obligation calls(TypedKind kind, const Case& c, const TypedReconvergenceSetup& setup) {
  return steps(
      kind, c, setup, [&](const TypedState& s) { return setup.with_calls ? called_by(s) : Truth(true); },
      [](const TypedState& before, const TypedSuccessor& next) {
        const bool returns = next.rule.root == RuleId::RET;
        return called_by(next.state) && (returns ? same(before.active, before.bank.back().active) : Truth(true));
      });
}

// ---- broken rules ------------------------------------------------------------------------------------------------------

ThreadSet nobody(const TypedState& s) { return ThreadSet(std::vector<Truth>(s.active.size(), Truth(false))); }

void push_forgets_todo(const TypedState& before, TypedSuccessor& next) {
  if (next.rule.root == RuleId::BD) {
    next.state.sync.back().todo = nobody(before);
  }
}
void ss_forgets_done(const TypedState& before, TypedSuccessor& next) {
  if (next.rule.root == RuleId::SS) {
    next.state.sync.back().done = before.active;
  }
}
void eb_saves_all(const TypedState&, TypedSuccessor& next) { next.state.context.back().mask = next.state.active; }
void call_takes_nobody(const TypedState& before, TypedSuccessor& next) {
  next.state.active = nobody(before);
  next.state.bank.back().active = next.state.active;
}
void leaves_active(const TypedState& before, TypedSuccessor& next) { next.state.active = before.active; }
void loses_item_0(const TypedState& before, TypedSuccessor& next) {
  std::vector<Truth> others(before.active.size(), Truth(true));
  others[0] = Truth(false);
  next.state.active = next.state.active & ThreadSet(std::move(others));
}

constexpr int typed_reconvergence_property = 5;

std::string of_calls(TypedKind kind) { return "reconvergence.calls." + name(kind); }

}  // namespace

std::vector<Theorem> typed_reconvergence_theorems(bool full) {
  std::vector<Theorem> result;
  for (const TypedKind kind : typed_kinds) {
    result.push_back({"reconvergence." + name(kind), typed_reconvergence_property,
                      "every rule of " + name(kind) + " keeps Θ with the done and todo sets of each surviving entry and of those above it",
                      "", cases_of(kind, full), [kind](const Case& c) { return reconvergence(kind, c, {}); },
                      [kind] { return rules_of(kind); }});
  }
  for (const TypedKind kind : typed_kinds) {
    result.push_back({of_calls(kind), typed_reconvergence_property,
                      "every rule of " + name(kind) + " keeps the items of each call those that have called, and RET finds them in Θ", "",
                      cases_of(kind, full), [kind](const Case& c) { return calls(kind, c, {}); }, [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> typed_reconvergence_twins() {
  struct Twin {
    TypedKind kind;
    const char* name;
    const char* statement;
    TypedReconvergenceSetup setup;
  };
  std::vector<Twin> list = {
      {TypedKind::Bz, "push-forgets-todo", "push leaves todo empty", {.alter = push_forgets_todo}},
      {TypedKind::Sync, "ss-forgets-done", "SS overwrites the done set", {.alter = ss_forgets_done}},
      {TypedKind::Sync, "si-drops-done", "SI.sync does not add the done set to Θ, nor SS the todo set", {.alter = leaves_active}},
      {TypedKind::Everywhere, "eb-saves-all", "EB saves Θall", {.alter = eb_saves_all}},
      {TypedKind::EndEverywhere, "ee-keeps-active", "EE leaves Θ as it is", {.alter = leaves_active}},
      {TypedKind::EndEverywhere, "callers-block", "the block may be one that the caller has entered", {.own_block = false}},
      {TypedKind::Enter, "call-takes-nobody", "CALL remembers ∅", {.alter = call_takes_nobody}},
      {TypedKind::Leave, "ret-keeps-active", "RET leaves Θ as it is", {.alter = leaves_active}},
  };
  for (const TypedKind kind : typed_kinds) {
    if (std::ranges::find(list, kind, &Twin::kind) == list.end()) {
      list.push_back({kind, "loses-an-item", "the rule takes an item out of Θ", {.alter = loses_item_0}});
    }
  }
  std::vector<Theorem> result;
  for (const Twin& twin : list) {
    const std::string of = "reconvergence." + name(twin.kind);
    result.push_back({of + "/" + twin.name, typed_reconvergence_property, twin.statement, of, cases_of(twin.kind, false),
                      [kind = twin.kind, setup = twin.setup](const Case& c) { return reconvergence(kind, c, setup); }});
  }
  for (const TypedKind kind : typed_kinds) {
    result.push_back({of_calls(kind) + "/not-assumed", typed_reconvergence_property, "a call may have lost items before", of_calls(kind),
                      cases_of(kind, false), [kind](const Case& c) { return calls(kind, c, {.with_calls = false}); }});
  }
  result.push_back({of_calls(TypedKind::EndEverywhere) + "/callers-block", typed_reconvergence_property,
                    "the block may be one that the caller has entered", of_calls(TypedKind::EndEverywhere),
                    cases_of(TypedKind::EndEverywhere, false),
                    [](const Case& c) { return calls(TypedKind::EndEverywhere, c, {.own_block = false}); }});
  return result;
}

}  // namespace lockstep::prove
