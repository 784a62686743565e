// The reader: one line at a time, split into tokens, then recursive descent.

#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/bigstep/program.hpp"

namespace bigstep {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::uint64_t two_to_63 = std::uint64_t{1} << 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_number(const std::string& token) { return !token.empty() && is_digit(token[0]); }
bool is_name(const std::string& token) { return !token.empty() && is_word(token[0]) && !is_digit(token[0]); }

/// Numbers, names and directives are maximal runs of word characters; signs are the longest that fit.
Tokens split_into_tokens(std::string_view line) {
  static const std::vector<std::string> long_signs = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  static const std::string short_signs = "+-*/%<>&^|!~?:=(),";
  Tokens tokens;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
    } else if (line[i] == ';' || line[i] == '#' || line.substr(i, 2) == "//") {
      break;
    } else if (is_word(line[i]) || line[i] == '.') {
      std::size_t end = i + 1;
      while (end < line.size() && is_word(line[end])) {
        ++end;
      }
      tokens.emplace_back(line.substr(i, end - i));
      i = end;
    } else {
      std::size_t length = 0;
      for (const std::string& sign : long_signs) {
        if (line.substr(i, 2) == sign) {
          length = 2;
        }
      }
      if (length == 0 && short_signs.find(line[i]) != std::string::npos) {
        length = 1;
      }
      if (length == 0) {
        throw std::runtime_error("unexpected character");
      }
      tokens.emplace_back(line.substr(i, length));
      i += length;
    }
  }
  return tokens;
}

/// The absolute value of an integer literal, decimal or 0x…
std::uint64_t magnitude(const std::string& token) {
  const bool hexadecimal = token.size() > 2 && token[0] == '0' && (token[1] == 'x' || token[1] == 'X');
  const std::uint64_t base = hexadecimal ? 16 : 10;
  std::uint64_t result = 0;
  for (const char c : token.substr(hexadecimal ? 2 : 0)) {
    const std::size_t digit = std::string("0123456789abcdef").find(static_cast<char>(std::tolower(c)));
    if (digit == std::string::npos || digit >= base) {
      throw std::runtime_error("malformed number " + token);
    }
    if (result > (std::numeric_limits<std::uint64_t>::max() - digit) / base) {
      throw std::runtime_error("number too large");
    }
    result = result * base + digit;
  }
  return result;
}

