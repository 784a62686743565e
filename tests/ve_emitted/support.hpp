#pragma once
// Kernels of InfReg-IR as C for VE, compiled by clang and run on the VE machine, against the evaluator.

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/emit/ve/emit.hpp"
#include "codegen/host/compiler.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::ve_emitted {

/// clang with these arguments; none, and the test says so, where there is none.
std::optional<host::Compiler> clang_with(const char* arguments);

enum class Answer : std::uint8_t {
  Agrees,
  StoresPoison  ///< a float that does not fit an integer, of which the machine has no bits to store
};

/// The arrangements that the kernel fits into.
std::vector<emit_ve::LayoutChoice> arrangements_of(const infreg::Kernel& kernel);

/// A test that fails unless both leave the same.
Answer compared(const infreg::Kernel& kernel, const std::vector<Argument>& arguments, const std::vector<infreg::Buffer>& memory,
                std::uint64_t groups, const host::Compiler& clang, const emit_ve::EmitOptions& options);

}  // namespace lockstep::ve_emitted
