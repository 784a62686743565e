#pragma once
// Names that every kernel has without declaring them.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::core::sema {

struct Predefined {
  std::string_view name;
  ScalarType type;
  std::uint64_t bits;  ///< as core::Literal has them
};

/// The row of predefined.def; empty if there is none.
std::optional<Predefined> predefined(std::string_view name);

/// All of them, in alphabetical order.
std::span<const std::string_view> predefined_names();

}  // namespace lockstep::core::sema
