#pragma once

#include <expected>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// Parses a `.mus` text (docs/mus.md). Well-formedness is not asked here (check.hpp). On failure: at least one error,
/// several where the text has several; each names what was expected. Never throws on any text; time and memory are
/// linear in the text.
std::expected<Program, Diagnostics> parse(const SourceFile& source);

}  // namespace lockstep::musimd
