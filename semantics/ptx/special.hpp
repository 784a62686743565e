#pragma once
// The special registers: special.def.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "semantics/ptx/types.hpp"

namespace lockstep::ptx {

enum class SpecialRegister : std::uint8_t {
#define SPECIAL(id, text, type, components) id,
#include "semantics/ptx/special.def"
#undef SPECIAL
};

/// One row of special.def.
struct SpecialInfo {
  SpecialRegister special;
  std::string_view text;  ///< "%tid"
  Type type;              ///< of one component
  std::uint32_t components;
};

inline constexpr std::array special_table = {
#define SPECIAL(id, text, type, components) SpecialInfo{SpecialRegister::id, text, Type::type, components},
#include "semantics/ptx/special.def"
#undef SPECIAL
};

/// The row of `special`. O(1).
constexpr const SpecialInfo& info(SpecialRegister special) { return special_table[static_cast<std::size_t>(special)]; }

/// One number of a special register.
struct Special {
  SpecialRegister name{};
  std::uint8_t component = 0;  ///< 0 to 3: .x to .w; of %envreg5 and %pm1 the number

  bool operator==(const Special&) const = default;
};

/// What `text` names: "%tid.x", "%laneid", "%envreg5". None if it is no special register, and of "%tid" alone, which is four numbers.
std::optional<Special> special_named(std::string_view text);

}  // namespace lockstep::ptx
