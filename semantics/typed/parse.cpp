#include "semantics/typed/parse.hpp"

#include <algorithm>
#include <boost/spirit/home/x3.hpp>
#include <cctype>
#include <charconv>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "semantics/base/utf8.hpp"
#include "semantics/musimd/resolve.hpp"
#include "semantics/typed/parse_expression.hpp"
#include "semantics/typed/parse_literal.hpp"
#include "semantics/typed/parse_mistakes.hpp"
#include "semantics/typed/parse_program.hpp"
#include "semantics/typed/parse_words.hpp"

// The text is cut into lines; each line is parsed by the grammar below, whose actions call the Reader, which calls the
// ProgramBuilder. A refused line is reported and left out, so one run finds the errors of several lines.

namespace lockstep::typed {
namespace {

namespace x3 = boost::spirit::x3;
using Iterator = const char*;
using Text = std::string_view;

constexpr std::size_t max_text = std::size_t{64} << 20;

/// The line without its comment and the blanks around it.
Text content(Text line) {
  line = line.substr(0, std::min({line.find(';'), line.find('#'), line.find("//")}));
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(begin, last == Text::npos ? 0 : last + 1 - begin);
}

/// Cuts the first line off a text, without its line break.
Text next_line(Text& rest) {
  const Text line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

Text without_mark(Text text) { return text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

bool begins_with_directive(Text line, Text word) {
  return line.starts_with(word) && (line.size() == word.size() || !is_word_char(line[word.size()]));
}

/// Keeps what the grammar has read of a line, until the whole line makes a call of the builder. The members up to `value_end` are the
/// grammar's actions, in the order of the grammar.
class Reader {
 public:
  explicit Reader(const SourceFile& source) : text_(source.text()) {}

  std::expected<Program, Diagnostics> run();

  bool literal(Iterator& first, Iterator last, TypedLiteral& result);
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
  void close(Text token) { expression_.close(span(token).end); }
  void limit(Text digits);
  void close_within(Text token) { expression_.close_within(limit_, span(token).end); }
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
  void vote() { builder_.vote(vote_, *place_, pop_operand(), statement_span()); }
  void call() { builder_.call(source_, std::move(operands_), place_, statement_span()); }
  void ret() { builder_.return_value(std::nullopt, statement_span()); }
  void ret_value() { builder_.return_value(pop_operand(), statement_span()); }
  void sync() { builder_.plain(Sync{}, statement_span()); }
  void stop() { builder_.plain(Stop{}, statement_span()); }
  void everywhere() { builder_.plain(Everywhere{}, statement_span()); }
  void end_everywhere() { builder_.plain(EndEverywhere{}, statement_span()); }
  void barrier() { builder_.plain(Barrier{}, statement_span()); }
  void label(Text word);
  void before_instruction() { builder_.require_function(span(line_)); }

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
  void kernel(Text word) { builder_.function(true, named_token(word, "function"), std::nullopt, span(line_)); }
  void function(Text word) { builder_.function(false, named_token(word, "function"), result_, span(line_)); }
  void local() { object(AddressSpace::Local); }
  void constant_object();
  void value(const TypedLiteral& value) { builder_.object_value(value.type, value.bits, span_of(value)); }
  void values_go_on() { more_values_ = true; }

 private:
  enum class Values { None, Open, Refused };

  SourceSpan span(Iterator begin, Iterator end) const {
    return {static_cast<std::uint32_t>(begin - text_.data()), static_cast<std::uint32_t>(end - text_.data())};
  }
  SourceSpan span(Text token) const { return span(token.data(), token.data() + token.size()); }
  SourceSpan statement_span() const { return span(statement_, line_.data() + line_.size()); }
  SourceSpan span_of(const TypedLiteral&) const { return literal_span_; }

  NameToken named_token(Text word, Text what) const;
  std::uint64_t number(Text digits) const;
  Expr pop_operand();
  void object(AddressSpace space);
  void read_line(Text line);
  void begin_line(Text line);
  void parse_line(Text line, bool continues);
  void recover(Text line, bool continues);
  Diagnostic explained(Text line, const x3::expectation_failure<Iterator>& failure);
  void close_values();

  Text text_;
  ProgramBuilder builder_;
  Diagnostics errors_;
  std::optional<SourceSpan> typed_;

  // The line that is being read.
  Text line_;
  Iterator statement_ = nullptr;  // where its instruction begins, behind the labels
  ExpressionBuilder expression_;
  bool at_element_ = false;  // the name that was just read is an array
  Op op_ = Op::Add;
  std::uint64_t limit_ = 0;
  SourceSpan literal_span_;
  std::vector<Expr> operands_;
  TargetToken target_;
  Text destination_;
  NameToken source_;
  std::optional<Expr> index_;
  std::optional<Place> place_;
  bool active_ = false;
  VoteKind vote_ = VoteKind::Any;
  RegisterKind kind_;
  std::optional<AddressSpace> space_;
  SourceSpan type_span_;
  Declarator declarator_;
  std::optional<ValueType> result_;

  // The `.constant` directive that the next line may continue.
  Values values_ = Values::None;
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
      (reader.*Member)(Text(attribute.begin(), static_cast<std::size_t>(attribute.size())));
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

/// A number with its type, perhaps with a minus before it.
struct LiteralParser : x3::parser<LiteralParser> {
  using attribute_type = TypedLiteral;
  static constexpr bool has_attribute = true;

  template <class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute& attribute) const {
    x3::skip_over(first, last, context);
    TypedLiteral literal;
    const bool found = x3::get<ReaderTag>(context).get().literal(first, last, literal);
    if (found) {
      x3::traits::move_to(literal, attribute);
    }
    return found;
  }
};

/// True behind the name of an array.
struct AtElement : x3::parser<AtElement> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;

  template <class Context, class RuleContext, class Attribute>
  bool parse(Iterator&, const Iterator&, const Context& context, RuleContext&, Attribute&) const {
    return x3::get<ReaderTag>(context).get().at_element();
  }
};

bool is_word(Text text) { return std::isalpha(static_cast<unsigned char>(text.front())) != 0; }

/// The infix operators of ops.def, and those that are written as calls.
struct InfixOperators : x3::symbols<Op> {
  InfixOperators() {
    for (const OpInfo& row : op_table) {
      if (row.arity == 2 && !is_word(row.text)) {
        add(std::string(row.text), row.op);
      }
    }
  }
};
struct CallOperators : x3::symbols<Op> {
  CallOperators() {
    const auto add_words = [&](const auto& table) {
      for (const OpInfo& row : table) {
        if (is_word(row.text)) {
          add(std::string(row.text), row.op);
        }
      }
    };
    add_words(op_table);
    add_words(function_table);
  }
};
struct Scalars : x3::symbols<ScalarType> {
  Scalars() {
    for (const ScalarInfo& row : scalar_table) {
      add(std::string(row.name), row.type);
    }
  }
};
struct Queries : x3::symbols<Query> {
  Queries() {
    for (const Query query : {Query::LocalId, Query::GroupId, Query::NumGroups, Query::WarpSize, Query::WarpId, Query::LaneId}) {
      add(std::string(name_of(query)), query);
    }
  }
};
struct Nulls : x3::symbols<ValueType> {
  Nulls() {
    for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global, AddressSpace::Constant}) {
      for (const ScalarInfo& row : scalar_table) {
        const ValueType type{row.type, true, space};
        add(null_text(type), type);
      }
    }
  }
};
struct Spaces : x3::symbols<AddressSpace> {
  Spaces() {
    for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global, AddressSpace::Constant}) {
      add(std::string(lockstep::name_of(space)), space);
    }
  }
};
struct Votes : x3::symbols<VoteKind> {
  Votes() {
    add("any.active", VoteKind::Any)("all.active", VoteKind::All)("ballot.active", VoteKind::Ballot);
    add("any.group", VoteKind::GroupAny)("all.group", VoteKind::GroupAll);
  }
};

