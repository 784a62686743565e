#pragma once
// What the vector intrinsics of clang compute for one element, written from the instructions' meaning in plain C++: nothing of the
// machine's tables and functions.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace lockstep::test {

/// What may lie in an element, so that the result is defined.
enum class Values : std::uint8_t {
  Any,
  Divisor,      ///< the second operand is not 0, in either half
  ToLong,       ///< doubles that fit 64 bits
  ToIntDouble,  ///< doubles that fit 32 bits
  ToIntFloat,   ///< floats that fit 32 bits, in both halves
};

/// How results are compared.
enum class Compared : std::uint8_t {
  Bits,
  Double,      ///< the same bits, or a NaN each
  Float,       ///< the same in both halves
  SignDouble,  ///< both less than, equal to or greater than 0, or NaN
  SignFloat,
  SignLong,
  SignInt,     ///< of the lower half
  SignInts,    ///< of both halves
  NearDouble,  ///< approximations
  NearFloat,
};

struct Reference {
  unsigned count = 0;  ///< operands
  std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)> value;
  Compared compared = Compared::Bits;
  Values values = Values::Any;
};

/// By the name of an intrinsic in front of its `_`. Of what works element by element.
const std::map<std::string, Reference>& references();

/// Whether two results count as the same.
bool agree(Compared compared, std::uint64_t a, std::uint64_t b);

/// Reductions: from two results to one.
struct ReducedReference {
  std::function<std::uint64_t(std::uint64_t, std::uint64_t)> value;
  Compared compared = Compared::Bits;
};
const std::map<std::string, ReducedReference>& reduced_references();

/// Whether a number compares with 0 as "gt", "ltnan", … says.
bool compares(const std::string& condition, double a);

}  // namespace lockstep::test
