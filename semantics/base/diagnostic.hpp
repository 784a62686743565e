#pragma once
// What we tell the user about their text: collected, never thrown.

#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/source.hpp"

namespace lockstep {

enum class Severity { Error, Warning, Note };

/// One message about a place in a source file. `notes` are further places that explain it (a path, the first definition).
struct Diagnostic {
  Severity severity = Severity::Error;
  SourceSpan span;
  std::string message;            ///< one sentence, lower case, without a final full stop
  std::vector<Diagnostic> notes;  ///< printed behind the message, with severity Note
};

using Diagnostics = std::vector<Diagnostic>;

/// `text` with `?` for bytes that would upset a terminal: control characters other than tabs.
std::string printable(std::string_view text);

/// A user's word as a message may quote it: printable, of a long one the first 60 characters and an ellipsis.
std::string shortened(std::string_view word);
/// The word as a message quotes it: "'word'".
std::string quoted(std::string_view word);

/// `file:line:col: error: message`, then the source line and a caret line under the span (tabs are kept, so that the
/// caret stands right; long lines are cut around the caret; control bytes are shown as `?`). Ends with a line break.
std::string render(const SourceFile& source, const Diagnostic& diagnostic);

/// All diagnostics, one after the other, in the order given.
std::string render(const SourceFile& source, const Diagnostics& diagnostics);

}  // namespace lockstep
