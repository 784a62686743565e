#include "codegen/emit/avx512/ways.hpp"

#include <algorithm>

namespace lockstep::emit_avx512 {

namespace {

std::string word_of(Form form) {
  std::string word(name(form));
  std::ranges::replace(word, ' ', '-');
  return word;
}

}  // namespace

std::vector<std::string> ways_to_reorder() {
  std::vector<std::string> words = {"columns", "memory"};
  for (std::size_t i = 0; i < form_count; ++i) {
    Allowed allowed;
    if (allowed.forbid(static_cast<Form>(i))) {
      words.push_back(word_of(static_cast<Form>(i)));
    }
  }
  return words;
}

bool switch_off(EmitOptions& options, std::string_view way) {
  if (way == "columns" || way == "memory") {
    (way == "columns" ? options.columns : options.from_memory) = false;
    return true;
  }
  for (std::size_t i = 0; i < form_count; ++i) {
    const auto form = static_cast<Form>(i);
    if (word_of(form) == way) {
      return options.forms.forbid(form);
    }
  }
  return false;
}

}  // namespace lockstep::emit_avx512
