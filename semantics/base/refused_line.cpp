#include "semantics/base/refused_line.hpp"

#include <algorithm>
#include <array>

#include "semantics/base/diagnostic.hpp"

namespace lockstep {
namespace {

/// " after '+'", where an operand is missing behind an operator, '(' or ','.
std::string after_operator(const RefusedLine& line) {
  constexpr std::array<std::string_view, 8> long_operators = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  const std::string_view before = line.text.substr(0, line.text.substr(0, line.where).find_last_not_of(" \t") + 1);
  if (before.empty()) {
    return "";
  }
  const std::string_view last_two = before.substr(before.size() - std::min<std::size_t>(2, before.size()));
  const bool is_long = std::ranges::find(long_operators, last_two) != long_operators.end();
  return " after " + quoted(is_long ? last_two : before.substr(before.size() - 1));
}

}  // namespace

std::size_t character_end(std::string_view text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  return at;
}

std::optional<Explanation> foreign_assignment(const RefusedLine& line, std::size_t begin, std::span<const std::string_view> signs) {
  for (const std::string_view sign : signs) {
    if (line.text.substr(begin).starts_with(sign)) {
      return Explanation{begin, begin + sign.size(), "an assignment is written with '=', not " + quoted(sign)};
    }
  }
  return std::nullopt;
}

std::string operator_hint(const RefusedLine& line) {
  if (line.where >= line.text.size()) {
    return "";
  }
  const char c = line.text[line.where];
  const bool operand = line.expected.starts_with("an ") && !line.expected.starts_with("an operator");
  if (c == '=' && !operand && !line.expected.starts_with("'='")) {
    return "; equality is written '=='";
  }
  return c == '+' && operand ? "; there is no unary '+'" : "";
}

Explanation plain_explanation(const RefusedLine& line, std::size_t end, const std::string& hint) {
  const std::string after = line.expected == "an operand" ? after_operator(line) : "";
  return {line.where, end, "expected " + line.expected + after + hint};
}

}  // namespace lockstep
