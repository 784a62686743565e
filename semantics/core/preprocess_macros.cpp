#include "semantics/core/preprocess_macros.hpp"

#include <algorithm>
#include <utility>

#include "semantics/core/preprocess.hpp"
#include "semantics/core/preprocess_lex.hpp"
#include "semantics/core/sema/predefined.hpp"

namespace lockstep::core {
namespace {

/// The name of the parameter that `...` is.
constexpr std::string_view all_others = "__VA_ARGS__";

/// The macros whose text is the place where they stand.
constexpr std::string_view line_here = "__LINE__";
constexpr std::string_view file_here = "__FILE__";

bool is(const Token& token, Word word) { return token.word == word; }

Diagnostics defined_here(SourceSpan span) {
  return span == SourceSpan{} ? Diagnostics{} : Diagnostics{{Severity::Note, span, "it is defined here", {}}};
}

}  // namespace

bool Macros::Macro::operator==(const Macro& other) const {
  const auto same_part = [](const Part& a, const Part& b) {
    return a.token.text == b.token.text && a.is_pasted == b.is_pasted && a.is_quoted == b.is_quoted &&
           a.token.after_space == b.token.after_space;
  };
  return is_function == other.is_function && is_variadic == other.is_variadic && parameters == other.parameters &&
         std::ranges::equal(body, other.body, same_part);
}

std::size_t Macros::read_parameters(std::span<const Token> line, Macro& macro) const {
  macro.is_function = true;
  const Token& open = line[1];
  std::size_t at = 2;
  if (at < line.size() && is(line[at], ")"_w)) {
    return at + 1;
  }
  for (; at < line.size(); ++at) {
    const Token& name = line[at];
    if (is(name, "..."_w)) {
      macro.is_variadic = true;
      macro.parameters.push_back(all_others);
      if (at + 1 < line.size() && is(line[at + 1], ")"_w)) {
        return at + 2;
      }
      refuse(name, "'...' is the last parameter: expected ')' behind it");
    }
    if (name.kind != TokenKind::Identifier) {
      refuse(name, "expected the name of a parameter, not " + quoted(name.text));
    }
    if (name.text == all_others) {
      refuse(name, quoted(all_others) + " stands for the arguments behind '...'; it is no parameter's name");
    }
    if (std::ranges::find(macro.parameters, name.text) != macro.parameters.end()) {
      refuse(name, "the macro has two parameters " + quoted(name.text));
    }
    macro.parameters.push_back(name.text);
    if (++at == line.size()) {
      break;
    }
    if (is(line[at], ")"_w)) {
      return at + 1;
    }
    if (!is(line[at], ","_w)) {
      refuse(line[at], "expected ',' or ')' after the parameter " + quoted(name.text));
    }
  }
  refuse(open, "the parameters of the macro " + quoted(line[0].text) + " have no ')' in this line");
}

void Macros::read_body(std::span<const Token> body, Macro& macro) const {
  bool is_pasted = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    Part part{body[i], std::nullopt, std::exchange(is_pasted, false)};
    if (is(part.token, "##"_w)) {
      if (i == 0 || i + 1 == body.size() || part.is_pasted) {
        refuse(part.token, "'##' needs a token on both sides");
      }
      is_pasted = true;
      continue;
    }
    const auto parameter = [&](std::size_t at) {
      return at < body.size() ? std::ranges::find(macro.parameters, body[at].text) : macro.parameters.end();
    };
    if (is(part.token, "#"_w) && macro.is_function) {
      if (parameter(i + 1) == macro.parameters.end()) {
        refuse(part.token, "'#' needs a parameter of the macro behind it");
      }
      part.is_quoted = true;
      ++i;
      part.token.text = body[i].text;
    }
    const auto found = parameter(i);
    if (found != macro.parameters.end()) {
      part.parameter = static_cast<std::size_t>(found - macro.parameters.begin());
    }
    part.token.starts_line = false;
    if (macro.body.empty()) {
      part.token.after_space = false;
    }
    macro.body.push_back(part);
  }
}

void Macros::define(std::span<const Token> line, SourceSpan directive) {
  if (line.empty()) {
    refuse(directive, "#define needs the name of a macro");
  }
  const Token& name = line[0];
  if (name.kind != TokenKind::Identifier) {
    refuse(name, "a macro's name must be an identifier, not " + quoted(name.text));
  }
  if (name.text == "defined") {
    refuse(name, "'defined' cannot be the name of a macro");
  }
  Macro macro;
  macro.span = name.span;
  std::size_t body = 1;
  if (line.size() > 1 && is(line[1], "("_w) && !line[1].after_space) {
    body = read_parameters(line, macro);
  }
  read_body(line.subspan(body), macro);
  const auto [entry, added] = macros_.try_emplace(name.text, macro);
  if (!added && !(entry->second == macro)) {
    const std::string by_option = entry->second.span == SourceSpan{} ? " (by -D or the language)" : "";
    refuse(
        name,
        "the macro " + quoted(name.text) + " is defined already" + by_option + ", with another text; #undef it first, or ask with #ifndef",
        defined_here(entry->second.span));
  }
}

