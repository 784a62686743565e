// Who goes first in typed programs (properties 4 and 8), what nobody does, and what is around an instruction (properties 7 and 9).

#include <algorithm>
#include <numeric>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

using Order = std::vector<unsigned>;

/// Rules are asked and concluded in a world; what they leave in the memory is kept apart from it.
struct After {
  TypedState state;
  LaunchMemory memory;
};

Truth applies(const World& world) {
  Truth result(false);
  for (const Candidate& each : candidates_of(world)) {
    result = result || each.applies;
  }
  return result;
}

World with(World world, const TypedState& state) {
  world.state = state;
  return world;
}

ThreadSet single(const World& world, unsigned item) {
  std::vector<Truth> members(world.width(), Truth(false));
  members[item] = Truth(true);
  return ThreadSet(std::move(members));
}

/// Does `run`, which changes the world's memory, and gives back what it has left there.
template <class F>
After apart(const World& world, F&& run) {
  const LaunchMemory before = *world.memory;
  After result{run(), {}};
  result.memory = std::exchange(*world.memory, before);
  return result;
}

Truth same_data(const After& a, const After& b) { return same_bank(a.state, b.state) && same_objects(a.memory, b.memory); }

// ---- the order of items --------------------------------------------------------------------------------------------------

struct OrderSetup {
  bool one_phase = false;         ///< broken: a shuffle's items compute and write one after the other
  bool shared_registers = false;  ///< broken: all items have one row and one a
  bool races = false;             ///< stores may race
};

/// Those of the kind, of atomic changes those that commute, and some in which registers that are read are written as well: what items do to
/// each other's registers, a shuffle alone reads.
std::vector<TypedSubject> ordered_subjects(TypedKind kind) {
  std::vector<TypedSubject> all;
  const auto add = [&](const char* text) { all.push_back(plain({text}, {})); };
  switch (kind) {
    case TypedKind::Move:
      add("a = a - b");
      add("a = b");
      add("row[a] = row[b]");
      break;
    case TypedKind::Fetch:
      add("a = ld p[a]");
      break;
    case TypedKind::Shfl:
      add("a = shfl(a, b)");
      break;
    default:
      break;
  }
  for (const TypedSubject& each : typed_subjects(kind)) {
    const std::string& text = each.line.text;
    const bool depends = kind == TypedKind::Change && (text.find(" = ") != std::string::npos || text.starts_with("atomic.exchange"));
    if (!depends) {
      all.push_back(each);
    }
  }
  return all;
}

/// Nobody stores where another item stores something else.
Truth no_race(const World& world, const TypedSubject& store) {
  Truth result(true);
  for (unsigned t = 0; t < world.width(); ++t) {
    for (unsigned u = 0; u < t; ++u) {
      result = result && implies(world.state.active[t] && world.state.active[u], same_where_they_meet(world, store, t, store, u));
    }
  }
  return result;
}

TypedState one_by_one(const World& world, TypedKind kind, const Order& order, const OrderSetup& setup) {
  const bool two_phases = kind == TypedKind::Shfl && !setup.one_phase;
  TypedState now = world.state;
  for (const unsigned t : order) {
    TypedState from = two_phases ? world.state : now;
    from.active = world.state.active & single(world, t);
    now.active = from.active;
    conclude_onto(with(world, from), now);
    now.pc = world.state.pc;
    if (setup.shared_registers) {
      std::vector<Cell>& cells = now.bank.back().registers[world.id("a")];
      const Cell last = cells[t];
      for (Cell& cell : cells) {
        cell = choose(from.active[t], last, cell);
      }
    }
  }
  return now;
}

Obligation independent(TypedKind kind, const Case& c, const OrderSetup& setup) {
  Obligation result;
  for (const TypedSubject& subject : ordered_subjects(kind)) {
    const World world = arbitrary_world(c, subject.line);
    if (result.shown.truths.empty()) {
      show(result.shown, world);
    }
    Truth assumed = applies(world);
    if (kind == TypedKind::Put && !setup.races) {
      assumed = assumed && no_race(world, subject);
    }
    const After at_once = apart(world, [&] {
      TypedState onto = world.state;
      conclude_onto(world, onto);
      return onto;
    });
    Order order(c.threads);
    std::iota(order.begin(), order.end(), 0U);
    do {
      const After ordered = apart(world, [&] { return one_by_one(world, kind, order, setup); });
      result.goals.push_back(implies(assumed, same_data(at_once, ordered)));
    } while (std::next_permutation(order.begin(), order.end()));
    result.reachable.push_back({"defined: " + subject.line.text, assumed && !empty(world.state.active)});
    append(result.fires, where(assumed && !empty(world.state.active), firings(world)));
  }
  return result;
}

