#include "semantics/core/preprocess_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "semantics/base/files.hpp"
#include "semantics/base/program_text.hpp"

namespace lockstep::core {
namespace {

namespace fs = std::filesystem;

/// A file's name wherever it is included from.
std::string identity_of(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  return ignored ? path : whole.string();
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// Where the file is among those that include one another here, from there to its next time: "a.h includes b.h includes a.h"; else empty.
std::string circle(const std::vector<std::string>& open, const std::string& path) {
  constexpr std::size_t most_shown = 6;
  const auto is_it = [it = identity_of(path)](const std::string& other) { return identity_of(other) == it; };
  auto first = std::ranges::find_if(open, is_it);
  if (first == open.end()) {
    return "";
  }
  const auto again = std::find_if(first + 1, open.end(), is_it);
  std::string text;
  for (std::size_t shown = 0; first != again && shown < most_shown; ++first, ++shown) {
    text += shortened(*first) + " includes ";
  }
  return text + (first == again ? shortened(path) : "others");
}

}  // namespace

TextParts::TextParts(const SourceFile& main, std::optional<std::vector<std::string>> directories) : directories_(std::move(directories)) {
  parts_.push_back({main});
}

/// The path of the file that is asked for.
std::string TextParts::found(const AskedFile& asked, const TextPart& from) const {
  if (!directories_) {
    refuse(asked.directive,
           "the text of " + lockstep::quoted(asked.name) + " was not put in: a program does that with include_files, the command with -I");
  }
  if (asked.name.empty() || asked.name.find('\0') != std::string::npos) {
    refuse(asked.directive, "#include needs the name of a file: \"file.h\", or <file.h>");
  }
  const fs::path name(asked.name);
  std::vector<fs::path> places;
  if (!asked.in_directories) {
    places.push_back(fs::path(from.source.name()).parent_path() / name);
  }
  for (const std::string& directory : *directories_) {
    places.push_back(fs::path(directory) / name);
  }
  if (const auto place = std::ranges::find_if(places, is_file); place != places.end()) {
    return place->string();
  }
  const std::string beside =
      asked.in_directories ? "" : "beside " + shortened(from.source.name()) + (directories_->empty() ? "" : ", nor ");
  const std::string there = directories_->empty() ? (asked.in_directories ? "in a directory: -I names none" : "") : "where -I says";
  refuse(asked.directive, "there is no file " + lockstep::quoted(asked.name) + " " + beside + there +
                              "; further places are named by -I DIRECTORY, and OpenCL's own functions need no header");
}

const TextPart* TextParts::include(const AskedFile& asked, const TextPart& from, const std::vector<std::string>& open) {
  TextPart& including = *std::ranges::find_if(parts_, [&](const TextPart& part) { return &part == &from; });
  const std::string path = found(asked, from);
  if (once_.contains(identity_of(path))) {
    including.directives.push_back({asked.directive, nullptr});
    return nullptr;
  }
  if (open.size() > max_inclusion_depth) {
    const std::string way = circle(open, path);
    refuse(asked.directive, !way.empty()
                                ? "the files include one another without an end: " + way + "; `#pragma once` in the first line ends that"
                                : "files are included too deeply: at most " + std::to_string(max_inclusion_depth) + " levels are allowed");
  }
  if (parts_.size() > max_inclusions) {
    refuse(asked.directive, "too many files are included: at most " + std::to_string(max_inclusions) + " times");
  }
  const std::size_t base = parts_.back().base + parts_.back().source.text().size() + 1;
  auto text = read_file(path, max_text - std::min(max_text, base));
  if (!text) {
    refuse(asked.directive, "the file cannot be included: " + printable(text.error()));
  }
  const SourceFile& source = files_.emplace_back(path, std::move(*text));
  if (const auto problem = unreadable(source)) {
    refuse(asked.directive, "the file " + lockstep::quoted(path) + " cannot be included: " + problem->message);
  }
  const TextPart& part = parts_.emplace_back(TextPart{source, static_cast<std::uint32_t>(base)});
  including.directives.push_back({asked.directive, &part});
  return &part;
}

void TextParts::only_once(const TextPart& part) { once_.insert(identity_of(part.source.name())); }

const TextPart& TextParts::part_of(std::uint32_t offset) const {
  return *std::prev(std::ranges::upper_bound(parts_, offset, {}, &TextPart::base));
}

Origin TextParts::origin(std::uint32_t offset) const {
  const TextPart& part = part_of(offset);
  return part.origins.of(part.source.place(offset - part.base).line);
}

std::string_view TextParts::text(SourceSpan span) const {
  const TextPart& part = part_of(span.begin);
  const std::string_view whole = part.source.text();
  const std::size_t begin = std::min<std::size_t>(span.begin - part.base, whole.size());
  return whole.substr(begin, span.end > span.begin ? span.end - span.begin : 0);
}

/// The part with a marker and a text for each of its directives.
void TextParts::put(const TextPart& part, std::string& whole, std::vector<Piece>& pieces) const {
  const std::string_view text = part.source.text();
  const auto copy = [&](std::size_t begin, std::size_t end) {
    pieces.push_back({part.base + static_cast<std::uint32_t>(begin), part.base + static_cast<std::uint32_t>(end), whole.size()});
    whole += text.substr(begin, end - begin);
  };
  std::size_t at = &part != &main() && text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (const TextPart::Directive& directive : part.directives) {
    const std::size_t begin = directive.span.begin - part.base;
    const std::size_t end = directive.span.end - part.base;
    copy(at, begin);
    at = end;
    if (directive.text == nullptr) {
      whole.append(static_cast<std::size_t>(std::ranges::count(text.substr(begin, end - begin), '\n')), '\n');
      continue;
    }
    whole.erase(whole.find_last_not_of(" \t") + 1);
    const auto line = [&](std::size_t byte) { return part.origins.of(part.source.place(static_cast<std::uint32_t>(byte)).line); };
    if (!whole.empty() && !whole.ends_with('\n')) {  // a comment
      whole += "\n" + line_marker(line(begin), MarkerKind::Goes) + "\n";
    }
    whole += line_marker({directive.text->source.name(), 1}, MarkerKind::Enters) + "\n";
    put(*directive.text, whole, pieces);
    // A backslash at the end would join the marker to its line.
    whole += whole.ends_with('\n') ? "" : "\n";
    whole += whole.ends_with("\\\n") || whole.ends_with("\\\r\n") ? "\n" : "";
    whole += line_marker(line(end), MarkerKind::Returns) + "\n";
  }
  copy(at, text.size());
}

Inclusion TextParts::put_together(std::optional<Diagnostic> error) const {
  std::string whole;
  std::vector<Piece> pieces;
  put(main(), whole, pieces);
  std::ranges::sort(pieces, {}, &Piece::begin);
  const auto moved = [&](std::uint32_t offset) {
    const auto behind = std::ranges::upper_bound(pieces, offset, {}, &Piece::begin);
    const Piece& piece = behind == pieces.begin() ? pieces.front() : *std::prev(behind);
    return static_cast<std::uint32_t>(piece.at + std::min(offset, piece.end) - std::min(offset, piece.begin));
  };
  const auto move = [&](auto& self, Diagnostic& diagnostic) -> void {
    const std::uint32_t length = diagnostic.span.end - diagnostic.span.begin;
    diagnostic.span.begin = moved(diagnostic.span.begin);
    diagnostic.span.end = diagnostic.span.begin + length;
    for (Diagnostic& note : diagnostic.notes) {
      self(self, note);
    }
  };
  Inclusion result;
  if (error) {
    move(move, *error);
    result.errors.push_back(std::move(*error));
  }
  if (whole.size() > max_text) {
    result.errors = {{Severity::Error, {}, "the text is too long with all that it includes: at most 64 MiB can be read", {}}};
  }
  result.source = std::make_shared<const SourceFile>(main().source.name(), std::move(whole));
  return result;
}

}  // namespace lockstep::core
