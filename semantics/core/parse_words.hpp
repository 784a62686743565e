#pragma once
// The words and signs that mean something in a kernel, and what is said about those that C or OpenCL C has and kernels have not.

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::core {

/// What a word is for.
enum class WordKind : std::uint8_t {
  None,        ///< no word of the language: a name, a number, …
  Sign,        ///< operators and punctuation
  Statement,   ///< if, while, …, and what else stands in code: sizeof, true, false
  Type,        ///< int, float, unsigned, size_t, …
  Qualifier,   ///< const, global, static, …: may stand beside a type
  Contextual,  ///< uniform, varying, crev: ordinary names where they cannot mean anything else
  Declaring,   ///< typedef, enum: folded away before the grammar (fold_names.hpp)
  Refused      ///< reserved by OpenCL C, but not in this language
};

struct WordInfo {
  std::string_view text;
  WordKind kind;
};

/// Every word; the first row stands for all other tokens.
inline constexpr std::array word_table = {
    WordInfo{"", WordKind::None},
    // three characters before two before one, as the lexer takes the longest
    WordInfo{"<<=", WordKind::Sign},
    WordInfo{">>=", WordKind::Sign},
    WordInfo{"...", WordKind::Sign},
    WordInfo{"<<", WordKind::Sign},
    WordInfo{">>", WordKind::Sign},
    WordInfo{"<=", WordKind::Sign},
    WordInfo{">=", WordKind::Sign},
    WordInfo{"==", WordKind::Sign},
    WordInfo{"!=", WordKind::Sign},
    WordInfo{"&&", WordKind::Sign},
    WordInfo{"||", WordKind::Sign},
    WordInfo{"+=", WordKind::Sign},
    WordInfo{"-=", WordKind::Sign},
    WordInfo{"*=", WordKind::Sign},
    WordInfo{"/=", WordKind::Sign},
    WordInfo{"%=", WordKind::Sign},
    WordInfo{"&=", WordKind::Sign},
    WordInfo{"|=", WordKind::Sign},
    WordInfo{"^=", WordKind::Sign},
    WordInfo{"++", WordKind::Sign},
    WordInfo{"--", WordKind::Sign},
    WordInfo{"->", WordKind::Sign},
    WordInfo{"##", WordKind::Sign},
    WordInfo{"(", WordKind::Sign},
    WordInfo{")", WordKind::Sign},
    WordInfo{"[", WordKind::Sign},
    WordInfo{"]", WordKind::Sign},
    WordInfo{"{", WordKind::Sign},
    WordInfo{"}", WordKind::Sign},
    WordInfo{";", WordKind::Sign},
    WordInfo{",", WordKind::Sign},
    WordInfo{"?", WordKind::Sign},
    WordInfo{":", WordKind::Sign},
    WordInfo{"~", WordKind::Sign},
    WordInfo{"!", WordKind::Sign},
    WordInfo{"+", WordKind::Sign},
    WordInfo{"-", WordKind::Sign},
    WordInfo{"*", WordKind::Sign},
    WordInfo{"/", WordKind::Sign},
    WordInfo{"%", WordKind::Sign},
    WordInfo{"<", WordKind::Sign},
    WordInfo{">", WordKind::Sign},
    WordInfo{"&", WordKind::Sign},
    WordInfo{"^", WordKind::Sign},
    WordInfo{"|", WordKind::Sign},
    WordInfo{"=", WordKind::Sign},
    WordInfo{".", WordKind::Sign},
    WordInfo{"#", WordKind::Sign},
    WordInfo{"if", WordKind::Statement},
    WordInfo{"else", WordKind::Statement},
    WordInfo{"while", WordKind::Statement},
    WordInfo{"do", WordKind::Statement},
    WordInfo{"for", WordKind::Statement},
    WordInfo{"switch", WordKind::Statement},
    WordInfo{"case", WordKind::Statement},
    WordInfo{"default", WordKind::Statement},
    WordInfo{"break", WordKind::Statement},
    WordInfo{"continue", WordKind::Statement},
    WordInfo{"return", WordKind::Statement},
    WordInfo{"sizeof", WordKind::Statement},
    WordInfo{"true", WordKind::Statement},
    WordInfo{"false", WordKind::Statement},
    WordInfo{"void", WordKind::Type},
    WordInfo{"bool", WordKind::Type},
    WordInfo{"_Bool", WordKind::Type},
    WordInfo{"char", WordKind::Type},
    WordInfo{"short", WordKind::Type},
    WordInfo{"int", WordKind::Type},
    WordInfo{"long", WordKind::Type},
    WordInfo{"signed", WordKind::Type},
    WordInfo{"unsigned", WordKind::Type},
    WordInfo{"float", WordKind::Type},
    WordInfo{"double", WordKind::Type},
    WordInfo{"uchar", WordKind::Type},
    WordInfo{"ushort", WordKind::Type},
    WordInfo{"uint", WordKind::Type},
    WordInfo{"ulong", WordKind::Type},
    WordInfo{"size_t", WordKind::Type},
    WordInfo{"uintptr_t", WordKind::Type},
    WordInfo{"ptrdiff_t", WordKind::Type},
    WordInfo{"intptr_t", WordKind::Type},
    WordInfo{"event_t", WordKind::Type},
    WordInfo{"atomic_int", WordKind::Type},
    WordInfo{"atomic_uint", WordKind::Type},
    WordInfo{"atomic_long", WordKind::Type},
    WordInfo{"atomic_ulong", WordKind::Type},
    WordInfo{"atomic_float", WordKind::Type},
    WordInfo{"atomic_double", WordKind::Type},
    WordInfo{"atomic_size_t", WordKind::Type},
    WordInfo{"atomic_ptrdiff_t", WordKind::Type},
    WordInfo{"atomic_intptr_t", WordKind::Type},
    WordInfo{"atomic_uintptr_t", WordKind::Type},
    WordInfo{"atomic_flag", WordKind::Type},
    WordInfo{"memory_order", WordKind::Type},
    WordInfo{"memory_scope", WordKind::Type},
    WordInfo{"const", WordKind::Qualifier},
    WordInfo{"restrict", WordKind::Qualifier},
    WordInfo{"__restrict", WordKind::Qualifier},
    WordInfo{"volatile", WordKind::Qualifier},
    WordInfo{"static", WordKind::Qualifier},
    WordInfo{"inline", WordKind::Qualifier},
    WordInfo{"kernel", WordKind::Qualifier},
    WordInfo{"__kernel", WordKind::Qualifier},
    WordInfo{"global", WordKind::Qualifier},
    WordInfo{"__global", WordKind::Qualifier},
    WordInfo{"local", WordKind::Qualifier},
    WordInfo{"__local", WordKind::Qualifier},
    WordInfo{"constant", WordKind::Qualifier},
    WordInfo{"__constant", WordKind::Qualifier},
    WordInfo{"private", WordKind::Qualifier},
    WordInfo{"__private", WordKind::Qualifier},
    WordInfo{"__attribute__", WordKind::Qualifier},
    WordInfo{"uniform", WordKind::Contextual},
    WordInfo{"varying", WordKind::Contextual},
    WordInfo{"crev", WordKind::Contextual},
    WordInfo{"struct", WordKind::Refused},
    WordInfo{"union", WordKind::Refused},
    WordInfo{"enum", WordKind::Declaring},
    WordInfo{"typedef", WordKind::Declaring},
    WordInfo{"goto", WordKind::Refused},
    WordInfo{"extern", WordKind::Refused},
    WordInfo{"register", WordKind::Refused},
    WordInfo{"auto", WordKind::Refused},
    WordInfo{"half", WordKind::Refused},
    WordInfo{"float4", WordKind::Type},        // for all vector types
    WordInfo{"image2d_t", WordKind::Refused},  // for all images, samplers, events, …
    WordInfo{"asm", WordKind::Refused},
};

/// A row of word_table.
struct Word {
  std::uint8_t row = 0;

  constexpr bool operator==(const Word&) const = default;
  constexpr const WordInfo& info() const { return word_table[row]; }
  constexpr WordKind kind() const { return info().kind; }
};

/// The row of `text`; the first row where it is no word.
constexpr Word exact_word(std::string_view text) {
  for (std::size_t row = 1; row < word_table.size(); ++row) {
    if (word_table[row].text == text) {
      return {static_cast<std::uint8_t>(row)};
    }
  }
  return {};
}

/// A word that must exist: `"while"_w`. A misspelt one does not compile.
consteval Word operator""_w(const char* text, std::size_t length) {
  const Word word = exact_word({text, length});
  if (word == Word{}) {
    throw std::logic_error("no such word");
  }
  return word;
}

/// As exact_word, but fast, and with all vector and image types.
Word word_of(std::string_view text);

/// A sentence about a word of WordKind::Refused, spelled as `text`: why it is not there and what to use instead.
std::string refusal(Word word, std::string_view text);

/// What the words of a type mean. Without a scalar it is void.
struct NamedType {
  std::optional<ScalarType> scalar;
  unsigned components = 1;  ///< 2, 3, 4, 8 or 16 of a vector

  bool operator==(const NamedType&) const = default;
};

/// The type that the words mean together, in any order ("long unsigned int"): nothing where they mean none.
std::optional<NamedType> type_of(const std::string_view* words, std::size_t count);

}  // namespace lockstep::core
