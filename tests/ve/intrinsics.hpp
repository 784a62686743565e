#pragma once
// The vector intrinsics of clang's header, and C functions that each call one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

/// `_vel_STEM_LETTERS`: the result and the operands, a letter each. v vector, s scalar, m mask, M pair of masks, l the vector length.
struct Intrinsic {
  std::string stem;
  std::string letters;
  std::string name() const { return stem + "_" + letters; }
};

/// All that the header of clang 19 names.
std::vector<Intrinsic> header_intrinsics();

/// The intrinsic's operands, as a test gives them.
struct Form {
  char result = ' ';     ///< a letter; a blank: it has none
  std::string operands;  ///< letters of what goes in, without mask, pass-through and length
  char mask = ' ';       ///< m, M or a blank
  bool pass_through = false;
};

/// Of an intrinsic that works on elements, with so many operands.
Form form_of(const Intrinsic& intrinsic, unsigned operands);

/// `void f_NAME(unsigned long *out, long vl, long stored, const unsigned long *below, …)`, with a parameter for each letter behind the
/// result. Vectors are 256 elements, of which so many are stored. Masks are 4 words, pairs of them 8, the upper halves' first; they are
/// cut off where `below` says. Scalars are 64 bits as in a register. With `literal`, scalars are that number.
std::string wrapper(const Intrinsic& intrinsic, std::optional<int> literal = std::nullopt);

/// `#include` and types in front of wrappers.
extern const std::string_view wrapper_head;

}  // namespace lockstep::test
