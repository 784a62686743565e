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

constexpr std::array<std::string_view, 32> plain_words = {
    "bz",      "jmp",     "jmp_mask", "ld",  "st",    "shfl",           "shfl.active", "any.active", "all.active", "ballot.active",
    "ret",     "sync",    "stop",     "inf", "nan",   "any.group",      "all.group",   "everywhere", "call",       "forget",
    "true",    "inff",    "nanf",     "tid", "local", "end_everywhere", "barrier",     "false",      "within",     "global",
    "private", "constant"};

constexpr std::array all_spaces = {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global, AddressSpace::Constant};

const std::vector<std::string>& null_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> made;
    for (const AddressSpace space : all_spaces) {
      for (const ScalarInfo& row : scalar_table) {
        made.push_back(null_text({row.type, true, space}));
      }
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

std::string null_text(const ValueType& pointer) {
  return "null." + std::string(name_of(pointer.space)) + "." + std::string(info(pointer.scalar).name);
}

std::optional<ValueType> null_named(std::string_view word) {
  const auto at = std::ranges::find(null_words(), word);
  if (at == null_words().end()) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(at - null_words().begin());
  return ValueType{scalar_table[index % scalar_table.size()].type, true, all_spaces[index / scalar_table.size()]};
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
