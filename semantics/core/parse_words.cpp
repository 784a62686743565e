#include "semantics/core/parse_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <unordered_map>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::core {
namespace {

constexpr std::array<std::string_view, 10> vector_elements = {"char", "uchar", "short", "ushort", "int",
                                                              "uint", "long",  "ulong", "float",  "double"};
constexpr std::array<std::string_view, 5> vector_lengths = {"2", "3", "4", "8", "16"};

/// The name of a vector's components' type ("float" of "float4"), or nothing.
std::string_view vector_element(std::string_view text) {
  for (const std::string_view element : vector_elements) {
    if (text.starts_with(element) && std::ranges::find(vector_lengths, text.substr(element.size())) != vector_lengths.end()) {
      return element;
    }
  }
  return {};
}

unsigned number_of(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool is_opaque_type(std::string_view text) {
  constexpr std::array<std::string_view, 5> names = {"sampler_t", "clk_event_t", "queue_t", "ndrange_t", "reserve_id_t"};
  return (text.starts_with("image") && text.ends_with("_t") && text.find('d') != std::string_view::npos) ||
         std::ranges::find(names, text) != names.end();
}

struct Spelling {
  std::string_view words;  ///< sorted, with one blank between them
  std::optional<ScalarType> type;
};

/// C99 6.7.2 and OpenCL C 6.1.1; the sizes are OpenCL's.
constexpr auto spellings = std::to_array<Spelling>({
    {"void", std::nullopt},
    {"bool", ScalarType::Bool},
    {"_Bool", ScalarType::Bool},
    {"char", ScalarType::Char},
    {"char signed", ScalarType::Char},
    {"char unsigned", ScalarType::UChar},
    {"uchar", ScalarType::UChar},
    {"short", ScalarType::Short},
    {"short signed", ScalarType::Short},
    {"int short", ScalarType::Short},
    {"int short signed", ScalarType::Short},
    {"short unsigned", ScalarType::UShort},
    {"int short unsigned", ScalarType::UShort},
    {"ushort", ScalarType::UShort},
    {"int", ScalarType::Int},
    {"signed", ScalarType::Int},
    {"int signed", ScalarType::Int},
    {"unsigned", ScalarType::UInt},
    {"int unsigned", ScalarType::UInt},
    {"uint", ScalarType::UInt},
    {"long", ScalarType::Long},
    {"long signed", ScalarType::Long},
    {"int long", ScalarType::Long},
    {"int long signed", ScalarType::Long},
    {"ptrdiff_t", ScalarType::Long},
    {"intptr_t", ScalarType::Long},
    {"long unsigned", ScalarType::ULong},
    {"int long unsigned", ScalarType::ULong},
    {"ulong", ScalarType::ULong},
    {"size_t", ScalarType::ULong},
    {"uintptr_t", ScalarType::ULong},
    {"event_t", ScalarType::UInt},  // of copies that are done when they begin
    // Numbers that atomic functions change.
    {"atomic_int", ScalarType::Int},
    {"atomic_uint", ScalarType::UInt},
    {"atomic_long", ScalarType::Long},
    {"atomic_ulong", ScalarType::ULong},
    {"atomic_float", ScalarType::Float},
    {"atomic_double", ScalarType::Double},
    {"atomic_size_t", ScalarType::ULong},
    {"atomic_ptrdiff_t", ScalarType::Long},
    {"atomic_intptr_t", ScalarType::Long},
    {"atomic_uintptr_t", ScalarType::ULong},
    {"atomic_flag", ScalarType::Int},
    {"memory_order", ScalarType::Int},
    {"memory_scope", ScalarType::Int},
    {"float", ScalarType::Float},
    {"double", ScalarType::Double},
});

}  // namespace

Word word_of(std::string_view text) {
  static const std::unordered_map<std::string_view, Word> words = [] {
    std::unordered_map<std::string_view, Word> all;
    for (std::size_t row = 1; row < word_table.size(); ++row) {
      all.emplace(word_table[row].text, Word{static_cast<std::uint8_t>(row)});
    }
    // As GNU C and so clang spell them, too.
    for (const auto& [spelled, word] : {std::pair("__attribute", "__attribute__"_w),
                                        {"__restrict__", "restrict"_w},
                                        {"__const", "const"_w},
                                        {"__const__", "const"_w},
                                        {"__volatile", "volatile"_w},
                                        {"__volatile__", "volatile"_w},
                                        {"__inline", "inline"_w},
                                        {"__inline__", "inline"_w}}) {
      all.emplace(spelled, word);
    }
    return all;
  }();
  if (const auto found = words.find(text); found != words.end()) {
    return found->second;
  }
  if (!text.empty() && text.back() >= '2' && text.back() <= '8' && !vector_element(text).empty()) {
    return "float4"_w;
  }
  return text.ends_with("_t") && is_opaque_type(text) ? "image2d_t"_w : Word{};
}

std::string refusal(Word word, std::string_view text) {
  const std::string quoted = "'" + shortened(text) + "'";
  if (word == "goto"_w) {
    return "there is no 'goto'; use loops, 'break' and 'continue'";
  }
  if (word == "extern"_w) {
    return "there is no 'extern': a program is one file, and a prototype does without it";
  }
  if (word == "register"_w || word == "auto"_w) {
    return "there is no " + quoted + " in OpenCL C; leave it out";
  }
  if (word == "asm"_w) {
    return "there is no inline assembly";
  }
  if (word == "image2d_t"_w) {
    return "there is no type " + quoted + "; kernels work on scalars, arrays and buffers";
  }
  throw InternalError("refusal of a word that is not refused");
}

std::optional<NamedType> type_of(const std::string_view* words, std::size_t count) {
  if (const std::string_view element = count == 1 ? vector_element(*words) : ""; !element.empty()) {
    return NamedType{type_of(&element, 1)->scalar, number_of(words->substr(element.size()))};
  }
  std::array<std::string_view, 4> sorted;
  if (count == 0 || count > sorted.size()) {
    return std::nullopt;
  }
  const std::span used(sorted.data(), count);
  std::copy_n(words, count, used.begin());
  std::ranges::sort(used);
  std::string joined;
  for (const std::string_view word : used) {
    joined += (joined.empty() ? "" : " ") + std::string(word);
  }
  const auto found = std::ranges::find(spellings, joined, &Spelling::words);
  return found == spellings.end() ? std::nullopt : std::optional(NamedType{found->type});
}

}  // namespace lockstep::core
