#pragma once
// The actions of the grammar of typed texts (parse.cpp): from tokens to the calls of a ProgramBuilder.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/typed/parse_expression.hpp"
#include "semantics/typed/parse_literal.hpp"
#include "semantics/typed/parse_program.hpp"
#include "semantics/typed/parse_words.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// True if the line begins with that directive, ".constant" for example.
bool begins_with_directive(std::string_view line, std::string_view directive);

/// Keeps what the grammar has read of a line, until the whole line makes a call of the builder. A refused line is reported and left
/// out, so that one run finds the errors of several lines.
class Reader {
 public:
  using Text = std::string_view;

  explicit Reader(Text text) : lines_(text) {}

  /// Goes to the next line that a grammar has to read. False at the end of the text, or if there are errors enough.
  bool next_line();
  Text line() const { return lines_.line(); }
  /// Whether the line goes on with the values of the `.constant` before it.
  bool continues() const { return continues_; }

  /// What to say where the grammar was stuck at `where` and expected `what`.
  Diagnostic explained(const char* where, const std::string& what) const;
  /// The line is wrong. An empty message says nothing of it.
  void refuse_line(Diagnostic error);

  /// Behind the last line: the program, or what is wrong.
  std::expected<Program, Diagnostics> finish();

  // The grammar's actions, in its order. A Refused error refuses the line.

  /// Takes a number off the text, if one begins there.
  bool literal(Text& text, TypedLiteral& result);
  bool at_element() const { return at_element_; }

  // expressions
  void constant(const TypedLiteral& value);
  void query(Text word);
  void null_pointer(Text word);
  void address(Text word);
  void object_address(Text word);
  void named(Text word);
  void unary(Text sign);
  void operation(Op op) { op_ = op; }
  void binary(Text sign) { expression_.binary(op_, span(sign)); }
  void question(Text sign) { expression_.question(span(sign)); }
  void colon() { expression_.colon(); }
  void open(Text token) { expression_.open(span(token)); }
  void open_operation(Text token) { expression_.open_call(op_, span(token)); }
  void open_conversion(Text token) { expression_.open_call(*scalar_named(token), span(token)); }
  void open_maybe(Text token) { expression_.open_call(Carries{}, span(token)); }
  void open_bitcast(Text token) { expression_.open_call(BitsAs{*bitcast_named(token)}, span(token)); }
  void open_reinterpretation(Text token) { expression_.open_call(*reinterpret_named(token), span(token)); }
  void close(Text token) { expression_.close(span(token).end); }
  void limit(Text digits);
  void indexed_register(Text word);
  void indexed_object(Text word);
  void index_number(Text digits);
  void close_within(Text token) { expression_.close_within(within_, span(token).end); }
  void finish_expression() { expression_.finish(); }
  void take() { operands_.push_back(expression_.take()); }

  // instructions
  void target(Text word);
  void destination(Text word) { destination_ = word; }
  void destination_index() { index_ = pop_operand(); }
  void place();
  void source(Text word) { source_ = named_token(word, "register"); }
  void callee(Text word) { source_ = named_token(word, "function"); }
  void active() { active_ = true; }
  void vote_kind(VoteKind kind) { vote_ = kind; }

  void branch() { builder_.branch(pop_operand(), target_, statement_span()); }
  void jump() { builder_.jump(target_, statement_span()); }
  void jump_mask() { builder_.jump_mask(pop_operand(), target_, statement_span()); }
  void forget() { builder_.forget(source_, statement_span()); }
  void assign() { builder_.assign(std::move(*place_), pop_operand(), statement_span()); }
  void load();
  void store();
  void shuffle() { builder_.shuffle(*place_, source_, pop_operand(), active_, statement_span()); }
  void atomic_op(AtomicOp op) {
    atomic_ = op;
    operands_.clear();
  }
  void atomic() { builder_.atomic(atomic_, place_, std::move(operands_), statement_span()); }
  void unused_atomic() { builder_.atomic(atomic_, std::nullopt, std::move(operands_), statement_span()); }
  void vote() { builder_.vote(vote_, *place_, pop_operand(), statement_span()); }
  void call() { builder_.call(source_, std::move(operands_), place_, statement_span()); }
  void ret() { builder_.return_value(std::nullopt, statement_span()); }
  void ret_value() { builder_.return_value(pop_operand(), statement_span()); }
  void sync() { builder_.plain(Sync{}, statement_span()); }
  void stop() { builder_.plain(Stop{}, statement_span()); }
  void everywhere() { builder_.plain(Everywhere{}, statement_span()); }
  void end_everywhere() { builder_.plain(EndEverywhere{}, statement_span()); }
  void barrier() { fences_ = {}; }
  void fences(Fences named) { fences_ = named; }
  void finish_barrier() { builder_.plain(Barrier{fences_}, statement_span()); }
  void label(Text word);
  void before_instruction() { builder_.require_function(span(line())); }

  // directives
  void typed();
  void wg_size(Text digits) { builder_.wg_size(number(digits), span(digits)); }
  void space(AddressSpace space) { space_ = space; }
  void scalar(Text word);
  void star() { kind_.type.is_pointer = true; }
  void type_end();
  void uniform() { kind_.uniform = true; }
  void temporary() { kind_.temporary = true; }
  void written() { kind_.written = true; }
  void declared(Text word) { declarator_ = {named_token(word, "register"), {}, {}, std::nullopt}; }
  void extent(Text digits);
  void variable(Text word) { declarator_.variable = named_token(word, "variable"); }
  void declare();
  void next_parameter() { kind_ = {}; }
  void parameter() { builder_.parameter(kind_, declarator_); }
  void result() { result_ = kind_.type; }
  void kernel(Text word) { builder_.function(true, named_token(word, "function"), std::nullopt, span(line())); }
  void function(Text word) { builder_.function(false, named_token(word, "function"), result_, span(line())); }
  void local() { object(AddressSpace::Local); }
  void constant_object();
  void value(const TypedLiteral& value) { builder_.object_value(value.type, value.bits, span_of(value)); }
  void values_go_on() { values_.goes_on = true; }

 private:
  SourceSpan span(Text part) const { return lines_.span(part); }
  SourceSpan statement_span() const { return span(lines_.statement()); }
  SourceSpan span_of(const TypedLiteral&) const { return literal_span_; }

  NameToken named_token(Text word, Text what) const;
  std::uint64_t number(Text digits) const;
  Expr pop_operand();
  void object(AddressSpace space);
  void begin_line();
  void close_values();

  TextLines lines_;
  ProgramBuilder builder_;
  Diagnostics errors_;
  std::optional<SourceSpan> typed_;

  // The line that is being read.
  ExpressionBuilder expression_;
  bool at_element_ = false;  // the name that was just read is an array
  Op op_ = Op::Add;
  Within within_;
  SourceSpan literal_span_;
  std::vector<Expr> operands_;
  TargetToken target_;
  Text destination_;
  NameToken source_;
  std::optional<Expr> index_;
  std::optional<Place> place_;
  Fences fences_;
  bool active_ = false;
  VoteKind vote_ = VoteKind::Any;
  AtomicOp atomic_ = AtomicOp::Exchange;
  RegisterKind kind_;
  std::optional<AddressSpace> space_;
  SourceSpan type_span_;
  Declarator declarator_;
  std::optional<ValueType> result_;

  // The `.constant` directive that the next line may continue.
  ContinuedDirective values_;
  bool continues_ = false;
};

}  // namespace lockstep::typed
