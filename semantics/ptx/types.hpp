#pragma once
// PTX's types and state spaces. The types are types.def.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::ptx {

/// What the bits of a type are.
enum class TypeClass : std::uint8_t { Bits, Unsigned, Signed, Float, Predicate, Opaque };

enum class Type : std::uint8_t {
#define TYPE(id, text, bits, class) id,
#include "semantics/ptx/types.def"
#undef TYPE
};

/// One row of types.def.
struct TypeInfo {
  Type type;
  std::string_view text;  ///< "f32"
  std::uint32_t bits;
  TypeClass kind;
};

inline constexpr std::array type_table = {
#define TYPE(id, text, bits, class) TypeInfo{Type::id, text, bits, TypeClass::class},
#include "semantics/ptx/types.def"
#undef TYPE
};

/// The row of `type`. O(1).
constexpr const TypeInfo& info(Type type) { return type_table[static_cast<std::size_t>(type)]; }

constexpr std::uint32_t bits_of(Type type) { return info(type).bits; }
/// Of a register or of memory, in bytes: 1, 2, 4, 8 or 16.
constexpr std::uint32_t bytes_of(Type type) { return (bits_of(type) + 7) / 8; }

constexpr bool is_signed(Type type) { return info(type).kind == TypeClass::Signed; }
constexpr bool is_float(Type type) { return info(type).kind == TypeClass::Float; }
constexpr bool is_integer(Type type) { return info(type).kind == TypeClass::Unsigned || is_signed(type); }
constexpr bool is_bits(Type type) { return info(type).kind == TypeClass::Bits; }

/// The type that is written `.word`, without its dot.
std::optional<Type> type_named(std::string_view word);

/// As a sentence has it: "an .f32", "a .b32".
std::string with_article(Type type);

/// The integer type of the same signedness, or the bits, with twice as many bits: of mul.wide and mad.wide. None above 64 bits.
std::optional<Type> twice_as_wide(Type type);

/// Where a variable lies, and through what an address goes.
enum class Space : std::uint8_t {
  Generic,  ///< an address of any of the others; no variable lies here
  Reg,
  Const,
  Global,
  Local,
  Param,
  Shared,
};

/// "global"; of Generic, "generic".
std::string_view text_of(Space space);

}  // namespace lockstep::ptx
