#pragma once
// The scalar types of OpenCL C and the address spaces, as kernels, typed μ-SIMD and every later form name them.

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep {

/// In the order of C's conversion rank; sizes are OpenCL's, the same on every host.
enum class ScalarType : std::uint8_t { Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Float, Double };

struct ScalarInfo {
  ScalarType type;
  std::string_view name;   ///< OpenCL C's: "uchar"
  std::string_view numpy;  ///< the descr of an .npy file: "|u1"
  unsigned size;           ///< bytes
  bool is_float;
  bool is_signed;  ///< true for float and double as well
};

inline constexpr std::array<ScalarInfo, 11> scalar_table = {{
    {ScalarType::Bool, "bool", "|b1", 1, false, false},
    {ScalarType::Char, "char", "|i1", 1, false, true},
    {ScalarType::UChar, "uchar", "|u1", 1, false, false},
    {ScalarType::Short, "short", "<i2", 2, false, true},
    {ScalarType::UShort, "ushort", "<u2", 2, false, false},
    {ScalarType::Int, "int", "<i4", 4, false, true},
    {ScalarType::UInt, "uint", "<u4", 4, false, false},
    {ScalarType::Long, "long", "<i8", 8, false, true},
    {ScalarType::ULong, "ulong", "<u8", 8, false, false},
    {ScalarType::Float, "float", "<f4", 4, true, true},
    {ScalarType::Double, "double", "<f8", 8, true, true},
}};

/// The row of `type`. O(1).
constexpr const ScalarInfo& info(ScalarType type) { return scalar_table[static_cast<std::size_t>(type)]; }
constexpr unsigned size_of(ScalarType type) { return info(type).size; }
constexpr unsigned bits_of(ScalarType type) { return type == ScalarType::Bool ? 1 : 8 * info(type).size; }
constexpr bool is_float(ScalarType type) { return info(type).is_float; }
constexpr bool is_signed(ScalarType type) { return info(type).is_signed; }
constexpr bool is_integer(ScalarType type) { return !is_float(type); }  ///< bool included

/// Calls f(T{}) with the C++ type that holds a `type`: bool is a std::uint8_t of 0 or 1.
template <class F>
constexpr decltype(auto) with_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::Bool:
    case ScalarType::UChar:
      return f(std::uint8_t{});
    case ScalarType::Char:
      return f(std::int8_t{});
    case ScalarType::Short:
      return f(std::int16_t{});
    case ScalarType::UShort:
      return f(std::uint16_t{});
    case ScalarType::Int:
      return f(std::int32_t{});
    case ScalarType::UInt:
      return f(std::uint32_t{});
    case ScalarType::Long:
      return f(std::int64_t{});
    case ScalarType::ULong:
      return f(std::uint64_t{});
    case ScalarType::Float:
      return f(float{});
    case ScalarType::Double:
      break;
  }
  return f(double{});
}

/// Where an object lives: with each work item, with the work group, with the launch, or with the program (never written).
enum class AddressSpace : std::uint8_t { Private, Local, Global, Constant };

inline constexpr std::array<std::string_view, 4> address_space_names = {"private", "local", "global", "constant"};
constexpr std::string_view name_of(AddressSpace space) { return address_space_names[static_cast<std::size_t>(space)]; }

}  // namespace lockstep