const x3::rule<class PrimaryRule> primary("an operand");
const x3::rule<class OperandRule> operand("an operand");
const x3::rule<class ExpressionRule> expression("an expression");

const auto word_char = x3::char_("a-zA-Z0-9_.");
const auto name = x3::raw[x3::lexeme[-x3::lit('$') >> x3::char_("a-zA-Z_") >> *word_char]];
const auto digits = x3::raw[x3::lexeme[+x3::char_("0-9") >> !word_char]];
const LiteralParser literal;
const AtElement at_element;
const InfixOperators infix;
const CallOperators call_operators;
const Scalars scalars;
const Queries queries;
const Nulls nulls;
const Spaces spaces;
const Votes votes;

auto keyword(const char* word) { return x3::lexeme[x3::lit(word) >> !word_char]; }
template <class Symbols>
auto whole(const Symbols& symbols) {
  return x3::lexeme[symbols >> !word_char];
}

// ---- expressions

const auto closing = must(x3::raw[x3::lit(')')], "')'")[call<&Reader::close>];
const auto parenthesis = x3::raw[x3::lit('(')][call<&Reader::open>] >> must(expression, "an expression after '('") >> closing;
const auto operands = must('(', "'(' and the operands") >> must(expression, "an operand") >> *(',' >> must(expression, "an operand")) >>
                      must(x3::raw[x3::lit(')')], "',' or ')'")[call<&Reader::close>];
