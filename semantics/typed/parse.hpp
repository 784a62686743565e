#pragma once

#include <expected>
#include <memory>
#include <string_view>

#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// True if the first directive or instruction of a `.mus` text is `.typed`: what tells the two languages apart. Reads no further.
bool looks_typed(std::string_view text);

/// Parses a typed `.mus` text (docs/typed-mus.md) and checks all types, places, names and targets; well-formedness is not asked here
/// (check.hpp). On failure: at least one error, several where the text has several, at most max_errors. Never throws on any text;
/// time and memory are linear in the text. The result's spans point into `source`.
std::expected<Program, Diagnostics> parse(std::shared_ptr<const SourceFile> source);

}  // namespace lockstep::typed
