#include "semantics/core/sema/record_words.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "semantics/core/sema/reinterpretation.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {

RecordWords::RecordWords(const Unit& unit) {
  for (const auto& [name, declared] : unit.types) {
    if (declared.type && declared.type->record != nullptr) {
      meet(declared.type->record);
    }
  }
}

const Record* RecordWords::root(const Record* record) const {
  for (auto parent = parents_.at(record); parent != record; parent = parents_.at(record)) {
    record = parent;
  }
  return record;
}

void RecordWords::meet(const std::shared_ptr<const Record>& record) {
  if (!parents_.try_emplace(record.get(), record.get()).second) {
    return;
  }
  classes_[record.get()].bytes = record->size;
  for (const Member& member : record->members) {
    Class own;
    if (member.type.record != nullptr) {
      meet(member.type.record);
      const Record* inner = root(member.type.record.get());
      const Record* outer = root(record.get());
      own = classes_.at(inner);
      parents_[inner] = outer;
    } else {
      own.bytes = size_of(member.type.scalar);
      own.only = member.type.scalar;
    }
    Class& all = classes_.at(root(record.get()));
    all.bytes = std::gcd(all.bytes, std::gcd(own.bytes, member.offset));
    all.is_mixed = all.is_mixed || own.is_mixed || (all.only && own.only && all.only != own.only);
    all.only = all.only ? all.only : own.only;
  }
}

ScalarType RecordWords::word(const Record& record) const {
  if (record.seen_in) {
    return *record.seen_in;
  }
  const Class& all = classes_.at(root(&record));
  const bool is_one = !all.is_mixed && all.only && lockstep::size_of(*all.only) == all.bytes;
  return is_one ? *all.only : unsigned_of_size(all.bytes);
}

Type RecordWords::lowered(const Type& type) const {
  if (type.record == nullptr) {
    return type;
  }
  Type result = type;
  result.scalar = word(*type.record);
  result.extents.back() = type.record->size / lockstep::size_of(result.scalar);
  result.record = nullptr;
  return result;
}

std::vector<Leaf> RecordWords::leaves(const Type& type) const {
  std::vector<Leaf> leaves;
  Leaf at;
  collect(type, at, leaves);
  return leaves;
}

void RecordWords::collect(const Type& type, Leaf& at, std::vector<Leaf>& leaves) const {
  if (!type.is_array()) {
    leaves.push_back({at.path, at.offset, type.scalar, at.name});
    return;
  }
  const Leaf here = at;
  const auto descend = [&](std::uint64_t index, std::uint64_t offset, const std::string& name, const Type& part) {
    at.path.push_back(index);
    at.offset = here.offset + offset;
    at.name = here.name + "_" + name;
    collect(part, at, leaves);
    at = here;
  };
  if (type.is_record() && type.record->is_union) {
    const ScalarType word = this->word(*type.record);
    std::uint64_t covered = 0;  // what lies behind all members is nobody's
    for (const Member& member : type.record->members) {
      covered = std::max(covered, size_of(member.type));
    }
    for (std::uint64_t k = 0; k * lockstep::size_of(word) < covered; ++k) {
      descend(k, k * lockstep::size_of(word), std::to_string(k), Type::scalar_of(word));
    }
  } else if (type.is_record()) {
    for (std::uint64_t k = 0; k < type.record->members.size(); ++k) {
      const Member& member = type.record->members[k];
      descend(k, member.offset, member.name, member.type);
    }
  } else {
    const Type part = element(type);
    const std::uint64_t count = type.is_vector() ? type.components : type.extents.front();
    for (std::uint64_t k = 0; k < count; ++k) {
      descend(k, k * size_of(part), type.is_vector() ? component_name(type.components, k) : std::to_string(k), part);
    }
  }
}

}  // namespace lockstep::core::sema
