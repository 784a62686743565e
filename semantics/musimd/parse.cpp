#include "semantics/musimd/parse.hpp"

#include <algorithm>
#include <boost/spirit/home/x3.hpp>
#include <functional>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "semantics/musimd/expression_builder.hpp"
#include "semantics/musimd/literal.hpp"
#include "semantics/musimd/mistakes.hpp"
#include "semantics/musimd/resolve.hpp"

// The text is cut into lines; each line is parsed by the grammar below, whose actions call the Reader. A refused line is
// reported and left out, so one run finds the errors of several lines.

namespace lockstep::musimd {
namespace {

namespace x3 = boost::spirit::x3;
using Iterator = const char*;

constexpr std::size_t max_text = std::size_t{64} << 20;

/// An error that an action finds in a line that is correct so far. It never leaves this file.
struct LineError {
  Diagnostic diagnostic;
};

/// Builds the program line by line. The members up to `refuse` are the grammar's actions, in the order of the grammar.
class Reader {
 public:
  explicit Reader(const SourceFile& source) : text_(source.text()) {}

  std::expected<Program, Diagnostics> run();

  bool integer(Iterator& first, Iterator last, Constant& result);

  void constant(const Constant& value) { expression_.operand(value, value.span); }
  void named(std::string_view word);
  void unary(std::string_view sign);
  void binary(Op op) { expression_.binary(op); }
  void question(std::string_view sign) { check_depth(expression_.question(), sign); }
  void colon() { expression_.colon(); }
  void open(std::string_view token) { check_depth(expression_.open(span(token).begin), token); }
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
  void shared_goes_on() { more_values_ = true; }
  void label(std::string_view word);

 private:
  enum class Shared { None, Open, Refused };

  SourceSpan span(Iterator begin, Iterator end) const {
    return {static_cast<std::uint32_t>(begin - text_.data()), static_cast<std::uint32_t>(end - text_.data())};
  }
  SourceSpan span(std::string_view token) const { return span(token.data(), token.data() + token.size()); }

  [[noreturn]] static void refuse(SourceSpan where, std::string message, Diagnostics notes = {}) {
    throw LineError{{Severity::Error, where, std::move(message), std::move(notes)}};
  }
  void check_depth(bool fits, std::string_view token) const;
  VarId variable(std::string_view word);
  void add(Instruction instruction) { program_.code.push_back({std::move(instruction), span(statement_, line_.data() + line_.size())}); }
  void add_jump(Instruction instruction) {
    targets_.push_back({program_.code.size(), target_name_});
    add(std::move(instruction));
  }
  void define_label(std::string_view word);

  void read_line(std::string_view line);
  void parse_line(std::string_view line, bool continues);
  Diagnostic explained(std::string_view line, const x3::expectation_failure<Iterator>& failure);
  void close_shared();

  std::string_view text_;
  Program program_;
  Diagnostics errors_;
  std::unordered_map<std::string_view, VarId> variables_;
  std::vector<UnresolvedTarget> targets_;
  SourceSpan threads_span_;

  // The line that is being read.
  std::string_view line_;
  Iterator statement_ = nullptr;  // where its instruction begins, behind the labels
  ExpressionBuilder expression_;
  std::vector<Expr> operands_;
  Target target_;
  std::string_view target_name_;
  std::string_view destination_;
  VarId assigned_ = 0;
  std::variant<Variable, ThreadId> source_;

  // The `.shared` directive that the next line may continue.
  Shared shared_ = Shared::None;
  SharedRange range_;
  bool more_values_ = false;  // it ended with `..`
};

namespace grammar {

struct ReaderTag;

/// The action that calls a member of the Reader with the attribute, text being handed over as a string_view.
template <auto Member>
struct Call {
  template <class Context>
  void operator()(Context& context) const {
    Reader& reader = x3::get<ReaderTag>(context).get();
    auto& attribute = x3::_attr(context);
    using Attribute = std::remove_cvref_t<decltype(attribute)>;
    if constexpr (std::is_invocable_v<decltype(Member), Reader&>) {
      (reader.*Member)();
    } else if constexpr (std::is_same_v<Attribute, boost::iterator_range<Iterator>>) {
      (reader.*Member)(std::string_view(attribute.begin(), static_cast<std::size_t>(attribute.size())));
    } else {
      (reader.*Member)(attribute);
    }
  }
};

template <auto Member>
constexpr Call<Member> call;

/// X3's expectation, with the description in the user's words at the place where it is needed.
template <class Subject>
struct Must : x3::unary_parser<Subject, Must<Subject>> {
  using base_type = x3::unary_parser<Subject, Must<Subject>>;
  static constexpr bool is_pass_through_unary = true;