constexpr TypedKind ordered_kinds[] = {TypedKind::Move, TypedKind::Drop,   TypedKind::Fetch,
                                       TypedKind::Put,  TypedKind::Change, TypedKind::Shfl};

/// A shuffle's mask has to stay what it is while its items go one by one: there is a block.
std::vector<Case> order_cases(TypedKind kind, bool full) {
  const unsigned most = kind == TypedKind::Put || kind == TypedKind::Change ? 2 : full ? 4 : 3;
  std::vector<Case> result;
  for (unsigned items = 1; items <= most; ++items) {
    result.push_back({items, {0, 0}, {}});
  }
  return result;
}

// ---- the order of warps --------------------------------------------------------------------------------------------------

/// What two warps do: the first one stores, the second one loads or stores.
struct OrderPair {
  const char* name;
  const char* registers;
  TypedSubject first;
  TypedSubject second;
  bool both_store;
};

TypedSubject touching(const std::string& text, const Spots& spots, const std::string& value) {
  TypedSubject subject = plain({text}, {}, value.empty() ? Operand() : register_named(value));
  subject.spots = spots;
  return subject;
}

/// Elements, and bytes of numbers that overlap in part: a race is one at a byte.
std::vector<OrderPair> pairs() {
  const TypedSubject store = touching("st p[a] = c", spots_of("p", "a"), "c");
  const TypedSubject store_other = touching("st q[b] = c", spots_of("q", "b"), "c");
  const TypedSubject load = touching("c = ld q[b]", spots_of("q", "b"), "");
  const TypedSubject store_short = touching("st (as.global.short(p))[a] = x", spots_of("p", "a", ScalarType::Short), "x");
  const TypedSubject store_int = touching("st (as.global.int(q))[b] = y", spots_of("q", "b", ScalarType::Int), "y");
  const TypedSubject load_int = touching("y = ld (as.global.int(q))[b]", spots_of("q", "b", ScalarType::Int), "");
  constexpr const char* pointer = ".var global char* q";
  constexpr const char* numbers = ".var global char* q\n.var short x\n.var int y";
  return {{"commutativity.typed.st_ld", pointer, store, load, false},
          {"commutativity.typed.st_st", pointer, store, store_other, true},
          {"commutativity.typed.bytes.st_ld", numbers, store_short, load_int, false},
          {"commutativity.typed.bytes.st_st", numbers, store_short, store_int, true}};
}

/// Two warps of a group, which have parted: the items of one execute an instruction, those of the other the next one of the text.
Obligation commute(const OrderPair& pair, const Case& c, bool races) {
  Obligation result;
  const World world = arbitrary_world(c, {pair.first.line.text + "\n        " + pair.second.line.text, pair.registers});
  show(result.shown, world);
  std::vector<Truth> members;
  for (unsigned t = 0; t < c.threads; ++t) {
    members.push_back(Truth::named("first_warp_" + std::to_string(t)));
  }
  const ThreadSet one = world.state.active & ThreadSet(members);
  const ThreadSet other = world.state.active - one;
  const TypedInstruction next = translate(world.program->code[world.state.pc + 1].instruction);
  const auto as_first = [&](TypedState s) {
    s.active = one;
    return with(world, s);
  };
  const auto as_second = [&](TypedState s) {
    s.active = other;
    World w = with(world, s);
    w.instruction = next;
    return w;
  };
  Truth assumed = applies(as_first(world.state)) && applies(as_second(world.state));
  for (unsigned t = 0; t < c.threads && !races; ++t) {
    for (unsigned u = 0; u < c.threads; ++u) {
      const Truth fine = pair.both_store ? same_where_they_meet(world, pair.first, t, pair.second, u)
                                         : !meet(world, pair.first.spots, t, pair.second.spots, u);
      assumed = assumed && implies(one[t] && other[u], fine);
    }
  }
  Truth still_applies(true);
  const auto run = [&](const auto& before, const auto& behind) {
    return apart(world, [&] {
      const World a = before(world.state);
      TypedState s = a.state;
      conclude_onto(a, s);
      const World b = behind(s);
      still_applies = still_applies && applies(b);
      s = b.state;
      conclude_onto(b, s);
      return s;
    });
  };
  const After forwards = run(as_first, as_second);
  const After backwards = run(as_second, as_first);
  result.goals = {implies(assumed, same_data(forwards, backwards)), implies(assumed, still_applies)};
  const Truth both = assumed && !empty(one) && !empty(other);
  result.reachable.push_back({"both defined", both});
  for (const World& each : {as_first(world.state), as_second(world.state)}) {
    append(result.fires, where(both, firings(each)));
  }
  return result;
}

