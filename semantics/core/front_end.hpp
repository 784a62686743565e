#pragma once
// From the text of a .cl file to a typed program: the one entrance for everybody who wants to run or compile a kernel.

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/options.hpp"
#include "semantics/core/syntax.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::core {

/// Preprocesses and parses. On failure at least one error, in the order of the text; spans are places in `source`.
std::expected<syntax::TranslationUnit, Diagnostics> parse(const SourceFile& source, const Options& options);

/// The same for a text that is not the user's: all of it stands at `span` of the one that is.
std::expected<syntax::TranslationUnit, Diagnostics> parse_at(const SourceFile& source, const Options& options, SourceSpan span);

/// Names, types, constants, contraction. On failure all errors found (at most 20), in the order of the text. `warnings` gets what is
/// suspicious but allowed.
std::expected<Program, Diagnostics> check_types(const syntax::TranslationUnit& unit, std::shared_ptr<const SourceFile> source,
                                                const Options& options, Diagnostics& warnings);

/// A sentence about the lengths of __local parameters: one in the program's options that the kernel has no parameter for, or, if all are
/// `needed`, one that is missing there. Without it the kernel cannot be translated.
std::optional<std::string> wrong_lengths(const Program& program, const Function& kernel, bool needed);

/// Both, one after the other.
std::expected<Program, Diagnostics> read_kernels(std::shared_ptr<const SourceFile> source, const Options& options, Diagnostics& warnings);

}  // namespace lockstep::core
