#include "semantics/prove/accesses.hpp"

#include <algorithm>

#include "semantics/prove/budget.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

Accesses::Accesses(const std::vector<std::uint64_t>& counts) {
  for (const std::uint64_t count : counts) {
    objects_.emplace_back(count);
  }
}

void Accesses::note_at(Element& element, const Truth& condition, const BufferAccess& access) {
  if (condition.known() == false) {
    return;
  }
  auto here = std::ranges::lower_bound(element, access.group, {}, &ByGroup::group);
  if (here == element.end() || here->group != access.group) {
    here = element.insert(here, ByGroup{access.group, {}, {}, {}});
  }
  Touch& touch = access.how == Touching::Reads ? here->read : access.how == Touching::Writes ? here->written : here->changed;
  touch.does = touch.does || condition;
  if (!touch.first && condition.known() == true) {
    touch.first = access;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): over the cases of a value
void Accesses::note(const Value& pointer, const Truth& condition, const BufferAccess& access) {
  if (!is_noting() || condition.known() == false) {
    return;
  }
  if (const Value::Choice* choice = pointer.choice()) {
    note(choice->then, condition && choice->condition, access);
    note(choice->otherwise, condition && !choice->condition, access);
    return;
  }
  const Value::Pointer* to = pointer.as_pointer();
  if (to == nullptr || to->object >= objects_.size()) {
    return;
  }
  std::vector<Element>& elements = objects_[to->object];
  const auto at = [&](const auto& self, const Value& index, const Truth& where) -> void {
    if (where.known() == false || index.is_any()) {
      return;
    }
    if (const Value::Choice* choice = index.choice()) {
      self(self, choice->then, where && choice->condition);
      self(self, choice->otherwise, where && !choice->condition);
      return;
    }
    if (const auto known = index.known()) {
      if (*known < elements.size()) {
        note_at(elements[*known], where, access);
      }
      return;
    }
    for (std::uint64_t k = 0; k < elements.size(); ++k) {
      Budget::check();
      note_at(elements[k], where && equal(index, Value::number(ScalarType::Long, k)), access);
    }
  };
  at(at, to->element, condition);
}

Truth Accesses::race(std::size_t object, std::uint64_t element) const {
  Truth race(false);
  Truth read_before(false);
  Truth written_before(false);
  Truth changed_before(false);
  for (const ByGroup& each : objects_[object][element]) {
    Budget::check();
    race = race || (each.written.does && (read_before || written_before || changed_before)) ||
           (each.read.does && (written_before || changed_before)) || (each.changed.does && (read_before || written_before));
    read_before = read_before || each.read.does;
    written_before = written_before || each.written.does;
    changed_before = changed_before || each.changed.does;
  }
  return race;
}

Truth Accesses::stored(std::size_t object, std::uint64_t element) const {
  Truth stored(false);
  for (const ByGroup& each : objects_[object][element]) {
    stored = stored || each.written.does || each.changed.does;
  }
  return stored;
}

std::optional<GroupRace> Accesses::certain_race() const {
  for (std::size_t object = 0; object < objects_.size(); ++object) {
    for (std::uint64_t k = 0; k < objects_[object].size(); ++k) {
      std::optional<BufferAccess> read;
      std::optional<BufferAccess> written;
      std::optional<BufferAccess> changed;
      const auto first_of = [](const std::optional<BufferAccess>& a, const std::optional<BufferAccess>& b) { return a ? a : b; };
      for (const ByGroup& each : objects_[object][k]) {
        const std::optional<BufferAccess> changes = first_of(written, changed);
        if (const auto before = first_of(changes, read); each.written.first && before) {
          return GroupRace{object, k, *before, *each.written.first};
        }
        if (each.read.first && changes) {
          return GroupRace{object, k, *changes, *each.read.first};
        }
        if (const auto before = first_of(written, read); each.changed.first && before) {
          return GroupRace{object, k, *before, *each.changed.first};
        }
        read = first_of(read, each.read.first);
        written = first_of(written, each.written.first);
        changed = first_of(changed, each.changed.first);
      }
    }
  }
  return std::nullopt;
}

std::optional<BufferAccess> Accesses::certain_store(std::size_t object, std::uint64_t element) const {
  for (const ByGroup& each : objects_[object][element]) {
    if (each.written.first || each.changed.first) {
      return each.written.first ? each.written.first : each.changed.first;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::prove
