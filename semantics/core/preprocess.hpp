#pragma once
// C's preprocessor but for #line: macros, conditional text, #error and #pragma OPENCL FP_CONTRACT. Of #include see inclusions.hpp.

#include <cstddef>
#include <optional>
#include <string>

#include "semantics/base/source.hpp"
#include "semantics/core/options.hpp"
#include "semantics/core/token.hpp"

namespace lockstep::core {

/// A text may become at most this many tokens, and macros may produce at most this many on the way.
inline constexpr std::size_t max_tokens = std::size_t{4} << 20;
/// What `#` and `##` make may have this many characters in all: names and strings that are doubled again and again are few tokens.
inline constexpr std::size_t max_spelled_characters = std::size_t{64} << 20;
/// Uses of macros may stand this deep in the arguments of others.
inline constexpr unsigned max_macro_nesting = 200;

/// The tokens of `source` after preprocessing (C99 6.10), ending in TokenKind::End. `options.defines` come first, as if written above
/// the text; __OPENCL_VERSION__ and __OPENCL_C_VERSION__ are 300, __LOCKSTEP__ is 1, and #if knows the names of predefined.def. An
/// #include whose file was not put in (include_files) is refused.
/// Throws Refused at the first error. The tokens point into the text of `source`, which must outlive them.
TokenList preprocess(const SourceFile& source, const Options& options);

/// What is wrong with the first of `options.defines` that cannot be: a sentence that begins with the -D; empty if all are fine.
std::optional<std::string> wrong_define(const Options& options);

}  // namespace lockstep::core
