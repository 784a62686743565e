#pragma once
// The words behind a mnemonic that are no types: modifiers.def.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "semantics/base/internal_error.hpp"
#include "semantics/ptx/types.hpp"

namespace lockstep::ptx {

/// What a modifier says. Two meanings of one word (`lo`) make it Other.
enum class ModifierGroup : std::uint8_t { Other, Rounding, Comparison, Operation, Space, Vector, Cache, Order, Scope };

enum class Modifier : std::uint8_t {
#define MODIFIER(id, text, group) id,
#include "semantics/ptx/modifiers.def"
#undef MODIFIER
};

/// One row of modifiers.def.
struct ModifierInfo {
  Modifier modifier;
  std::string_view text;  ///< "rn"
  ModifierGroup group;
};

inline constexpr std::array modifier_table = {
#define MODIFIER(id, text, group) ModifierInfo{Modifier::id, text, ModifierGroup::group},
#include "semantics/ptx/modifiers.def"
#undef MODIFIER
};
static_assert(modifier_table.size() <= 256);

/// The row of `modifier`. O(1).
constexpr const ModifierInfo& info(Modifier modifier) { return modifier_table[static_cast<std::size_t>(modifier)]; }

/// The modifier that is written `.word`, without its dot.
std::optional<Modifier> modifier_named(std::string_view word);

/// A short list of values of an instruction, without memory of its own.
template <class T, std::size_t capacity>
class ShortList {
 public:
  void push_back(T item) {
    if (size_ == capacity) {
      throw InternalError("a list of an instruction's words is full");
    }
    items_[size_++] = item;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](std::size_t i) const { return items_[i]; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

  bool operator==(const ShortList&) const = default;

 private:
  std::array<T, capacity> items_{};
  std::uint8_t size_ = 0;
};

/// The modifiers of one instruction, in the order of its form's slots.
class Modifiers : public ShortList<Modifier, 15> {
 public:
  bool has(Modifier modifier) const { return std::find(begin(), end(), modifier) != end(); }
  /// The first modifier of the group; none if there is none.
  std::optional<Modifier> of(ModifierGroup group) const {
    const auto found = std::find_if(begin(), end(), [&](Modifier m) { return info(m).group == group; });
    return found == end() ? std::nullopt : std::optional(*found);
  }
};

/// The types of one instruction, in the order in which they are written: d, a, b …
using Types = ShortList<Type, 4>;

/// Through which space the instruction's address goes: that of its first modifier that names one, else Generic.
Space space_of(const Modifiers& modifiers);

/// How many elements the vector modifier says: 1 without one, else 2, 4, 8 or 16.
std::uint32_t vector_size(const Modifiers& modifiers);

}  // namespace lockstep::ptx
