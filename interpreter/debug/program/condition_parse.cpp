// The parser of conditions: precedence climbing over the operators of ops.def.

#include <algorithm>
#include <cctype>

#include "interpreter/debug/operator_parser.hpp"
#include "interpreter/debug/program/condition.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep {

using Kind = Condition::Node::Kind;

class ConditionParser : OperatorParser<ConditionParser> {
 public:
  ConditionParser(std::string_view text, const musimd::Program& program, unsigned threads)
      : OperatorParser(text), program_(program), threads_(threads) {}

  std::expected<Condition, ConditionError> parse() {
    expression();
    if (!failed() && peek() != '\0') {
      fail("expected an operator or the end of the expression");
    }
    if (error_) {
      return std::unexpected(*error_);
    }
    result_.note_reads();
    return std::move(result_);
  }

 private:
  friend OperatorParser;

  void emit(Condition::Node node) {
    if (result_.nodes_.size() >= Condition::max_nodes) {
      fail("the expression is too long");
      return;
    }
    result_.nodes_.push_back(node);
  }
  void emit(Kind kind) {
    Condition::Node node;
    node.kind = kind;
    emit(node);
  }
  void emit_number(std::int64_t n) {
    Condition::Node node;
    node.number = n;
    emit(node);
  }
  void emit_operation(Op op) {
    Condition::Node node;
    node.kind = Kind::Operation;
    node.op = op;
    emit(node);
  }
  void emit_variable(Kind kind, musimd::VarId id) {
    Condition::Node node;
    node.kind = kind;
    node.variable = id;
    emit(node);
  }

  void unary() {
    std::vector<Op> pending;
    for (;;) {
      if (peek() == '-' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0) {
        ++at_;
        integer(true);
        break;
      }
      if (accept('-')) {
        pending.push_back(Op::Neg);
      } else if (accept('!')) {
        pending.push_back(Op::LogicalNot);
      } else if (accept('~')) {
        pending.push_back(Op::BitNot);
      } else {
        primary();
        break;
      }
    }
    for (auto op = pending.rbegin(); op != pending.rend() && !failed(); ++op) {
      emit_operation(*op);
    }
  }

  void primary() {
    if (failed()) {
      return;
    }
    const char c = peek();
    if (accept('(')) {
      expression();
      expect(')', "to match '('");
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      integer(false);
    } else if (c == '$' || is_letter(c)) {
      name();
    } else {
      fail("expected a number, a name or '('");
    }
  }

  void integer(bool negative) {
    const std::size_t begin = at_;
    const bool hexadecimal = text_.size() > at_ + 1 && text_[at_] == '0' && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X');
    at_ += hexadecimal ? 2 : 0;
    const std::uint64_t base = hexadecimal ? 16 : 10;
    const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
    const std::size_t digits = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      const int c = std::tolower(static_cast<unsigned char>(text_[at_]));
      const std::uint64_t digit = std::isdigit(c) != 0 ? static_cast<std::uint64_t>(c - '0') : static_cast<std::uint64_t>(c - 'a') + 10;
      if (digit >= base) {
        fail("this is not a digit");
        return;
      }
      if (value > (limit - digit) / base) {
        fail_at(begin, "the number does not fit into 64 bits");
        return;
      }
      value = value * base + digit;
    }
    if (at_ == digits) {
      fail("expected a hexadecimal digit");
      return;
    }
    emit_number(static_cast<std::int64_t>(negative ? std::uint64_t{0} - value : value));
  }

  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (text_[at_] == '.' || is_letter_or_digit(text_[at_]))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void name() {
    if (accept('$')) {
      const std::size_t begin = at_;
      const std::string_view id = word();
      if (!variable(id)) {
        fail_at(begin, "there is no variable '" + shortened(id) + "'");
      }
      return;
    }
    const std::size_t begin = at_;
    const std::string_view id = word();
    if (!builtin(id) && !variable(id) && !label(id)) {
      fail_at(begin, "there is no variable or label '" + shortened(id) + "'");
    }
  }

  bool builtin(std::string_view id) {
    if (id == "tid") {
      emit(Kind::Tid);
    } else if (id == "pc") {
      emit(Kind::Pc);
    } else if (id == "step") {
      emit(Kind::Step);
    } else if (id == "mem") {
      expect('[', "after mem");
      expression();
      expect(']', "to match '['");
      emit(Kind::Memory);
    } else {
      return function(id);
    }
    return true;
  }

  bool function(std::string_view id) {
    static constexpr std::string_view names[] = {"depth", "active", "count", "any", "all", "min", "max"};
    if (std::find(std::begin(names), std::end(names), id) == std::end(names) || peek() != '(') {
      return false;
    }
    ++at_;
    if (id == "depth" || id == "count") {
      stack_or_set(id);
    } else if (id == "any" || id == "all") {
      const std::size_t node = result_.nodes_.size();
      emit(id == "any" ? Kind::Any : Kind::All);
      expression();
      if (!failed()) {
        result_.nodes_[node].end = result_.nodes_.size();
      }
    } else if (id == "active") {
      expression();
      emit(Kind::Active);
    } else {
      expression();
      expect(',', "between the two arguments");
      expression();
      emit_operation(id == "min" ? Op::Min : Op::Max);
    }
    expect(')', "to end the call");
    return true;
  }

  void stack_or_set(std::string_view id) {
    peek();
    const std::size_t begin = at_;
    const std::string_view what = word();
    if (id == "count") {
      what == "active" ? emit(Kind::CountActive) : fail_at(begin, "expected count(active)");
    } else if (what == "sync" || what == "context") {
      emit(what == "sync" ? Kind::SyncDepth : Kind::ContextDepth);
    } else {
      fail_at(begin, "expected depth(sync) or depth(context)");
    }
  }

  bool variable(std::string_view id) {
    const auto found = std::find(program_.variables.begin(), program_.variables.end(), id);
    if (found == program_.variables.end()) {
      return false;
    }
    const auto number = static_cast<musimd::VarId>(found - program_.variables.begin());
    if (!accept('[')) {
      emit_variable(Kind::Variable, number);
      return true;
    }
    const std::size_t begin = at_;
    const std::size_t first = result_.nodes_.size();
    expression();
    if (!failed() && result_.nodes_.size() == first + 1 && result_.nodes_[first].kind == Kind::Number &&
        (result_.nodes_[first].number < 0 || result_.nodes_[first].number >= static_cast<std::int64_t>(threads_))) {
      fail_at(begin, "there are only threads 0 to " + std::to_string(threads_ - 1));
    }
    expect(']', "to match '['");
    emit_variable(Kind::VariableOf, number);
    return true;
  }

  bool label(std::string_view id) {
    for (const musimd::LabelDefinition& definition : program_.labels) {
      if (definition.name == id) {
        emit_number(definition.pc);
        return true;
      }
    }
    return false;
  }

  const musimd::Program& program_;
  unsigned threads_;
  Condition result_;
};

std::expected<Condition, ConditionError> Condition::parse(std::string_view text, const musimd::Program& program, unsigned threads) {
  return ConditionParser(text, program, threads).parse();
}

}  // namespace lockstep
