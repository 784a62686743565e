#include "tests/ptxas/statements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "semantics/ptx/form.hpp"

namespace lockstep::ptxas {
namespace {

using ptx::FormInfo;
using ptx::Modifier;
using ptx::OperandRole;
using ptx::OperandShape;
using ptx::Type;

/// One word for each slot of modifiers, or none.
using Words = std::vector<std::optional<Modifier>>;

/// One instruction: the words behind its mnemonic, and its operands. A bar stands in front of an operand that begins with one.
struct Parts {
  std::string mnemonic;
  std::vector<std::string> words;
  std::vector<std::string> operands;

  std::string text() const {
    std::string out = mnemonic;
    for (const std::string& word : words) {
      out += "." + word;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool bar = operands[i].starts_with('|');
      out += (i == 0 ? " " : bar ? "" : ", ") + operands[i];
    }
    return out + ";";
  }
};

/// A register in which a value of the type lies; `k` tells registers apart.
std::string register_of(Type type, std::size_t k) {
  const auto bits = ptx::bits_of(type);
  const std::string_view name = type == Type::Pred  ? "p"
                                : type == Type::F32 ? "f32_"
                                : type == Type::F64 ? "f64_"
                                : bits == 128       ? "b128_"
                                : bits == 64        ? "b64_"
                                : bits == 16        ? "b16_"
                                                    : "b32_";
  return fmt::format("%{}{}", name, k % 4);
}

bool has(const Words& words, std::initializer_list<Modifier> which) {
  return std::ranges::any_of(words, [&](const auto& word) { return word && std::ranges::find(which, *word) != which.end(); });
}

std::size_t elements_of(const Words& words) {
  return has(words, {Modifier::V2}) ? 2 : has(words, {Modifier::V4}) ? 4 : has(words, {Modifier::V8}) ? 8 : 1;
}

std::string address_for(const FormInfo& row, const Words& words) {
  const bool param = has(words, {Modifier::SpaceParam, Modifier::SpaceParamFunc, Modifier::SpaceParamEntry});
  const bool passed = row.mnemonic == "st" || has(words, {Modifier::SpaceParamFunc});
  return !param ? "[%b64_1]" : passed ? "[passed]" : "[p0]";
}

std::string operand_for(const FormInfo& row, const OperandShape& shape, const Words& words, const ptx::Types& types, std::size_t k) {
  const auto type = ptx::type_of(shape, types);
  switch (shape.role) {
    case OperandRole::Address:
      return address_for(row, words);
    case OperandRole::Label:
      return "last";
    case OperandRole::Callee:
      return "function";
    case OperandRole::Targets:
      return "targets";
    case OperandRole::Number:
      return "5";
    case OperandRole::Predicate:
      return "%p3";
    default:
      break;
  }
  const std::size_t elements = shape.vector ? elements_of(words) : 1;
  std::string out = register_of(*type, k);
  if (elements > 1) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < elements; ++i) {
      list.push_back(register_of(*type, k + i));
    }
    out = fmt::format("{{{}}}", fmt::join(list, ", "));
  }
  return shape.behind_bar ? "|" + out : out;
}

/// The row's instruction with these words and types; with `spare`, also with the operands that may be left out.
Parts statement_of(const FormInfo& row, const Words& words, const ptx::Types& types, bool spare) {
  Parts made{std::string(row.mnemonic), {}, {}};
  const auto add_types = [&] {
    for (const Type type : types) {
      made.words.emplace_back(ptx::info(type).text);
    }
  };
  for (std::size_t i = 0; i <= words.size(); ++i) {
    if (i == row.types_behind) {
      add_types();
    }
    if (i < words.size() && words[i]) {
      made.words.emplace_back(ptx::info(*words[i]).text);
    }
  }
  const bool policy = has(words, {Modifier::L2CacheHint});
  for (const OperandShape& shape : row.operands) {
    const bool implicit = shape.role == OperandRole::FlagIn || shape.role == OperandRole::FlagOut || shape.role == OperandRole::Rest;
    if (!implicit && (!shape.optional || spare || (policy && &shape == &row.operands.back()))) {
      made.operands.push_back(operand_for(row, shape, words, types, made.operands.size()));
    }
  }
  return made;
}

