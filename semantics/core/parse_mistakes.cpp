#include "semantics/core/parse_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "semantics/base/nearest.hpp"

namespace lockstep::core {
namespace {

using Message = std::optional<std::string>;

bool is_name(const Token& token) {
  return token.kind == TokenKind::Identifier && (token.word.kind() == WordKind::None || token.word.kind() == WordKind::Contextual);
}

bool expects(const Stuck& stuck, std::string_view word) { return stuck.expected.find(word) != std::string_view::npos; }
bool expects_statement(const Stuck& stuck) { return stuck.expected.starts_with("a statement"); }
bool at_file_scope(const Stuck& stuck) { return stuck.expected.starts_with("a function or"); }

/// The token `back` places before the one where the grammar is stuck; the end of the program stands for what is not there.
const Token& before(const Stuck& stuck, std::ptrdiff_t back = 1) {
  static const Token none;
  return stuck.at - stuck.begin < back ? none : *(stuck.at - back);
}

/// The access qualifiers of OpenCL's images.
bool is_image_access(std::string_view text) {
  text = text.substr(text.starts_with("__") ? 2 : 0);
  return text == "read_only" || text == "write_only" || text == "read_write";
}

/// "; did you mean 'uint'?": C's types of fixed width are others' names for OpenCL's.
std::string fixed_width_hint(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr std::array<std::array<std::string_view, 2>, 8> widths = {{{"int8_t", "char"},
                                                                      {"uint8_t", "uchar"},
                                                                      {"int16_t", "short"},
                                                                      {"uint16_t", "ushort"},
                                                                      {"int32_t", "int"},
                                                                      {"uint32_t", "uint"},
                                                                      {"int64_t", "long"},
                                                                      {"uint64_t", "ulong"}}};
  for (const auto& [theirs, ours] : widths) {
    if (name == theirs) {
      return "; OpenCL's name for it is " + quoted(ours);
    }
  }
  return suggestion(name, candidates);
}

/// A token that stands nowhere in a kernel.
Message explain_token(const Stuck& stuck) {
  const Token& token = *stuck.at;
  if (token.word.kind() == WordKind::Refused) {
    return refusal(token.word, token.text);
  }
  if (token.kind == TokenKind::Pragma || token.kind == TokenKind::Unroll) {
    return "this pragma can stand outside of functions and between the statements of a block, not inside a statement";
  }
  if (token.word == "#"_w || token.word == "##"_w) {
    return "a directive must be the first in its line";
  }
  if (token.word == "..."_w && expects(stuck, "after the constant of 'case'")) {
    return "there are no ranges of labels; write a 'case' for each value";
  }
  if (token.word == "..."_w) {
    return "there are no functions with '...'; give the function as many parameters as it needs";
  }
  if (token.kind != TokenKind::Bad) {
    return std::nullopt;
  }
  if (token.text == "'" || token.text == "\"") {
    return "the closing " + std::string(token.text) + " is missing in this line";
  }
  const auto byte = static_cast<unsigned char>(token.text.front());
  if (byte < 0x20 || byte == 0x7f) {
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%02x", static_cast<unsigned>(byte));
    return "unexpected character " + std::string(hex.data());
  }
  return "unexpected character " + quoted(token.text);
}

/// A declaration that lacks its type, or has parentheses in the wrong place.
Message explain_declaration(const Stuck& stuck) {
  const Token& token = *stuck.at;
  const bool is_parameter = expects(stuck, "a parameter");
  if (at_file_scope(stuck) && is_name(token)) {
    const Word next = token.kind == TokenKind::End ? Word{} : stuck.at[1].word;
    return next == "("_w || next == "="_w || next == ";"_w || next == "["_w
               ? quoted(token.text) + " needs a type in front of it; there is no implicit 'int'"
               : unknown_type(token);
  }
  if (is_parameter && is_name(token) && is_image_access(token.text)) {
    return "there are no images, which '" + std::string(token.text) + "' belongs to; kernels work on scalars, arrays and buffers";
  }
  if (is_parameter && is_name(token)) {
    return is_name(stuck.at[1]) || stuck.at[1].word == "*"_w ? unknown_type(token)
                                                             : "the parameter " + quoted(token.text) + " needs a type";
  }
  if (stuck.expected == "a name" && token.word == "("_w) {
    return "there are no function pointers, and no parentheses around a declared name";
  }
  if ((stuck.expected == "a name" || expects(stuck, "')' after the parameter")) && token.word.kind() != WordKind::None &&
      token.word.kind() != WordKind::Sign) {
    return quoted(token.text) + " is a word of the language and cannot be a name";
  }
  if (expects(stuck, "')' after the parameter") && token.word == "("_w) {
    return "there are no pointers to arrays or functions as parameters; an array is 'int a[][4]'";
  }
  if (expects(stuck, "';' or the body of the function") && token.word.kind() == WordKind::Type) {
    return "parameters are declared between the parentheses, with their types";
  }
  if (expects(stuck, "';' after the declaration") && token.word == "("_w && is_name(before(stuck))) {
    const Word next = stuck.at[1].word;
    const bool is_function = next == ")"_w || next.kind() == WordKind::Type || next.kind() == WordKind::Qualifier;
    if (is_function && stuck.innermost_open == nullptr) {
      return "a function needs a declaration of its own";
    }
    return is_function ? "a function cannot stand inside another one; is a '}' missing above?" : "a variable gets its first value with '='";
  }
  return std::nullopt;
}

Message explain_statement(const Stuck& stuck) {
  const Token& token = *stuck.at;
  if (at_file_scope(stuck) && token.word == "}"_w) {
    return "there is no '{' that this '}' could close";
  }
  if (at_file_scope(stuck) && (token.word.kind() == WordKind::Statement || token.word == "{"_w)) {
    return "a statement can only stand in a function; is there a '}' too many above?";
  }
  if (expects_statement(stuck) && token.word == "else"_w) {
    return "there is no 'if' that this 'else' could belong to";
  }
  if (stuck.expected == "a statement" && (token.word == "case"_w || token.word == "default"_w)) {
    return quoted(token.text) + " must stand directly in the block of a 'switch'";
  }
  if (stuck.expected == "a statement" && (token.word.kind() == WordKind::Type || token.word.kind() == WordKind::Qualifier)) {
    return "a declaration needs a block here: put it in '{' and '}'";
  }
  if (expects(stuck, "';' after the expression") && token.word == ":"_w && is_name(before(stuck))) {
    return "there are no labels, as there is no 'goto'";
  }
  return std::nullopt;
}

Message explain_expression(const Stuck& stuck) {
  const Token& token = *stuck.at;
  const Token& previous = before(stuck);
  if (token.word == "("_w && (previous.word == ")"_w || previous.word == "]"_w) && expects(stuck, " after the ")) {
    return "only the name of a function can stand before '('";
  }
  if (stuck.expected == "an expression" && token.word == "{"_w) {
    return "a list of values can only initialise a variable; with its type in front, as in (struct S){1, 2}, it is one";
  }
  if ((stuck.expected == "an expression" || stuck.expected == "'('") && previous.kind != TokenKind::End) {
    return "expected " + std::string(stuck.expected) + " after " + quoted(previous.text);
  }
  return std::nullopt;
}

/// Where two names begin a statement, the first one was meant to be a type.
bool is_unknown_type(const Stuck& stuck) {
  constexpr std::array starts = {";"_w, "{"_w, "}"_w, ")"_w};
  return expects(stuck, "';' after the expression") && is_name(*stuck.at) && is_name(before(stuck)) &&
         std::ranges::find(starts, before(stuck, 2).word) != starts.end();
}

/// A missing piece is shown where it belongs: behind what stands before it.
SourceSpan place(const Stuck& stuck) {
  const Token& previous = before(stuck);
  const bool closes = stuck.expected.starts_with("'") && stuck.at->starts_line;
  const bool behind = stuck.at->kind == TokenKind::End || stuck.expected.starts_with("';'") || closes;
  return behind && previous.kind != TokenKind::End ? SourceSpan{previous.span.end, previous.span.end} : stuck.at->span;
}

bool closes_bracket(const Stuck& stuck) {
  return stuck.innermost_open != nullptr && (expects(stuck, "')'") || expects(stuck, "']'") || expects(stuck, "'}'"));
}

}  // namespace

std::string unknown_type(const Token& name) {
  std::vector<std::string_view> candidates;
  for (const WordInfo& row : word_table) {
    if (row.kind == WordKind::Type || row.kind == WordKind::Qualifier) {
      candidates.push_back(row.text);
    }
  }
  return "unknown type name " + quoted(name.text) + fixed_width_hint(name.text, candidates);
}

Diagnostic explain(const Stuck& stuck) {
  if (is_unknown_type(stuck)) {
    return {Severity::Error, before(stuck).span, unknown_type(before(stuck)), {}};
  }
  Message message = explain_token(stuck);
  for (const auto& explanation : {explain_declaration, explain_statement, explain_expression}) {
    message = message ? message : explanation(stuck);
  }
  const bool at_end = stuck.at->kind == TokenKind::End;
  Diagnostic error{Severity::Error, message && !at_end ? stuck.at->span : place(stuck), {}, {}};
  if (message) {
    error.message = *message;
  } else if (expects_statement(stuck) && at_end) {
    error.message = "expected '}' at the end of the file";
  } else {
    error.message = "expected " + std::string(stuck.expected) + (at_end ? " at the end of the file" : "");
  }
  const bool in_function = message && message->starts_with("a function cannot stand");
  if (in_function || (!message && closes_bracket(stuck))) {
    const Token& open = *stuck.innermost_open;
    error.notes.push_back({Severity::Note, open.span, in_function ? "the block begins here" : "the " + quoted(open.text) + " is here", {}});
  }
  const Token& cause = error.message.starts_with("expected an expression after") ? before(stuck) : *stuck.at;
  if (cause.from_macro && cause.defined != SourceSpan{}) {
    error.notes.push_back({Severity::Note, cause.defined, "it comes from this macro", {}});
  }
  return error;
}

}  // namespace lockstep::core
