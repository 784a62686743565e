#include "semantics/ptx/form.hpp"

#include <unordered_map>

#include "semantics/base/internal_error.hpp"
#include "semantics/ptx/form_words.hpp"

namespace lockstep::ptx {
namespace {

/// The parts of a text between separators; empty ones are left out.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

[[noreturn]] void broken(std::string_view text) { throw InternalError("a row of forms.def cannot be read: " + std::string(text)); }

/// Takes `end` off the text's end if it is there.
bool take_last(std::string_view& text, char end) {
  const bool there = text.ends_with(end);
  text.remove_suffix(there ? 1 : 0);
  return there;
}

bool take_first(std::string_view& text, char begin) {
  const bool there = text.starts_with(begin);
  text.remove_prefix(there ? 1 : 0);
  return there;
}

/// `a|$list|b` as `named` finds each word.
template <class T, class Named>
std::vector<T> words_of(std::string_view text, Named named) {
  std::vector<T> found;
  for (std::string_view word : split(text, '|')) {
    if (take_first(word, '$')) {
      const std::vector<T> list = words_of<T>(word_list(word), named);
      found.insert(found.end(), list.begin(), list.end());
      continue;
    }
    const std::optional<T> item = named(word);
    if (!item) {
      broken(word);
    }
    found.push_back(*item);
  }
  return found;
}

/// What stands in front of a `:` that is not half of `::`.
std::optional<std::string_view> take_shown(std::string_view& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.substr(colon).starts_with("::")) {
    return std::nullopt;
  }
  const std::string_view shown = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  return shown;
}

ModifierSlot modifier_slot(std::string_view text) {
  ModifierSlot slot;
  slot.hint = take_first(text, '~');
  slot.optional = take_last(text, '?');
  slot.shown = take_shown(text).value_or("");
  slot.words = words_of<Modifier>(text, modifier_named);
  return slot;
}

TypeSlot type_slot(std::string_view text) {
  TypeSlot slot;
  slot.shown = take_shown(text);
  slot.types = words_of<Type>(text, type_named);
  return slot;
}

/// T0, W1 or a type's name; empty where the role says it.
OperandType operand_type(std::string_view text) {
  OperandType type;
  if (text.size() == 2 && (text[0] == 'T' || text[0] == 'W')) {
    type.source = text[0] == 'T' ? OperandType::Source::Slot : OperandType::Source::TwiceSlot;
    type.slot = static_cast<std::uint8_t>(text[1] - '0');
    return type;
  }
  const std::optional<Type> fixed = type_named(text);
  if (!fixed) {
    broken(text);
  }
  type.source = OperandType::Source::Fixed;
  type.fixed = *fixed;
  return type;
}

OperandShape operand_shape(std::string_view text) {
  OperandShape shape;
  shape.optional = take_last(text, '?');
  if (take_last(text, '*')) {
    shape.undefined = take_last(text, '*') ? Undefined::Everything : Undefined::Bytes;
  } else if (take_last(text, 'h')) {
    shape.undefined = Undefined::Half;
  }
  shape.wider = take_last(text, '~');
  shape.vector = text != "[]" && take_last(text, 'v');
  shape.packed = take_last(text, 'p');
  shape.behind_bar = take_first(text, '|');
  const bool written = take_first(text, '=');
  shape.minus = take_first(text, '-');
  if (text == "[]") {
    shape.role = OperandRole::Address;
  } else if (text == "label") {
    shape.role = OperandRole::Label;
  } else if (text == "callee") {
    shape.role = OperandRole::Callee;
  } else if (text == "targets") {
    shape.role = OperandRole::Targets;
  } else if (text == "...") {
    shape.role = OperandRole::Rest;
  } else if (text == "cc") {
    shape.role = written ? OperandRole::FlagOut : OperandRole::FlagIn;
    shape.type = operand_type("pred");
  } else {
    shape.role = written ? OperandRole::Written : OperandRole::Read;
    if (take_first(text, '!')) {
      shape.role = OperandRole::Predicate;
    } else if (take_first(text, '#')) {
      shape.role = OperandRole::Number;
    }
    shape.type = operand_type(text);
  }
  return shape;
}

FormInfo row(Form form, std::string_view id, std::string_view mnemonic, std::string_view modifiers, std::string_view types,
             std::string_view operands, Kind kind, std::string_view function, Specified specified, std::string_view sentence) {
  FormInfo info{.form = form,
                .id = id,
                .mnemonic = mnemonic,
                .modifiers_text = modifiers,
                .types_text = types,
                .operands_text = operands,
                .kind = kind,
                .function = function,
                .specified = specified,
                .sentence = sentence,
                .modifiers = {},
                .types = {},
                .operands = {}};
  std::optional<std::size_t> types_behind;
  for (const std::string_view slot : split(modifiers, ' ')) {
    if (slot == "#") {
      types_behind = info.modifiers.size();
    } else {
      info.modifiers.push_back(modifier_slot(slot));
    }
  }
  info.types_behind = types_behind.value_or(info.modifiers.size());
  for (const std::string_view alternative : split(types, '/')) {
    std::vector<TypeSlot>& slots = info.types.emplace_back();
    for (const std::string_view slot : split(alternative, ' ')) {
      slots.push_back(type_slot(slot));
    }
  }
  if (info.types.empty()) {
    info.types.emplace_back();
  }
  for (const std::string_view operand : split(operands, ' ')) {
    info.operands.push_back(operand_shape(operand));
  }
  return info;
}

const std::vector<FormInfo>& table() {
  static const std::vector<FormInfo> rows = {
#define COMPUTE(id, mnemonic, modifiers, types, operands, function, specified, sentence) \
  row(Form::id, #id, mnemonic, modifiers, types, operands, Kind::Compute, #function, Specified::specified, sentence),
#define RULE(id, mnemonic, modifiers, types, operands, kind, sentence) \
  row(Form::id, #id, mnemonic, modifiers, types, operands, Kind::kind, "", Specified::Always, sentence),
#define REFUSED(id, mnemonic, modifiers, types, operands, sentence) \
  row(Form::id, #id, mnemonic, modifiers, types, operands, Kind::Refused, "", Specified::Always, sentence),
#include "semantics/ptx/forms.def"
  };
  return rows;
}

/// The alternative of the row's types that these are.
const std::vector<TypeSlot>& alternative_of(const FormInfo& row, const Types& types) {
  for (const std::vector<TypeSlot>& slots : row.types) {
    bool fits = slots.size() == types.size();
    for (std::size_t i = 0; fits && i < slots.size(); ++i) {
      fits = std::ranges::find(slots[i].types, types[i]) != slots[i].types.end();
    }
    if (fits) {
      return slots;
    }
  }
  throw InternalError("an instruction's types are none that its form has: " + std::string(row.id));
}

}  // namespace

std::span<const FormInfo> forms() { return table(); }

const FormInfo& info(Form form) { return table()[static_cast<std::size_t>(form)]; }

std::span<const FormInfo* const> forms_of(std::string_view mnemonic) {
  static const auto by_mnemonic = [] {
    std::unordered_map<std::string_view, std::vector<const FormInfo*>> rows;
    for (const FormInfo& row : forms()) {
      rows[row.mnemonic].push_back(&row);
    }
    return rows;
  }();
  const auto found = by_mnemonic.find(mnemonic);
  return found == by_mnemonic.end() ? std::span<const FormInfo* const>() : std::span<const FormInfo* const>(found->second);
}

std::span<const std::string_view> mnemonics() {
  static const auto words = [] {
    std::vector<std::string_view> found;
    for (const FormInfo& row : forms()) {
      if (std::ranges::find(found, row.mnemonic) == found.end()) {
        found.push_back(row.mnemonic);
      }
    }
    return found;
  }();
  return words;
}

std::optional<Type> type_of(const OperandShape& shape, const Types& types) {
  switch (shape.type.source) {
    case OperandType::Source::None:
      return std::nullopt;
    case OperandType::Source::Slot:
      return types[shape.type.slot];
    case OperandType::Source::TwiceSlot:
      return twice_as_wide(types[shape.type.slot]);
    case OperandType::Source::Fixed:
      return shape.type.fixed;
  }
  return std::nullopt;
}

std::string name_of(Form form, const Modifiers& modifiers, const Types& types) {
  const FormInfo& row = info(form);
  std::string name(row.mnemonic);
  std::string types_name;
  const std::vector<TypeSlot>& slots = alternative_of(row, types);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::string_view shown = slots[i].shown.value_or(info(types[i]).text);
    types_name += shown.empty() ? "" : "." + std::string(shown);
  }
  // Modifiers are in the order of their slots, so each one is of the next slot that has it.
  std::size_t next = 0;
  for (std::size_t i = 0; i < row.modifiers.size(); ++i) {
    name += i == row.types_behind ? types_name : "";
    const ModifierSlot& slot = row.modifiers[i];
    if (next == modifiers.size() || std::ranges::find(slot.words, modifiers[next]) == slot.words.end()) {
      continue;
    }
    const std::string_view shown = slot.shown.empty() ? info(modifiers[next]).text : slot.shown;
    name += slot.hint ? "" : "." + std::string(shown);
    ++next;
  }
  return name + (row.types_behind == row.modifiers.size() ? types_name : "");
}

}  // namespace lockstep::ptx