/// All lists of types that the row has.
std::vector<ptx::Types> types_of(const FormInfo& row) {
  std::vector<ptx::Types> found;
  for (const auto& alternative : row.types) {
    std::vector<ptx::Types> lists(1);
    for (const ptx::TypeSlot& slot : alternative) {
      std::vector<ptx::Types> longer;
      for (const ptx::Types& list : lists) {
        for (const Type type : slot.types) {
          longer.push_back(list);
          longer.back().push_back(type);
        }
      }
      lists = std::move(longer);
    }
    found.insert(found.end(), lists.begin(), lists.end());
  }
  return found;
}

/// What has to be there, and of that the first; then each word for itself, and, with `pairs`, with each of another slot.
std::vector<Words> words_of(const FormInfo& row, bool pairs) {
  Words least(row.modifiers.size());
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (!row.modifiers[i].optional) {
      least[i] = row.modifiers[i].words.front();
    }
  }
  std::vector<Words> found = {least};
  for (std::size_t i = 0; i < least.size(); ++i) {
    for (const Modifier word : row.modifiers[i].words) {
      Words one = least;
      one[i] = word;
      found.push_back(one);
      for (std::size_t j = i + 1; pairs && j < least.size(); ++j) {
        for (const Modifier other : row.modifiers[j].words) {
          found.push_back(one);
          found.back()[j] = other;
        }
      }
    }
  }
  return found;
}

/// Words that instructions have: all of those that run.
std::vector<std::string> all_words() {
  std::vector<std::string> found;
  const auto add = [&](std::string_view word) {
    if (std::ranges::find(found, word) == found.end()) {
      found.emplace_back(word);
    }
  };
  for (const FormInfo& row : ptx::forms()) {
    for (const ptx::ModifierSlot& slot : row.modifiers) {
      for (const Modifier word : slot.words) {
        if (row.runs()) {
          add(ptx::info(word).text);
        }
      }
    }
  }
  for (const ptx::TypeInfo& type : ptx::type_table) {
    add(type.text);
  }
  return found;
}

const std::vector<std::string>& other_operands() {
  static const std::vector<std::string> list = {"%p0",
                                                "%b8_0",
                                                "%b16_0",
                                                "%b32_0",
                                                "%b64_0",
                                                "%b128_0",
                                                "%u8_0",
                                                "%u16_0",
                                                "%u32_0",
                                                "%u64_0",
                                                "%s16_0",
                                                "%s32_0",
                                                "%s64_0",
                                                "%f16_0",
                                                "%f16x2_0",
                                                "%f32_0",
                                                "%f64_0",
                                                "%v2",
                                                "%v4",
                                                "!%p0",
                                                "0",
                                                "-1",
                                                "5",
                                                "300",
                                                "1.0",
                                                "0f3F800000",
                                                "0d3FF0000000000000",
                                                "%tid.x",
                                                "%tid",
                                                "%clock64",
                                                "gv",
                                                "sv",
                                                "cv",
                                                "p0",
                                                "[%b64_0]",
                                                "[%b32_0]",
                                                "[gv]",
                                                "[sv+4]",
                                                "[lv]",
                                                "[cv]",
                                                "[p0]",
                                                "[passed]",
                                                "[%f32_0]",
                                                "last",
                                                "undeclared",
                                                "{%b32_0}",
                                                "{%b16_0, %b16_1}",
                                                "{%b32_0, %b32_1}",
                                                "{%f32_0, %f32_1, %f32_2, %f32_3}",
                                                "{%b32_0, 5}",
                                                "WARP_SZ"};
  return list;
}

