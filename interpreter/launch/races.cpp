#include "interpreter/launch/races.hpp"

#include "interpreter/launch/report.hpp"

namespace lockstep::launch {

namespace {

/// Who races with whom (`unordered`), and which reads and writes need not be remembered.
struct Relation {
  static bool races(const AccessRecord& earlier, const AccessRecord& later) {
    return unordered(earlier.who, later.who) && !(earlier.is_atomic && later.is_atomic);
  }
  /// A writer has found the one before to be unordered with itself, or is of the same group; of one that changes the cell atomically the
  /// former need not hold, and fewer race with it. Behind a barrier, it lies between an earlier reader of the group and whatever the group
  /// does next.
  static bool stands_for(const AccessRecord& later, const AccessRecord& earlier, bool writes) {
    if (later.is_atomic && !earlier.is_atomic) {
      return false;
    }
    return (writes && !later.is_atomic) || later.who == earlier.who ||
           (same_group(later.who, earlier.who) && !same_interval(later.who, earlier.who));
  }
};

}  // namespace

void RaceLog::report(const Object& object, std::uint64_t index, const AccessRecord& first, bool first_writes, const AccessRecord& second,
                     bool second_writes) {
  const bool in_one_group = same_group(first.who, second.who);
  between_groups_ += in_one_group ? 0U : 1U;
  reports_.add({first.pc, second.pc, object.data, in_one_group}, [&] {
    const auto party = [&](const AccessRecord& access) { return Party{access.who.group, access.item, program_.code[access.pc].span}; };
    const auto value = [&](const AccessRecord& access) { return access.poison ? "poison" : text_of_value(access.type, access.bits); };
    const std::uint64_t element = index % object.cells() / (object.bytes ? size_of(object.element) : 1);
    const std::string name = object.space == AddressSpace::Global ? buffer_names_[object.number] : program_.objects[object.number].name;
    return Race{party(first), party(second), first_writes,  second_writes,   name,
                element,      value(first),  value(second), first.is_atomic, second.is_atomic};
  });
}

void RaceLog::note(const Object& object, std::uint64_t index, const AccessRecord& access, bool writes) {
  Log& log = object.space == AddressSpace::Global ? global_ : local_;
  if (const auto earlier = log.access({object.number, index}, access, writes, !writes, Relation())) {
    report(object, index, earlier->access, earlier->writes, access, writes);
  }
}

}  // namespace lockstep::launch
