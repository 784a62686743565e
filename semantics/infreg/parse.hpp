#pragma once

#include <expected>
#include <memory>

#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Reads a kernel's text (docs/infreg-ir.md), or says what is wrong with it: words, and names that nothing has. Whether the kernel is
/// well-formed is the verifier's business. The kernel's source is this text, and spans point into it. Texts have at most 64 MiB, and lists
/// in them 2^24 numbers.
std::expected<Kernel, Diagnostics> parse(std::shared_ptr<const SourceFile> source);

}  // namespace lockstep::infreg