const auto operation = x3::raw[whole(call_operators)[call<&Reader::operation>]][call<&Reader::open_operation>] >> operands;
const auto conversion = x3::raw[whole(scalars)][call<&Reader::open_conversion>] >> operands;
const auto within = x3::raw[keyword("within")][call<&Reader::open>] >> must('(', "'(' after 'within'") >> must(expression, "an operand") >>
                    must(',', "',' and the limit, the second operand of within") >>
                    must(digits, "the limit, a number without suffix")[call<&Reader::limit>] >>
                    must(x3::raw[x3::lit(')')], "')' after the two operands of within")[call<&Reader::close_within>];
const auto named = name[call<&Reader::named>] >>
                   -(at_element >> must('[', "'[' and an index: this is an array") >> must(expression, "an index after '['") >>
                     must(x3::raw[x3::lit(']')], "']'")[call<&Reader::close>]);
const auto object_address = x3::raw['@' >> must(name, "an object after '@'")][call<&Reader::object_address>];
const auto register_address = x3::raw['&' >> must(name, "an array after '&'")][call<&Reader::address>];
const auto query = x3::raw[whole(queries)][call<&Reader::query>];
const auto null_pointer = x3::raw[whole(nulls)][call<&Reader::null_pointer>];

const auto primary_def =
    literal[call<&Reader::constant>] | parenthesis | object_address | query | null_pointer | within | operation | conversion | named;

const auto number_word = x3::lexeme[(x3::lit("inff") | "inf" | "nanf" | "nan") >> !word_char];
const auto prefix = !('-' >> (x3::char_("0-9") | number_word)) >> x3::raw[x3::char_("-~!")][call<&Reader::unary>];
const auto operand_def = (+prefix >> must(primary, "an operand")) | register_address | primary;

const auto infix_tail = x3::raw[infix[call<&Reader::operation>]][call<&Reader::binary>] >> must(operand, "an operand");
const auto conditional_tail = x3::raw[x3::lit('?')][call<&Reader::question>] >> must(expression, "an operand") >>
                              must(':', "':' and the third operand of '?:'")[call<&Reader::colon>] >> must(operand, "an operand");
const auto expression_def = operand >> *(infix_tail | conditional_tail) >> x3::eps[call<&Reader::finish_expression>];

BOOST_SPIRIT_DEFINE(primary, operand, expression)

// ---- instructions

auto value(const char* expected) { return must(expression, expected)[call<&Reader::take>]; }

const auto end = must(x3::eoi, "the end of the line");
const auto end_after_value = must(x3::eoi, "an operator or the end of the line");
const auto target = must(x3::raw[x3::lexeme[-x3::lit('$') >> +word_char]], "a label or an instruction number")[call<&Reader::target>];
const auto comma_target = must(',', "',' and a label") >> target;
const auto index = must('[', "'[' and an index") >> value("an index after '['") >> must(']', "']'");
auto cell(const char* expected) {
  return must(primary >> x3::eps[call<&Reader::finish_expression>], expected)[call<&Reader::take>] >> index;
}

const auto jumps =
    (keyword("bz") >> value("an expression after 'bz'") >> comma_target >> end >> x3::eps[call<&Reader::branch>]) |
    (keyword("jmp_mask") >> value("an expression after 'jmp_mask'") >> comma_target >> end >> x3::eps[call<&Reader::jump_mask>]) |
    (keyword("jmp") >> target >> end >> x3::eps[call<&Reader::jump>]);
