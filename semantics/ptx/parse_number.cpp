#include "semantics/ptx/parse_number.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"

namespace lockstep::ptx {
namespace {

/// Parentheses and signs may lie so deep in each other.
constexpr int deepest = 200;

[[noreturn]] void no_number(const Token& token) { refuse(token.span, fmt::format("{} is no number", quoted(token.text))); }

std::uint64_t digits(const Token& token, std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    refuse(token.span, fmt::format("{} does not fit 64 bits", quoted(token.text)));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    no_number(token);
  }
  return value;
}

/// 0f3F800000 and 0d3FF0000000000000: as many digits as the bits have.
Number pattern(const Token& token, Number::Kind kind, std::size_t length) {
  if (token.text.size() != length + 2) {
    refuse(token.span, fmt::format("{} has to have {} hexadecimal digits behind {}", quoted(token.text), length, token.text.substr(0, 2)));
  }
  return {kind, digits(token, token.text.substr(2), 16)};
}

Number decimal_float(const Token& token) {
  // The nearest double, whatever the locale.
  double value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error == std::errc::result_out_of_range) {
    refuse(token.span, fmt::format("{} does not fit a double", quoted(token.text)));
  }
  if (error != std::errc() || end != token.text.data() + token.text.size()) {
    no_number(token);
  }
  return {Number::Kind::Double, std::bit_cast<std::uint64_t>(value)};
}

Number integer(std::uint64_t bits, bool is_unsigned) { return {is_unsigned ? Number::Kind::Unsigned : Number::Kind::Signed, bits}; }

bool is_integer(const Number& number) { return number.kind == Number::Kind::Signed || number.kind == Number::Kind::Unsigned; }

struct Operator {
  std::string_view text;
  int precedence = 0;  ///< C's; a higher number binds tighter
};

constexpr auto operators = std::to_array<Operator>({{"||", 1},
                                                    {"&&", 2},
                                                    {"|", 3},
                                                    {"^", 4},
                                                    {"&", 5},
                                                    {"==", 6},
                                                    {"!=", 6},
                                                    {"<<", 8},
                                                    {">>", 8},
                                                    {"<=", 7},
                                                    {">=", 7},
                                                    {"<", 7},
                                                    {">", 7},
                                                    {"+", 9},
                                                    {"-", 9},
                                                    {"*", 10},
                                                    {"/", 10},
                                                    {"%", 10}});

/// The precedence of + and -.
constexpr int sums = 9;

/// The operator that the next one or two signs are; longer ones first.
const Operator* next_operator(const TokenStream& tokens) {
  if (tokens.peek().kind != Token::Kind::Sign) {
    return nullptr;
  }
  const char first = tokens.peek().text[0];
  const bool joined = tokens.second().kind == Token::Kind::Sign && tokens.second().span.begin == tokens.peek().span.end;
  const Operator* found = nullptr;
  for (const Operator& op : operators) {
    const bool two = op.text.size() == 2;
    if (op.text[0] == first && (!two || (joined && tokens.second().text[0] == op.text[1])) &&
        (found == nullptr || op.text.size() > found->text.size())) {
      found = &op;
    }
  }
  return found;
}

