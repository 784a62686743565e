#include "tools/source_kind.hpp"

#include <cctype>
#include <string_view>

#include "semantics/typed/parse.hpp"

namespace lockstep::tools {

namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether `word` stands somewhere in `text` as a word of its own.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

SourceKind kind_of(const SourceFile& source) {
  const std::string_view name = source.name();
  const std::string_view text = source.text();
  const bool braces = text.find('{') != std::string_view::npos;
  if (name.ends_with(".cl") || (!name.ends_with(".mus") && braces && has_word(text, "void"))) {
    return SourceKind::Kernels;
  }
  return typed::looks_typed(text) ? SourceKind::Typed : SourceKind::Untyped;
}

}  // namespace lockstep::tools