/// How tightly a binary operator binds; none if `token` is no binary operator.
std::optional<int> precedence(const std::string& token) {
  static const std::map<std::string, int> table = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                                                   {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                                                   {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  const auto row = table.find(token);
  return row == table.end() ? std::nullopt : std::optional(row->second);
}

/// Reads the tokens of one line from left to right.
class LineReader {
 public:
  LineReader(Tokens tokens, std::set<std::string>& variables) : tokens_(std::move(tokens)), variables_(variables) {}

  bool at_end() const { return position_ == tokens_.size(); }
  std::string peek(std::size_t ahead = 0) const { return position_ + ahead < tokens_.size() ? tokens_[position_ + ahead] : std::string(); }
  std::string take() {
    if (at_end()) {
      throw std::runtime_error("the line ends too early");
    }
    return tokens_[position_++];
  }
  bool accept(const std::string& token) {
    if (at_end() || peek() != token) {
      return false;
    }
    ++position_;
    return true;
  }
  void expect(const std::string& token) {
    if (!accept(token)) {
      throw std::runtime_error("expected '" + token + "', found '" + peek() + "'");
    }
  }

  std::int64_t integer() {
    const bool negative = accept("-");
    const std::string token = take();
    if (!is_number(token)) {
      throw std::runtime_error("expected a number, found '" + token + "'");
    }
    const std::uint64_t size = magnitude(token);
    if (size > (negative ? two_to_63 : two_to_63 - 1)) {
      throw std::runtime_error("number beyond 64 bits");
    }
    return static_cast<std::int64_t>(negative ? 0 - size : size);
  }

  std::string variable() {
    const std::string token = take();
    if (!is_name(token) || is_reserved(token)) {
      throw std::runtime_error("expected a variable, found '" + token + "'");
    }
    variables_.insert(token);
    return token;
  }

  Expression expression() {
    Expression condition = binary(1);
    if (!accept("?")) {
      return condition;
    }
    Expression chosen = expression();
    expect(":");
    Expression otherwise = expression();
    return operation("?:", {std::move(condition), std::move(chosen), std::move(otherwise)});
  }

  /// A variable or tid: what a shuffle may read.
  Expression shuffle_source() {
    if (accept("tid")) {
      return {Expression::Kind::ThreadId, 0, "", {}};
    }
    return {Expression::Kind::Variable, 0, variable(), {}};
  }

 private:
  static bool is_reserved(const std::string& name) {
    static const std::set<std::string> words = {"tid",  "min",        "max",           "ld", "st", "bz", "jmp", "jmp_mask", "shfl", "sync",
                                                "stop", "everywhere", "end_everywhere"};
    return words.contains(name);
  }
  static Expression operation(const std::string& sign, std::vector<Expression> operands) {
    return {Expression::Kind::Operation, 0, sign, std::move(operands)};
  }

  /// A chain of operators that bind at least as tightly as `weakest`; equal ones group from the left.
  Expression binary(int weakest) {
    Expression left = unary();
    for (auto level = precedence(peek()); level && *level >= weakest; level = precedence(peek())) {
      const std::string sign = take();
      Expression right = binary(*level + 1);
      left = operation(sign, {std::move(left), std::move(right)});
    }
    return left;
  }

  Expression unary() {
    const bool signed_literal = peek() == "-" && is_number(peek(1));
    if (signed_literal || is_number(peek())) {
      return {Expression::Kind::Constant, integer(), "", {}};
    }
    for (const std::string sign : {"-", "~", "!"}) {
      if (accept(sign)) {
        return operation(sign, {unary()});
      }
    }
    if (accept("(")) {
      Expression inner = expression();
      expect(")");
      return inner;
    }
    for (const std::string function : {"min", "max"}) {
      if (!accept(function)) {
        continue;
      }
      expect("(");
      Expression first = expression();
      expect(",");
      Expression second = expression();
      expect(")");
      return operation(function, {std::move(first), std::move(second)});
    }
    return shuffle_source();
  }

  Tokens tokens_;
  std::size_t position_ = 0;
  std::set<std::string>& variables_;
};

/// What must be remembered from line to line.
struct Reading {
  Program program;
  std::map<std::string, unsigned> labels;
  std::vector<std::string> targets;  ///< as written, one per instruction; empty without a target
  bool threads_given = false;
};

void read_directive(LineReader& line, Reading& reading) {
  if (line.accept(".threads")) {
    const std::int64_t count = line.integer();
    if (reading.threads_given || count < 1 || count > 1024) {
      throw std::runtime_error(".threads wants one number, 1 to 1024");
    }
    reading.program.threads = static_cast<unsigned>(count);
    reading.threads_given = true;
    return;
  }
  line.expect(".shared");
  std::int64_t address = line.integer();
  if (address < 0) {
    throw std::runtime_error("negative address");
  }
  line.expect(":");
  for (bool fits = true; !line.at_end();) {
    if (!fits) {
      throw std::runtime_error("address beyond 2^63 - 1");
    }
    if (!reading.program.shared.emplace(address, line.integer()).second) {
      throw std::runtime_error("a cell is given twice");
    }
    fits = address < std::numeric_limits<std::int64_t>::max();
    if (fits) {
      ++address;
    }
  }
}

/// `v = …`
Instruction read_assignment(LineReader& line) {
  Instruction result;
  result.variable = line.variable();
  line.expect("=");
  if (line.accept("ld")) {
    result.kind = Instruction::Kind::Load;
    result.address = line.expression();
  } else if (line.accept("shfl")) {
    result.kind = Instruction::Kind::Shuffle;
    line.expect("(");
    result.value = line.shuffle_source();
    line.expect(",");
    result.lane = line.expression();
    line.expect(")");
  } else {
    result.kind = Instruction::Kind::Assign;
    result.value = line.expression();
  }
  return result;
}

/// An instruction; `target` becomes the branch target as written.
Instruction read_instruction(LineReader& line, std::string& target) {
  using Kind = Instruction::Kind;
  static const std::map<std::string, Kind> bare = {
      {"sync", Kind::Sync}, {"stop", Kind::Stop}, {"everywhere", Kind::Everywhere}, {"end_everywhere", Kind::EndEverywhere}};
  static const std::map<std::string, Kind> branches = {{"jmp", Kind::Jump}, {"bz", Kind::BranchZero}, {"jmp_mask", Kind::JumpMask}};
  Instruction result;
  if (const auto row = bare.find(line.peek()); row != bare.end()) {
    line.take();
    result.kind = row->second;
    return result;
  }
  if (const auto row = branches.find(line.peek()); row != branches.end()) {
    line.take();
    result.kind = row->second;
    if (result.kind != Kind::Jump) {
      result.value = line.expression();
      line.expect(",");
    }
    target = line.take();
    return result;
  }
  if (line.accept("st")) {
    result.kind = Kind::Store;
    result.address = line.expression();
    line.expect("=");
    result.value = line.expression();
    return result;
  }
  return read_assignment(line);
}

void read_line(std::string_view text, Reading& reading) {
  LineReader line(split_into_tokens(text), reading.program.variables);
  while (is_name(line.peek()) && line.peek(1) == ":") {
    const auto pc = static_cast<unsigned>(reading.program.code.size());
    if (!reading.labels.emplace(line.take(), pc).second) {
      throw std::runtime_error("a label is defined twice");
    }
    line.expect(":");
  }
  if (line.at_end()) {
    return;
  }
  if (line.peek().starts_with(".")) {
    read_directive(line, reading);
  } else {
    std::string target;
    reading.program.code.push_back(read_instruction(line, target));
    reading.targets.push_back(target);
  }
  if (!line.at_end()) {
    throw std::runtime_error("unexpected '" + line.peek() + "'");
  }
}

unsigned resolve(const std::string& target, const Reading& reading) {
  if (is_number(target)) {
    const std::uint64_t pc = magnitude(target);
    if (pc > reading.program.code.size()) {
      throw std::runtime_error("jump out of range: " + target);
    }
    return static_cast<unsigned>(pc);
  }
  const auto label = reading.labels.find(target);
  if (label == reading.labels.end()) {
    throw std::runtime_error("undefined label '" + target + "'");
  }
  return label->second;
}

}  // namespace

Program read(std::string_view text) {
  Reading reading;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    try {
      read_line(text.substr(0, end), reading);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (std::size_t i = 0; i < reading.program.code.size(); ++i) {
    if (!reading.targets[i].empty()) {
      reading.program.code[i].target = resolve(reading.targets[i], reading);
    }
  }
  return std::move(reading.program);
}

}  // namespace bigstep