const auto store = (keyword("st") >> cell("a pointer after 'st'") >> must('=', "'=' and a value") >> value("an expression after '='") >>
                    end_after_value >> x3::eps[call<&Reader::store>]);
const auto plain = (keyword("sync") >> end >> x3::eps[call<&Reader::sync>]) | (keyword("stop") >> end >> x3::eps[call<&Reader::stop>]) |
                   (keyword("everywhere") >> end >> x3::eps[call<&Reader::everywhere>]) |
                   (keyword("end_everywhere") >> end >> x3::eps[call<&Reader::end_everywhere>]) |
                   (keyword("barrier") >> end >> x3::eps[call<&Reader::barrier>]);
const auto forget =
    (keyword("forget") >> must(name, "a register after 'forget'")[call<&Reader::source>] >> end >> x3::eps[call<&Reader::forget>]);
const auto ret = keyword("ret") >> (x3::eoi[call<&Reader::ret>] | (value("an expression or the end of the line") >> end_after_value >>
                                                                   x3::eps[call<&Reader::ret_value>]));
const auto arguments = must('(', "'(' and the arguments") >>
                       (x3::lit(')') | (value("an argument or ')'") >> *(',' >> value("an argument")) >> must(')', "',' or ')'")));
const auto function_call =
    (keyword("call") >> must(name, "a function after 'call'")[call<&Reader::callee>] >> arguments >> end >> x3::eps[call<&Reader::call>]);
const auto load = (keyword("ld") >> cell("a pointer after 'ld'") >> end >> x3::eps[call<&Reader::load>]);
const auto shuffle =
    (((keyword("shfl.active") >> x3::eps[call<&Reader::active>]) | keyword("shfl")) >> must('(', "'(' after the shuffle") >>
     must(name, "a register, the first operand of the shuffle")[call<&Reader::source>] >>
     must(',', "',' and the lane; a shuffle takes a register and a lane") >> value("a lane, the second operand of the shuffle") >>
     must(')', "')' after the two operands of the shuffle") >> end >> x3::eps[call<&Reader::shuffle>]);
const auto vote = (whole(votes)[call<&Reader::vote_kind>] >> must('(', "'(' after the vote") >> value("the operand of the vote") >>
                   must(')', "')' after the operand of the vote") >> end >> x3::eps[call<&Reader::vote>]);
const auto assign = (value("an expression after '='") >> end_after_value >> x3::eps[call<&Reader::assign>]);
const auto assignment = name[call<&Reader::destination>] >>
                        -('[' >> value("an index after '['") >> must(']', "']'"))[call<&Reader::destination_index>] >>
                        must('=', "'=' after the register")[call<&Reader::place>] >> (load | shuffle | vote | function_call | assign);
const auto instruction = x3::eps[call<&Reader::before_instruction>] >> (jumps | store | plain | forget | ret | function_call | assignment);

// ---- directives

const auto scalar_type = x3::raw[whole(scalars)][call<&Reader::scalar>];
const auto type = -whole(spaces)[call<&Reader::space>] >> must(scalar_type, "a type") >>
                  -x3::lit('*')[call<&Reader::star>] >> x3::eps[call<&Reader::type_end>];
const auto flags =
    *(keyword("uniform")[call<&Reader::uniform>] | keyword("temp")[call<&Reader::temporary>] | keyword("written")[call<&Reader::written>]);
const auto extents = *('[' >> must(digits, "a number of elements")[call<&Reader::extent>] >> must(']', "']'"));
const auto declarator = must(name, "a name")[call<&Reader::declared>] >> extents >>
                        -(keyword("of") >> must(name, "a variable after 'of'")[call<&Reader::variable>]);
const auto registers = flags >> type >> declarator >> x3::eps[call<&Reader::declare>] >>
                       *(',' >> declarator >> x3::eps[call<&Reader::declare>]) >> must(x3::eoi, "',' or the end of the line");
const auto var = keyword("var") >> registers;
const auto temp = keyword("temp")[call<&Reader::temporary>] >> registers;

const auto parameter = x3::eps[call<&Reader::next_parameter>] >> flags >> type >> declarator >> x3::eps[call<&Reader::parameter>];
const auto parameters = must('(', "'(' and the parameters") >>
                        (x3::lit(')') | (parameter >> *(',' >> parameter) >> must(')', "',' or ')'"))) >> end;
