// From the words behind a mnemonic to the row of the table that they are.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/parse_instruction.hpp"

namespace lockstep::ptx {
namespace {

/// What of a row the words have filled.
struct Filling {
  DecodedForm form;
  std::size_t used = 0;   ///< so many words fit; all if nothing is wrong with them
  std::size_t lacks = 0;  ///< so many slots that have to be filled are not
  std::string missing;    ///< what is not there, of all words that fit
};

bool has(const std::vector<TypeSlot>& slots, const std::vector<std::optional<Type>>& types) {
  if (slots.size() < types.size()) {
    return false;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (std::ranges::find(slots[i].types, *types[i]) == slots[i].types.end()) {
      return false;
    }
  }
  return true;
}

template <class Word>
std::string listed(const std::vector<Word>& words) {
  std::string out;
  for (const Word word : words) {
    out += fmt::format("{}.{}", out.empty() ? "" : ", ", info(word).text);
  }
  return out;
}

/// Fills the row's slots with the words, each into the first free slot that has it.
Filling fill(const FormInfo& row, const std::vector<Token>& words) {
  Filling filling{.form = {&row, {}, {}}, .missing = ""};
  std::vector<std::optional<Modifier>> slots(row.modifiers.size());
  std::vector<std::optional<Type>> types;
  for (const Token& word : words) {
    const auto modifier = modifier_named(word.text);
    bool fits = false;
    for (std::size_t i = 0; modifier && !fits && i < slots.size(); ++i) {
      if (!slots[i] && std::ranges::find(row.modifiers[i].words, *modifier) != row.modifiers[i].words.end()) {
        slots[i] = modifier;
        fits = true;
      }
    }
    if (const auto type = type_named(word.text); !fits && type) {
      types.push_back(type);
      fits = std::ranges::any_of(row.types, [&](const auto& alternative) { return has(alternative, types); });
      if (!fits) {
        types.pop_back();
      }
    }
    if (!fits) {
      return filling;
    }
    ++filling.used;
  }
  const auto lacks = [&](std::string what) {
    ++filling.lacks;
    if (filling.missing.empty()) {
      filling.missing = std::move(what);
    }
  };
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i]) {
      filling.form.modifiers.push_back(*slots[i]);
    } else if (!row.modifiers[i].optional) {
      const auto& missing = row.modifiers[i].words;
      lacks(fmt::format("{}{}", missing.size() > 1 ? "one of " : "", listed(missing)));
    }
  }
  for (const auto& type : types) {
    filling.form.types.push_back(*type);
  }
  if (std::ranges::none_of(row.types, [&](const auto& other) { return other.size() == types.size() && has(other, types); })) {
    lacks(types.empty() ? "a type" : "a further type");
  }
  return filling;
}

/// All words that a row can have behind its mnemonic.
void add_words(const FormInfo& row, std::vector<std::string_view>& words) {
  for (const ModifierSlot& slot : row.modifiers) {
    for (const Modifier word : slot.words) {
      words.push_back(info(word).text);
    }
  }
  for (const auto& alternative : row.types) {
    for (const TypeSlot& slot : alternative) {
      for (const Type type : slot.types) {
        words.push_back(info(type).text);
      }
    }
  }
}

std::string spelled(const Token& mnemonic, const std::vector<Token>& words, std::size_t many) {
  std::string out(mnemonic.text);
  for (std::size_t i = 0; i < many; ++i) {
    out += fmt::format(".{}", words[i].text);
  }
  return out;
}

[[noreturn]] void unknown_mnemonic(const Token& mnemonic) {
  refuse(mnemonic.span, fmt::format("there is no instruction {}{}", quoted(mnemonic.text), suggestion(mnemonic.text, mnemonics())));
}

/// The types that rows can have where `words[at]` is none of them: "but .f32, .f64"; nothing if there are many.
std::string types_instead(const Token& mnemonic, const std::vector<Token>& words, std::size_t at) {
  constexpr std::size_t most = 6;
  std::vector<Type> instead;
  const std::vector<Token> before(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  for (const FormInfo* row : forms_of(mnemonic.text)) {
    const Filling filling = fill(*row, before);
    if (filling.used < at) {
      continue;
    }
    std::vector<std::optional<Type>> types(filling.form.types.begin(), filling.form.types.end());
    for (const auto& alternative : row->types) {
      if (alternative.size() <= types.size() || !has(alternative, types)) {
        continue;
      }
      for (const Type type : alternative[types.size()].types) {
        if (std::ranges::find(instead, type) == instead.end()) {
          instead.push_back(type);
        }
      }
    }
  }
  return instead.empty() || instead.size() > most ? "" : fmt::format(" here, but {}", listed(instead));
}

/// The word that no row takes behind those in front of it.
[[noreturn]] void unknown_word(const Token& mnemonic, const std::vector<Token>& words, std::size_t at) {
  std::vector<std::string_view> candidates;
  for (const FormInfo* row : forms_of(mnemonic.text)) {
    add_words(*row, candidates);
  }
  const Token& word = words[at];
  if (std::ranges::find(candidates, word.text) != candidates.end()) {
    const std::string instead = type_named(word.text) ? types_instead(mnemonic, words, at) : "";
    refuse(word.span, fmt::format("'{}' takes no .{}{}", shortened(spelled(mnemonic, words, at)), shortened(word.text),
                                  instead.empty() ? " here" : instead));
  }
  const std::string_view what = type_named(word.text) ? "type" : modifier_named(word.text) ? "modifier" : "modifier or type";
  refuse(word.span,
         fmt::format("'{}' has no {} .{}{}", shortened(mnemonic.text), what, shortened(word.text), suggestion(word.text, candidates)));
}

}  // namespace

std::vector<DecodedForm> decode(const Token& mnemonic, const std::vector<Token>& words) {
  const auto rows = forms_of(mnemonic.text);
  if (rows.empty()) {
    unknown_mnemonic(mnemonic);
  }
  std::vector<DecodedForm> found;
  std::vector<Filling> lacking;  // what all words fit, but lacks some
  std::size_t used = 0;
  for (const FormInfo* row : rows) {
    Filling filling = fill(*row, words);
    used = std::max(used, filling.used);
    if (filling.used < words.size()) {
      continue;
    }
    if (filling.lacks == 0) {
      found.push_back(filling.form);
    } else {
      lacking.push_back(std::move(filling));
    }
  }
  if (!found.empty()) {
    return found;
  }
  if (lacking.empty()) {
    unknown_word(mnemonic, words, used);
  }
  // The rows that lack least say what.
  const std::size_t least = std::ranges::min(lacking, {}, &Filling::lacks).lacks;
  std::vector<std::string> missing;
  for (const Filling& filling : lacking) {
    if (filling.lacks == least && std::ranges::find(missing, filling.missing) == missing.end()) {
      missing.push_back(filling.missing);
    }
  }
  const std::uint32_t end = words.empty() ? mnemonic.span.end : words.back().span.end;
  refuse({mnemonic.span.begin, end},
         fmt::format("'{}' lacks {}", shortened(spelled(mnemonic, words, words.size())), fmt::join(missing, ", or ")));
}

}  // namespace lockstep::ptx