// ---- nobody --------------------------------------------------------------------------------------------------------------

Obligation nothing_happens(TypedKind kind, const Case& c, bool all_write) {
  Obligation result;
  for (const TypedSubject& subject : typed_subjects(kind)) {
    const World world = arbitrary_world(c, subject.line);
    if (result.hypotheses.empty()) {
      result.hypotheses.push_back(empty(world.state.active));
      show(result.shown, world);
    }
    After after = apart(world, [&] {
      TypedState onto = world.state;
      onto.active = all_write ? world.d->all() : onto.active;
      conclude_onto(world, onto);
      return onto;
    });
    after.state.active = world.state.active;
    TypedState expected = world.state;
    expected.pc = world.state.pc + 1;
    result.goals.push_back(same_data({world.state, *world.memory}, after) && same_control(expected, after.state));
    std::vector<Candidate> candidates = candidates_of(world);
    for (Candidate& each : candidates) {
      result.goals.push_back(each.defined);
      if (kind == TypedKind::Shfl) {  // its rules ask for an item: nobody takes one, and what the two conclude is concluded for nobody
        each.applies = each.defined;
      }
    }
    append(result.fires, firings(world, candidates));
  }
  return result;
}

// ---- calls ---------------------------------------------------------------------------------------------------------------

/// A call and the return of the function's argument: an assignment.
Obligation call_and_return(const Case& c, bool keeps_sync) {
  Obligation result;
  const World world = arbitrary_world(c, {"c = call f(a, b)"});
  show(result.shown, world);
  for (TypedSuccessor& called : step(world)) {
    if (keeps_sync) {
      called.state.frame_base = world.state.frame_base;
    }
    World inside = with(world, called.state);
    inside.instruction = translate(world.program->code[world.program->functions[1].end - 1].instruction);
    append(result.fires, firings(world));
    append(result.fires, where(called.condition, firings(inside)));
    Truth returns(false);
    for (const TypedSuccessor& back : step(inside)) {
      returns = returns || back.condition;
      TypedState expected = world.state;
      expected.pc = world.state.pc + 1;
      for (unsigned t = 0; t < world.width(); ++t) {
        Cell& cell = expected.bank.back().registers[world.id("c")][t];
        cell = choose(world.state.active[t], world.cell("a", t), cell);
      }
      const Truth alike = same_control(expected, back.state) && same_data({expected, *world.memory}, {back.state, back.memory});
      result.goals.push_back(implies(called.condition && back.condition, alike));
    }
    result.goals.push_back(implies(called.condition, returns));
    result.reachable.push_back({"called", called.condition && !empty(world.state.active)});
  }
  return result;
}

// ---- what is around --------------------------------------------------------------------------------------------------------

/// The states behind two steps, of which the second one has a saved frame more below all others.
Truth alike(const TypedSuccessor& a, const TypedSuccessor& b, std::size_t entries) {
  const TypedState& x = a.state;
  TypedState y = b.state;
  y.sync.erase(y.sync.begin(), y.sync.begin() + static_cast<std::ptrdiff_t>(entries));
  y.context.erase(y.context.begin());
  y.frame_base -= entries;
  y.bank[0].active = x.bank[0].active;  // nobody returns from the kernel
  for (auto& frame : y.context) {
    frame.sync_base -= entries;
  }
  for (std::size_t k = 1; k < y.bank.size(); ++k) {
    y.bank[k].frame_base -= entries;
    --y.bank[k].contexts;
  }
  return same(a.condition, b.condition) && same_control(x, y) && same_bank(x, y) && same_objects(a.memory, b.memory);
}

/// Within a block that was entered before everything else, the same happens.
Obligation blind(TypedKind kind, const Case& c, bool counts_frames) {
  Obligation result;
  constexpr unsigned entries = 1;
  Case around = c;
  around.depths.insert(around.depths.begin(), entries);
  around.is_call.resize(c.depths.size() - 1);
  around.is_call.insert(around.is_call.begin(), false);
  for (const TypedSubject& subject : typed_subjects(kind)) {
    if (!fits(subject.line, c)) {
      continue;
    }
    const World world = arbitrary_world(c, subject.line);
    if (kind == TypedKind::EndEverywhere && world.state.context.size() == world.state.bank.back().contexts) {
      continue;
    }
    const World larger = arbitrary_world(around, subject.line);
    const std::vector<TypedSuccessor> a = step(world);
    std::vector<TypedSuccessor> b = step(larger);
    if (counts_frames && larger.state.context.size() > 1) {
      b.clear();
    }
    Truth goal(a.size() == b.size());
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      goal = goal && alike(a[k], b[k], entries);
    }
    append(result.fires, firings(world));
    result.goals.push_back(goal);
  }
  return result;
}

