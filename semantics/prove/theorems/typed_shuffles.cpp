// Property 11 for typed programs: laws of shuffles, over the mask on top of Λ, within which Θ lies, and over Θ.

#include <fmt/format.h>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"

namespace lockstep::prove {

namespace {

/// What a twin does not assume.
struct TypedShufflesSetup {
  bool within_mask = true;
  bool restricted = true;  ///< the law's own hypothesis about the lanes
};

/// `shfl` or `shfl.active`, in the kernel, in a block, or in a function.
struct Law {
  World world;
  TypedState before;
  Obligation result;

  /// `lines`: the shuffles, all of `a`.
  Law(const Case& c, const std::string& word, const std::vector<std::string>& lanes, const TypedShufflesSetup& setup)
      : world(arbitrary_world(c, {lines(word, lanes)})), before(world.state) {
    result.hypotheses.push_back(!empty(before.active));
    if (setup.within_mask && !before.context.empty()) {
      result.hypotheses.push_back(subset(before.active, before.context.back().mask));
    }
    show(result.shown, world);
  }

  static std::string lines(const std::string& word, const std::vector<std::string>& lanes) {
    std::string text;
    for (const std::string& lane : lanes) {
      text += fmt::format("{}a = {}(a, {})", text.empty() ? "" : "\n        ", word, lane);
    }
    return text;
  }

  /// What the next one of the shuffles leaves in `a`.
  void run() {
    world.instruction = translate(world.program->code[world.state.pc].instruction);
    append(result.fires, firings(world));
    TypedState onto = world.state;
    conclude_onto(world, onto);
    world.state = onto;
  }

  /// `a` of an item, before and after.
  Truth is_kept(unsigned item) const { return same_cell(before.bank.back().registers[world.id("a")][item], world.cell("a", item)); }
};

/// The truth that the item's `lane` is the number of an item for which `f(item)` holds.
template <class F>
Truth is_item_where(const World& world, const Cell& lane, F f) {
  Truth result(false);
  for (unsigned u = 0; u < world.width(); ++u) {
    result = result || (equal_number(lane.value, u) && f(u));
  }
  return result && lane.written && !lane.poison;
}

/// a = shfl(a, local_id) leaves numbers and poison, and makes poison of what is uninitialised.
Obligation identity(const std::string& word, const Case& c, const TypedShufflesSetup& setup) {
  Law law(c, word, {setup.restricted ? "local_id" : "b"}, setup);
  law.run();
  for (unsigned t = 0; t < c.threads; ++t) {
    const Cell& old = law.before.bank.back().registers[law.world.id("a")][t];
    const Cell& now = law.world.cell("a", t);
    law.result.goals.push_back(choose(law.before.active[t] && !old.written, now.written && now.poison, law.is_kept(t)));
  }
  return law.result;
}

/// a = shfl(a, b); a = shfl(a, c) with b a permutation of Θ and c its inverse.
Obligation inverse(const std::string& word, const Case& c, const TypedShufflesSetup& setup) {
  Law law(c, word, {"b", "c"}, setup);
  const World& world = law.world;
  for (unsigned t = 0; t < c.threads; ++t) {
    const auto active = [&](unsigned u) { return law.before.active[u]; };
    const auto leads_back = [&](unsigned u) {
      return law.before.active[u] && (setup.restricted ? equal_number(world.cell("b", u).value, t) : Truth(true));
    };
    law.result.hypotheses.push_back(
        implies(active(t), is_item_where(world, world.cell("b", t), active) && is_item_where(world, world.cell("c", t), leads_back)));
  }
  law.result.reachable.push_back({"not the identity", law.before.active[0] && !equal_number(world.cell("b", 0).value, 0)});
  law.run();
  law.run();
  for (unsigned t = 0; t < c.threads; ++t) {
    const Cell& old = law.before.bank.back().registers[world.id("a")][t];
    law.result.goals.push_back(implies(old.written || !law.before.active[t], law.is_kept(t)));
  }
  return law.result;
}

/// a = shfl(a, b), twice and once, with one lane for all items, whether there is one of that number or not.
Obligation broadcast(const std::string& word, const Case& c, const TypedShufflesSetup& setup) {
  Law law(c, word, {"b", "b"}, setup);
  const World& world = law.world;
  for (unsigned t = 0; t < c.threads && setup.restricted; ++t) {
    const Cell& lane = world.cell("b", t);
    law.result.hypotheses.push_back(implies(law.before.active[t], lane.written));
    for (unsigned u = 0; u < t; ++u) {
      law.result.hypotheses.push_back(implies(law.before.active[t] && law.before.active[u], same_cell(lane, world.cell("b", u))));
    }
  }
  const Cell& a = world.cell("a", 0);
  law.result.reachable.push_back(
      {"a lane of Θ", law.before.active[0] && equal_number(world.cell("b", 0).value, 0) && a.written && !a.poison});
  law.run();
  law.before = world.state;
  law.run();
  for (unsigned t = 0; t < c.threads; ++t) {
    law.result.goals.push_back(law.is_kept(t));
  }
  return law.result;
}

constexpr int typed_shuffles_property = 11;

struct Of {
  const char* word;
  TypedKind kind;
};
constexpr Of shuffles[] = {{"shfl", TypedKind::Shfl}, {"shfl.active", TypedKind::Exchange}};

using Statement = Obligation (*)(const std::string& word, const Case&, const TypedShufflesSetup&);

Theorem make(Statement law, const std::string& name, const Of& of, const std::string& statement, const std::string& twin,
             const TypedShufflesSetup& setup, std::source_location where = std::source_location::current()) {
  const std::string full = "shuffle." + name + "." + prove::name(of.kind).substr(std::string("typed.").size());
  const auto rules = [law, of] {
    return rules_of({plain({std::string("a = ") + of.word + (law == identity ? "(a, local_id)" : "(a, b)")}, {})});
  };
  return {twin.empty() ? full : full + "/" + twin,
          typed_shuffles_property,
          of.word + (": " + statement),
          twin.empty() ? "" : full,
          typed_data_cases(3),
          [law, of, setup](const Case& c) { return law(of.word, c, setup); },
          rules,
          where};
}

}  // namespace

std::vector<Theorem> typed_shuffle_theorems() {
  std::vector<Theorem> result;
  for (const Of& of : shuffles) {
    result.push_back(make(identity, "identity.typed", of, "by local_id it changes nothing but what is uninitialised, to poison", "", {}));
    result.push_back(make(inverse, "inverse.typed", of, "a permutation of Θ and then its inverse change no initialised value", "", {}));
    result.push_back(make(broadcast, "broadcast.typed", of, "a second broadcast of the same lane changes nothing", "", {}));
  }
  return result;
}

std::vector<Theorem> typed_shuffle_twins() {
  const TypedShufflesSetup outside{false, true};
  const TypedShufflesSetup unrestricted{true, false};
  std::vector<Theorem> result = {
      make(identity, "identity.typed", shuffles[0], "Θ may have items outside of the mask", "outside-the-mask", outside)};
  for (const Of& of : shuffles) {
    result.push_back(make(identity, "identity.typed", of, "by any lanes", "any-lanes", unrestricted));
    result.push_back(make(inverse, "inverse.typed", of, "the second shuffle goes by any lanes", "no-inverse", unrestricted));
    result.push_back(make(broadcast, "broadcast.typed", of, "the lanes differ between items", "any-lanes", unrestricted));
  }
  return result;
}

}  // namespace lockstep::prove
