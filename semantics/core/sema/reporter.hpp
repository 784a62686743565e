#pragma once
// Errors and warnings of one translation unit, collected in the order in which they are found.

#include <string>

#include "semantics/base/diagnostic.hpp"

namespace lockstep::core::sema {

/// So many errors are shown; who has more has lost the thread already.
inline constexpr std::size_t max_errors = 20;

class Reporter {
 public:
  void error(SourceSpan span, std::string message, Diagnostics notes = {});
  void warning(SourceSpan span, std::string message);

  bool has_errors() const { return !errors_.empty(); }

  /// In the order of the text, at most max_errors.
  Diagnostics errors() const;
  /// In the order of the text.
  Diagnostics warnings() const;

 private:
  Diagnostics errors_;
  Diagnostics warnings_;
};

/// A note for a diagnostic's list.
Diagnostic note(SourceSpan span, std::string message);

/// "1 argument", "3 arguments"; `noun` is the singular.
std::string counted(std::size_t count, std::string_view noun);

}  // namespace lockstep::core::sema