  constexpr Must(const Subject& inner, const char* expected) : base_type(inner), expected_(expected) {}

  template <class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rule_context, Attribute& attribute) const {
    if (!this->subject.parse(first, last, context, rule_context, attribute)) {
      x3::skip_over(first, last, context);
      throw x3::expectation_failure<Iterator>(first, expected_);
    }
    return true;
  }

  const char* expected_;
};

template <class Parser>
constexpr auto must(const Parser& parser, const char* expected) {
  return Must<typename x3::extension::as_parser<Parser>::value_type>(x3::as_parser(parser), expected);
}

/// An integer literal, perhaps with a minus before it.
struct IntegerParser : x3::parser<IntegerParser> {
  using attribute_type = Constant;
  static constexpr bool has_attribute = true;

  template <class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute& attribute) const {
    x3::skip_over(first, last, context);
    Constant constant;
    const bool found = x3::get<ReaderTag>(context).get().integer(first, last, constant);
    if (found) {
      x3::traits::move_to(constant, attribute);
    }
    return found;
  }
};

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
const IntegerParser integer;
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

}  // namespace grammar

bool Reader::integer(Iterator& first, Iterator last, Constant& result) {
  const std::optional<Literal> literal = read_integer({first, static_cast<std::size_t>(last - first)});
  if (!literal) {
    return false;
  }
  const SourceSpan where = span(first, first + literal->length);
  if (!literal->problem.empty()) {
    refuse(where, literal->problem);
  }
  result = {literal->value, where};
  first += literal->length;
  return true;
}

void Reader::check_depth(bool fits, std::string_view token) const {
  if (!fits) {
    refuse(span(token), "the expression is nested too deeply: at most " + std::to_string(max_expression_depth) + " levels are allowed");
  }
}

void Reader::unary(std::string_view sign) {
  const Op op = sign == "-" ? Op::Neg : sign == "~" ? Op::BitNot : Op::LogicalNot;
  check_depth(expression_.unary(op, span(sign).begin), sign);
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
    refuse(span(line_), "'.threads' stands twice", {{Severity::Note, threads_span_, "the first one is here", {}}});
  }
  if (count.value < 1 || count.value > static_cast<std::int64_t>(max_threads)) {
    refuse(count.span, "the number of threads must be 1 to " + std::to_string(max_threads));
  }
  program_.threads = static_cast<unsigned>(count.value);
  threads_span_ = span(line_);
}

void Reader::shared_base(const Constant& base) {
  shared_ = Shared::Open;
  range_ = {.base = base.value, .values = {}, .span = span(line_)};
  if (base.value < 0) {
    refuse(base.span, "an address cannot be negative");
  }
}

void Reader::label(std::string_view word) {
  statement_ = std::find(word.data(), line_.data() + line_.size(), ':') + 1;
  statement_ = std::find_if_not(statement_, line_.data() + line_.size(), [](char c) { return c == ' ' || c == '\t'; });
  if (is_reserved(word)) {
    refuse(span(word), reserved_message(word, "label"));
  }
  define_label(word);
}

void Reader::define_label(std::string_view word) {
  program_.labels.push_back({std::string(word), static_cast<Label>(program_.code.size()), span(word)});
}

/// The line without its comment and the blanks around it.
std::string_view content(std::string_view line) {
  line = line.substr(0, std::min({line.find(';'), line.find('#'), line.find("//")}));
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(begin, last == std::string_view::npos ? 0 : last + 1 - begin);
}