Number computed(SourceSpan where, std::string_view op, const Number& a, const Number& b) {
  if (!is_integer(a) || !is_integer(b)) {
    refuse(where, fmt::format("'{}' is for integers here", op));
  }
  const bool is_unsigned = a.kind == Number::Kind::Unsigned || b.kind == Number::Kind::Unsigned;
  const auto signed_a = static_cast<std::int64_t>(a.bits);
  const auto signed_b = static_cast<std::int64_t>(b.bits);
  const auto truth = [](bool holds) { return integer(holds ? 1 : 0, false); };
  if (op == "||" || op == "&&") {
    return truth(op == "||" ? a.bits != 0 || b.bits != 0 : a.bits != 0 && b.bits != 0);
  }
  if (op == "==" || op == "!=") {
    return truth((a.bits == b.bits) == (op == "=="));
  }
  if (op[0] == '<' && op != "<<") {
    const bool less = is_unsigned ? a.bits < b.bits : signed_a < signed_b;
    return truth(less || (op == "<=" && a.bits == b.bits));
  }
  if (op[0] == '>' && op != ">>") {
    const bool more = is_unsigned ? a.bits > b.bits : signed_a > signed_b;
    return truth(more || (op == ">=" && a.bits == b.bits));
  }
  if (op == "<<" || op == ">>") {
    // The left operand says the type; counts are of 64 bits, and a larger one leaves zeros or the sign.
    const bool left_unsigned = a.kind == Number::Kind::Unsigned;
    const std::uint64_t n = std::min<std::uint64_t>(b.bits, 64);
    if (op == "<<") {
      return integer(n == 64 ? 0 : a.bits << n, left_unsigned);
    }
    const std::uint64_t m = std::min<std::uint64_t>(n, 63);
    return integer(left_unsigned ? (n == 64 ? 0 : a.bits >> n) : static_cast<std::uint64_t>(signed_a >> m), left_unsigned);
  }
  if (op == "/" || op == "%") {
    if (b.bits == 0) {
      refuse(where, "this divides by 0");
    }
    if (is_unsigned) {
      return integer(op == "/" ? a.bits / b.bits : a.bits % b.bits, true);
    }
    if (signed_b == -1) {
      return integer(op == "/" ? -a.bits : 0, false);  // the smallest number wraps
    }
    return integer(static_cast<std::uint64_t>(op == "/" ? signed_a / signed_b : signed_a % signed_b), false);
  }
  switch (op[0]) {
    case '|':
      return integer(a.bits | b.bits, is_unsigned);
    case '^':
      return integer(a.bits ^ b.bits, is_unsigned);
    case '&':
      return integer(a.bits & b.bits, is_unsigned);
    case '+':
      return integer(a.bits + b.bits, is_unsigned);
    case '-':
      return integer(a.bits - b.bits, is_unsigned);
    default:
      return integer(a.bits * b.bits, is_unsigned);
  }
}

Number conditional(TokenStream& tokens, int depth);

void deeper(const TokenStream& tokens, int depth) {
  if (depth == deepest) {
    refuse(tokens.peek().span, "this expression is too deep");
  }
}

Number unary(TokenStream& tokens, int depth) {
  deeper(tokens, depth);
  const Token next = tokens.peek();
  if (next.kind == Token::Kind::Number) {
    return read_number(tokens.take());
  }
  if (next.kind == Token::Kind::Name && next.text == "WARP_SZ") {
    tokens.take();
    return integer(32, false);
  }
  if (next.is('-') || next.is('+') || next.is('~') || next.is('!')) {
    tokens.take();
    Number value = unary(tokens, depth + 1);
    if (!is_integer(value)) {
      if (next.is('~') || next.is('!')) {
        refuse(next.span, fmt::format("'{}' is for integers here", next.text));
      }
      const std::uint64_t sign = std::uint64_t{1} << (value.kind == Number::Kind::Single ? 31 : 63);
      value.bits ^= next.is('-') ? sign : 0;
      return value;
    }
    if (next.is('!')) {
      return integer(value.bits == 0 ? 1 : 0, false);
    }
    value.bits = next.is('-') ? -value.bits : next.is('~') ? ~value.bits : value.bits;
    return value;
  }
  if (tokens.take_if('(')) {
    if (tokens.peek().is_dot("s64") || tokens.peek().is_dot("u64")) {
      const bool is_unsigned = tokens.take().text == "u64";
      tokens.expect(')');
      const Number value = unary(tokens, depth + 1);
      if (!is_integer(value)) {
        refuse(next.span, "a cast is for integers here");
      }
      return integer(value.bits, is_unsigned);
    }
    const Number value = conditional(tokens, depth + 1);
    tokens.expect(')');
    return value;
  }
  tokens.refuse_next("a number");
}

