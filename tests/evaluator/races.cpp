// Races by their definition (docs/kernel-language.md): every cell of global and local memory remembers all of its visitors.

#include <algorithm>

#include "tests/evaluator/warp.hpp"

namespace lockstep::evaluator {

namespace {

bool is_shared(const Storage& object) { return object.space == AddressSpace::Global || object.space == AddressSpace::Local; }

/// Whether nothing orders the two, and it matters.
bool race(const Visit& a, const Visit& b) {
  const bool unordered = a.group != b.group || (a.warp != b.warp && a.interval == b.interval);
  return unordered && (a.writes || b.writes) && !(a.atomic && b.atomic);
}

bool same_value(const Value& a, const Value& b) { return a.state == b.state && (a.state != State::Number || a.bits == b.bits); }

}  // namespace

void Warp::visit(const Place& place, bool writes, bool atomic) const {
  Storage& object = *place.object;
  if (!is_shared(object)) {
    return;
  }
  object.visits.resize(object.count);
  const std::uint64_t interval = object.space == AddressSpace::Local ? local_interval_ : global_interval_;
  std::set<Visit>& visits = object.visits[static_cast<std::size_t>(place.index)];
  const auto [now, is_new] = visits.insert({group_.number, number_, interval, writes, atomic});
  if (is_new && std::any_of(visits.begin(), visits.end(), [&](const Visit& before) { return race(before, *now); })) {
    world_.has_race = true;
  }
}

void Warp::look_for_clashes(const Places& places, const Values& values, const Mask& active) const {
  for (unsigned t = 0; t < lanes_; ++t) {
    for (unsigned other = 0; active[t] && is_shared(*places[t].object) && other < t; ++other) {
      const bool same_cell = active[other] && places[other].object == places[t].object && places[other].index == places[t].index;
      if (same_cell && !same_value(values[other], values[t])) {
        world_.has_race = true;
      }
    }
  }
}

}  // namespace lockstep::evaluator