void Macros::undefine(std::string_view name) {
  macros_.erase(name);
  undefined_.insert(name);
}

bool Macros::is_defined(std::string_view name) const {
  const bool is_ours = name == line_here || name == file_here || sema::predefined(name);
  return macros_.contains(name) || (is_ours && !undefined_.contains(name));
}

void Macros::count(const Token& where) {
  if (++produced_ > max_tokens) {
    refuse(where.span, "the macros produce too much text: more than " + std::to_string(max_tokens) + " tokens");
  }
}

void Macros::count_spelled(std::size_t characters, SourceSpan where) {
  spelled_characters_ += characters;
  if (spelled_characters_ > max_spelled_characters) {
    refuse(where,
           "the macros produce too much text: '#' and '##' make more than " + std::to_string(max_spelled_characters) + " characters of it");
  }
}

Token Macros::read() {
  while (!inputs_.empty()) {
    Input& input = inputs_.back();
    if (input.at < input.tokens.size()) {
      count(input.tokens[input.at]);
      return input.tokens[input.at++];
    }
    if (input.is_fence) {
      return {};
    }
    if (!input.macro.empty()) {
      if (const auto found = macros_.find(input.macro); found != macros_.end()) {
        --found->second.uses_open;
      }
    }
    inputs_.pop_back();
  }
  return source_();
}

Token Macros::next() {
  for (;;) {
    Token token = read();
    if (token.kind != TokenKind::Identifier || token.is_final || is_place(token) || !replace(token)) {
      return token;
    }
  }
}

std::vector<Token> Macros::expand(std::vector<Token> tokens) {
  if (++nesting_ > max_macro_nesting) {
    refuse(tokens.front(), "macros are nested too deeply: at most " + std::to_string(max_macro_nesting) + " levels are allowed");
  }
  inputs_.push_back({.tokens = std::move(tokens), .at = 0, .macro = {}, .is_fence = true});
  std::vector<Token> result;
  for (Token token = next(); token.kind != TokenKind::End; token = next()) {
    result.push_back(token);
  }
  inputs_.pop_back();
  --nesting_;
  return result;
}

/// Makes a number of __LINE__, and a string of __FILE__.
bool Macros::is_place(Token& token) {
  const bool is_line = token.text == line_here;
  if (!is_line && token.text != file_here) {
    return false;
  }
  token.kind = is_line ? TokenKind::Number : TokenKind::String;
  token.text = spelled_.emplace_back(position_(token));
  return true;
}

bool Macros::replace(Token& name) {
  const auto found = macros_.find(name.text);
  if (found == macros_.end()) {
    return false;
  }
  Macro& macro = found->second;
  if (macro.uses_open > 0) {
    name.is_final = true;
    return false;
  }
  SourceSpan use = name.span;
  std::vector<Argument> arguments;
  if (macro.is_function) {
    const Token open = read();
    if (!is(open, "("_w)) {
      if (open.kind != TokenKind::End) {  // a source gives its End again
        inputs_.push_back({.tokens = {open}, .at = 0, .macro = {}, .is_fence = false});
      }
      return false;
    }
    arguments = read_arguments(name, macro, use);
  }
  // C23 and all compilers: there need be no others.
  const bool has_others = arguments.size() == macro.parameters.size() && !(arguments.size() == 1 && arguments[0].empty());
  arguments.resize(macro.parameters.size());
  std::vector<Token> text = substitute(macro, arguments, has_others, use);
  if (!text.empty()) {
    text.front().after_space = name.after_space;
  }
  ++macro.uses_open;
  inputs_.push_back({.tokens = std::move(text), .at = 0, .macro = found->first, .is_fence = false});
  return true;
}

