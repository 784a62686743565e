#include "semantics/base/line_origins.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "semantics/base/diagnostic.hpp"

namespace lockstep {
namespace {

bool may_be_marker(std::string_view line) { return line.starts_with("# ") && line.size() > 2 && line[2] >= '0' && line[2] <= '9'; }

/// Follows comments and literals of C, in which nothing is a marker.
class Commented {
 public:
  bool in_comment() const { return in_comment_; }

  void pass(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view rest = line.substr(i);
      if (in_comment_) {
        in_comment_ = !rest.starts_with("*/");
        i += in_comment_ ? 0U : 1U;
      } else if (rest.starts_with("//")) {
        return;
      } else if (rest.starts_with("/*")) {
        in_comment_ = true;
        ++i;
      } else if (line[i] == '"' || line[i] == '\'') {
        i = end_of_literal(line, i);
      }
    }
  }

 private:
  /// Of the closing quote; a literal that is not closed in its line is none.
  static std::size_t end_of_literal(std::string_view line, std::size_t begin) {
    for (std::size_t i = begin + 1; i < line.size(); ++i) {
      if (line[i] == line[begin]) {
        return i;
      }
      i += line[i] == '\\' ? 1U : 0U;
    }
    return begin;
  }

  bool in_comment_ = false;
};

}  // namespace

std::string line_marker(const Origin& origin, MarkerKind kind) {
  std::string name;
  for (const char c : printable(origin.file)) {
    name += c == '"' || c == '\\' ? "\\" : "";
    name += c;
  }
  const std::string_view flag = kind == MarkerKind::Enters ? " 1" : kind == MarkerKind::Returns ? " 2" : "";
  return "# " + std::to_string(origin.line) + " \"" + name + "\"" + std::string(flag);
}

LineOrigins::LineOrigins(const SourceFile& source) : source_(source), runs_{{1, {source.name(), 1}, 0}} {
  if (!source.text().starts_with("# ") && source.text().find("\n# ") == std::string::npos) {
    return;
  }
  Commented commented;
  std::vector<std::uint32_t> openers;
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    const std::string_view text = source.line_text(line);
    if (!commented.in_comment() && may_be_marker(text)) {
      read_marker(text, line, openers);
    } else {
      commented.pass(text);
    }
  }
}

void LineOrigins::read_marker(std::string_view marker, std::uint32_t line, std::vector<std::uint32_t>& openers) {
  Run run{line + 1, {}, 0};
  const auto [end, problem] = std::from_chars(marker.data() + 2, marker.data() + marker.size(), run.origin.line);
  std::string_view rest = marker.substr(static_cast<std::size_t>(end - marker.data()));
  if (problem != std::errc() || !rest.starts_with(" \"")) {
    return;
  }
  std::size_t at = 2;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    at += rest[at] == '\\' && at + 1 < rest.size() ? 1U : 0U;
    run.origin.file += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  if (rest.starts_with(" 1")) {
    openers.push_back(line);
  } else if (rest.starts_with(" 2") && !openers.empty()) {
    openers.pop_back();
  }
  run.opener = openers.empty() ? 0 : openers.back();
  runs_.push_back(std::move(run));
}

const LineOrigins::Run& LineOrigins::run_of(std::uint32_t line) const {
  const auto behind = std::ranges::upper_bound(runs_, line, {}, &Run::begin);
  return behind == runs_.begin() ? *behind : *std::prev(behind);
}

Origin LineOrigins::of(std::uint32_t line) const {
  const Run& run = run_of(line);
  const std::uint64_t there = std::uint64_t{run.origin.line} + line - std::min(line, run.begin);
  return {run.origin.file, static_cast<std::uint32_t>(std::min<std::uint64_t>(there, std::numeric_limits<std::uint32_t>::max()))};
}

std::vector<std::uint32_t> LineOrigins::included_at(std::uint32_t line) const {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t opener = run_of(line).opener; opener != 0; opener = run_of(opener).opener) {
    lines.push_back(opener);
  }
  return lines;
}

std::string LineOrigins::name(std::uint32_t line) const {
  const Origin origin = of(line);
  return origin.file == source_.name() ? std::to_string(origin.line) : printable(origin.file) + ":" + std::to_string(origin.line);
}

std::string LineOrigins::file_and_line(std::uint32_t line) const {
  const Origin origin = of(line);
  return printable(origin.file) + ":" + std::to_string(origin.line);
}

std::string LineOrigins::place_name(std::uint32_t offset) const {
  const LineColumn place = source_.place(offset);
  return file_and_line(place.line) + ":" + std::to_string(place.column);
}

std::optional<std::uint32_t> LineOrigins::line_of(const Origin& origin) const {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const std::uint32_t end = i + 1 < runs_.size() ? runs_[i + 1].begin - 1 : source_.line_count() + 1;  // the next marker's line
    if (run.origin.file == origin.file && origin.line >= run.origin.line && origin.line - run.origin.line < end - run.begin) {
      return run.begin + (origin.line - run.origin.line);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> LineOrigins::line_named(std::string_view name) const {
  const std::size_t colon = name.rfind(':');
  const std::string_view number = name.substr(colon == std::string_view::npos ? 0 : colon + 1);
  const std::string_view file = name.substr(0, colon == std::string_view::npos ? 0 : colon);
  std::uint32_t line = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), line);
  if (problem != std::errc() || end != number.data() + number.size()) {
    return std::nullopt;
  }
  if (colon == std::string_view::npos) {
    return line_of({source_.name(), line});
  }
  for (const Run& run : runs_) {
    const std::string& whole = run.origin.file;
    const bool is_end = whole.ends_with(file) && (whole.size() == file.size() || whole[whole.size() - file.size() - 1] == '/');
    if (const auto found = is_end ? line_of({whole, line}) : std::nullopt) {
      return found;
    }
  }
  return std::nullopt;
}

Origin origin_of(const SourceFile& source, SourceSpan span) { return LineOrigins(source).of(source.place(span.begin).line); }

std::string file_and_line(const SourceFile& source, SourceSpan span) {
  return LineOrigins(source).file_and_line(source.place(span.begin).line);
}

std::string place_name(const SourceFile& source, SourceSpan span) { return LineOrigins(source).place_name(span.begin); }

}  // namespace lockstep
