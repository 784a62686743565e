#pragma once
// Source text and places in it. Every syntax node carries a span, so that each message can point at its cause.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// A half-open range of byte offsets [begin, end) into a SourceFile's text. The default span is empty at offset 0.
struct SourceSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  auto operator<=>(const SourceSpan&) const = default;
};

/// A place for people: line and column count from 1, the column in bytes.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  auto operator<=>(const LineColumn&) const = default;
};

/// A named text with fast offset-to-line lookup. The name is what diagnostics print ("fig6.mus", "<stdin>").
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

  /// Line and column of a byte offset; offsets beyond the end name the place just behind the last byte. O(log lines).
  LineColumn place(std::uint32_t offset) const;

  /// The text of line `line` (from 1) without its line break; empty when there is no such line.
  std::string_view line_text(std::uint32_t line) const;

  /// Number of lines; a text without a final line break still ends its last line.
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace lockstep
