#include "interpreter/launch/races.hpp"

#include "interpreter/launch/report.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::launch {

namespace {

/// Who races with whom (`unordered`), and which reads and writes need not be remembered.
struct Relation {
  bool equal_races = false;  ///< are none

  bool races(const AccessRecord& earlier, const AccessRecord& later) const {
    // (Of bytes, too: accesses are aligned, so that those of one type that meet in a byte are to one place.)
    const bool are_equal = equal_races && earlier.writes && later.writes && !earlier.is_atomic && !later.is_atomic &&
                           earlier.type == later.type && earlier.poison == later.poison &&
                           (later.poison || ops::same_number(later.type, earlier.bits, later.bits));
    return unordered(earlier.who, later.who) && !(earlier.is_atomic && later.is_atomic) && !are_equal;
  }
  static bool is_alike(const AccessRecord& a, const AccessRecord& b) { return a.is_atomic == b.is_atomic; }
  /// A writer has found the one before to be unordered with itself, or is of the same group; of one that changes the cell atomically the
  /// former need not hold, and fewer race with it; nor of one that may have stored the same. Behind a barrier, it lies between an earlier
  /// reader of the group and whatever the group does next.
  bool stands_for(const AccessRecord& later, const AccessRecord& earlier, bool writes) const {
    if (later.is_atomic && !earlier.is_atomic) {
      return false;
    }
    return (writes && !later.is_atomic && !equal_races) || later.who == earlier.who ||
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

void RaceLog::note(const Object& object, std::uint64_t index, AccessRecord access, bool writes) {
  access.writes = writes;
  Log& log = object.space == AddressSpace::Global ? global_ : local_;
  if (const auto earlier = log.access({object.number, index}, access, writes, !writes, Relation{equal_races_})) {
    report(object, index, earlier->access, earlier->writes, access, writes);
  }
}

}  // namespace lockstep::launch
