#pragma once
// Which groups of a launch read and write which elements of buffers, as conditions: two groups that touch one, one of them writing it,
// race.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "semantics/prove/value.hpp"

namespace lockstep::prove {

enum class Touching : std::uint8_t { Reads, Writes, Changes };  ///< Changes: atomically, which is no race with others of its kind

constexpr std::string_view word_of(Touching how) {
  return how == Touching::Reads ? "reads" : how == Touching::Writes ? "writes" : "atomically changes";
}

/// Something that reads or writes.
struct BufferAccess {
  std::uint64_t group = 0;  ///< of the launch
  std::uint32_t item = 0;
  std::uint64_t place = 0;  ///< in the program, as whoever notes it counts places
  Touching how = Touching::Reads;
};

/// Two groups that certainly race.
struct GroupRace {
  std::size_t object = 0;
  std::uint64_t element = 0;
  BufferAccess first;  ///< of the lower group
  BufferAccess second;
};

class Accesses {
 public:
  /// Notes nothing.
  Accesses() = default;
  /// Notes what is done to objects 0 … counts.size() - 1 of so many elements.
  explicit Accesses(const std::vector<std::uint64_t>& counts);

  bool is_noting() const { return !objects_.empty(); }
  /// Notes an access to what the pointer points to, if the condition holds.
  void note(const Value& pointer, const Truth& condition, const BufferAccess& access);

  /// Whether two groups touch the element, and one of them writes it, unless both change it atomically. An access whose mask does not hold
  /// touches nothing.
  Truth race(std::size_t object, std::uint64_t element) const;
  /// Whether somebody writes the element.
  Truth stored(std::size_t object, std::uint64_t element) const;

  /// The first race that there is for all inputs, as there is each on inputs that are numbers.
  std::optional<GroupRace> certain_race() const;
  /// The first store to the element that there is for all inputs.
  std::optional<BufferAccess> certain_store(std::size_t object, std::uint64_t element) const;

 private:
  /// What one group does to an element.
  struct Touch {
    Truth does{false};
    std::optional<BufferAccess> first;  ///< that is certain
  };
  struct ByGroup {
    std::uint64_t group = 0;
    Touch read;
    Touch written;
    Touch changed;
  };
  using Element = std::vector<ByGroup>;  ///< groups that touch it, ascending

  static void note_at(Element& element, const Truth& condition, const BufferAccess& access);

  std::vector<std::vector<Element>> objects_;
};

}  // namespace lockstep::prove
