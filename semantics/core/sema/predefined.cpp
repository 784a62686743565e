#include "semantics/core/sema/predefined.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <limits>
#include <type_traits>

#include "semantics/base/fences.hpp"

namespace lockstep::core::sema {
namespace {

template <class T>
constexpr std::uint64_t bits_of_value(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <class T>
constexpr ScalarType type_of_value() {
  if constexpr (std::is_same_v<T, float>) {
    return ScalarType::Float;
  } else if constexpr (std::is_same_v<T, double>) {
    return ScalarType::Double;
  } else if constexpr (sizeof(T) == sizeof(std::int32_t)) {
    return std::is_signed_v<T> ? ScalarType::Int : ScalarType::UInt;
  } else {
    return std::is_signed_v<T> ? ScalarType::Long : ScalarType::ULong;
  }
}

constexpr auto sorted_table() {
  std::array table = {
#define PREDEFINED(name, cpp_type, value) Predefined{name, type_of_value<cpp_type>(), bits_of_value<cpp_type>(value)},
#include "semantics/core/sema/predefined.def"
#undef PREDEFINED
  };
  std::ranges::sort(table, {}, &Predefined::name);
  return table;
}

constexpr auto table = sorted_table();

constexpr auto names = [] {
  std::array<std::string_view, table.size()> result;
  std::ranges::transform(table, result.begin(), &Predefined::name);
  return result;
}();

}  // namespace

std::optional<Predefined> predefined(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(table, name, {}, &Predefined::name);
  return found != table.end() && found->name == name ? std::optional(*found) : std::nullopt;
}

std::span<const std::string_view> predefined_names() { return names; }

}  // namespace lockstep::core::sema
