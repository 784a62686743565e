#include "semantics/typed/parse_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace lockstep::typed {
namespace {

constexpr std::array<std::pair<Query, std::string_view>, 6> queries = {{{Query::LocalId, "local_id"},
                                                                        {Query::GroupId, "group_id"},
                                                                        {Query::NumGroups, "num_groups"},
                                                                        {Query::WarpSize, "warp_size"},
                                                                        {Query::WarpId, "warp_id"},
                                                                        {Query::LaneId, "lane_id"}}};

constexpr std::array<std::string_view, 33> plain_words = {
    "bz",      "jmp",      "jmp_mask", "ld",  "st",    "shfl",           "shfl.active", "any.active", "all.active", "ballot.active",
    "ret",     "sync",     "stop",     "inf", "nan",   "any.group",      "all.group",   "everywhere", "call",       "forget",
    "true",    "inff",     "nanf",     "tid", "local", "end_everywhere", "barrier",     "false",      "within",     "global",
    "private", "constant", "maybe"};

constexpr std::array all_spaces = {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global, AddressSpace::Constant};

/// The types of pointers, by their text behind a prefix: "null.global.float".
std::vector<std::string> words_of_pointers(std::string (*text)(const ValueType&)) {
  std::vector<std::string> made;
  for (const AddressSpace space : all_spaces) {
    for (const ScalarInfo& row : scalar_table) {
      made.push_back(text({row.type, true, space}));
    }
  }
  return made;
}
const std::vector<std::string>& null_words() {
  static const std::vector<std::string> words = words_of_pointers(null_text);
  return words;
}
const std::vector<std::string>& reinterpret_words() {
  static const std::vector<std::string> words = words_of_pointers(reinterpret_text);
  return words;
}
std::optional<ValueType> pointer_named(const std::vector<std::string>& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(at - words.begin());
  return ValueType{scalar_table[index % scalar_table.size()].type, true, all_spaces[index / scalar_table.size()]};
}

std::string pointer_text(std::string_view prefix, const ValueType& pointer) {
  return std::string(prefix) + "." + std::string(name_of(pointer.space)) + "." + std::string(info(pointer.scalar).name);
}

constexpr std::string_view bitcast_prefix = "as.";

const std::vector<std::string>& bitcast_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> made;
    for (const ScalarInfo& row : scalar_table) {
      made.push_back(bitcast_text(row.type));
    }
    return made;
  }();
  return words;
}

std::vector<std::string_view> all_words() {
  std::vector<std::string_view> words(plain_words.begin(), plain_words.end());
  for (const auto& [query, name] : queries) {
    words.push_back(name);
  }
  for (const ScalarInfo& row : scalar_table) {
    words.push_back(row.name);
  }
  for (const AtomicInfo& row : atomic_table) {
    words.push_back(row.word);
  }
  const auto add_calls = [&](const auto& table) {
    for (const OpInfo& row : table) {
      if (std::isalpha(static_cast<unsigned char>(row.text.front())) != 0) {
        words.push_back(row.text);
      }
    }
  };
  add_calls(op_table);
  add_calls(function_table);
  words.insert(words.end(), null_words().begin(), null_words().end());
  words.insert(words.end(), bitcast_words().begin(), bitcast_words().end());
  words.insert(words.end(), reinterpret_words().begin(), reinterpret_words().end());
  std::ranges::sort(words);
  return words;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

bool is_word_char(char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

bool is_name(std::string_view text) { return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_word_char); }

std::span<const std::string_view> reserved_words() {
  static const std::vector<std::string_view> words = all_words();
  return words;
}

bool is_reserved(std::string_view word) { return std::ranges::binary_search(reserved_words(), word); }

std::string name_text(std::string_view name) { return (is_reserved(name) ? "$" : "") + std::string(name); }

std::optional<ScalarType> scalar_named(std::string_view word) {
  const auto row = std::ranges::find(scalar_table, word, &ScalarInfo::name);
  return row == scalar_table.end() ? std::nullopt : std::optional(row->type);
}

std::string null_text(const ValueType& pointer) { return pointer_text("null", pointer); }
std::optional<ValueType> null_named(std::string_view word) { return pointer_named(null_words(), word); }
std::string reinterpret_text(const ValueType& pointer) { return pointer_text("as", pointer); }
std::optional<ValueType> reinterpret_named(std::string_view word) { return pointer_named(reinterpret_words(), word); }

std::string bitcast_text(ScalarType to) { return std::string(bitcast_prefix) + std::string(info(to).name); }

std::optional<ScalarType> bitcast_named(std::string_view word) {
  return word.starts_with(bitcast_prefix) ? scalar_named(word.substr(bitcast_prefix.size())) : std::nullopt;
}

std::string_view name_of(Query query) { return std::ranges::find(queries, query, &std::pair<Query, std::string_view>::first)->second; }

std::optional<Query> query_named(std::string_view word) {
  const auto row = std::ranges::find(queries, word, &std::pair<Query, std::string_view>::second);
  return row == queries.end() ? std::nullopt : std::optional(row->first);
}

std::string name_of(const ValueType& type) {
  const std::string scalar(info(type.scalar).name);
  return type.is_pointer ? std::string(lockstep::name_of(type.space)) + " " + scalar + "*" : scalar;
}

std::string quoted(const ValueType& type) { return "'" + name_of(type) + "'"; }

bool is_integer(const ValueType& type) { return !type.is_pointer && lockstep::is_integer(type.scalar); }

std::string_view stem(std::string_view name) { return name.substr(0, name.find('.')); }

}  // namespace lockstep::typed
