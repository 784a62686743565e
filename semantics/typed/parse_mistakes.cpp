#include "semantics/typed/parse_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

constexpr std::array<std::string_view, 12> first_words = {"bz", "jmp",  "jmp_mask", "sync",           "stop",    "everywhere",
                                                          "st", "call", "ret",      "end_everywhere", "barrier", "forget"};
constexpr std::array<std::string_view, 8> directives = {"typed", "wg_size", "local", "constant", "kernel", "function", "var", "temp"};
constexpr std::array<std::string_view, 8> value_words = {"ld",         "shfl",          "shfl.active", "any.active",
                                                         "all.active", "ballot.active", "any.group",   "all.group"};

// Signs that other languages use for an assignment, longer ones first.
constexpr std::array<std::string_view, 15> foreign_assignments = {
    "<<=", ">>=", "==", "=>", ":=", "<-", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word_char(text[end])) {
    ++end;
  }
  return text.substr(at, end - at);
}

/// The end of the word or character that stands at `at`; a character may have several bytes.
std::size_t token_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return text.size();
  }
  if (is_word_char(text[at])) {
    return at + word_at(text, at).size();
  }
  return character_end(text, at);
}

std::optional<Explanation> explain_character(const RefusedLine& line) {
  constexpr std::string_view punctuation = "+-*/%<>=!&|^~?:(),.[]@$";
  if (line.where >= line.text.size() || is_word_char(line.text[line.where]) ||
      punctuation.find(line.text[line.where]) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t end = token_end(line.text, line.where);
  return Explanation{line.where, end,
                     "unexpected character " + quoted(line.text.substr(line.where, end - line.where)) + "; expected " + line.expected};
}

std::optional<Explanation> explain_directive(const RefusedLine& line) {
  if (line.statement >= line.text.size() || line.text[line.statement] != '.') {
    return std::nullopt;
  }
  if (line.text.substr(line.statement).starts_with("..")) {
    return Explanation{line.statement, line.statement + 2, "there is no '.constant' directive that '..' could continue"};
  }
  const std::string_view word = word_at(line.text, line.statement + 1);
  if (!contains(directives, word)) {
    const std::optional<std::string_view> meant = nearest(word, directives);
    const std::string near = meant ? "; did you mean '." + std::string(*meant) + "'?" : "";
    return Explanation{line.statement, line.statement + 1 + word.size(), "unknown directive " + quoted("." + std::string(word)) + near};
  }
  if (line.where == line.statement) {
    return Explanation{line.statement, line.statement + 1 + word.size(), "a directive stands on a line of its own, without a label"};
  }
  return std::nullopt;
}

/// Another language's assignment sign in place of '='.
std::optional<Explanation> explain_assignment(const RefusedLine& line) {
  std::size_t begin = line.where;
  if (line.expected.ends_with("after '='") && begin > 0 && line.text[begin - 1] == '=') {
    --begin;  // the grammar has read the first character of "==" or "=>"
  } else if (!line.expected.starts_with("'='")) {
    return std::nullopt;
  }
  return foreign_assignment(line, begin, foreign_assignments);
}

/// A word at the start of the instruction that does not begin one.
std::optional<Explanation> explain_word(const RefusedLine& line) {
  const std::string_view word = word_at(line.text, line.statement);
  const std::size_t end = line.statement + word.size();
  const std::size_t next = std::min(line.text.find_first_not_of(" \t", end), line.text.size());
  if (is_reserved(word) && line.text.substr(next).starts_with('=') && !line.text.substr(next).starts_with("==")) {
    const std::string name(word);
    return Explanation{line.statement, end, "'" + name + "' is a reserved word; a register of this name is written '$" + name + "'"};
  }
  if (!is_name(word) || contains(first_words, word)) {
    return std::nullopt;
  }
  if (contains(value_words, word)) {
    return Explanation{line.statement, end, quoted(word) + " needs a register for its result, as in 'v = " + std::string(word) + " …'"};
  }
  if (line.where != next || !line.expected.starts_with("'='")) {
    return std::nullopt;
  }
  if (next < line.text.size() && !is_word_char(line.text[next]) && line.text[next] != '(') {
    return std::nullopt;
  }
  if (word == "bnz") {
    return Explanation{line.statement, end, "unknown instruction 'bnz': μ-SIMD has only 'bz'; negate the condition, as in 'bz !(e), L'"};
  }
  return Explanation{line.statement, end, "unknown instruction " + quoted(word) + suggestion(word, first_words)};
}

/// What explains the refusal, behind the plain message.
std::string hint(const RefusedLine& line) {
  if (line.where < line.text.size() && line.text[line.where] == '[' && line.expected.starts_with("an operator")) {
    return "; only an array has elements, and memory is read by 'v = ld base[index]'";
  }
  return operator_hint(line);
}

}  // namespace

Explanation explain(const RefusedLine& line) {
  for (const auto& explanation : {explain_directive(line), explain_assignment(line), explain_word(line), explain_character(line)}) {
    if (explanation) {
      return *explanation;
    }
  }
  return plain_explanation(line, token_end(line.text, line.where), hint(line));
}

}  // namespace lockstep::typed
