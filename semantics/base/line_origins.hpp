#pragma once
// Where the lines of a text come from that was put together from several files.
//
// Such a text has the line markers of C's preprocessors. `# 1 "parts.h" 1` says that the next line is line 1 of parts.h, which is included
// where the marker stands; `# 5 "kernel.cl" 2` that the next line is line 5 of kernel.cl again, and `# 5 "kernel.cl"` that it is in any
// case.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/source.hpp"

namespace lockstep {

/// A line as people count it: of the file that it was written in.
struct Origin {
  std::string file;
  std::uint32_t line = 1;

  bool operator==(const Origin&) const = default;
};

enum class MarkerKind : std::uint8_t { Goes, Enters, Returns };

/// The marker in front of line `origin.line`, without a line break.
std::string line_marker(const Origin& origin, MarkerKind kind);

/// What the markers of a text say. The markers are read once; without any, a line is what it is.
class LineOrigins {
 public:
  explicit LineOrigins(const SourceFile& source);

  /// The line of a file that line `line` of the text is.
  Origin of(std::uint32_t line) const;

  /// The lines of the text at which the file of line `line` is included, and the one that includes it, the innermost first.
  std::vector<std::uint32_t> included_at(std::uint32_t line) const;

  /// "12", of another file than the text's own "parts.h:12".
  std::string name(std::uint32_t line) const;
  /// "kernel.cl:12"
  std::string file_and_line(std::uint32_t line) const;
  /// The place of a byte: "kernel.cl:12:5"
  std::string place_name(std::uint32_t offset) const;

  /// The first line of the text that is this one.
  std::optional<std::uint32_t> line_of(const Origin& origin) const;
  /// The same of "12" or "parts.h:12", where the file may be named by the end of its path.
  std::optional<std::uint32_t> line_named(std::string_view name) const;

 private:
  /// The lines from a marker to the next one.
  struct Run {
    std::uint32_t begin = 1;   ///< in the text, behind the marker
    Origin origin;             ///< of that line
    std::uint32_t opener = 0;  ///< the line of the marker that enters the file; 0: it is the text's own
  };

  const Run& run_of(std::uint32_t line) const;
  void read_marker(std::string_view marker, std::uint32_t line, std::vector<std::uint32_t>& openers);

  const SourceFile& source_;
  std::vector<Run> runs_;
};

/// Of a single place: LineOrigins(source).of(…) and its kin.
Origin origin_of(const SourceFile& source, SourceSpan span);
std::string file_and_line(const SourceFile& source, SourceSpan span);
std::string place_name(const SourceFile& source, SourceSpan span);

}  // namespace lockstep