std::vector<Macros::Argument> Macros::read_arguments(const Token& name, const Macro& macro, SourceSpan& use) {
  std::vector<Argument> arguments(1);
  for (std::size_t depth = 0;;) {
    Token token = read();
    if (token.kind == TokenKind::End) {
      refuse(name, "the arguments of the macro " + quoted(name.text) + " have no closing ')'", defined_here(macro.span));
    }
    if (token.starts_line && is(token, "#"_w)) {
      refuse(token, "a directive cannot stand between the arguments of the macro " + quoted(name.text));
    }
    if (is(token, ")"_w) && depth == 0) {
      use = join(use, token.span);
      break;
    }
    depth += is(token, "("_w) ? 1U : 0U;
    depth -= is(token, ")"_w) ? 1U : 0U;
    const bool is_others = macro.is_variadic && arguments.size() == macro.parameters.size();
    if (is(token, ","_w) && depth == 0 && !is_others) {
      arguments.emplace_back();
      continue;
    }
    token.after_space = token.after_space || token.starts_line;
    token.starts_line = false;
    arguments.back().push_back(token);
  }
  if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) {
    arguments.clear();
  }
  if (arguments.size() != macro.parameters.size() && !(macro.is_variadic && arguments.size() + 1 == macro.parameters.size())) {
    const std::size_t wanted = macro.parameters.size();
    refuse(name,
           "the macro " + quoted(name.text) + " has " + std::to_string(wanted) + (wanted == 1 ? " parameter" : " parameters") +
               ", but gets " + std::to_string(arguments.size()) + (arguments.size() == 1 ? " argument" : " arguments"),
           defined_here(macro.span));
  }
  return arguments;
}

/// Whether part `i` is the others behind a comma and `##`.
bool Macros::takes_comma(const Macro& macro, std::size_t i) {
  const Part& part = macro.body[i];
  return macro.is_variadic && part.is_pasted && part.parameter == macro.parameters.size() - 1 && is(macro.body[i - 1].token, ","_w);
}

std::vector<Token> Macros::substitute(const Macro& macro, const std::vector<Argument>& arguments, bool has_others, SourceSpan use) {
  std::vector<std::optional<Argument>> expanded(arguments.size());
  std::vector<Token> result;
  bool has_left = false;  // what a `##` would join to
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const Part& part = macro.body[i];
    std::vector<Token> text;
    if (!part.parameter) {
      text.push_back(part.token);
      text[0].from_macro = true;
      text[0].defined = part.token.span;
      text[0].span = use;
    } else if (part.is_quoted) {
      text.push_back(quote(arguments[*part.parameter], use));
    } else if (takes_comma(macro, i)) {
      // `, ## __VA_ARGS__`, as GNU C has it: where there are no others, there is no comma. Behind a comma there is one, if only of nothing.
      if (!has_others) {
        result.pop_back();
        has_left = false;
        continue;
      }
      text = arguments[*part.parameter];
    } else if (part.is_pasted || (i + 1 < macro.body.size() && macro.body[i + 1].is_pasted)) {
      text = arguments[*part.parameter];
    } else {
      std::optional<Argument>& argument = expanded[*part.parameter];
      if (!argument) {
        argument = arguments[*part.parameter].empty() ? Argument{} : expand(arguments[*part.parameter]);
      }
      text = *argument;
    }
    if (!text.empty()) {
      text.front().after_space = part.token.after_space;
    }
    const bool joins = part.is_pasted && has_left && !text.empty() && !takes_comma(macro, i);
    has_left = (part.is_pasted && has_left) || !text.empty();
    if (joins) {
      result.back() = paste(result.back(), text.front(), use);
    }
    for (std::size_t k = joins ? 1 : 0; k < text.size(); ++k) {
      count(text[k]);
      result.push_back(text[k]);
    }
  }
  return result;
}

Token Macros::quote(const Argument& argument, SourceSpan use) {
  std::string text = "\"";
  for (std::size_t i = 0; i < argument.size(); ++i) {
    count_spelled(argument[i].text.size(), use);
    text += i > 0 && argument[i].after_space ? " " : "";
    const bool is_literal = argument[i].kind == TokenKind::String || argument[i].kind == TokenKind::Character;
    for (const char c : argument[i].text) {
      text += is_literal && (c == '"' || c == '\\') ? "\\" : "";
      text += c;
    }
  }
  Token token;
  token.kind = TokenKind::String;
  token.text = spelled_.emplace_back(text + "\"");
  token.from_macro = true;
  token.span = use;
  return token;
}

Token Macros::paste(const Token& left, const Token& right, SourceSpan use) {
  count_spelled(left.text.size() + right.text.size(), use);
  const std::string& text = spelled_.emplace_back(std::string(left.text) + std::string(right.text));
  Token token;
  if (!text.starts_with("//") && !text.starts_with("/*")) {
    Lexer lexer(text, spelled_);
    token = lexer.next();
  }
  if (token.text.size() != text.size() || token.kind == TokenKind::Bad) {
    refuse(use, "'##' joins " + quoted(left.text) + " and " + quoted(right.text) + ", which is not one token");
  }
  token.starts_line = false;
  token.after_space = left.after_space;
  token.from_macro = true;
  token.defined = left.from_macro ? left.defined : right.defined;
  token.span = use;
  return token;
}

}  // namespace lockstep::core
