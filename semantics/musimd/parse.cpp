#include "semantics/musimd/parse.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "semantics/base/grammar.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/musimd/expression_builder.hpp"
#include "semantics/musimd/literal.hpp"
#include "semantics/musimd/mistakes.hpp"
#include "semantics/musimd/resolve.hpp"

// The text is cut into lines; each line is parsed by the grammar below, whose actions call the Reader. A refused line is
// reported and left out, so one run finds the errors of several lines.

namespace lockstep::musimd {
namespace {

/// Builds the program line by line. The members up to `refuse` are the grammar's actions, in the order of the grammar.
class Reader {
 public:
  explicit Reader(const SourceFile& source) : lines_(source.text()) {}

  std::expected<Program, Diagnostics> run();

  bool integer(std::string_view& text, Constant& result);

  void constant(const Constant& value) { expression_.operand(value, value.span); }
  void named(std::string_view word);
  void unary(std::string_view sign);
  void binary(Op op) { expression_.binary(op, {}); }
  void question(std::string_view sign) { expression_.question(span(sign)); }
  void colon() { expression_.colon(); }
  void open(std::string_view token) { expression_.open(span(token)); }
  void close(std::string_view token) { expression_.close_parenthesis(span(token).end); }
  void close_min(std::string_view token) { expression_.close_call(Op::Min, span(token).end); }
  void close_max(std::string_view token) { expression_.close_call(Op::Max, span(token).end); }
  void finish_expression() { expression_.finish(); }
  void take() { operands_.push_back(expression_.take()); }

  void target(std::string_view word);
  void destination(std::string_view word) { destination_ = word; }
  void assignment();
  void source(std::string_view word);

  void branch() { add_jump(BranchZero{std::move(operands_.at(0)), target_}); }
  void jump() { add_jump(Jump{target_}); }
  void jump_mask() { add_jump(JumpMask{std::move(operands_.at(0)), target_}); }
  void assign() { add(Assign{assigned_, std::move(operands_.at(0))}); }
  void load() { add(Load{assigned_, std::move(operands_.at(0))}); }
  void store() { add(Store{std::move(operands_.at(0)), std::move(operands_.at(1))}); }
  void shuffle() { add(Shuffle{assigned_, source_, std::move(operands_.at(0))}); }
  void sync() { add(Sync{}); }
  void stop() { add(Stop{}); }
  void everywhere() { add(Everywhere{}); }
  void end_everywhere() { add(EndEverywhere{}); }

  void threads(const Constant& count);
  void shared_base(const Constant& base);
  void shared_value(const Constant& value) { range_.values.push_back(value.value); }
  void shared_goes_on() { shared_.goes_on = true; }
  void label(std::string_view word);

 private:
  SourceSpan span(std::string_view part) const { return lines_.span(part); }

  VarId variable(std::string_view word);
  void add(Instruction instruction) { program_.code.push_back({std::move(instruction), span(lines_.statement())}); }
  void add_jump(Instruction instruction) {
    targets_.push_back({program_.code.size(), target_name_});
    add(std::move(instruction));
  }
  void define_label(std::string_view word);

  void read_line();
  void parse_line(bool continues);
  Diagnostic explained(const grammar::Expectation& failure);
  void close_shared();

  TextLines lines_;
  Program program_;
  Diagnostics errors_;
  std::unordered_map<std::string_view, VarId> variables_;
  std::vector<UnresolvedTarget> targets_;
  SourceSpan threads_span_;

  // The line that is being read.
  ExpressionBuilder expression_;
  std::vector<Expr> operands_;
  Target target_;
  std::string_view target_name_;
  std::string_view destination_;
  VarId assigned_ = 0;
  std::variant<Variable, ThreadId> source_;