std::vector<TypedKind> blind_kinds() {
  std::vector<TypedKind> all(std::begin(typed_kinds), std::end(typed_kinds));
  std::erase_if(all, [](TypedKind kind) { return kind == TypedKind::Stop || kind == TypedKind::JmpMask || kind == TypedKind::Shfl; });
  return all;
}

std::vector<Case> few_cases() {
  return {{1, {0}, {}},
          {1, {1, 1}, {}},
          {2, {1, 1}, {}},
          {2, {1, 1}, {true}},
          {2, {0, 1, 0}, {false, true}},
          {2, {0, 1, 1}, {false, true}},
          {2, {1, 0, 0}, {true, false}}};
}

std::vector<Case> two_warps() { return {{2, {0}, {}}}; }

std::vector<Case> call_cases() {
  std::vector<Case> all = typed_cases(false);
  std::erase_if(all, [](const Case& c) { return c.threads > 2; });
  return all;
}

}  // namespace

std::vector<Theorem> typed_order_theorems(bool full) {
  std::vector<Theorem> result;
  for (const TypedKind kind : ordered_kinds) {
    result.push_back({"thread_order." + name(kind), 4, name(kind) + " gives the same in every order of items, a store if there is no race",
                      "", order_cases(kind, full), [kind](const Case& c) { return independent(kind, c, {}); },
                      [kind] { return rules_of(ordered_subjects(kind)); }});
  }
  for (const OrderPair& pair : pairs()) {
    result.push_back({pair.name, 8, "two warps that do not race give the same in either order", "", two_warps(),
                      [pair](const Case& c) { return commute(pair, c, false); },
                      [pair] {
                        return rules_of(
                            {plain({pair.first.line.text, pair.registers}, {}), plain({pair.second.line.text, pair.registers}, {})});
                      }});
  }
  for (const TypedKind kind : typed_data_kinds) {
    result.push_back({"empty_mask." + name(kind), 0, name(kind) + " with Θ = ∅ is defined and changes only pc", "", typed_data_cases(2),
                      [kind](const Case& c) { return nothing_happens(kind, c, false); }, [kind] { return rules_of(kind); }});
  }
  result.push_back({"composition.typed.call", 7, "a call of a function that returns its argument is an assignment", "", call_cases(),
                    [](const Case& c) { return call_and_return(c, false); },
                    [] { return rules_of({plain({"c = call f(a, b)"}, {}), plain({"ret a", "", Line::Where::Called}, {})}); }});
  for (const TypedKind kind : blind_kinds()) {
    result.push_back({"parity." + name(kind), 9, name(kind) + " does the same within a block that was entered before", "", few_cases(),
                      [kind](const Case& c) { return blind(kind, c, false); }, [kind] { return rules_of(kind); }});
  }
  return result;
}

std::vector<Theorem> typed_order_twins() {
  std::vector<Theorem> result;
  for (const TypedKind kind : ordered_kinds) {
    OrderSetup setup;
    setup.races = kind == TypedKind::Put;
    setup.one_phase = kind == TypedKind::Shfl;
    setup.shared_registers = !setup.races && !setup.one_phase;
    const std::string of = "thread_order." + name(kind);
    const char* twin = setup.races ? "/races" : setup.one_phase ? "/one-phase" : "/shared-registers";
    result.push_back({of + twin, 4, "stores race, a shuffle reads what it has written, or all items have one a", of,
                      order_cases(kind, false), [kind, setup](const Case& c) { return independent(kind, c, setup); }});
  }
  for (const OrderPair& pair : pairs()) {
    result.push_back({std::string(pair.name) + "/races", 8, "the warps may race", pair.name, two_warps(),
                      [pair](const Case& c) { return commute(pair, c, true); }});
  }
  for (const TypedKind kind : typed_data_kinds) {
    const std::string of = "empty_mask." + name(kind);
    result.push_back({of + "/writes-all", 0, "all items write", of, typed_data_cases(2),
                      [kind](const Case& c) { return nothing_happens(kind, c, true); }});
  }
  result.push_back({"composition.typed.call/keeps-sync", 7, "CALL leaves Π in the new frame", "composition.typed.call", call_cases(),
                    [](const Case& c) { return call_and_return(c, true); }});
  for (const TypedKind kind : blind_kinds()) {
    const std::string of = "parity." + name(kind);
    result.push_back({of + "/counts-frames", 9, "no rule applies in more than one block", of, few_cases(),
                      [kind](const Case& c) { return blind(kind, c, true); }});
  }
  return result;
}

}  // namespace lockstep::prove
