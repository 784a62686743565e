#include "semantics/base/program_text.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "semantics/base/utf8.hpp"

namespace lockstep {
namespace {

constexpr std::string_view blanks = " \t\r";

/// The line without its comment and the blanks around it.
std::string_view content(std::string_view line) {
  line = line.substr(0, std::min({line.find(';'), line.find('#'), line.find("//")}));
  const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
  const std::size_t last = line.find_last_not_of(blanks);
  return line.substr(begin, last == std::string_view::npos ? 0 : last + 1 - begin);
}

}  // namespace

std::optional<Diagnostic> unreadable(const SourceFile& source) {
  if (source.text().size() > max_text) {
    return Diagnostic{Severity::Error, {}, "the text is too long: at most 64 MiB can be read", {}};
  }
  if (const auto bad = first_bad_byte(source.text())) {
    const auto at = static_cast<std::uint32_t>(*bad);
    return Diagnostic{Severity::Error, {at, at + 1}, "not a text file: there is a NUL byte or invalid UTF-8 here", {}};
  }
  return std::nullopt;
}

Diagnostics limited(Diagnostics errors) {
  std::ranges::sort(errors, {}, [](const Diagnostic& error) { return std::tie(error.span, error.message); });
  if (errors.size() > max_errors) {
    const SourceSpan next = errors[max_errors].span;
    errors.resize(max_errors);
    errors.push_back({Severity::Note, next, "there are more errors from here on", {}});
  }
  return errors;
}

Diagnostics first_one(SourceSpan span) { return {{Severity::Note, span, "the first one is here", {}}}; }

void refuse(SourceSpan where, std::string message, Diagnostics notes) {
  throw Refused{{Severity::Error, where, std::move(message), std::move(notes)}};
}

TextLines::TextLines(std::string_view text) : text_(text), rest_(text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0)) {}

bool TextLines::next() {
  statement_ = 0;
  do {
    const std::string_view whole = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(whole.size() + 1, rest_.size()));
    line_ = content(whole);
  } while (line_.empty() && !rest_.empty());
  return !line_.empty();
}

void TextLines::pass_label(std::string_view word) {
  const std::size_t colon = line_.find(':', static_cast<std::size_t>(word.data() - line_.data()));
  statement_ = std::min(line_.find_first_not_of(" \t", colon + 1), line_.size());
}

SourceSpan TextLines::end() const { return {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text_.size())}; }

SourceSpan TextLines::span(std::string_view part) const {
  const auto begin = static_cast<std::uint32_t>(part.data() - text_.data());
  return {begin, begin + static_cast<std::uint32_t>(part.size())};
}

}  // namespace lockstep
