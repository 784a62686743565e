#include "semantics/core/fold_printf.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "semantics/base/print_format.hpp"
#include "semantics/core/fold_strings.hpp"

namespace lockstep::core {
namespace {

// What stands between "printf" and the format in a name.
constexpr std::string_view in_place = "printf \"";
constexpr std::string_view put_together = "printf '";

/// Of a string in a format; more would be no use to anybody.
constexpr std::size_t most_width = 999;

/// What `%-8.3s` makes of a literal, as a part of a format: at most so many characters, in so much room.
std::string string_in_format(std::string_view conversion, std::vector<std::string> characters) {
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (; at < conversion.size() && conversion[at] >= '0' && conversion[at] <= '9'; ++at) {
      value = std::min<std::size_t>(value * 10 + static_cast<std::size_t>(conversion[at] - '0'), most_width);
    }
    return value;
  };
  const std::size_t digits = std::min(conversion.find_first_not_of("-+ #0", 1), conversion.size());
  const std::size_t point = conversion.find('.');
  const bool to_the_left = conversion.substr(0, digits).contains('-');
  if (point != std::string_view::npos) {
    characters.resize(std::min(characters.size(), number(point + 1)));
  }
  const std::size_t width = number(digits);
  const std::string blanks(width - std::min(width, characters.size()), ' ');
  std::string text = to_the_left ? "" : blanks;
  for (const std::string& character : characters) {
    text += character == "%" ? "%%" : character;
  }
  return text + (to_the_left ? blanks : "");
}

/// An argument of a call, by the places of tokens.
struct FoundArgument {
  std::size_t comma = 0;  // in front of it
  std::size_t end = 0;    // the token behind it
};

/// Those behind the comma at `at`.
std::vector<FoundArgument> arguments_of(const std::vector<Token>& tokens, std::size_t at) {
  std::vector<FoundArgument> found;
  std::size_t depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    const Word word = tokens[i].word;
    if (depth == 0 && (word == ","_w || word == ")"_w)) {
      if (!found.empty()) {
        found.back().end = i;
      }
      if (word == ")"_w) {
        break;
      }
      found.push_back({i, i});
    }
    depth += word == "("_w || word == "["_w || word == "{"_w ? 1U : 0U;
    depth -= (word == ")"_w || word == "]"_w || word == "}"_w) && depth > 0 ? 1U : 0U;
  }
  return found;
}

/// Puts literals into the format, where it has %s for them. `at`: the token behind the format; `dropped` gets the tokens that are gone.
void fold_into_format(std::string& format, const std::vector<Token>& tokens, std::size_t at, std::unordered_set<std::size_t>& dropped) {
  const std::vector<FoundArgument> arguments = arguments_of(tokens, at);
  std::string folded;
  std::size_t next = 0;   // argument
  bool has_kept = false;  // one in front of it
  bool has_dropped = false;
  for (std::size_t i = 0; i < format.size();) {
    const std::size_t begin = i++;
    if ((format[begin] == '\\' || format.substr(begin, 2) == "%%") && i < format.size()) {
      ++i;
    } else if (format[begin] == '%') {
      i = std::min(format.find_first_not_of("-+ #0123456789.*vhl", i), format.size() - 1) + 1;
      const bool is_string = format[i - 1] == 's' && next < arguments.size() && arguments[next].end > arguments[next].comma + 1 &&
                             std::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(arguments[next].comma) + 1,
                                         tokens.begin() + static_cast<std::ptrdiff_t>(arguments[next].end),
                                         [](const Token& token) { return token.kind == TokenKind::String; });
      if (is_string) {
        std::string literal;
        for (std::size_t k = arguments[next].comma + 1; k < arguments[next].end; ++k) {
          literal += without_quotes(tokens[k].text);
          dropped.insert(k);
        }
        dropped.insert(arguments[next].comma);
        has_dropped = true;
        folded += string_in_format(std::string_view(format).substr(begin, i - begin), characters_of(literal));
        ++next;
        continue;
      }
      if (next < arguments.size() && has_dropped && !has_kept) {
        dropped.insert(arguments[next].comma);
      }
      has_kept = true;
      ++next;
    }
    folded += format.substr(begin, i - begin);
  }
  if (has_dropped && !has_kept && next < arguments.size()) {
    dropped.insert(arguments[next].comma);
  }
  format = std::move(folded);
}

/// The format of a call becomes a part of the function's name.
void fold_formats(TokenList& list) {
  std::vector<Token> folded;
  std::unordered_set<std::size_t> dropped;
  for (std::size_t i = 0; i < list.tokens.size(); ++i) {
    if (dropped.contains(i)) {
      continue;
    }
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
    const std::size_t gone = dropped.size();
    fold_into_format(format, list.tokens, end, dropped);
    const Token& first = list.tokens[i + 2];
    const bool is_one = dropped.size() == gone && end == i + 3 && !first.from_macro && !list.tokens[i].from_macro &&
                        first.span.end - first.span.begin == first.text.size();
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
