#pragma once
// Why a run ends before its end.

#include <cstdint>
#include <string>
#include <string_view>

#include "interpreter/ve/state.hpp"

namespace lockstep::ve_machine {

enum class FaultKind : std::uint8_t {
  OutOfBounds,
  Misaligned,
  Forbidden,
  UndefinedAddress,
  UndefinedCondition,
  UndefinedLength,
  UndefinedMask,
  UndefinedStored,
  UndefinedPassed,
  BadLength,
  BadElement,
  BadJump,
  DivisionByZero,
  StackLimit,
  StepLimit,
};

/// "out-of-bounds": as JSON names it.
std::string_view name_of(FaultKind kind);
/// A limit of the run, no mistake of the program.
bool is_limit(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::BadJump;
  Place place;          ///< of the instruction
  std::string message;  ///< a sentence for people, without the place
};

}  // namespace lockstep::ve_machine
