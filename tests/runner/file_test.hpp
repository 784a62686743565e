#pragma once
// One file test: a `.mus` file against the directives in its comments (docs/file-tests.md).

#include <optional>
#include <string>
#include <vector>

#include "semantics/base/source.hpp"

namespace lockstep::runner {

struct Report {
  std::vector<std::string> failures;   ///< each a sentence with `file:line: ` in front; empty: the file passes
  std::optional<std::string> blessed;  ///< the file's text with the traces as they are now, if they differ from those in the text
};

/// Runs everything that the file's directives ask for. With `bless`, traces that differ are no failures.
Report run_file_test(const SourceFile& source, bool bless);

}  // namespace lockstep::runner
