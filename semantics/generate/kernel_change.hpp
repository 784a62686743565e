#pragma once
// Small changes of a kernel's text, some of which change what it means: pairs of kernels for the prover.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "semantics/generate/kernel.hpp"

namespace lockstep::generate {

enum class ChangeKind : std::uint8_t {
  Operator,     ///< a + b to a - b, a < b to a <= b, …
  Operands,     ///< a + b to b + a
  TurnedRound,  ///< a < b to b > a: means the same
  Constant,     ///< 3 to 4
  Divisor,      ///< a / (b + 1) to a / (b), which may be 0
  Negation,     ///< c to !(c), of an if, a loop or ?:
  Arms,         ///< of ?: and of if with else, exchanged
  Neutral,      ///< n to (n) + 0 of what is assigned: means the same, of integers
  Dropped,      ///< an assignment is left out
  Exchanged,    ///< two neighbouring statements
  Repeated      ///< an assignment is made twice
};
inline constexpr std::array change_kinds = {ChangeKind::Operator, ChangeKind::Operands,  ChangeKind::TurnedRound, ChangeKind::Constant,
                                            ChangeKind::Divisor,  ChangeKind::Negation,  ChangeKind::Arms,        ChangeKind::Neutral,
                                            ChangeKind::Dropped,  ChangeKind::Exchanged, ChangeKind::Repeated};

/// "operator", "operands", …
std::string_view name_of(ChangeKind kind);

/// A change, and where it is made: at which of the places where it can be.
struct Change {
  ChangeKind kind = ChangeKind::Operator;
  std::size_t place = 0;
};

/// At how many places a change of the kind can be made.
std::size_t places(const Kernel& kernel, ChangeKind kind);

/// The kernel with the change; nothing if there is no such place. The text is well-formed, but may be ill-typed, undefined or endless.
std::optional<Kernel> changed(const Kernel& kernel, const Change& change);

}  // namespace lockstep::generate
