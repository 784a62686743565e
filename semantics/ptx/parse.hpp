#pragma once

#include <expected>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// Reads a file of PTX, or says what is wrong with it: words that there are not, and instructions with operands of another shape. What
/// names mean and whether types fit is `check`'s business (check.hpp). A mistake costs its statement, so that one run finds those of
/// several. Texts have at most 64 MiB, and initialisers together 2^22 values.
std::expected<Module, Diagnostics> parse(const SourceFile& source);

}  // namespace lockstep::ptx