const auto kernel = keyword("kernel") >> must(name, "the kernel's name")[call<&Reader::kernel>] >> parameters;
const auto function = keyword("function") >> (keyword("void") | (type >> x3::eps[call<&Reader::result>])) >>
                      must(name, "the function's name")[call<&Reader::function>] >> parameters;

const auto values = *literal[call<&Reader::value>] >> -x3::lit("..")[call<&Reader::values_go_on>] >>
                    must(x3::eoi, "a number or the end of the line");
const auto constant = keyword("constant") >> type >> declarator >>
                      must(':', "':' and the values")[call<&Reader::constant_object>] >> values;
const auto local = (keyword("local") >> type >> declarator >> end >> x3::eps[call<&Reader::local>]);

const auto typed = (keyword("typed") >> end >> x3::eps[call<&Reader::typed>]);
const auto wg_size = keyword("wg_size") >> must(digits, "the number of items of a work group")[call<&Reader::wg_size>] >> end;
const auto directive = '.' >> (typed | wg_size | kernel | function | var | temp | local | constant);

const auto label = (name >> ':' >> !x3::lit('='))[call<&Reader::label>];
const auto whole_line = directive | (*label >> (x3::eoi | must(instruction, "an instruction")));
const auto continuation_line = -x3::lit("..") >> values;

}  // namespace grammar

// ---- expressions -------------------------------------------------------------------------------------------------------

bool Reader::literal(Iterator& first, Iterator last, TypedLiteral& result) {
  std::optional<TypedLiteral> literal = read_literal({first, static_cast<std::size_t>(last - first)});
  if (!literal) {
    return false;
  }
  literal_span_ = span(first, first + literal->length);
  if (!literal->problem.empty()) {
    refuse(literal_span_, literal->problem);
  }
  first += literal->length;
  result = std::move(*literal);
  return true;
}

NameToken Reader::named_token(Text word, Text what) const {
  const bool marked = word.starts_with('$');
  const Text plain = word.substr(marked ? 1 : 0);
  if (!marked && is_reserved(plain)) {
    refuse(span(word), "'" + std::string(plain) + "' is a reserved word; a " + std::string(what) + " of this name is written '$" +
                           std::string(plain) + "'");
  }
  return {plain, span(word)};
}

void Reader::constant(const TypedLiteral& value) {
  expression_.operand({Constant{value.bits}, {value.type, false, AddressSpace::Private}, span_of(value)});
}

void Reader::null_pointer(Text word) { expression_.operand({Constant{0}, *null_named(word), span(word)}); }

void Reader::query(Text word) {
  expression_.operand({Ask{*query_named(word)}, {ScalarType::ULong, false, AddressSpace::Private}, span(word)});
}

/// The name behind "&" or "@".
Text behind_sign(Text word) { return word.substr(word.find_first_not_of(" \t", 1)); }

void Reader::address(Text word) {
  const NameToken name = named_token(behind_sign(word), "register");
  const RegisterId id = builder_.find_register(name);
  const RegisterInfo& info = builder_.register_info(id);
  if (!info.count || info.type.is_pointer) {
    refuse(name.span, info.count ? "'" + shortened(name.text) + "' is an array of pointers, and there are no pointers to pointers"
                                 : "'" + shortened(name.text) + "' is no array; only an array has an address");
  }
  expression_.operand({RegisterAddress{id}, {info.type.scalar, true, AddressSpace::Private}, span(word)});
}

void Reader::object_address(Text word) {
  const ObjectId id = builder_.find_object(named_token(behind_sign(word), "object"));
  const Object& object = builder_.object_info(id);
  expression_.operand({ObjectAddress{id}, {object.element, true, object.space}, span(word)});
}

void Reader::named(Text word) {
  at_element_ = false;
  if (word == "ld" || word == "shfl" || word == "call") {
    refuse(span(word), "'" + std::string(word) + "' cannot stand inside an expression, only directly behind '='");
  }
  const Text behind = line_.substr(static_cast<std::size_t>(word.data() + word.size() - line_.data()));
  if (behind.substr(std::min(behind.find_first_not_of(" \t"), behind.size())).starts_with('(')) {
    refuse(span(word), "'" + shortened(word) + "' is no operation; a function is called by an instruction of its own, 'v = call f(…)'");
  }
  const NameToken name = named_token(word, "register");
  const RegisterId id = builder_.find_register(name);
  const RegisterInfo& info = builder_.register_info(id);
  if (info.count) {
    at_element_ = true;
    expression_.open_element(id, info.type, name.span);
  } else {
    expression_.operand({Register{id}, info.type, name.span});
  }
}

