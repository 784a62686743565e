#include "tools/source_kind.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "semantics/typed/parse.hpp"
#include "semantics/ve/object.hpp"
#include "tools/words.hpp"

namespace lockstep::tools {

namespace {

/// Whether a line is a comment of μ-SIMD, and nothing in the kernel language that matters here: macros may hide braces and `void`.
bool is_mus_comment(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.starts_with(';') || (line.starts_with('#') && !has_word(line, "define"));
}

/// The text without the comments of both languages.
std::string without_comments(std::string_view text) {
  std::string code;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (is_mus_comment(line)) {
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      continue;
    }
    const auto comment = std::min({line.find("//"), line.find("/*"), line.size()});
    code.append(text.substr(0, comment)).push_back('\n');
    text.remove_prefix(comment);
    const auto end = text.starts_with("/*") ? text.find("*/", 2) : text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (text.starts_with("/*") ? 2 : 1));
  }
  return code;
}

bool looks_like_kernels(std::string_view text) {
  const std::string code = without_comments(text);
  return code.find('{') != std::string::npos && has_word(code, "void");
}

}  // namespace

bool is_ptx_text(const SourceFile& source) {
  if (source.name().ends_with(".ptx")) {
    return true;
  }
  const std::string code = without_comments(source.text());
  return std::string_view(code).substr(std::min(code.find_first_not_of(" \t\r\n"), code.size())).starts_with(".version");
}

std::optional<std::string> not_for_objects(const SourceFile& source) {
  return ve::looks_like_object(source.text())
             ? std::optional(source.name() + ": is an object file; `lockstep run` and `lockstep step` take it, and nothing else does")
             : std::nullopt;
}

SourceKind kind_of(const SourceFile& source) {
  const std::string_view name = source.name();
  const std::string_view text = source.text();
  if (name.ends_with(".cl")) {
    return SourceKind::Kernels;
  }
  if (typed::looks_typed(text)) {
    return SourceKind::Typed;
  }
  return !name.ends_with(".mus") && looks_like_kernels(text) ? SourceKind::Kernels : SourceKind::Untyped;
}

}  // namespace lockstep::tools