  // The `.shared` directive that the next line may continue.
  ContinuedDirective shared_;
  SharedRange range_;
};

namespace rules {

using namespace lockstep::grammar;

/// The infix operators of ops.def.
struct InfixOperators : x3::symbols<Op> {
  InfixOperators() {
    for (const OpInfo& row : op_table) {
      if (row.arity == 2 && !is_word_char(row.text.front())) {
        add(std::string(row.text), row.op);
      }
    }
  }
};

const x3::rule<class PrimaryRule> primary("an operand");
const x3::rule<class OperandRule> operand("an operand");
const x3::rule<class ExpressionRule> expression("an expression");

const auto word_char = x3::char_("a-zA-Z0-9_");
const auto name = x3::raw[x3::lexeme[x3::char_("a-zA-Z_") >> *word_char]];
const TakenBy<Constant, &Reader::integer> integer;  // perhaps with a minus before it
const InfixOperators infix;

auto keyword(const char* word) { return x3::lexeme[x3::lit(word) >> !word_char]; }

template <class Close>
auto call_of(const char* word, const char* opening, const char* comma, const char* closing, Close close) {
  return x3::raw[keyword(word)][call<&Reader::open>] >> must('(', opening) >> must(expression, "an operand") >> must(',', comma) >>
         must(expression, "an operand") >> must(x3::raw[x3::lit(')')], closing)[close];
}

const auto minimum =
    call_of("min", "'(' after 'min'", "',' and the second operand of min", "')' after the two operands of min", call<&Reader::close_min>);
const auto maximum =
    call_of("max", "'(' after 'max'", "',' and the second operand of max", "')' after the two operands of max", call<&Reader::close_max>);
const auto parenthesis = x3::raw[x3::lit('(')][call<&Reader::open>] >> must(expression, "an expression after '('") >>
                         must(x3::raw[x3::lit(')')], "')'")[call<&Reader::close>];

const auto primary_def = integer[call<&Reader::constant>] | parenthesis | minimum | maximum | name[call<&Reader::named>];

const auto prefix = !('-' >> x3::char_("0-9")) >> x3::raw[x3::char_("-~!")][call<&Reader::unary>];
const auto operand_def = (+prefix >> must(primary, "an operand")) | primary;

const auto infix_tail = infix[call<&Reader::binary>] >> must(operand, "an operand");
const auto conditional_tail = x3::raw[x3::lit('?')][call<&Reader::question>] >> must(expression, "an operand") >>
                              must(':', "':' and the third operand of '?:'")[call<&Reader::colon>] >> must(operand, "an operand");
const auto expression_def = operand >> *(infix_tail | conditional_tail) >> x3::eps[call<&Reader::finish_expression>];

BOOST_SPIRIT_DEFINE(primary, operand, expression)

auto value(const char* expected) { return must(expression, expected)[call<&Reader::take>]; }

const auto end = must(x3::eoi, "the end of the line");
const auto end_after_value = must(x3::eoi, "an operator or the end of the line");
const auto target = must(x3::raw[x3::lexeme[+word_char]], "a label or an instruction number")[call<&Reader::target>];
const auto comma_target = must(',', "',' and a label") >> target;

const auto jumps = (keyword("bz") >> value("an expression after 'bz'") >> comma_target >> end)[call<&Reader::branch>] |
                   (keyword("jmp_mask") >> value("an expression after 'jmp_mask'") >> comma_target >> end)[call<&Reader::jump_mask>] |
                   (keyword("jmp") >> target >> end)[call<&Reader::jump>];
const auto store = ((keyword("st") | "↑") >> value("an address after 'st'") >> must('=', "'=' and a value") >>
                    value("an expression after '='") >> end_after_value)[call<&Reader::store>];
const auto plain = (keyword("sync") >> end)[call<&Reader::sync>] | (keyword("stop") >> end)[call<&Reader::stop>] |
                   (keyword("everywhere") >> end)[call<&Reader::everywhere>] |
                   (keyword("end_everywhere") >> end)[call<&Reader::end_everywhere>];
const auto load = ((keyword("ld") | "↓") >> value("an address after 'ld'") >> end_after_value)[call<&Reader::load>];
const auto shuffle =
    (keyword("shfl") >> must('(', "'(' after 'shfl'") >>
     must(name, "a variable or tid as the first operand of shfl")[call<&Reader::source>] >>
     must(',', "',' and the lane; shfl takes a variable or tid, and a lane") >> value("a lane, the second operand of shfl") >>
     must(')', "')' after the two operands of shfl") >> end)[call<&Reader::shuffle>];
const auto assign = (value("an expression after '='") >> end_after_value)[call<&Reader::assign>];
const auto assignment = name[call<&Reader::destination>] >> must('=', "'=' after the variable")[call<&Reader::assignment>] >>
                        (load | shuffle | assign);
const auto instruction = jumps | store | plain | assignment;

const auto shared_values = *integer[call<&Reader::shared_value>] >> -x3::lit("..")[call<&Reader::shared_goes_on>] >>
                           must(x3::eoi, "an integer or the end of the line");
const auto shared = keyword("shared") >> must(integer, "the base address")[call<&Reader::shared_base>] >>
                    must(':', "':' after the base address") >> shared_values;
const auto threads = keyword("threads") >> must(integer, "the number of threads")[call<&Reader::threads>] >> end;
const auto directive = '.' >> (threads | shared);

const auto label = (name >> ':' >> !x3::lit('='))[call<&Reader::label>];
const auto whole_line = (directive | (*label >> -instruction)) >> must(x3::eoi, "an instruction");
const auto continuation_line = -x3::lit("..") >> shared_values;

}  // namespace rules

bool Reader::integer(std::string_view& text, Constant& result) {
  const std::optional<Literal> literal = read_integer(text);
  if (!literal) {
    return false;
  }
  const SourceSpan where = span(text.substr(0, literal->length));
  if (!literal->problem.empty()) {
    refuse(where, literal->problem);
  }
  result = {literal->value, where};
  text.remove_prefix(literal->length);
  return true;
}

void Reader::unary(std::string_view sign) {
  const Op op = sign == "-" ? Op::Neg : sign == "~" ? Op::BitNot : Op::LogicalNot;
  expression_.unary(op, span(sign));
}

void Reader::named(std::string_view word) {
  if (word == "tid") {
    expression_.operand(ThreadId{span(word)}, span(word));
  } else if (word == "ld" || word == "shfl") {
    refuse(span(word), "'" + std::string(word) + "' cannot stand inside an expression, only directly behind '='");
  } else {
    expression_.operand(Variable{variable(word), span(word)}, span(word));
  }
}

VarId Reader::variable(std::string_view word) {
  if (is_reserved(word)) {
    refuse(span(word), reserved_message(word, "variable"));
  }
  const auto [entry, added] = variables_.try_emplace(word, static_cast<VarId>(program_.variables.size()));
  if (added) {
    program_.variables.emplace_back(word);
  }
  return entry->second;
}

void Reader::target(std::string_view word) {
  target_ = {.pc = 0, .label = std::nullopt, .span = span(word)};
  target_name_ = {};
  if (word.front() < '0' || word.front() > '9') {
    if (is_reserved(word)) {
      refuse(span(word), reserved_message(word, "label"));
    }
    target_name_ = word;
    return;
  }
  const std::optional<std::uint64_t> number = read_decimal(word);
  if (word.find_first_not_of("0123456789") != std::string_view::npos) {
    refuse(span(word), "'" + shortened(word) + "' is neither a label nor a decimal instruction number");
  }
  target_.pc = static_cast<Label>(std::min<std::uint64_t>(number.value_or(max_text), max_text));  // no program has so many instructions
}

void Reader::assignment() { assigned_ = variable(destination_); }

void Reader::source(std::string_view word) {
  if (word == "tid") {
    source_ = ThreadId{span(word)};
  } else {
    source_ = Variable{variable(word), span(word)};
  }
}

void Reader::threads(const Constant& count) {
  if (program_.threads) {
    refuse(span(lines_.line()), "'.threads' stands twice", first_one(threads_span_));
  }
  if (count.value < 1 || count.value > static_cast<std::int64_t>(max_threads)) {
    refuse(count.span, "the number of threads must be 1 to " + std::to_string(max_threads));
  }
  program_.threads = static_cast<unsigned>(count.value);
  threads_span_ = span(lines_.line());
}

void Reader::shared_base(const Constant& base) {
  shared_.state = ContinuedDirective::State::Open;
  range_ = {.base = base.value, .values = {}, .span = span(lines_.line())};
  if (base.value < 0) {
    refuse(base.span, "an address cannot be negative");
  }
}

void Reader::label(std::string_view word) {
  lines_.pass_label(word);
  if (is_reserved(word)) {
    refuse(span(word), reserved_message(word, "label"));
  }
  define_label(word);
}

void Reader::define_label(std::string_view word) {
  program_.labels.push_back({std::string(word), static_cast<Label>(program_.code.size()), span(word)});
}

Diagnostic Reader::explained(const grammar::Expectation& failure) {
  const std::string_view line = lines_.line();
  const Explanation found = explain({.text = line,
                                     .statement = lines_.statement_begin(),
                                     .where = static_cast<std::size_t>(failure.where - line.data()),
                                     .expected = failure.what});
  if (!found.label.empty()) {
    define_label(found.label);
  }
  Diagnostic error{Severity::Error, span(line.substr(found.begin, found.end - found.begin)), found.message, {}};
  if (failure.what == "')'") {
    const std::uint32_t opened = expression_.innermost_open().begin;
    error.notes.push_back({Severity::Note, {opened, opened + 1}, "the '(' is here", {}});
  }
  return error;
}

void Reader::parse_line(bool continues) {
  const std::string_view line = lines_.line();
  operands_.clear();
  const auto explained_here = [&](const auto& failure) { return explained(failure); };
  std::optional<Diagnostic> error;
  if (continues) {
    error = grammar::parse_line(rules::continuation_line, *this, line, explained_here);
    range_.span.end = error ? range_.span.end : span(line).end;
  } else {
    error = grammar::parse_line(rules::whole_line, *this, line, explained_here);
  }
  if (!error) {
    return;
  }
  errors_.push_back(std::move(*error));
  expression_.clear();
  if (continues || line.front() == '.') {
    shared_.refuse(line);
  } else {
    program_.code.push_back({Stop{}, span(line)});  // keeps the numbers of the instructions behind it
  }
}

void Reader::read_line() {
  const bool continues = shared_.continued_by(lines_.line());
  if (!continues) {
    close_shared();
  }
  shared_.goes_on = false;
  if (continues && shared_.state == ContinuedDirective::State::Refused) {
    shared_.refuse(lines_.line());
  } else {
    parse_line(continues);
  }
}

void Reader::close_shared() {
  const bool open = std::exchange(shared_.state, ContinuedDirective::State::None) == ContinuedDirective::State::Open;
  if (open && range_.values.empty()) {
    errors_.push_back({Severity::Error, range_.span, "'.shared' needs at least one value after ':'", {}});
  } else if (open && range_.base > INT64_MAX - static_cast<std::int64_t>(range_.values.size() - 1)) {
    errors_.push_back({Severity::Error, range_.span, "the last cell's address is beyond 9223372036854775807", {}});
  } else if (open) {
    program_.shared.push_back(std::move(range_));
  }
}

std::expected<Program, Diagnostics> Reader::run() {
  while (errors_.size() <= max_errors && lines_.next()) {
    read_line();
  }
  if (shared_.goes_on) {
    errors_.push_back({Severity::Error, {range_.span.end, range_.span.end}, "expected more values after '..'", {}});
  }
  close_shared();
  if (program_.code.empty() && errors_.empty()) {
    errors_.push_back({Severity::Error, {}, "the program has no instruction", {}});
  }
  resolve(program_, targets_, lines_.at_end(), errors_);
  if (!errors_.empty()) {
    return std::unexpected(limited(std::move(errors_)));
  }
  return std::move(program_);
}

}  // namespace

std::expected<Program, Diagnostics> parse(const SourceFile& source) {
  if (const auto problem = unreadable(source)) {
    return std::unexpected(Diagnostics{*problem});
  }
  return Reader(source).run();
}

}  // namespace lockstep::musimd