void Reader::unary(Text sign) {
  const Op op = sign == "-" ? Op::Neg : sign == "~" ? Op::BitNot : Op::LogicalNot;
  expression_.unary(op, span(sign));
}

std::uint64_t Reader::number(Text digits) const {
  std::uint64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
    refuse(span(digits), "the number is too big: at most 18446744073709551615");
  }
  return value;
}

void Reader::limit(Text digits) { limit_ = number(digits); }

Expr Reader::pop_operand() {
  Expr last = std::move(operands_.back());
  operands_.pop_back();
  return last;
}

// ---- instructions ------------------------------------------------------------------------------------------------------

void Reader::target(Text word) {
  target_ = {{}, 0, span(word)};
  if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
    target_.label = named_token(word, "label");
    return;
  }
  if (word.find_first_not_of("0123456789") != Text::npos) {
    refuse(span(word), "'" + shortened(word) + "' is neither a label nor a decimal instruction number");
  }
  target_.number = number(word);
}

void Reader::place() { place_ = builder_.place(named_token(destination_, "register"), std::exchange(index_, std::nullopt)); }

void Reader::load() {
  Expr index = pop_operand();
  Expr base = pop_operand();
  builder_.load(std::move(*place_), std::move(base), std::move(index), statement_span());
}

void Reader::store() {
  Expr value = pop_operand();
  Expr index = pop_operand();
  Expr base = pop_operand();
  builder_.store(std::move(base), std::move(index), std::move(value), statement_span());
}

void Reader::label(Text word) {
  statement_ = std::find(word.data(), line_.data() + line_.size(), ':') + 1;
  statement_ = std::find_if_not(statement_, line_.data() + line_.size(), [](char c) { return c == ' ' || c == '\t'; });
  const Text name = word.substr(0, word.find_first_of(" \t:"));
  builder_.label(named_token(name, "label"));
}

// ---- directives --------------------------------------------------------------------------------------------------------

void Reader::typed() {
  if (typed_) {
    refuse(span(line_), "'.typed' stands twice", {{Severity::Note, *typed_, "the first one is here", {}}});
  }
  typed_ = span(line_);
}

void Reader::scalar(Text word) {
  kind_.type = {*scalar_named(word), false, AddressSpace::Private};
  type_span_ = span(word);
}

void Reader::type_end() {
  const std::optional<AddressSpace> space = std::exchange(space_, std::nullopt);
  const std::string scalar(info(kind_.type.scalar).name);
  if (space && !kind_.type.is_pointer) {
    refuse(type_span_,
           "only a pointer says which memory it is about, as in '" + std::string(lockstep::name_of(*space)) + " " + scalar + "*'");
  }
  if (!space && kind_.type.is_pointer) {
    refuse(type_span_, "a pointer says where it points to: private, local, global or constant, as in 'global " + scalar + "*'");
  }
  kind_.type.space = space.value_or(AddressSpace::Private);
}

void Reader::extent(Text digits) {
  declarator_.extents.push_back(number(digits));
  const SourceSpan where = span(digits);
  declarator_.extents_span = {declarator_.extents.size() == 1 ? where.begin : declarator_.extents_span.begin, where.end};
}

void Reader::declare() { builder_.declare(kind_, declarator_); }

void Reader::object(AddressSpace space) {
  if (kind_.type.is_pointer) {
    refuse(type_span_, "an object holds numbers, not pointers");
  }
  builder_.object(space, kind_.type.scalar, declarator_, span(line_));
}

void Reader::constant_object() {
  object(AddressSpace::Constant);
  values_ = Values::Open;
}

void Reader::close_values() {
  if (values_ == Values::Open) {
    try {
      builder_.object_end();
    } catch (LineError& error) {
      errors_.push_back(std::move(error.diagnostic));
    }
  }
  values_ = Values::None;
}

// ---- lines -------------------------------------------------------------------------------------------------------------