Number binary(TokenStream& tokens, int weakest, int depth) {
  Number left = unary(tokens, depth);
  while (const Operator* op = next_operator(tokens)) {
    if (op->precedence < weakest) {
      break;
    }
    SourceSpan where = tokens.take().span;
    if (op->text.size() == 2) {
      where.end = tokens.take().span.end;
    }
    // Each further level is at most one of ten stronger ones.
    const Number right = binary(tokens, op->precedence + 1, depth);
    left = computed(where, op->text, left, right);
  }
  return left;
}

Number conditional(TokenStream& tokens, int depth) {
  deeper(tokens, depth);
  const Number condition = binary(tokens, 1, depth);
  if (!tokens.peek().is('?')) {
    return condition;
  }
  const Token question = tokens.take();
  if (!is_integer(condition)) {
    refuse(question.span, "'?' is for integers here");
  }
  const Number yes = conditional(tokens, depth + 1);
  tokens.expect(':');
  const Number no = conditional(tokens, depth + 1);
  return condition.bits != 0 ? yes : no;
}

}  // namespace

Number read_number(const Token& token) {
  std::string_view text = token.text;
  const auto begins = [&](std::string_view lower, std::string_view upper) { return text.starts_with(lower) || text.starts_with(upper); };
  if (begins("0f", "0F")) {
    return pattern(token, Number::Kind::Single, 8);
  }
  if (begins("0d", "0D")) {
    return pattern(token, Number::Kind::Double, 16);
  }
  const bool has_base = begins("0x", "0X") || begins("0b", "0B");
  if (!has_base && text.find_first_of(".eE") != std::string_view::npos) {
    return decimal_float(token);
  }
  const bool says_unsigned = text.ends_with('U') || text.ends_with('u');
  text.remove_suffix(says_unsigned ? 1 : 0);
  int base = 10;
  if (has_base) {
    base = text[1] == 'x' || text[1] == 'X' ? 16 : 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  const std::uint64_t bits = digits(token, text, base);
  return integer(bits, says_unsigned || static_cast<std::int64_t>(bits) < 0);
}

bool begins_constant(const TokenStream& tokens) {
  const Token& next = tokens.peek();
  return next.kind == Token::Kind::Number || next.is('-') || next.is('+') || next.is('~') || next.is('(') ||
         (next.is('!') && (tokens.second().kind == Token::Kind::Number || tokens.second().is('('))) ||
         (next.kind == Token::Kind::Name && next.text == "WARP_SZ");
}

Number constant_expression(TokenStream& tokens) { return conditional(tokens, 0); }

std::uint64_t count(TokenStream& tokens, std::string_view what, std::uint64_t most, bool in_angles) {
  const std::uint32_t begin = tokens.peek().span.begin;
  const Number number = in_angles ? binary(tokens, sums, 0) : constant_expression(tokens);
  const bool negative = number.kind == Number::Kind::Signed && static_cast<std::int64_t>(number.bits) < 0;
  if (!is_integer(number) || negative || number.bits > most) {
    refuse(tokens.span_from(begin), fmt::format("{} is a whole number from 0 to {}", what, most));
  }
  return number.bits;
}

std::int64_t offset_behind_name(TokenStream& tokens) {
  std::uint64_t offset = 0;
  while (tokens.peek().is('+') || tokens.peek().is('-')) {
    const Token sign = tokens.take();
    const std::uint32_t begin = tokens.peek().span.begin;
    const Number term = binary(tokens, sums + 1, 0);
    if (!is_integer(term)) {
      refuse(tokens.span_from(begin), "an offset is a whole number of bytes");
    }
    offset += sign.is('-') ? -term.bits : term.bits;
  }
  return static_cast<std::int64_t>(offset);
}

}  // namespace lockstep::ptx
