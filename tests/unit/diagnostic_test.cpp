#include "semantics/base/diagnostic.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace lockstep {

TEST_CASE("offsets become lines and columns", "[source]") {
  const SourceFile source("t", "ab\n\ncde\r\nf");
  CHECK(source.line_count() == 4);
  CHECK(source.place(0) == LineColumn{1, 1});
  CHECK(source.place(2) == LineColumn{1, 3});  // the line break belongs to its line
  CHECK(source.place(3) == LineColumn{2, 1});
  CHECK(source.place(4) == LineColumn{3, 1});
  CHECK(source.place(9) == LineColumn{4, 1});
  CHECK(source.place(10) == LineColumn{4, 2});
  CHECK(source.place(4'000'000'000) == LineColumn{4, 2});
  CHECK(source.line_text(0).empty());
  CHECK(source.line_text(1) == "ab");
  CHECK(source.line_text(2).empty());
  CHECK(source.line_text(3) == "cde");
  CHECK(source.line_text(4) == "f");
  CHECK(source.line_text(5).empty());
}

TEST_CASE("a final line break begins no line", "[source]") {
  CHECK(SourceFile("t", "").line_count() == 1);
  CHECK(SourceFile("t", "a\n").line_count() == 1);
  CHECK(SourceFile("t", "a\n").place(2) == LineColumn{1, 3});
  CHECK(SourceFile("t", "a\nb").line_count() == 2);
}

TEST_CASE("a diagnostic shows its line and a caret", "[diagnostic]") {
  const SourceFile source("fig6.mus", "first\n\tv0 = 1 +\nlast");
  CHECK(render(source, Diagnostic{Severity::Error, {7, 9}, "bad name", {}}) == "fig6.mus:2:2: error: bad name\n  \tv0 = 1 +\n  \t^^\n");
  CHECK(render(source, Diagnostic{Severity::Warning, {0, 0}, "empty span", {}}) == "fig6.mus:1:1: warning: empty span\n  first\n  ^\n");
  CHECK(render(source, Diagnostic{Severity::Error, {20, 20}, "at the end", {}}) == "fig6.mus:3:5: error: at the end\n  last\n      ^\n");
}

TEST_CASE("a span that goes on over the line is marked to the line's end", "[diagnostic]") {
  const SourceFile source("t", "abc\ndef");
  CHECK(render(source, Diagnostic{Severity::Error, {1, 6}, "m", {}}) == "t:1:2: error: m\n  abc\n   ^^\n");
}

TEST_CASE("notes stand behind their message", "[diagnostic]") {
  const SourceFile source("t", "a\nb");
  const Diagnostic error{Severity::Error, {2, 3}, "twice", {{Severity::Note, {0, 1}, "first", {}}}};
  CHECK(render(source, Diagnostics{error, error}) ==
        "t:2:1: error: twice\n  b\n  ^\nt:1:1: note: first\n  a\n  ^\nt:2:1: error: twice\n  b\n  ^\nt:1:1: note: first\n  a\n  ^\n");
}

TEST_CASE("carets count characters, and control bytes are hidden", "[diagnostic]") {
  const SourceFile source("t", "v = \u2193\u2193 x\x1b[1m");
  CHECK(render(source, Diagnostic{Severity::Error, {4, 10}, "two arrows", {}}) ==
        "t:1:5: error: two arrows\n  v = \u2193\u2193 x?[1m\n      ^^\n");
  CHECK(render(source, Diagnostic{Severity::Error, {11, 12}, "x", {}}) == "t:1:12: error: x\n  v = \u2193\u2193 x?[1m\n         ^\n");
}

TEST_CASE("a long word is shortened, control bytes of words and file names are hidden", "[diagnostic]") {
  CHECK(shortened("Loop") == "Loop");
  CHECK(shortened(std::string(60, 'x')) == std::string(60, 'x'));
  CHECK(shortened(std::string(61, 'x')) == std::string(60, 'x') + "…");
  std::string arrows;
  for (int i = 0; i < 60; ++i) {
    arrows += "\u2193";
  }
  CHECK(shortened(arrows) == arrows);
  CHECK(shortened(arrows + "x") == arrows + "…");
  CHECK(shortened("\x1b[A") == "?[A");
  CHECK(shortened(std::string(1000, '\x80')).size() < 300);
  CHECK(render(SourceFile("a\x1b[1m\nb", "x"), Diagnostic{Severity::Error, {0, 1}, "m", {}}) == "a?[1m?b:1:1: error: m\n  x\n  ^\n");
}

TEST_CASE("long lines are cut around the caret", "[diagnostic]") {
  const std::string line = std::string(1000, 'a') + "X" + std::string(1000, 'b');
  const std::string report = render(SourceFile("t", line), Diagnostic{Severity::Error, {1000, 1001}, "here", {}});
  CHECK(report == "t:1:1001: error: here\n  " + std::string(80, 'a') + "X" + std::string(79, 'b') + "\n  " + std::string(80, ' ') + "^\n");
}

}  // namespace lockstep
