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
    here = element.insert(here, ByGroup{access.group, {}, {}});
  }
  Touch& touch = access.writes ? here->written : here->read;
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
  for (const ByGroup& each : objects_[object][element]) {
    Budget::check();
    race = race || (each.written.does && (read_before || written_before)) || (each.read.does && written_before);
    read_before = read_before || each.read.does;
    written_before = written_before || each.written.does;
  }
  return race;
}

Truth Accesses::stored(std::size_t object, std::uint64_t element) const {
  Truth stored(false);
  for (const ByGroup& each : objects_[object][element]) {
    stored = stored || each.written.does;
  }
  return stored;
}

std::optional<GroupRace> Accesses::certain_race() const {
  for (std::size_t object = 0; object < objects_.size(); ++object) {
    for (std::uint64_t k = 0; k < objects_[object].size(); ++k) {
      std::optional<BufferAccess> read;
      std::optional<BufferAccess> written;
      for (const ByGroup& each : objects_[object][k]) {
        if (each.written.first && (read || written)) {
          return GroupRace{object, k, written ? *written : *read, *each.written.first};
        }
        if (each.read.first && written) {
          return GroupRace{object, k, *written, *each.read.first};
        }
        read = read ? read : each.read.first;
        written = written ? written : each.written.first;
      }
    }
  }
  return std::nullopt;
}

std::optional<BufferAccess> Accesses::certain_store(std::size_t object, std::uint64_t element) const {
  for (const ByGroup& each : objects_[object][element]) {
    if (each.written.first) {
      return each.written.first;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::prove