Diagnostic Reader::explained(std::string_view line, const x3::expectation_failure<Iterator>& failure) {
  const Explanation found = explain({.text = line,
                                     .statement = static_cast<std::size_t>(statement_ - line.data()),
                                     .where = static_cast<std::size_t>(failure.where() - line.data()),
                                     .expected = failure.which()});
  if (!found.label.empty()) {
    define_label(found.label);
  }
  Diagnostic error{Severity::Error, span(line.data() + found.begin, line.data() + found.end), found.message, {}};
  if (failure.which() == "')'") {
    const std::uint32_t opened = expression_.innermost_open();
    error.notes.push_back({Severity::Note, {opened, opened + 1}, "the '(' is here", {}});
  }
  return error;
}

void Reader::parse_line(std::string_view line, bool continues) {
  line_ = line;
  statement_ = line.data();
  operands_.clear();
  Iterator first = line.data();
  const Iterator last = first + line.size();
  const auto blank = x3::char_(" \t");
  try {
    if (continues) {
      x3::phrase_parse(first, last, x3::with<grammar::ReaderTag>(std::ref(*this))[grammar::continuation_line], blank);
      range_.span.end = span(line).end;
    } else {
      x3::phrase_parse(first, last, x3::with<grammar::ReaderTag>(std::ref(*this))[grammar::whole_line], blank);
    }
    return;
  } catch (const x3::expectation_failure<Iterator>& failure) {
    errors_.push_back(explained(line, failure));
  } catch (LineError& error) {
    errors_.push_back(std::move(error.diagnostic));
  }
  expression_.clear();
  if (continues || line.front() == '.') {
    shared_ = Shared::Refused;
    more_values_ = line.ends_with("..");
  } else {
    program_.code.push_back({Stop{}, span(line)});  // keeps the numbers of the instructions behind it
  }
}

void Reader::read_line(std::string_view line) {
  if (line.empty()) {
    return;
  }
  const bool continues = shared_ != Shared::None && (more_values_ || line.starts_with(".."));
  if (!continues) {
    close_shared();
  }
  more_values_ = false;
  if (continues && shared_ == Shared::Refused) {
    more_values_ = line.ends_with("..");
  } else {
    parse_line(line, continues);
  }
}

void Reader::close_shared() {
  if (shared_ == Shared::Open && range_.values.empty()) {
    errors_.push_back({Severity::Error, range_.span, "'.shared' needs at least one value after ':'", {}});
  } else if (shared_ == Shared::Open && range_.base > INT64_MAX - static_cast<std::int64_t>(range_.values.size() - 1)) {
    errors_.push_back({Severity::Error, range_.span, "the last cell's address is beyond 9223372036854775807", {}});
  } else if (shared_ == Shared::Open) {
    program_.shared.push_back(std::move(range_));
  }
  shared_ = Shared::None;
}

std::expected<Program, Diagnostics> Reader::run() {
  std::string_view rest = text_.substr(text_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  while (!rest.empty() && errors_.size() <= max_errors) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    read_line(content(line));
  }
  if (more_values_) {
    errors_.push_back({Severity::Error, {range_.span.end, range_.span.end}, "expected more values after '..'", {}});
  }
  close_shared();
  if (program_.code.empty() && errors_.empty()) {
    errors_.push_back({Severity::Error, {}, "the program has no instruction", {}});
  }
  resolve(program_, targets_, rest.empty(), errors_);
  if (!errors_.empty()) {
    return std::unexpected(limited(std::move(errors_)));
  }
  return std::move(program_);
}

}  // namespace

std::expected<Program, Diagnostics> parse(const SourceFile& source) {
  if (source.text().size() > max_text) {
    return std::unexpected(Diagnostics{{Severity::Error, {}, "the text is too long: at most 64 MiB can be read", {}}});
  }
  if (const auto bad = first_bad_byte(source.text())) {
    const auto at = static_cast<std::uint32_t>(*bad);
    return std::unexpected(Diagnostics{{Severity::Error, {at, at + 1}, "not a text file: there is a NUL byte or invalid UTF-8 here", {}}});
  }
  return Reader(source).run();
}

}  // namespace lockstep::musimd
