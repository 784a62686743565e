#pragma once
// Numbers of the typed text form: each says its type (docs/typed-mus.md, "Numbers").

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::typed {

/// The text of a number, read back to exactly these bits: "-3", "3ul", "0.1f", "true", "nanf(0x7fc00001)". `bits` as in
/// core::Literal.
std::string literal_text(ScalarType type, std::uint64_t bits);

/// A number at the start of a text.
struct TypedLiteral {
  std::size_t length = 0;  ///< in bytes, with its minus
  ScalarType type = ScalarType::Int;
  std::uint64_t bits = 0;
  std::string problem;  ///< why it has no value; empty if it has one
};

/// Reads a number, perhaps with a minus and blanks before it. Nothing if the text begins otherwise.
std::optional<TypedLiteral> read_literal(std::string_view text);

}  // namespace lockstep::typed
