#pragma once
// What the parsers of expressions over the threads of a launch have in common: operators, casts, numbers, functions.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interpreter/debug/operator_parser.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/parse_literal.hpp"

namespace lockstep {

/// The base of a parser `Self` of an `Expression`, whose nodes have the kinds Number, Cast, Operation, Any, All, Active and CountActive and
/// others. Self has
///   word()                   a name, from here on
///   suffixes()               what stands behind an expression: `in item I` and the like
///   primary()                an operand that is no number, without what stands before it
///   unary_first()            an operator of its own before an operand; false if there is none
///   stack(what)              the node of depth(what); false if there is none
///   std::string_view depths  what it may be, for people
template <class Self, class Expression>
class ValueParser : public OperatorParser<Self> {
 protected:
  using Base = OperatorParser<Self>;
  using Node = typename Expression::Node;
  using Kind = typename Node::Kind;
  using Base::accept;
  using Base::at_;
  using Base::error_;
  using Base::expect;
  using Base::expression;
  using Base::fail;
  using Base::fail_at;
  using Base::peek;
  using Base::text_;

  Node& emit(Kind kind) {
    if (result_.nodes_.size() >= Expression::max_nodes) {
      fail("the expression is too long");
      at_ = text_.size();
      result_.nodes_.pop_back();
    }
    result_.nodes_.push_back({});
    result_.nodes_.back().kind = kind;
    return result_.nodes_.back();
  }
  void emit_operation(Op op) { emit(Kind::Operation).op = op; }
  void emit_number(ScalarType type, std::uint64_t bits) {
    Node& node = emit(Kind::Number);
    node.type = type;
    node.bits = bits;
  }

  /// The text to its end, where people are told that `expected` might stand.
  std::expected<Expression, ConditionError> whole(std::string_view expected) {
    expression_or_suffix();
    self().suffixes();
    if (!error_ && peek() != '\0') {
      fail("expected " + std::string(expected));
    }
    if (error_) {
      return std::unexpected(*error_);
    }
    return std::move(result_);
  }

  /// Everything up to `in item I` and the like; these alone hold everywhere.
  void expression_or_suffix() {
    const std::size_t begin = at_;
    const bool suffix = self().word() == "in" && Base::is_letter(peek());
    at_ = begin;
    suffix ? emit_number(ScalarType::Int, 1) : expression();
  }

  std::optional<std::uint64_t> plain_number() {
    peek();
    const std::string_view rest = text_.substr(at_);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || (length < rest.size() && Base::is_letter_or_digit(rest[length]))) {
      return std::nullopt;
    }
    at_ += length;
    return n;
  }

  void unary() {
    if (Base::failed() || !Base::nest()) {
      return;
    }
    peek();
    const auto literal = typed::read_literal(text_.substr(at_));
    if (literal) {
      number(*literal);
      self().behind_operand();
    } else if (accept('-')) {
      unary();
      emit_operation(Op::Neg);
    } else if (accept('+')) {
      unary();
    } else if (accept('!')) {
      unary();
      emit_operation(Op::LogicalNot);
    } else if (accept('~')) {
      unary();
      emit_operation(Op::BitNot);
    } else if (!self().unary_first() && !cast()) {
      if (accept('(')) {
        expression();
        expect(')', "to match '('");
      } else {
        self().primary();
      }
      self().behind_operand();
    }
    --Base::depth_;
  }

  /// Behind the '(' of a call, up to its ')'. False: there is no such function.
  bool common_function(std::string_view id) {
    if (id == "depth" || id == "count") {
      stack_or_set(id);
      return true;
    }
    if (id == "any" || id == "all") {
      quantifier(id == "any" ? Kind::Any : Kind::All);
      return true;
    }
    if (id == "active") {
      expression();
      emit(Kind::Active);
      return true;
    }
    for (const OpInfo& row : op_table) {
      if (row.text == id && (row.op == Op::Min || row.op == Op::Max)) {
        return arguments(row);
      }
    }
    const auto row = std::find_if(function_table.begin(), function_table.end(), [&](const OpInfo& f) { return f.text == id; });
    return row != function_table.end() && arguments(*row);
  }

  /// The value depends on the item or thread, unless a quantifier asks all of them.
  void note_per_item(bool depends = true) { result_.per_item_ = result_.per_item_ || (depends && !quantified_); }

  Expression result_;

 private:
  friend Self;
  explicit ValueParser(std::string_view text) : Base(text) {}
  Self& self() { return static_cast<Self&>(*this); }

  void number(const typed::TypedLiteral& literal) {
    if (!literal.problem.empty()) {
      fail(literal.problem);
      return;
    }
    at_ += literal.length;
    emit_number(literal.type, literal.bits);
  }

  /// `(float)e`
  bool cast() {
    const std::size_t begin = at_;
    if (accept('(')) {
      const std::string_view name = self().word();
      const auto row = std::find_if(scalar_table.begin(), scalar_table.end(), [&](const ScalarInfo& s) { return s.name == name; });
      if (row != scalar_table.end() && accept(')')) {
        unary();
        emit(Kind::Cast).type = row->type;
        return true;
      }
    }
    at_ = begin;
    return false;
  }

  bool arguments(const OpInfo& row) {
    for (int k = 0; k < row.arity; ++k) {
      if (k > 0) {
        expect(',', "between the arguments");
      }
      expression();
    }
    emit_operation(row.op);
    return true;
  }

  void quantifier(Kind kind) {
    const bool outer = std::exchange(quantified_, true);
    const std::size_t node = result_.nodes_.size();
    emit(kind);
    expression();
    quantified_ = outer;
    if (!error_) {
      result_.nodes_[node].end = result_.nodes_.size();
    }
  }

  void stack_or_set(std::string_view id) {
    peek();
    const std::size_t begin = at_;
    const std::string_view what = self().word();
    if (id == "count") {
      what == "active" ? (void)emit(Kind::CountActive) : fail_at(begin, "expected count(active)");
    } else if (self().stack(what)) {
      note_per_item();
    } else {
      fail_at(begin, "expected " + std::string(Self::depths));
    }
  }

  bool quantified_ = false;
};

}  // namespace lockstep
