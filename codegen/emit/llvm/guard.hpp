#pragma once
// LLVM's own failures, caught: where it is ended by a signal (a fault of its own, or a stack that is used up), or ends the process itself
// because it finds that it cannot go on.

#include <functional>
#include <optional>

#include "codegen/emit/llvm/emit.hpp"

namespace lockstep::emit_llvm {

/// Does the work. Nothing: it came to its end, by an exception too. What LLVM had allocated, and locked, stays so after a failure. Guards
/// of several threads are apart, and one may stand inside of another.
std::optional<Failure> failure_of(const std::function<void()>& work);

}  // namespace lockstep::emit_llvm
