#include "interpreter/debug/stepper_commands.hpp"

namespace lockstep {

BreakRequest parse_break(std::string_view arguments) {
  BreakRequest request;
  std::string_view rest = arguments;
  std::string_view word = take_word(rest);
  if (word == "rule") {
    request.rule = take_word(rest);
    word = take_word(rest);
  } else if (word != "if") {
    request.place = word;
    word = take_word(rest);
  }
  if (word == "if") {
    request.condition = rest;
  } else if (word == "in" && !request.rule) {
    request.condition = std::string_view(word.data(), static_cast<std::size_t>(rest.data() + rest.size() - word.data()));
    request.says_if = false;
  } else if (!word.empty()) {
    request.wrong = fmt::format("expected 'if' instead of '{}'", shortened(word));
  }
  return request;
}

}  // namespace lockstep
