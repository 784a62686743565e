#include "semantics/ptx/types.hpp"

#include <unordered_map>

namespace lockstep::ptx {

std::optional<Type> type_named(std::string_view word) {
  static const auto by_text = [] {
    std::unordered_map<std::string_view, Type> types;
    for (const TypeInfo& row : type_table) {
      types.emplace(row.text, row.type);
    }
    return types;
  }();
  const auto found = by_text.find(word);
  return found == by_text.end() ? std::nullopt : std::optional(found->second);
}

std::string with_article(Type type) {
  const std::string_view text = info(type).text;
  const bool vowel = text[0] == 'f' || text[0] == 's' || text[0] == 'e';  // as the letter is called
  return std::string(vowel ? "an ." : "a .") + std::string(text);
}

std::optional<Type> twice_as_wide(Type type) {
  switch (type) {
    case Type::B8:
      return Type::B16;
    case Type::B16:
      return Type::B32;
    case Type::B32:
      return Type::B64;
    case Type::U8:
      return Type::U16;
    case Type::U16:
      return Type::U32;
    case Type::U32:
      return Type::U64;
    case Type::S8:
      return Type::S16;
    case Type::S16:
      return Type::S32;
    case Type::S32:
      return Type::S64;
    default:
      return std::nullopt;
  }
}

std::string_view text_of(Space space) {
  constexpr std::array<std::string_view, 7> texts = {"generic", "reg", "const", "global", "local", "param", "shared"};
  return texts[static_cast<std::size_t>(space)];
}

}  // namespace lockstep::ptx
