#pragma once
// The words that a directive comment is made of; only directives.cpp needs them.

#include <fmt/format.h>

#include <charconv>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::musimd {

/// A word of a directive, or the content of a quoted string.
struct Token {
  std::string text;
  bool quoted = false;
};

/// What is wrong with a directive; becomes a diagnostic where the directive is known.
struct Mistake {
  std::string message;
};

/// What was read, or what is wrong with it.
template <class T>
using Result = std::expected<T, Mistake>;

inline std::unexpected<Mistake> wrong(std::string message) { return std::unexpected(Mistake{std::move(message)}); }

/// The whole text as a decimal number of this type.
template <class T>
Result<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return wrong(fmt::format("expected a number, not '{}'", text));
  }
  return value;
}

/// Splits at blanks; "…" is one token, in which \n, \t, \" and \\ stand for what they do in C.
Result<std::vector<Token>> split(std::string_view text);

}  // namespace lockstep::musimd