Diagnostic Reader::explained(Text line, const x3::expectation_failure<Iterator>& failure) {
  const Explanation found = explain({.text = line,
                                     .statement = static_cast<std::size_t>(statement_ - line.data()),
                                     .where = static_cast<std::size_t>(failure.where() - line.data()),
                                     .expected = failure.which()});
  Diagnostic error{Severity::Error, span(line.data() + found.begin, line.data() + found.end), found.message, {}};
  const SourceSpan opened = expression_.innermost_open();
  if ((failure.which() == "')'" || failure.which() == "',' or ')'") && opened.end != 0) {
    error.notes.push_back({Severity::Note, opened, "what it would close begins here", {}});
  }
  return error;
}

void Reader::begin_line(Text line) {
  line_ = line;
  statement_ = line.data();
  operands_.clear();
  index_.reset();
  place_.reset();
  space_.reset();
  result_.reset();
  kind_ = {};
  active_ = false;
  at_element_ = false;
}

/// Behind a refused line.
void Reader::recover(Text line, bool continues) {
  expression_.clear();
  if (continues || begins_with_directive(line, ".constant")) {
    values_ = Values::Refused;
    more_values_ = line.ends_with("..");
  }
  if (begins_with_directive(line, ".kernel") || begins_with_directive(line, ".function")) {
    builder_.function_lost(span(line));
  } else if (line.front() == '.' || continues) {
    builder_.declaration_lost();
  } else {
    builder_.plain(Stop{}, span(line));  // keeps the numbers of the instructions behind it
  }
}

void Reader::parse_line(Text line, bool continues) {
  begin_line(line);
  Iterator first = line.data();
  const Iterator last = first + line.size();
  const auto blank = x3::char_(" \t");
  try {
    if (continues) {
      x3::phrase_parse(first, last, x3::with<grammar::ReaderTag>(std::ref(*this))[grammar::continuation_line], blank);
    } else {
      x3::phrase_parse(first, last, x3::with<grammar::ReaderTag>(std::ref(*this))[grammar::whole_line], blank);
    }
    return;
  } catch (const x3::expectation_failure<Iterator>& failure) {
    errors_.push_back(explained(line, failure));
  } catch (LineError& error) {
    if (!error.diagnostic.message.empty()) {
      errors_.push_back(std::move(error.diagnostic));
    }
  }
  recover(line, continues);
}

void Reader::read_line(Text line) {
  if (line.empty()) {
    return;
  }
  const bool continues = values_ != Values::None && (more_values_ || line.starts_with(".."));
  if (!continues) {
    close_values();
  }
  more_values_ = false;
  if (continues && values_ == Values::Refused) {
    more_values_ = line.ends_with("..");
  } else {
    parse_line(line, continues);
  }
}

std::expected<Program, Diagnostics> Reader::run() {
  Text rest = without_mark(text_);
  if (!looks_typed(rest)) {
    return std::unexpected(Diagnostics{{Severity::Error, {}, "a typed program begins with '.typed'", {}}});
  }
  while (!rest.empty() && errors_.size() <= musimd::max_errors) {
    read_line(content(next_line(rest)));
  }
  if (more_values_) {
    const auto end = static_cast<std::uint32_t>(text_.size());
    errors_.push_back({Severity::Error, {end, end}, "expected more values after '..'", {}});
  }
  close_values();
  Program program = builder_.finish(rest.empty(), errors_);
  if (!errors_.empty()) {
    return std::unexpected(musimd::limited(std::move(errors_)));
  }
  return program;
}

}  // namespace

bool looks_typed(std::string_view text) {
  for (Text rest = without_mark(text); !rest.empty();) {
    const Text line = content(next_line(rest));
    if (!line.empty()) {
      return begins_with_directive(line, ".typed");
    }
  }
  return false;
}

std::expected<Program, Diagnostics> parse(std::shared_ptr<const SourceFile> source) {
  if (source->text().size() > max_text) {
    return std::unexpected(Diagnostics{{Severity::Error, {}, "the text is too long: at most 64 MiB can be read", {}}});
  }
  if (const auto bad = first_bad_byte(source->text())) {
    const auto at = static_cast<std::uint32_t>(*bad);
    return std::unexpected(Diagnostics{{Severity::Error, {at, at + 1}, "not a text file: there is a NUL byte or invalid UTF-8 here", {}}});
  }
  auto program = Reader(*source).run();
  if (program) {
    program->source = std::move(source);
  }
  return program;
}

}  // namespace lockstep::typed
