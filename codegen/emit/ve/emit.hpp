#pragma once
// The VE target: a kernel as C with vector intrinsics (docs/ve-target.md), built straight from InfReg-IR. Groups lie side by side: an
// element of a vector register is a pack of groups, and each item and element of a layout has a vector of its own.

#include <cstdint>
#include <expected>
#include <string>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

struct Emitted {
  std::string source;             ///< KERNEL.c
  std::string header;             ///< KERNEL.ve.h
  std::string explain;            ///< what was chosen
  std::string symbol;             ///< of the entry point, in object code
  std::string function;           ///< of the entry point, in C
  std::uint64_t stack_bytes = 0;  ///< that a call needs, at most
};

/// Of a verified kernel. The error is a sentence.
std::expected<Emitted, std::string> emit(const infreg::Kernel& kernel);

/// How many groups a pack should have.
unsigned choose_pack(const infreg::Kernel& kernel);

}  // namespace lockstep::emit_ve
