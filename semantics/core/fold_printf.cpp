#include "semantics/core/fold_printf.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "semantics/base/print_format.hpp"

namespace lockstep::core {
namespace {

// What stands between "printf" and the format in a name.
constexpr std::string_view in_place = "printf \"";
constexpr std::string_view put_together = "printf '";

std::string_view without_quotes(std::string_view literal) { return literal.substr(1, literal.size() - 2); }

/// The format of a call at `at`, and how many tokens it has with the comma behind it.
void fold_formats(TokenList& list) {
  std::vector<Token> folded;
  for (std::size_t i = 0; i < list.tokens.size(); ++i) {
    folded.push_back(list.tokens[i]);
    const bool is_call = list.tokens[i].text == "printf" && i + 2 < list.tokens.size() && list.tokens[i + 1].word == "("_w &&
                         list.tokens[i + 2].kind == TokenKind::String;
    if (!is_call) {
      continue;
    }
    std::size_t end = i + 2;
    std::string format;
    for (; list.tokens[end].kind == TokenKind::String; ++end) {
      format += without_quotes(list.tokens[end].text);
    }
    const Token& first = list.tokens[i + 2];
    const bool is_one =
        end == i + 3 && !first.from_macro && !list.tokens[i].from_macro && first.span.end - first.span.begin == first.text.size();
    folded.back().text = list.spelled.emplace_back(std::string(is_one ? in_place : put_together) + format);
    folded.back().span = is_one ? join(folded.back().span, first.span) : folded.back().span;
    folded.push_back(list.tokens[i + 1]);
    i = end - 1;
    if (list.tokens[end].word == ","_w) {
      ++i;
    }
  }
  list.tokens = std::move(folded);
}

/// A function's head or definition at file scope, by the places of tokens.
struct FoundFunction {
  std::string_view name;
  std::size_t open = 0;   // of the parameters
  std::size_t close = 0;  // their end
  std::size_t end = 0;    // of the body, or the ';'
  bool has_body = false;
};

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Word word = tokens[i].word;
    depth += word == "("_w || word == "{"_w ? 1U : 0U;
    depth -= (word == ")"_w || word == "}"_w) && depth > 0 ? 1U : 0U;
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size() - 1;
}

std::vector<FoundFunction> functions_of(const std::vector<Token>& tokens) {
  std::vector<FoundFunction> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].word == "{"_w) {  // of a structure
      i = closing(tokens, i);
      continue;
    }
    const bool is_head =
        tokens[i].word == "("_w && i > 0 && tokens[i - 1].kind == TokenKind::Identifier && tokens[i - 1].word.kind() == WordKind::None;
    if (!is_head) {
      i = tokens[i].word == "("_w ? closing(tokens, i) : i;  // of an attribute
      continue;
    }
    FoundFunction function{.name = tokens[i - 1].text, .open = i, .close = closing(tokens, i)};
    for (i = function.close + 1; i + 1 < tokens.size() && tokens[i].word != "{"_w && tokens[i].word != ";"_w; ++i) {
    }
    function.has_body = tokens[i].word == "{"_w;
    function.end = function.has_body ? closing(tokens, i) : i;
    i = function.end;
    found.push_back(function);
  }
  return found;
}

/// The functions that print, or call one that does.
std::unordered_set<std::string_view> printing(const std::vector<Token>& tokens, const std::vector<FoundFunction>& functions) {
  std::unordered_map<std::string_view, std::unordered_set<std::string_view>> callers;
  std::unordered_set<std::string_view> result;
  std::vector<std::string_view> open;
  for (const FoundFunction& function : functions) {
    for (std::size_t i = function.close; function.has_body && i < function.end; ++i) {
      if (has_print_format(tokens[i].text) && result.insert(function.name).second) {
        open.push_back(function.name);
      } else if (tokens[i].kind == TokenKind::Identifier && tokens[i + 1].word == "("_w) {
        callers[tokens[i].text].insert(function.name);
      }
    }
  }
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    for (const std::string_view caller : callers[name]) {
      if (result.insert(caller).second) {
        open.push_back(caller);
      }
    }
  }
  return result;
}

/// Hands the buffer through. Tokens come in front of closing parentheses.
class BufferPasser {
 public:
  explicit BufferPasser(TokenList& list)
      : list_(list), functions_(functions_of(list.tokens)), printing_(printing(list.tokens, functions_)) {}

  void run() {
    for (const FoundFunction& function : functions_) {
      if (!printing_.contains(function.name)) {
        continue;
      }
      const bool is_void = function.close == function.open + 2 && list_.tokens[function.open + 1].word == "void"_w;
      if (is_void) {
        dropped_.insert(function.open + 1);
      }
      put(function.close, is_void || function.close == function.open + 1, {"__global", "ulong", "*"});
      for (std::size_t i = function.close; function.has_body && i < function.end; ++i) {
        if (list_.tokens[i].kind == TokenKind::Identifier && list_.tokens[i + 1].word == "("_w &&
            printing_.contains(list_.tokens[i].text)) {
          const std::size_t close = closing(list_.tokens, i + 1);
          put(close, close == i + 2, {});
        }
      }
    }
    std::vector<Token> passed;
    for (std::size_t i = 0; i < list_.tokens.size(); ++i) {
      if (const auto more = added_.find(i); more != added_.end()) {
        passed.insert(passed.end(), more->second.begin(), more->second.end());
      }
      if (!dropped_.contains(i)) {
        passed.push_back(list_.tokens[i]);
      }
    }
    list_.tokens = std::move(passed);
  }

 private:
  /// `, words __printf` in front of the token; without the comma where it is the first.
  void put(std::size_t at, bool is_first, std::vector<std::string_view> words) {
    if (!is_first) {
      words.insert(words.begin(), ",");
    }
    words.push_back(print_buffer_name);
    for (const std::string_view text : words) {
      Token token;
      token.word = word_of(text);
      token.kind = token.word.kind() == WordKind::Sign ? TokenKind::Sign : TokenKind::Identifier;
      token.text = text;
      token.span = list_.tokens[at].span;
      added_[at].push_back(token);
    }
  }

  TokenList& list_;
  std::vector<FoundFunction> functions_;
  std::unordered_set<std::string_view> printing_;
  std::unordered_map<std::size_t, std::vector<Token>> added_;
  std::unordered_set<std::size_t> dropped_;
};

}  // namespace

bool has_print_format(std::string_view function) { return function.starts_with(in_place) || function.starts_with(put_together); }

std::string_view print_format_of(std::string_view function) { return function.substr(in_place.size()); }

bool is_format_in_place(std::string_view function) { return function.starts_with(in_place); }

void fold_printf(TokenList& list, const Options& options) {
  if (std::ranges::find(list.tokens, "printf", &Token::text) == list.tokens.end()) {
    return;
  }
  fold_formats(list);
  if (std::ranges::find(options.defines, print_macro, &std::pair<std::string, std::string>::first) != options.defines.end()) {
    BufferPasser(list).run();
  }
}

}  // namespace lockstep::core
