#include "interpreter/launch/races.hpp"

#include "interpreter/launch/report.hpp"

namespace lockstep::launch {

RaceLog::Cell& RaceLog::cell(const Object& object, std::uint64_t index) {
  if (object.space == AddressSpace::Global) {
    std::vector<Cell>& cells = global_[object.number];
    cells.resize(object.cells());
    return cells[index];
  }
  std::vector<Cell>& cells = local_[{object.number, 0}];
  cells.resize(object.copies * object.cells());
  return cells[index];
}

void RaceLog::report(const Object& object, std::uint64_t index, const AccessRecord& first, bool first_writes, const AccessRecord& second,
                     bool second_writes) {
  ++count_;
  between_groups_ += same_group(first.who, second.who) ? 0U : 1U;
  if (races_.size() >= most_reports || !seen_.insert({first.pc, second.pc, object.data, same_group(first.who, second.who)}).second) {
    return;
  }
  const auto party = [&](const AccessRecord& access) { return Party{access.who.group, access.item, program_.code[access.pc].span}; };
  const std::uint64_t element = index % object.cells() / (object.bytes ? size_of(object.element) : 1);
  Race race{party(first), party(second), first_writes, second_writes, {}, element, {}, {}};
  race.object = object.space == AddressSpace::Global ? buffer_names_[object.number] : program_.objects[object.number].name;
  const auto value = [&](const AccessRecord& access) { return access.poison ? "poison" : text_of_value(access.type, access.bits); };
  race.first_value = value(first);
  race.second_value = value(second);
  races_.push_back(std::move(race));
}

void RaceLog::read(const Object& object, std::uint64_t index, const AccessRecord& access) {
  Cell& c = cell(object, index);
  if (is_somebody(c.writer.who) && unordered(c.writer.who, access.who)) {
    report(object, index, c.writer, true, access, false);
  }
  const Visitor& before = c.readers[0].who;
  // Behind a barrier: it lies between that reader and whatever the group does next.
  const bool is_over = same_group(before, access.who) && !same_interval(before, access.who);
  if (!is_somebody(before) || before == access.who || is_over) {
    c.readers[0] = access;
  } else {
    c.readers[1] = access;
  }
}

void RaceLog::write(const Object& object, std::uint64_t index, const AccessRecord& access) {
  Cell& c = cell(object, index);
  if (is_somebody(c.writer.who) && unordered(c.writer.who, access.who)) {
    report(object, index, c.writer, true, access, true);
  } else {
    for (const AccessRecord& reader : c.readers) {
      if (is_somebody(reader.who) && unordered(reader.who, access.who)) {
        report(object, index, reader, false, access, true);
        break;
      }
    }
  }
  c.writer = access;
}

void RaceLog::clash(const Object& object, std::uint64_t index, const AccessRecord& first, const AccessRecord& second) {
  report(object, index, first, true, second, true);
}

}  // namespace lockstep::launch
