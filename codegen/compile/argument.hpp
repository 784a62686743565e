#pragma once
// What a compiled kernel is called with: numbers, and arrays in one of three forms.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <variant>

#include "semantics/base/scalar_type.hpp"

namespace lockstep {

/// C++ types of numbers that kernels know: bool, all integers of 8 to 64 bits, float and double.
template <class T>
concept KernelNumber =
    (std::integral<T> && sizeof(T) <= 8) || std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double>;

/// The kernel language's name for T.
template <KernelNumber T>
consteval ScalarType scalar_type_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::same_as<U, bool>) {
    return ScalarType::Bool;
  } else if constexpr (std::same_as<U, float>) {
    return ScalarType::Float;
  } else if constexpr (std::same_as<U, double>) {
    return ScalarType::Double;
  } else if constexpr (sizeof(U) == 1) {
    return std::is_signed_v<U> ? ScalarType::Char : ScalarType::UChar;
  } else if constexpr (sizeof(U) == 2) {
    return std::is_signed_v<U> ? ScalarType::Short : ScalarType::UShort;
  } else if constexpr (sizeof(U) == 4) {
    return std::is_signed_v<U> ? ScalarType::Int : ScalarType::UInt;
  } else {
    return std::is_signed_v<U> ? ScalarType::Long : ScalarType::ULong;
  }
}

/// What the elements of an array are, and whether they must not be written.
struct ElementKind {
  ScalarType type = ScalarType::Int;
  bool is_const = false;
};

/// A number.
struct NumberArgument {
  ScalarType type = ScalarType::Int;
  std::uint64_t bits = 0;  ///< of the value, in the low bytes; integers are extended to 64 bits by their signedness
};
/// One array, indexed as the kernel does it: usually all groups' data, one group behind the other.
struct PackedArgument {
  ElementKind element;
  const void* data = nullptr;
  std::optional<std::size_t> count;  ///< elements; none: the caller knows that there are enough
};
/// A block for each group, at equal distances.
struct StridedArgument {
  ElementKind element;
  const void* data = nullptr;
  std::size_t stride = 0;            ///< elements from a group's block to the next group's; 0: all groups have the same block
  std::optional<std::size_t> count;  ///< elements behind data, all blocks together; none: the caller knows that there are enough
};
/// A block for each group, wherever it lies.
struct PointersArgument {
  ElementKind element;
  const void* pointers = nullptr;  ///< an array of pointers to elements
  std::size_t count = 0;           ///< how many: one for each group
};

/// An argument of a call. It refers to the caller's memory and owns nothing. Numbers, pointers, and everything that lies in one piece
/// (std::vector, std::array, std::span) convert to it; the latter bring their size along, which is then checked. strided() and each()
/// make the other two forms.
class KernelArgument {
 public:
  using Value = std::variant<NumberArgument, PackedArgument, StridedArgument, PointersArgument>;

  KernelArgument(Value value) : value_(value) {}  // NOLINT(google-explicit-constructor): it is one

  /// A number. It must fit the parameter: an integer parameter takes any integer in its range, a floating one every number, rounded.
  template <KernelNumber T>
  KernelArgument(T number) : value_(NumberArgument{scalar_type_of<T>(), bits_of(number)}) {}  // NOLINT(google-explicit-constructor)

  /// An array of unknown size.
  template <class P>
    requires std::is_pointer_v<std::remove_cvref_t<P>> && KernelNumber<std::remove_pointer_t<std::remove_cvref_t<P>>>
  KernelArgument(P&& data)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : value_(PackedArgument{element_of<std::remove_pointer_t<std::remove_cvref_t<P>>>(), data, std::nullopt}) {}

  /// An array with its size.
  template <std::ranges::contiguous_range R>
    requires std::ranges::sized_range<R> && std::ranges::borrowed_range<R> &&
             KernelNumber<std::remove_reference_t<std::ranges::range_reference_t<R>>>
  KernelArgument(R&& array)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : value_(PackedArgument{element_of<std::remove_reference_t<std::ranges::range_reference_t<R>>>(), std::ranges::data(array),
                              static_cast<std::size_t>(std::ranges::size(array))}) {}

  const Value& value() const { return value_; }

  /// As PackedArgument and the like want it.
  template <KernelNumber T>
  static constexpr ElementKind element_of() {
    return {scalar_type_of<T>(), std::is_const_v<T>};
  }

 private:
  template <class T>
  static std::uint64_t bits_of(T number) {
    if constexpr (std::integral<T>) {
      return static_cast<std::uint64_t>(number);
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof number);
      return bits;
    }
  }

  Value value_;
};

/// Blocks at equal distances, `stride` elements: group g has data[g * stride] and what follows.
template <class P>
  requires std::is_pointer_v<std::remove_cvref_t<P>> && KernelNumber<std::remove_pointer_t<std::remove_cvref_t<P>>>
KernelArgument strided(P&& data, std::size_t stride) {
  using T = std::remove_pointer_t<std::remove_cvref_t<P>>;
  return KernelArgument::Value(StridedArgument{KernelArgument::element_of<T>(), data, stride, std::nullopt});
}
/// The same with the size, which is checked.
template <std::ranges::contiguous_range R>
  requires std::ranges::sized_range<R> && std::ranges::borrowed_range<R> &&
           KernelNumber<std::remove_reference_t<std::ranges::range_reference_t<R>>>
KernelArgument strided(R&& array, std::size_t stride) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return KernelArgument::Value(StridedArgument{KernelArgument::element_of<T>(), std::ranges::data(array), stride,
                                               static_cast<std::size_t>(std::ranges::size(array))});
}

/// A pointer for each group: group g has pointers[g][0] and what follows.
template <std::ranges::contiguous_range R>
  requires std::ranges::sized_range<R> && std::ranges::borrowed_range<R> && std::is_pointer_v<std::ranges::range_value_t<R>> &&
           KernelNumber<std::remove_pointer_t<std::ranges::range_value_t<R>>>
KernelArgument each(R&& pointers) {
  using T = std::remove_pointer_t<std::ranges::range_value_t<R>>;
  return KernelArgument::Value(PointersArgument{KernelArgument::element_of<T>(), std::ranges::data(pointers),
                                                static_cast<std::size_t>(std::ranges::size(pointers))});
}

}  // namespace lockstep
