// Property 5: no thread is lost or won between a branch and its sync.

#include <algorithm>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

using Alter = std::function<void(const Symbolic&, const State& before, Successor&)>;

/// The frame's Θ with the done and todo sets of its entries from `k` upwards.
ThreadSet threads_from(const State& s, const Frame& frame, std::size_t k) {
  ThreadSet result = frame.mask;
  for (; k < frame.end; ++k) {
    result = result | s.sync[k].done | s.sync[k].todo;
  }
  return result;
}

/// For every frame and entry that both states have, the threads from it upwards are the same; a new entry starts with Θ.
Truth kept(const State& before, const State& after) {
  const std::vector<Frame> old_frames = frames(before);
  const std::vector<Frame> new_frames = frames(after);
  Truth result(true);
  for (std::size_t f = 0; f < std::min(old_frames.size(), new_frames.size()); ++f) {
    const Frame& a = old_frames[f];
    const Frame& b = new_frames[f];
    result = result && Truth(a.begin == b.begin) && same(threads_from(before, a, a.begin), threads_from(after, b, b.begin));
    for (std::size_t k = a.begin; k < std::min(a.end, b.end); ++k) {
      result = result && same(threads_from(before, a, k), threads_from(after, b, k));
    }
    for (std::size_t k = a.end; k < b.end; ++k) {
      result = result && same(before.active, threads_from(after, b, k));
    }
  }
  return result;
}

Obligation reconvergence(Kind kind, const Case& c, const Alter& alter) {
  Symbolic d(c.threads);
  const State s = arbitrary_state(d, c);
  Obligation result;
  show(result.shown, "before", s);
  for (const Subject& subject : subjects(kind, d, s)) {
    for (Successor& next : step(d, s, subject.instruction)) {
      if (alter) {
        alter(d, s, next);
      }
      result.goal = result.goal && implies(next.condition, kept(s, next.state));
      result.shown.truths.push_back({"rule " + std::string(musimd::name(next.rule.root)), next.condition});
    }
    append(result.fires, firings(candidates_of(d, s, subject.instruction)));
  }
  return result;
}

void push_forgets_todo(const Symbolic& d, const State&, Successor& next) {
  if (next.rule.root == RuleId::BD) {
    next.state.sync.back().todo = d.none();
  }
}

void ss_forgets_done(const Symbolic&, const State& before, Successor& next) {
  if (next.rule.root == RuleId::SS) {
    next.state.sync.back().done = before.active;
  }
}

void si_sync_drops_done(const Symbolic&, const State& before, Successor& next) {
  if (next.rule.root == RuleId::SI_sync) {
    next.state.active = before.active;
  }
}

void eb_saves_all(const Symbolic& d, const State&, Successor& next) { next.state.context.back().mask = d.all(); }

void stays(const Symbolic&, const State& before, Successor& next) { next.state.active = before.active; }

void loses_thread_0(const Symbolic& d, const State& before, Successor& next) { next.state.active = before.active - d.single(0); }

constexpr int reconvergence_property = 5;

}  // namespace

std::vector<Theorem> reconvergence_theorems(bool full) {
  std::vector<Theorem> result;
  for (const Kind kind : all_kinds) {
    result.push_back({"reconvergence." + name(kind), reconvergence_property,
                      "every rule of " + name(kind) + " keeps Θ with the done and todo sets of each surviving entry and of those above it",
                      "", stack_cases(full), [kind](const Case& c) { return reconvergence(kind, c, {}); },
                      [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> reconvergence_twins() {
  struct Twin {
    Kind kind;
    const char* name;
    const char* statement;
    Alter alter;
  };
  std::vector<Twin> list = {
      {Kind::Bz, "push-forgets-todo", "push leaves todo empty", push_forgets_todo},
      {Kind::Sync, "ss-forgets-done", "SS overwrites the done set", ss_forgets_done},
      {Kind::Sync, "si-drops-done", "SI.sync does not add the done set to Θ", si_sync_drops_done},
      {Kind::Everywhere, "eb-saves-all", "EB saves Θall", eb_saves_all},
      {Kind::EndEverywhere, "ee-stays-wide", "EE leaves Θ as it is", stays},
  };
  for (const Kind kind : all_kinds) {
    if (std::none_of(list.begin(), list.end(), [&](const Twin& twin) { return twin.kind == kind; })) {
      list.push_back({kind, "loses-a-thread", "the rule takes a thread out of Θ", loses_thread_0});
    }
  }
  std::vector<Theorem> result;
  for (const Twin& twin : list) {
    const std::string of = "reconvergence." + name(twin.kind);
    result.push_back({of + "/" + twin.name, reconvergence_property, twin.statement, of, stack_cases(false),
                      [kind = twin.kind, alter = twin.alter](const Case& c) { return reconvergence(kind, c, alter); }});
  }
  return result;
}

}  // namespace lockstep::prove
