#include "semantics/typed/parse.hpp"

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "semantics/base/grammar.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/typed/parse_reader.hpp"

// The text is cut into lines; each line is parsed by the grammar below, whose actions call the Reader, which calls the
// ProgramBuilder.

namespace lockstep::typed {
namespace {

namespace rules {

using namespace grammar;

/// True behind the name of an array.
struct AtElement : x3::parser<AtElement> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;

  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*&, const char* const&, const Context& context, RuleContext&, Attribute&) const {
    return x3::get<ReaderTag>(context).get().at_element();
  }
};

bool is_word(std::string_view text) { return std::isalpha(static_cast<unsigned char>(text.front())) != 0; }

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
struct Bitcasts : x3::symbols<ScalarType> {
  Bitcasts() {
    for (const ScalarInfo& row : scalar_table) {
      add(bitcast_text(row.type), row.type);
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
struct Pointers : x3::symbols<ValueType> {
  explicit Pointers(std::string (*text)(const ValueType&)) {
    for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global, AddressSpace::Constant}) {
      for (const ScalarInfo& row : scalar_table) {
        const ValueType type{row.type, true, space};
        add(text(type), type);
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
struct Fenced : x3::symbols<Fences> {
  Fenced() {
    for (const Fences fences : {Fences{true, false}, Fences{false, true}, Fences{false, false}}) {
      add(std::string(lockstep::name_of(fences)), fences);
    }
  }
};
struct Votes : x3::symbols<VoteKind> {
  Votes() {
    add("any.active", VoteKind::Any)("all.active", VoteKind::All)("ballot.active", VoteKind::Ballot);
    add("any.group", VoteKind::GroupAny)("all.group", VoteKind::GroupAll);
  }
};
struct Atomics : x3::symbols<AtomicOp> {
  Atomics() {
    for (const AtomicInfo& row : atomic_table) {
      add(std::string(row.word), row.op);
    }
  }
};

const x3::rule<class PrimaryRule> primary("an operand");
const x3::rule<class OperandRule> operand("an operand");
const x3::rule<class ExpressionRule> expression("an expression");

const auto word_char = x3::char_("a-zA-Z0-9_.");
const auto name = x3::raw[x3::lexeme[-x3::lit('$') >> x3::char_("a-zA-Z_") >> *word_char]];
const auto digits = x3::raw[x3::lexeme[+x3::char_("0-9") >> !word_char]];
const TakenBy<TypedLiteral, &Reader::literal> literal;  // perhaps with a minus before it
const AtElement at_element;
const InfixOperators infix;
const CallOperators call_operators;
const Scalars scalars;
const Bitcasts bitcasts;
const Queries queries;
const Pointers nulls(null_text);
const Pointers reinterpretations(reinterpret_text);
const Spaces spaces;
const Fenced fenced;
const Votes votes;
const Atomics atomics;

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
const auto bitcast = x3::raw[whole(bitcasts)][call<&Reader::open_bitcast>] >> operands;
const auto reinterpretation = x3::raw[whole(reinterpretations)][call<&Reader::open_reinterpretation>] >> operands;
const auto maybe = x3::raw[keyword("maybe")][call<&Reader::open_maybe>] >> operands;
const auto within = x3::raw[keyword("within")][call<&Reader::open>] >> must('(', "'(' after 'within'") >> must(expression, "an operand") >>
                    must(',', "',' and the limit, the second operand of within") >>
                    must(digits, "the limit, a number without suffix")[call<&Reader::limit>] >>
                    -(',' >> must(x3::raw['@' >> name][call<&Reader::indexed_object>] | name[call<&Reader::indexed_register>],
                                  "what has this index, a register or '@' and an object") >>
                      must(',', "',' and which index it is") >> must(digits, "a number without suffix")[call<&Reader::index_number>]) >>
                    must(x3::raw[x3::lit(')')], "')' after the operands of within")[call<&Reader::close_within>];
const auto named = name[call<&Reader::named>] >>
                   -(at_element >> must('[', "'[' and an index: this is an array") >> must(expression, "an index after '['") >>
                     must(x3::raw[x3::lit(']')], "']'")[call<&Reader::close>]);
const auto object_address = x3::raw['@' >> must(name, "an object after '@'")][call<&Reader::object_address>];
const auto register_address = x3::raw['&' >> must(name, "an array after '&'")][call<&Reader::address>];
const auto query = x3::raw[whole(queries)][call<&Reader::query>];
const auto null_pointer = x3::raw[whole(nulls)][call<&Reader::null_pointer>];

const auto primary_def = literal[call<&Reader::constant>] | parenthesis | object_address | query | null_pointer | within | maybe |
                         operation | conversion | bitcast | reinterpretation | named;

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
                   (keyword("barrier") >> x3::eps[call<&Reader::barrier>] >> -whole(fenced)[call<&Reader::fences>] >> end >>
                    x3::eps[call<&Reader::finish_barrier>]);
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
const auto atomic = (whole(atomics)[call<&Reader::atomic_op>] >> must('(', "'(' and an element of memory") >> cell("a pointer after '('") >>
                     must(',', "',' and the operand") >> value("the operand") >> -(',' >> value("the new value")) >>
                     must(')', "')' after the operands") >> end);
const auto assign = (value("an expression after '='") >> end_after_value >> x3::eps[call<&Reader::assign>]);
const auto assignment = name[call<&Reader::destination>] >>
                        -('[' >> value("an index after '['") >> must(']', "']'"))[call<&Reader::destination_index>] >>
                        must('=', "'=' after the register")[call<&Reader::place>] >>
                        (load | shuffle | vote | (atomic >> x3::eps[call<&Reader::atomic>]) | function_call | assign);
const auto unused_atomic = atomic >> x3::eps[call<&Reader::unused_atomic>];
const auto instruction = x3::eps[call<&Reader::before_instruction>] >>
                         (jumps | store | plain | forget | ret | unused_atomic | function_call | assignment);

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

}  // namespace rules

std::expected<Program, Diagnostics> read(std::string_view text) {
  Reader reader(text);
  const auto explained = [&](const grammar::Expectation& failure) { return reader.explained(failure.where, failure.what); };
  while (reader.next_line()) {
    auto error = reader.continues() ? grammar::parse_line(rules::continuation_line, reader, reader.line(), explained)
                                    : grammar::parse_line(rules::whole_line, reader, reader.line(), explained);
    if (error) {
      reader.refuse_line(std::move(*error));
    }
  }
  return reader.finish();
}

}  // namespace

bool looks_typed(std::string_view text) {
  TextLines lines(text);
  return lines.next() && begins_with_directive(lines.line(), ".typed");
}

std::expected<Program, Diagnostics> parse(std::shared_ptr<const SourceFile> source) {
  if (const auto problem = unreadable(*source)) {
    return std::unexpected(Diagnostics{*problem});
  }
  if (!looks_typed(source->text())) {
    return std::unexpected(Diagnostics{{Severity::Error, {}, "a typed program begins with '.typed'", {}}});
  }
  auto program = read(source->text());
  if (program) {
    program->source = std::move(source);
  }
  return program;
}

}  // namespace lockstep::typed