template <class T>
void erase_at(std::vector<T>& list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

class Maker {
 public:
  void add(const Parts& statement) { number_of(statement); }

  void change_words(const Parts& statement, bool further) {
    for (std::size_t i = 0; i < statement.words.size(); ++i) {
      Parts changed = statement;
      erase_at(changed.words, i);
      add(changed);
      changed = statement;
      changed.words.push_back(statement.words[i]);
      add(changed);
      if (i + 1 < statement.words.size()) {
        changed = statement;
        std::swap(changed.words[i], changed.words[i + 1]);
        add_moved(changed, statement);
      }
      for (const ptx::TypeInfo& type : ptx::type_table) {
        if (further && ptx::type_named(statement.words[i])) {
          changed = statement;
          changed.words[i] = type.text;
          add(changed);
        }
      }
    }
    for (const std::string& word : words_) {
      if (further) {
        Parts changed = statement;
        changed.words.insert(changed.words.begin(), word);
        add(changed);
      }
    }
  }

  /// ptxas gives up behind each `_` that it does not take, so that these are few.
  void drop_operands(const Parts& statement) {
    for (std::size_t i = 0; i < statement.operands.size(); ++i) {
      Parts changed = statement;
      changed.operands[i] = statement.operands[i].starts_with('|') ? "|_" : "_";
      add(changed);
    }
  }

  void change_operands(const Parts& statement) {
    for (std::size_t i = 0; i < statement.operands.size(); ++i) {
      Parts changed = statement;
      erase_at(changed.operands, i);
      add(changed);
      changed = statement;
      changed.operands.push_back(statement.operands[i]);
      add(changed);
      const std::string bar = statement.operands[i].starts_with('|') ? "|" : "";
      for (const std::string& other : other_operands()) {
        changed = statement;
        changed.operands[i] = bar + other;
        add(changed);
      }
    }
  }

  std::vector<Statement> take() { return std::move(found_); }

 private:
  std::size_t number_of(const Parts& statement) {
    std::string text = statement.text();
    const auto [at, fresh] = numbers_.emplace(text, found_.size());
    if (fresh) {
      found_.push_back({std::move(text), found_.size()});
    }
    return at->second;
  }
  void add_moved(const Parts& moved, const Parts& from) {
    const std::size_t ordered = number_of(from);
    found_[number_of(moved)].ordered = ordered;
  }

  std::vector<std::string> words_ = all_words();
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<Statement> found_;
};

}  // namespace

std::string head() {
  std::string text =
      ".version 9.0\n.target sm_100a\n.address_size 64\n.global .align 16 .b32 gv[8];\n.const .b32 cv;\n.func function() { ret; }\n"
      ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n.reg .pred %p<4>; .reg .v2 .f32 %v2; .reg .v4 .f32 %v4;\n";
  for (const std::string_view type :
       {"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "f32", "f64"}) {
    text += fmt::format(".reg .{0} %{0}_<8>;\n", type);
  }
  return text + ".shared .align 16 .b32 sv[8];\n.local .align 16 .b32 lv[8];\n.param .b64 passed;\ntargets: .branchtargets last;\n";
}

std::string tail() { return "last:\nret;\n}\n"; }

std::vector<Statement> statements() {
  Maker maker;
  for (const FormInfo& row : ptx::forms()) {
    if (!row.runs()) {
      continue;
    }
    const std::vector<ptx::Types> types = types_of(row);
    for (const bool spare : {false, true}) {
      for (std::size_t t = 0; t < types.size(); ++t) {
        for (const Words& words : words_of(row, t == 0)) {
          const Parts statement = statement_of(row, words, types[t], spare);
          maker.add(statement);
          maker.change_words(statement, false);
        }
      }
      const Parts first = statement_of(row, words_of(row, false).front(), types.front(), spare);
      maker.change_words(first, true);
      maker.drop_operands(first);
      for (const ptx::Types& list : types) {
        maker.change_operands(statement_of(row, words_of(row, false).front(), list, spare));
      }
    }
  }
  return maker.take();
}

}  // namespace lockstep::ptxas
