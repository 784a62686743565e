// Property 4: the order in which TL takes the threads makes no difference, for a store if there is no race.

#include <algorithm>
#include <numeric>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using Order = std::vector<unsigned>;

namespace {

enum class Family { Assign, Ld, St, Shfl };

struct ThreadOrderSetup {
  bool one_phase = false;         ///< a shuffle's threads compute and write one after the other, as printed (E5)
  bool shared_variables = false;  ///< broken: all threads have one v0
  bool races = false;             ///< stores may race
};

std::vector<Order> orders(unsigned threads) {
  Order order(threads);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<Order> result;
  do {
    result.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

/// v0 = v0 - v1: an operation that reads what it overwrites.
Subject overwriting(const State& s) {
  musimd::Expr e;
  e.nodes = {musimd::Variable{0, {}}, musimd::Variable{1, {}}, musimd::Operation{Op::Sub, {}}};
  Truth initialised(true);
  for (std::size_t t = 0; t < s.active.size(); ++t) {
    initialised = initialised && implies(s.active[t], s.bank[0][t].written && s.bank[1][t].written);
  }
  return {musimd::Assignment<Symbolic>{0, {Symbolic::Shape::Operation, e}}, initialised};
}

/// Assignments of each shape. Addresses and lanes are operations, whose values include those of constants and copies; a
/// shuffle in place is the one that could meet what another thread wrote.
std::vector<Subject> subjects_of(Family family, const Symbolic& d, const State& s) {
  switch (family) {
    case Family::Assign: {
      std::vector<Subject> result = {overwriting(s)};
      for (const Kind kind : {Kind::AssignConstant, Kind::AssignCopy, Kind::AssignOperation}) {
        result.push_back(subjects(kind, d, s).back());
      }
      return result;
    }
    case Family::Ld:
      return {subjects(Kind::Ld, d, s).back()};
    case Family::St:
      return {subjects(Kind::St, d, s).back()};
    case Family::Shfl:
      break;
  }
  std::vector<Subject> result(2, subjects(Kind::Shfl, d, s).back());
  auto& in_place = std::get<musimd::Shfl<Symbolic>>(result[1].instruction);
  in_place.source.variable = in_place.dst;
  return result;
}

/// Two threads of Θ that store to one cell store the same number there, or poison both.
Truth no_race(const Symbolic& d, const State& s, const Instruction& i) {
  const auto* store = std::get_if<musimd::St<Symbolic>>(&i);
  if (store == nullptr) {
    return Truth(true);
  }
  const auto address = d.evaluate(s, store->address);
  const auto value = d.evaluate(s, store->value);
  Truth result(true);
  for (unsigned t = 0; t < d.width(); ++t) {
    for (unsigned u = 0; u < t; ++u) {
      const CellTerm a{value.value[t], Truth(true), value.poison[t]};
      const CellTerm b{value.value[u], Truth(true), value.poison[u]};
      result = result && implies(s.active[t] && s.active[u] && equal(address.value[t], address.value[u]), same(a, b));
    }
  }
  return result;
}

/// The threads of Θ one after the other. A shuffle reads the state before all of them, unless it is done in one phase; any
/// other instruction reads what the threads before have left, which shows that it needs no phases.
State one_by_one(Symbolic& d, const State& before, const Instruction& i, const Order& order, const ThreadOrderSetup& setup) {
  const bool two_phases = std::holds_alternative<musimd::Shfl<Symbolic>>(i) && !setup.one_phase;
  State now = before;
  for (const unsigned t : order) {
    State from = two_phases ? before : now;
    from.active = before.active & d.single(t);
    now.active = from.active;
    now = data_effect(d, from, now, i);
    now.pc = before.pc;
    if (setup.shared_variables) {
      for (CellTerm& cell : now.bank[0]) {
        cell = choose(from.active[t], now.bank[0][t], cell);
      }
    }
  }
  return now;
}

/// The shuffle mask has to stay Θ when the threads go one by one, also without a saved frame.
State with_mask(State s) {
  if (s.context.empty()) {
    s.context.push_back({s.active, 0});
  }
  return s;
}

Obligation independent(Family family, const Case& c, const ThreadOrderSetup& setup) {
  Symbolic d(c.threads);
  const State s = with_mask(arbitrary_state(d, c));
  Obligation result;
  show(result.shown, "before", s);
  for (const Subject& subject : subjects_of(family, d, s)) {
    const Truth assumed = subject.applicable && (setup.races ? Truth(true) : no_race(d, s, subject.instruction));
    const State at_once = data_effect(d, s, s, subject.instruction);
    for (const Order& order : orders(c.threads)) {
      Symbolic ordered(c.threads, {}, order);
      result.goal = result.goal && implies(assumed, same_data(at_once, one_by_one(d, s, subject.instruction, order, setup)) &&
                                                        same_data(at_once, data_effect(ordered, s, s, subject.instruction)));
    }
    result.reachable.push_back({"defined", assumed && !empty(s.active)});
    append(result.fires, where(assumed && !empty(s.active), firings(candidates_of(d, s, subject.instruction))));
  }
  return result;
}

constexpr int thread_order_property = 4;

Rules rules_of(Family family) {
  return prove::rules_of([family](const Symbolic& d, const State& s) { return subjects_of(family, d, s); });
}

Theorem make(Family family, const std::string& name, const std::string& statement, const std::string& twin_of,
             const ThreadOrderSetup& setup, std::source_location where = std::source_location::current()) {
  return {name,
          thread_order_property,
          statement,
          twin_of,
          data_cases(),
          [family, setup](const Case& c) { return independent(family, c, setup); },
          [family] { return rules_of(family); },
          where};
}

}  // namespace

std::vector<Theorem> thread_order_theorems() {
  return {
      make(Family::Assign, "thread_order.assign", "an assignment gives the same in every thread order, in one phase or two", "", {}),
      make(Family::Ld, "thread_order.ld", "a load gives the same in every thread order, in one phase or two", "", {}),
      make(Family::St, "thread_order.st", "a store without a race gives the same in every thread order", "", {}),
      make(Family::Shfl, "thread_order.shfl", "a shuffle in two phases gives the same in every thread order", "", {}),
  };
}

std::vector<Theorem> thread_order_twins() {
  ThreadOrderSetup one_phase;
  one_phase.one_phase = true;
  ThreadOrderSetup shared_variables;
  shared_variables.shared_variables = true;
  ThreadOrderSetup races;
  races.races = true;
  return {
      make(Family::Assign, "thread_order.assign/shared-variables", "all threads have one v0", "thread_order.assign", shared_variables),
      make(Family::Ld, "thread_order.ld/shared-variables", "all threads have one v0", "thread_order.ld", shared_variables),
      make(Family::St, "thread_order.st/races", "threads store different values to one cell", "thread_order.st", races),
      make(Family::Shfl, "thread_order.shfl/printed-E5", "a thread reads what an earlier one wrote", "thread_order.shfl", one_phase),
  };
}

}  // namespace lockstep::prove
