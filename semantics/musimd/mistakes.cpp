#include "semantics/musimd/mistakes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep::musimd {
namespace {

constexpr std::array<std::string_view, 8> plain_instructions = {"bz",   "jmp",        "jmp_mask",       "sync",
                                                                "stop", "everywhere", "end_everywhere", "st"};
constexpr std::array<std::string_view, 2> value_instructions = {"ld", "shfl"};
constexpr std::array<std::string_view, 3> expression_words = {"tid", "min", "max"};
constexpr std::array<std::string_view, 2> directives = {"threads", "shared"};

// Signs that other languages use for an assignment, longer ones first.
constexpr std::array<std::string_view, 17> foreign_assignments = {
    "===", "<<=", ">>=", "==", "=>", ":=", "<-", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<="};

bool contains(std::span<const std::string_view> words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) {
    ++at;
  }
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word_char(text[end])) {
    ++end;
  }
  return text.substr(at, end - at);
}

bool is_name(std::string_view word) { return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0; }

/// The end of the word, arrow, character or byte that stands at `at`.
std::size_t token_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return text.size();
  }
  if (is_word_char(text[at])) {
    return at + word_at(text, at).size();
  }
  return character_end(text, at);
}

/// A character that stands nowhere in the language.
std::optional<Explanation> explain_character(const RefusedLine& line) {
  constexpr std::string_view punctuation = "+-*/%<>=!&|^~?:(),.";
  if (line.where >= line.text.size()) {
    return std::nullopt;
  }
  const std::size_t end = token_end(line.text, line.where);
  const std::string_view token = line.text.substr(line.where, end - line.where);
  if (is_word_char(token.front()) || punctuation.find(token.front()) != std::string_view::npos || token == "↓" || token == "↑") {
    return std::nullopt;
  }
  std::string shown = quoted(token);
  const auto byte = static_cast<unsigned char>(token.front());
  if (byte < 0x20 || byte == 0x7f) {
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%02x", static_cast<unsigned>(byte));
    shown = hex.data();
  }
  return Explanation{line.where, end, "unexpected character " + shown + "; expected " + line.expected};
}

/// Another language's assignment sign in place of '='.
std::optional<Explanation> explain_assignment(const RefusedLine& line) {
  std::size_t begin = line.where;
  if (line.expected.ends_with("after '='") && begin > 0 && line.text[begin - 1] == '=') {
    --begin;  // the grammar has read the first character of "==" or "=>"
  } else if (line.expected == "'=' and a value") {
    const std::size_t equality = line.text.find("==", line.statement);
    begin = equality == std::string_view::npos ? begin : equality;
  } else if (!line.expected.starts_with("'='")) {
    return std::nullopt;
  }
  return foreign_assignment(line, begin, foreign_assignments);
}

std::optional<Explanation> explain_directive(const RefusedLine& line) {
  if (line.statement >= line.text.size() || line.text[line.statement] != '.') {
    return std::nullopt;
  }
  if (line.text.substr(line.statement).starts_with("..")) {
    return Explanation{line.statement, line.statement + 2, "there is no '.shared' directive that '..' could continue"};
  }
  const std::string_view word = word_at(line.text, skip_blanks(line.text, line.statement + 1));
  const auto end = static_cast<std::size_t>(word.data() - line.text.data()) + word.size();
  if (!contains(directives, word)) {
    const std::optional<std::string_view> near = nearest(word, directives);
    const std::string hint = near ? "; did you mean '." + std::string(*near) + "'?" : "; there are '.threads' and '.shared'";
    return Explanation{line.statement, end, "unknown directive '." + shortened(word) + "'" + hint};
  }
  if (line.where == line.statement) {
    return Explanation{line.statement, end, "a directive stands on a line of its own, without a label"};
  }
  return std::nullopt;
}

/// A word at the start of the instruction that does not begin an instruction.
std::optional<Explanation> explain_word(const RefusedLine& line) {
  const std::string_view word = word_at(line.text, line.statement);
  const std::size_t end = line.statement + word.size();
  const std::size_t next = skip_blanks(line.text, end);
  const std::string_view rest = line.text.substr(next);
  if (line.text.substr(line.statement).starts_with("↓")) {
    return Explanation{line.statement, line.statement + 3, "'↓' needs a variable to load into, as in 'v = ↓ e'"};
  }
  if (!is_name(word)) {
    return std::nullopt;
  }
  if (is_reserved(word) && rest.starts_with('=') && !rest.starts_with("==")) {
    return Explanation{line.statement, end, reserved_message(word, "variable")};
  }
  if (word == "ld") {
    return Explanation{line.statement, end, "'ld' needs a variable to load into, as in 'v = ld e'"};
  }
  if (word == "shfl") {
    return Explanation{line.statement, end, "'shfl' needs a variable for its result, as in 'v = shfl(v1, e)'"};
  }
  if (contains(expression_words, word)) {
    return Explanation{line.statement, end, quoted(word) + " is a part of expressions and cannot begin an instruction"};
  }
  if (contains(plain_instructions, word) || line.where != next || !line.expected.starts_with("'='")) {
    return std::nullopt;
  }
  if (word == "bnz") {
    return Explanation{line.statement, end, "unknown instruction 'bnz': μ-SIMD has only 'bz'; negate the condition, as in 'bz !(e), L'"};
  }
  const std::string_view following = word_at(line.text, next);
  if (!is_name(following) && !rest.empty() && !is_word_char(rest.front()) && rest.front() != '(') {
    return std::nullopt;
  }
  if (contains(plain_instructions, following)) {
    return Explanation{end, end, "expected ':' after the label " + quoted(word), word};
  }
  return Explanation{line.statement, end, "unknown instruction " + quoted(word) + suggestion(word, plain_instructions)};
}

/// What explains the refusal, behind the plain message.
std::string hint(const RefusedLine& line) {
  std::string general = operator_hint(line);
  if (!general.empty() || line.where >= line.text.size()) {
    return general;
  }
  const char c = line.text[line.where];
  if (c == '.' && line.where > 0 && std::isdigit(static_cast<unsigned char>(line.text[line.where - 1])) != 0) {
    return "; numbers are integers";
  }
  if (line.expected == "an instruction" && line.text.find(':', line.where) != std::string_view::npos) {
    return "; a label begins with a letter or '_'";
  }
  if (c == ',' && line.expected.starts_with("an integer")) {
    return "; values are separated by blanks";
  }
  return "";
}

}  // namespace

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_reserved(std::string_view word) {
  return contains(plain_instructions, word) || contains(value_instructions, word) || contains(expression_words, word);
}

std::string reserved_message(std::string_view word, std::string_view what) {
  if (word == "tid" && what == "variable") {
    return "tid cannot be assigned";
  }
  return quoted(word) + " is a reserved word and cannot name a " + std::string(what);
}

Explanation explain(const RefusedLine& line) {
  for (const auto& explanation : {explain_directive(line), explain_assignment(line), explain_word(line), explain_character(line)}) {
    if (explanation) {
      return *explanation;
    }
  }
  return plain_explanation(line, token_end(line.text, line.where), hint(line));
}

}  // namespace lockstep::musimd
