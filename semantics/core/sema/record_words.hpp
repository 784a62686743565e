#pragma once
// What the memory of structures is made of, and the numbers that they have.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "semantics/core/record.hpp"
#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// A number in a structure.
struct Leaf {
  std::vector<std::uint64_t> path;  ///< numbers of members, elements and components that lead to it; of a union's words as well
  std::uint64_t offset = 0;         ///< in bytes
  ScalarType type = ScalarType::Int;
  std::string name;  ///< "a_2_x"
};

/// Which words the structures of a program consist of. Those that contain one another have the same.
class RecordWords {
 public:
  explicit RecordWords(const Unit& unit);

  ScalarType word(const Record& record) const;
  /// The type of what lies in memory: arrays of words in place of structures.
  Type lowered(const Type& type) const;

  /// All of them, in order. A union has its words.
  std::vector<Leaf> leaves(const Type& type) const;

 private:
  void meet(const std::shared_ptr<const Record>& record);
  void collect(const Type& type, Leaf& at, std::vector<Leaf>& leaves) const;
  const Record* root(const Record* record) const;

  struct Class {
    std::uint64_t bytes = 0;  ///< divides all sizes and offsets
    std::optional<ScalarType> only;
    bool is_mixed = false;
  };
  std::unordered_map<const Record*, const Record*> parents_;
  std::unordered_map<const Record*, Class> classes_;
};

}  // namespace lockstep::core::sema
