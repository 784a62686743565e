// Types, numbers and single pieces as C++.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// The C++ type of a number outside of memory: those below 32 bits are held in 32.
std::string Lowering::held(Element element) const {
  if (element.is_pointer) {
    return "uint64_t";
  }
  switch (element.scalar) {
    case ScalarType::Bool:
      return "bool";
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
      return "int32_t";
    case ScalarType::UChar:
    case ScalarType::UShort:
    case ScalarType::UInt:
      return "uint32_t";
    case ScalarType::Long:
      return "int64_t";
    case ScalarType::ULong:
      return "uint64_t";
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      break;
  }
  return "double";
}

/// In the kernel's buffers and objects.
std::string Lowering::in_memory(Element element) const {
  if (element.is_pointer) {
    return "uint64_t";
  }
  switch (element.scalar) {
    case ScalarType::Bool:
    case ScalarType::UChar:
      return "uint8_t";
    case ScalarType::Char:
      return "int8_t";
    case ScalarType::Short:
      return "int16_t";
    case ScalarType::UShort:
      return "uint16_t";
    default:
      return held(element);
  }
}

std::string Lowering::vector_type(Element element) const {
  if (element == truth) {
    return "M";
  }
  const std::string type = held(element);
  return type == "double"     ? "F64"
         : type == "float"    ? "F32"
         : type == "int64_t"  ? "I64"
         : type == "uint64_t" ? "U64"
         : type == "int32_t"  ? "I32"
                              : "U32";
}

std::string Lowering::number_text(Element element, std::uint64_t bits) const {
  if (element.is_pointer) {
    return "uint64_t{0}";
  }
  const auto real = [](auto number, const char* suffix, auto word, const char* type) {
    if (!std::isfinite(number)) {
      return fmt::format("v::from_bits<{}>({:#x}u)", type, word);
    }
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) {
      text += ".0";
    }
    return text + suffix;
  };
  switch (element.scalar) {
    case ScalarType::Bool:
      return (bits & 1) != 0 ? "true" : "false";
    case ScalarType::Char:
      return fmt::format("{}", static_cast<std::int8_t>(bits));
    case ScalarType::UChar:
      return fmt::format("{}u", static_cast<std::uint8_t>(bits));
    case ScalarType::Short:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case ScalarType::UShort:
      return fmt::format("{}u", static_cast<std::uint16_t>(bits));
    case ScalarType::Int: {
      const auto number = static_cast<std::int32_t>(bits);
      return number == INT32_MIN ? "INT32_MIN" : fmt::format("{}", number);
    }
    case ScalarType::UInt:
      return fmt::format("{}u", static_cast<std::uint32_t>(bits));
    case ScalarType::Long: {
      const auto number = static_cast<std::int64_t>(bits);
      return number == INT64_MIN ? "INT64_MIN" : fmt::format("int64_t{{{}}}", number);
    }
    case ScalarType::ULong:
      return fmt::format("uint64_t{{{}u}}", bits);
    case ScalarType::Float:
      return real(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), "f", static_cast<std::uint32_t>(bits), "float");
    case ScalarType::Double:
      break;
  }
  return real(std::bit_cast<double>(bits), "", bits, "double");
}

std::string Lowering::all_lanes(std::uint32_t bits) const { return fmt::format("{:#x}", bits); }

/// The vector (or scalar) itself.
std::string Lowering::text_of(const Piece& piece, const Type& type) {
  if (!piece.text.empty()) {
    return piece.text;
  }
  if (type.element == truth) {
    return !is_scalar(type.layout) ? mask_text(piece) : *piece.bits != 0 ? "true" : "false";
  }
  if (piece.scalar.empty()) {
    throw InternalError("a piece without text");
  }
  const std::string vector = vector_type(type.element);
  return code_.value(vector, "all", fmt::format("v::set1<{}>({})", vector, piece.scalar));
}

std::string Lowering::mask_text(const Piece& piece) {
  if (!piece.text.empty()) {
    return piece.text;
  }
  if (piece.bits) {
    return fmt::format("M({})", all_lanes(*piece.bits));
  }
  return code_.value("M", "mask", fmt::format("M({} ? {} : 0)", piece.scalar, all_lanes(full())));
}

/// A variable for the expression: a vector, or a scalar if the layout has one.
Piece Lowering::named(const Type& type, std::string_view wanted, const std::string& expression) {
  if (is_scalar(type.layout)) {
    const std::string name = code_.value(held(type.element), wanted, expression);
    return {name, name, std::nullopt};
  }
  return {code_.value(vector_type(type.element), wanted, expression), "", std::nullopt};
}

/// The scalar in all lanes.
Piece Lowering::uniform(const Type& type, std::string scalar) const {
  std::string text = is_scalar(type.layout) ? scalar : "";
  return {std::move(text), std::move(scalar), std::nullopt};
}

Piece Lowering::mask(std::uint32_t bits) const { return {"", "", bits}; }

/// The lanes of both masks.
Piece Lowering::both(const Piece& a, const Piece& b) {
  if (a.bits && b.bits) {
    return mask(*a.bits & *b.bits);
  }
  if (a.bits) {
    return *a.bits == full() ? b
           : *a.bits == 0    ? a
                             : Piece{code_.value("M", "mask", fmt::format("M({} & {})", mask_text(b), all_lanes(*a.bits))), "", {}};
  }
  if (b.bits) {
    return both(b, a);
  }
  return {code_.value("M", "mask", fmt::format("M({} & {})", mask_text(a), mask_text(b))), "", std::nullopt};
}

/// The lanes of one mask or the other.
Piece Lowering::either(const Piece& a, const Piece& b) {
  if (a.bits && b.bits) {
    return mask(*a.bits | *b.bits);
  }
  if (a.bits) {
    return either(b, a);
  }
  if (b.bits && (*b.bits == 0 || *b.bits == full())) {
    return *b.bits == 0 ? a : b;
  }
  const std::string left = mask_text(a);
  const std::string right = mask_text(b);
  // The chunks of a tile come in any order: the names are put in one.
  return left == right
             ? a
             : Piece{code_.value("M", "mask", fmt::format("M({} | {})", std::min(left, right), std::max(left, right))), "", std::nullopt};
}

}  // namespace lockstep::emit_avx512
