#include "tools/words.hpp"

#include <cctype>

namespace lockstep::tools {

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !continues_name(text[at - 1])) && (end == text.size() || !continues_name(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace lockstep::tools
