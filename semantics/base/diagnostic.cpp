#include "semantics/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/base/line_origins.hpp"

namespace lockstep {
namespace {

constexpr std::size_t shown_columns = 160;  // longer source lines are cut around the caret
constexpr std::size_t shown_inclusions = 8;
constexpr std::size_t shown_name = 60;  // characters of a user's word in a message

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Blanks up to the caret; tabs stay tabs and the continuation bytes of a UTF-8 character take no column.
std::string indentation(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_utf8_continuation(c)) {
      out += c == '\t' ? '\t' : ' ';
    }
  }
  return out;
}

void render_one(std::string& out, const SourceFile& source, const LineOrigins& origins, const Diagnostic& diagnostic) {
  const LineColumn place = source.place(diagnostic.span.begin);
  out += fmt::format("{}: {}: {}\n", origins.place_name(diagnostic.span.begin), name_of(diagnostic.severity), diagnostic.message);
  std::string_view line = source.line_text(place.line);
  std::size_t column = std::min<std::size_t>(place.column - 1, line.size());
  std::size_t length = diagnostic.span.end > diagnostic.span.begin ? diagnostic.span.end - diagnostic.span.begin : 1;
  length = std::max<std::size_t>(1, std::min(length, line.size() - column));
  if (line.size() > shown_columns) {
    const std::size_t first = column > shown_columns / 2 ? column - shown_columns / 2 : 0;
    line = line.substr(first, shown_columns);
    column -= first;
    length = std::max<std::size_t>(1, std::min(length, line.size() - column));
  }
  const std::string_view marked = line.substr(column, length);
  const auto width = static_cast<std::size_t>(std::count_if(marked.begin(), marked.end(), [](char c) { return !is_utf8_continuation(c); }));
  out += "  " + printable(line) + "\n  " + indentation(line.substr(0, column)) + std::string(std::max<std::size_t>(1, width), '^') + "\n";
  for (const Diagnostic& note : diagnostic.notes) {
    render_one(out, source, origins, note);
  }
}

/// The message and its notes, and where the file is included that it speaks of.
void render_whole(std::string& out, const SourceFile& source, const LineOrigins& origins, const Diagnostic& diagnostic) {
  render_one(out, source, origins, diagnostic);
  const std::uint32_t line = source.place(diagnostic.span.begin).line;
  std::string file = origins.of(line).file;
  std::size_t shown = 0;
  for (const std::uint32_t at : origins.included_at(line)) {
    if (++shown > shown_inclusions) {
      out += "…\n";
      break;
    }
    out += fmt::format("{}: note: {} is included from here\n", origins.file_and_line(at), printable(file));
    file = origins.of(at).file;
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }, '?');
  return out;
}

std::string shortened(std::string_view word) {
  const std::size_t most = std::min(word.size(), 4 * shown_name);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < most; ++end) {
    characters += is_utf8_continuation(word[end]) ? 0U : 1U;
    if (characters > shown_name) {
      break;
    }
  }
  return printable(word.substr(0, end)) + (end < word.size() ? "…" : "");
}

std::string quoted(std::string_view word) { return "'" + shortened(word) + "'"; }

std::string render(const SourceFile& source, const Diagnostic& diagnostic) { return render(source, Diagnostics{diagnostic}); }

std::string render(const SourceFile& source, const Diagnostics& diagnostics) {
  const LineOrigins origins(source);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    render_whole(out, source, origins, diagnostic);
  }
  return out;
}

}  // namespace lockstep
