#pragma once
// The words of InfReg-IR's text form (docs/infreg-ir.md) that are no names: types, and operations by what they work on.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Whether a text is a name: one or more letters, digits, "_" and ".".
bool is_name(std::string_view text);

/// `f64`, `f32`, `i1`, `i8`, `u8`, … `u64`: numbers of a scalar type.
std::string_view text_of(ScalarType type);
std::optional<ScalarType> scalar_named(std::string_view word);

/// The same, or `ptr`.
std::string_view text_of(Element element);

/// What stands behind the element: nothing for Pack, `[ix 16]` for Group, `[wi 4 x ix 4]` for Item, with `wg 2 x` first in a pack of two.
std::string text_of(Layout layout, Shape shape);

/// `f64[wi 4 x ix 4]`.
std::string text_of(const Type& type, Shape shape);

/// Whether an Elementwise may have this operation: all of ops.def but the conditional and the logical ones.
bool is_elementwise(Op op);

/// The word of an elementwise operation: `add` on integers, `fadd` on floats. `op` must be one that is_elementwise and takes the type.
std::string_view mnemonic(Op op, ScalarType type);

/// What an elementwise mnemonic means: the operation, and whether it is the one of floats or of integers.
struct Mnemonic {
  Op op = Op::Add;
  bool of_floats = false;
};
std::optional<Mnemonic> mnemonic_named(std::string_view word);

/// The first words of all operations, for suggestions.
std::span<const std::string_view> operation_words();

/// `any`, `all`, `popcount`, `ballot`.
std::string_view text_of(Vote::Kind kind);

/// `contiguous`, `strided`, `gather`.
std::string_view text_of(Access access);

}  // namespace lockstep::infreg
