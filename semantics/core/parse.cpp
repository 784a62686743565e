#include <functional>
#include <optional>
#include <utility>

#include "semantics/base/grammar.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/core/fold_half.hpp"
#include "semantics/core/fold_names.hpp"
#include "semantics/core/fold_printf.hpp"
#include "semantics/core/fold_strings.hpp"
#include "semantics/core/fold_vec_step.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/parse_builder.hpp"
#include "semantics/core/parse_mistakes.hpp"
#include "semantics/core/preprocess.hpp"

// The grammar reads the preprocessor's tokens from left to right and never takes an action back: one or two tokens decide what comes.

namespace lockstep::core {
namespace {

using Iterator = const Token*;

namespace rules {

using grammar::must;
using grammar::ReaderTag;
namespace x3 = grammar::x3;

/// The action that calls a member of the builder.
template <auto Member>
struct Call {
  template <class Context>
  void operator()(Context& context) const {
    TreeBuilder& builder = x3::get<ReaderTag>(context).get();
    builder.at = x3::_where(context).begin();
    (builder.*Member)();
  }
};

template <auto Member>
constexpr Call<Member> call;

/// The tokens that `Accepts` takes: a predicate of the next token, or how many it takes, 0 for none. It may look at the tokens behind, as
/// far as the end, which nothing but the end of the grammar takes.
template <class Accepts>
struct TokenParser : x3::parser<TokenParser<Accepts>> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  constexpr explicit TokenParser(Accepts accepts) : accepts_(accepts) {}

  template <class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    const auto taken = static_cast<std::ptrdiff_t>(first == last ? 0 : accepts_(first));
    first += taken;
    return taken != 0;
  }

  Accepts accepts_;
};

bool is_specifier_word(Word word) { return word.kind() == WordKind::Type || word.kind() == WordKind::Qualifier; }
bool is_name(Iterator token) {
  return token->kind == TokenKind::Identifier && (token->word.kind() == WordKind::None || token->word.kind() == WordKind::Contextual);
}
/// `uniform` and `varying` are names unless something follows that cannot follow a name; `*` can, in an expression.
bool is_uniformity(Iterator token, bool in_declaration) {
  return (token->word == "uniform"_w || token->word == "varying"_w) &&
         (is_specifier_word(token[1].word) || is_name(token + 1) || (in_declaration && token[1].word == "*"_w));
}
bool is_crev(Iterator token) { return token->word == "crev"_w && is_name(token + 1); }
bool is_attribute(Iterator token) { return token->word == "__attribute__"_w; }
bool is_required_size(Iterator token) {
  return (token->text == "reqd_work_group_size" || token->text == "__reqd_work_group_size__") && token[1].word == "("_w;
}
/// An attribute's name, also with two underscores on either side.
bool is_attribute_named(Iterator token, std::string_view name) {
  return token->text == name || token->text == "__" + std::string(name) + "__";
}
bool is_infix(Iterator token) {
  static const auto signs = [] {
    std::array<bool, word_table.size()> all{};
    for (const syntax::BinaryInfo& row : syntax::binary_table) {
      all[exact_word(row.text).row] = true;
      if (row.can_assign) {
        all[exact_word(std::string(row.text) + "=").row] = true;
      }
    }
    all[("="_w).row] = true;
    return all;
  }();
  return signs[token->word.row];
}
bool is_prefix(Iterator token) {
  static const auto signs = [] {
    std::array<bool, word_table.size()> all{};
    for (const syntax::UnaryInfo& row : syntax::unary_table) {
      all[exact_word(row.text).row] = !row.is_postfix || all[exact_word(row.text).row];
    }
    return all;
  }();
  return signs[token->word.row];
}

template <class Accepts>
constexpr auto token(Accepts accepts) {
  return TokenParser<Accepts>(accepts);
}
constexpr auto word(Word wanted) {
  return token([wanted](Iterator token) { return token->word == wanted; });
}
constexpr auto kind(TokenKind wanted) {
  return token([wanted](Iterator token) { return token->kind == wanted; });
}

/// How many tokens `(…)` has here, with all that stands inside; 0 where there is none.
std::ptrdiff_t parenthesised(Iterator first) {
  std::ptrdiff_t depth = 0;
  for (Iterator token = first; token->kind != TokenKind::End; ++token) {
    depth += token->word == "("_w ? 1 : 0;
    depth -= token->word == ")"_w ? 1 : 0;
    if (depth <= 0) {
      return token == first ? 0 : token + 1 - first;
    }
  }
  return 0;
}

/// `(T){` begins an object without a name.
bool is_compound(Iterator token) {
  const std::ptrdiff_t type = token->word == "("_w && is_specifier_word(token[1].word) ? parenthesised(token) : 0;
  return type != 0 && token[type].word == "{"_w;
}

const x3::rule<class AssignmentRule> assignment("assignment");
const x3::rule<class ExpressionRule> expression("expression");
const x3::rule<class InitialiserRule> initialiser("initialiser");
const x3::rule<class TypeNameRule> type_name("type name");
const x3::rule<class DeclarationRule> declaration("declaration");
const x3::rule<class StatementRule> statement("statement");
const x3::rule<class BlockRule> block("block");

const auto comma = word(","_w);
const auto semicolon = word(";"_w);
const auto name = token(is_name);

// The arguments of a call.
const auto open = word("("_w)[call<&TreeBuilder::open>];
const auto arguments =
    word(")"_w)[call<&TreeBuilder::close_call>] | (must(assignment, "an argument or ')'") >> *(comma >> must(assignment, "an argument")) >>
                                                   must(word(")"_w), "',' or ')' after the argument")[call<&TreeBuilder::close_call>]);

// Attributes (GNU C; OpenCL C 6.11).
constexpr const char* attribute_form = "'((…))' after '__attribute__'";
constexpr const char* attribute_end = "'))' after the attribute";
const auto required_size =
    token(is_required_size)[call<&TreeBuilder::name>] >> open >> arguments >> x3::eps[call<&TreeBuilder::required_size>];
const auto other_attribute = kind(TokenKind::Identifier)[call<&TreeBuilder::attribute>] >> -token(parenthesised);
const auto packed = token([](Iterator token) { return is_attribute_named(token, "packed"); })[call<&TreeBuilder::packed>];
const auto is_aligned = token([](Iterator token) { return is_attribute_named(token, "aligned"); });
const auto aligned = is_aligned[call<&TreeBuilder::name>] >>
                     ((open >> arguments >> x3::eps[call<&TreeBuilder::aligned>]) | x3::eps[call<&TreeBuilder::aligned_most>]);
const auto attribute_item = required_size | packed | aligned | other_attribute;
const auto attribute = token(is_attribute) >> must(word("("_w), attribute_form) >> must(word("("_w), attribute_form) >>
                       -(attribute_item >> *(comma >> must(attribute_item, "an attribute"))) >> must(word(")"_w), attribute_end) >>
                       must(word(")"_w), attribute_end);

// Specifiers (C99 6.7, OpenCL C 6.5 and 6.7).
const auto first_specifier = token([](Iterator token) { return is_specifier_word(token->word) || is_uniformity(token, false); });
const auto plain_specifier =
    token([](Iterator token) { return !is_attribute(token) && (is_specifier_word(token->word) || is_uniformity(token, true)); });
const auto type_start = &first_specifier;
const auto specifiers = type_start >> x3::eps[call<&TreeBuilder::open_declaration>] >>
                        *(plain_specifier[call<&TreeBuilder::specifier>] | attribute) >> x3::eps[call<&TreeBuilder::close_specifiers>];
const auto qualifier = token([](Iterator token) { return token->word.kind() == WordKind::Qualifier && !is_attribute(token); });
const auto pointers = *(word("*"_w)[call<&TreeBuilder::pointer>] >> *(qualifier[call<&TreeBuilder::pointer_qualifier>] | attribute));
const auto extents =
    *(word("["_w)[call<&TreeBuilder::open>] >>
      (word("]"_w)[call<&TreeBuilder::no_extent>] | (must(assignment, "the size of the array, or ']'") >>
                                                     must(word("]"_w), "']' after the size of the array")[call<&TreeBuilder::extent>])));
const auto type_name_def = specifiers >> pointers >> extents;

// Expressions (C99 6.5).
const auto type_in_parentheses = &(word("("_w) >> type_start);
const auto sizeof_type_start = &(word("sizeof"_w) >> type_in_parentheses);
const auto crev_call = token(is_crev) >> name[call<&TreeBuilder::crev_name>] >>
                       must(open, "'(' and the arguments of the crev call") >> arguments;
const auto name_or_call = name[call<&TreeBuilder::name>] >> -(open >> arguments);
const auto parenthesis = open >> must(expression, "an expression") >> must(word(")"_w), "')'")[call<&TreeBuilder::close_parenthesis>];
const auto constant = kind(TokenKind::Number)[call<&TreeBuilder::number>] | kind(TokenKind::Character)[call<&TreeBuilder::character>] |
                      (word("true"_w) | word("false"_w))[call<&TreeBuilder::truth>];
const auto component =
    must(token([](Iterator token) { return token->kind == TokenKind::Identifier; }), "the name of a component or member");
const auto designated_name = component[call<&TreeBuilder::designated_name>];
const auto designator = (word("."_w) >> designated_name) | (word("["_w)[call<&TreeBuilder::open>] >> must(assignment, "an index") >>
                                                            must(word("]"_w), "']' after the index")[call<&TreeBuilder::designated_index>]);
const auto offset_of = word("offsetof"_w) >> must(open, "'(' after 'offsetof'") >> must(type_name, "a type") >>
                       must(word(","_w), "',' after the type")[call<&TreeBuilder::close_offsetof_type>] >> designated_name >> *designator >>
                       must(word(")"_w), "')' after the member")[call<&TreeBuilder::close_offsetof>];
const auto values = must(initialiser, "a value") >> *(comma >> initialiser) >> -comma;
const auto end_of_list = word("}"_w);
const auto list = word("{"_w)[call<&TreeBuilder::open_list>] >> (&end_of_list | values) >>
                  must(word("}"_w), "',' or '}' after the value")[call<&TreeBuilder::close_list>];
const auto compound = &token(is_compound) >> open >> type_name >>
                      word(")"_w)[call<&TreeBuilder::close_compound_type>] >> list[call<&TreeBuilder::close_compound>];
const auto primary = constant | crev_call | offset_of | name_or_call | compound | parenthesis;
const auto postfix = (word("["_w)[call<&TreeBuilder::open>] >> must(expression, "an index") >>
                      must(word("]"_w), "']' after the index")[call<&TreeBuilder::close_subscript>]) |
                     (word("."_w) >> component[call<&TreeBuilder::member>]) |
                     (word("->"_w)[call<&TreeBuilder::arrow>] >> component[call<&TreeBuilder::member>]) |
                     (word("++"_w) | word("--"_w))[call<&TreeBuilder::post_step>];
const auto sizeof_type = sizeof_type_start >> word("sizeof"_w) >> open >> type_name >>
                         must(word(")"_w), "')' after the type")[call<&TreeBuilder::close_sizeof>];
const auto cast = !token(is_compound) >> type_in_parentheses >> open >> type_name >>
                  must(word(")"_w), "')' after the type")[call<&TreeBuilder::close_cast>];
const auto prefix =
    token(is_prefix)[call<&TreeBuilder::prefix>] | (!sizeof_type_start >> word("sizeof"_w)[call<&TreeBuilder::prefix>]) | cast;
const auto whole_primary = sizeof_type | (primary >> *postfix);
const auto operand = (+prefix >> must(whole_primary, "an expression")) | whole_primary;
const auto infix_tail = token(is_infix)[call<&TreeBuilder::infix>] >> must(operand, "an expression");
const auto conditional_tail = word("?"_w)[call<&TreeBuilder::question>] >> must(expression, "an expression") >>
                              must(word(":"_w), "':' and the third operand of '?:'")[call<&TreeBuilder::colon>] >>
                              must(operand, "an expression");
const auto assignment_def = operand >> *(infix_tail | conditional_tail) >> x3::eps[call<&TreeBuilder::finish>];
const auto expression_def = assignment >> *(comma >> must(assignment, "an expression") >> x3::eps[call<&TreeBuilder::comma>]);

// Declarations (C99 6.7).
const auto plain_initialiser = list | assignment[call<&TreeBuilder::value_initialiser>];
const auto designation = &(word("."_w) | word("["_w)) >> x3::eps[call<&TreeBuilder::open_path>] >> +designator >>
                         must(word("="_w), "'=' and the value of what is designated")[call<&TreeBuilder::close_designators>];
const auto initialiser_def =
    (designation >> must(plain_initialiser, "the value of what is designated")[call<&TreeBuilder::designated>]) | plain_initialiser;
const auto attributes = *attribute;
const auto declarator_tail =
    extents >> attributes >>
    -(word("="_w) >> must(initialiser, "an expression")[call<&TreeBuilder::initialised>]) >> x3::eps[call<&TreeBuilder::close_declarator>];
const auto declared_name = must(name, "a name")[call<&TreeBuilder::declared_name>];
const auto declarators = declarator_tail >> *(comma >> pointers >> declared_name >> declarator_tail) >>
                         must(semicolon, "';' after the declaration");
const auto declaration_def = specifiers >> pointers >> declared_name >> declarators;

// Statements (C99 6.8).
template <class Parser>
constexpr auto keyword(Parser parser) {
  return parser[call<&TreeBuilder::open_statement>];
}
const auto open_bracket = must(word("("_w), "'('")[call<&TreeBuilder::open_bracket>];
constexpr auto close_bracket(const char* expected) { return must(word(")"_w), expected)[call<&TreeBuilder::close_bracket>]; }
const auto condition = open_bracket >> must(expression, "an expression") >> close_bracket("')'");
const auto substatement = must(statement, "a statement");
const auto optional_expression = expression | x3::eps[call<&TreeBuilder::no_expression>];
const auto expression_statement = semicolon[call<&TreeBuilder::no_expression>] >> x3::eps[call<&TreeBuilder::expression_statement>] |
                                  expression >> must(semicolon, "';' after the expression")[call<&TreeBuilder::expression_statement>];
const auto if_statement =
    keyword(word("if"_w)) >> condition >> substatement >>
    ((word("else"_w) >> substatement) | x3::eps[call<&TreeBuilder::no_statement>]) >> x3::eps[call<&TreeBuilder::close_if>];
const auto while_statement = keyword(word("while"_w)) >> condition >> substatement >> x3::eps[call<&TreeBuilder::close_while>];
const auto do_statement = keyword(word("do"_w)) >> substatement >> must(word("while"_w), "'while' after the body of 'do'") >> condition >>
                          must(semicolon, "';' after 'do … while (…)'")[call<&TreeBuilder::close_do>];
const auto declared = declaration[call<&TreeBuilder::declaration_statement>];
const auto for_statement = keyword(word("for"_w)) >> open_bracket >>
                           must(declared | expression_statement, "a declaration, an expression or ';'") >> optional_expression >>
                           must(semicolon, "';' after the condition of 'for'") >> optional_expression >>
                           close_bracket("')' after the step of 'for'") >> substatement >> x3::eps[call<&TreeBuilder::close_for>];
const auto switch_statement = keyword(word("switch"_w)) >> condition >> substatement >> x3::eps[call<&TreeBuilder::close_switch>];
const auto break_statement = keyword(word("break"_w)) >> must(semicolon, "';' after 'break'")[call<&TreeBuilder::close_break>];
const auto continue_statement = keyword(word("continue"_w)) >> must(semicolon, "';' after 'continue'")[call<&TreeBuilder::close_continue>];
const auto return_statement = keyword(word("return"_w)) >> optional_expression >>
                              must(semicolon, "';' after 'return'")[call<&TreeBuilder::close_return>];
/// Behind what stands in front of a loop, and says nothing about its meaning: `__attribute__((…))` and pragmas about unrolling.
std::ptrdiff_t loop_hints(Iterator first) {
  Iterator token = first;
  while (token->kind == TokenKind::Unroll || is_attribute(token)) {
    const std::ptrdiff_t taken = is_attribute(token) ? parenthesised(token + 1) + 1 : 1;
    if (taken == 1 && is_attribute(token)) {
      return 0;
    }
    token += taken;
  }
  return token->word == "for"_w || token->word == "while"_w || token->word == "do"_w ? token - first : 0;
}
const auto hints = token(loop_hints);
const auto lost_hint = kind(TokenKind::Unroll)[call<&TreeBuilder::lost_hint>];
const auto hinted = &hints >> x3::eps[call<&TreeBuilder::open_hinted>] >> hints >>
                    (while_statement | do_statement | for_statement) >> x3::eps[call<&TreeBuilder::close_hinted>];
const auto statement_def = hinted | block | if_statement | while_statement | do_statement | for_statement | switch_statement |
                           break_statement | continue_statement | return_statement | expression_statement;

const auto case_label = keyword(word("case"_w)) >> must(assignment, "a constant") >>
                        must(word(":"_w), "':' after the constant of 'case'")[call<&TreeBuilder::close_case>];
const auto default_label = keyword(word("default"_w)) >> must(word(":"_w), "':' after 'default'")[call<&TreeBuilder::close_default>];
const auto contract = kind(TokenKind::Pragma);
const auto block_item =
    (&hints >> statement) | declared | statement | case_label | default_label | contract[call<&TreeBuilder::pragma_statement>] | lost_hint;
const auto block_def = word("{"_w)[call<&TreeBuilder::open_block>] >> *block_item >>
                       must(word("}"_w), "a statement or '}'")[call<&TreeBuilder::close_block>];

// The file (C99 6.9).
const auto parameter = specifiers >> pointers >> -name[call<&TreeBuilder::declared_name>] >> extents >> attributes >>
                       x3::eps[call<&TreeBuilder::close_parameter>];
const auto parameters = word(")"_w) | (must(parameter, "a parameter or ')'") >> *(comma >> must(parameter, "a parameter")) >>
                                       must(word(")"_w), "',' or ')' after the parameter"));
const auto function = word("("_w)[call<&TreeBuilder::open_function>] >> parameters >> x3::eps[call<&TreeBuilder::close_parameters>] >>
                      attributes >> must(semicolon | block, "';' or the body of the function")[call<&TreeBuilder::close_function>];
const auto declared_type = must(token([](Iterator token) { return token->word == "struct S"_w; }), "a name");
const auto bit_field = word(":"_w)[call<&TreeBuilder::bit_field>];
const auto member = specifiers >> pointers >> declared_name >> -bit_field >> declarators[call<&TreeBuilder::record_member>];
const auto record = (word("struct"_w) | word("union"_w))[call<&TreeBuilder::open_record>] >>
                    declared_type[call<&TreeBuilder::record_name>] >> attributes >> word("{"_w)[call<&TreeBuilder::open_bracket>] >>
                    must(member, "a member") >> *member >>
                    must(word("}"_w), "a member or '}'")[call<&TreeBuilder::close_bracket>] >> attributes
                    >> semicolon[call<&TreeBuilder::close_record>];
const auto type_definition = word("typedef"_w) >> must(specifiers, "a type") >> pointers >> declared_name >> extents
                             >> x3::eps[call<&TreeBuilder::close_declarator>] >>
                             must(semicolon, "';' after the name of the type")[call<&TreeBuilder::file_typedef>];
const auto file_item = contract[call<&TreeBuilder::file_pragma>] | lost_hint | semicolon | record | type_definition |
                       (specifiers >> pointers >> declared_name >> (function | declarators[call<&TreeBuilder::file_declaration>]));
const auto file = *file_item >> must(kind(TokenKind::End), "a function or a declaration");

BOOST_SPIRIT_DEFINE(assignment, expression, initialiser, type_name, declaration, statement, block)

}  // namespace rules
}  // namespace

namespace {

/// Where `place` is given, all tokens stand there.
std::expected<syntax::TranslationUnit, Diagnostics> parse_text(const SourceFile& source, const Options& options,
                                                               std::optional<SourceSpan> place) {
  if (const auto problem = unreadable(source)) {
    return std::unexpected(Diagnostics{*problem});
  }
  TreeBuilder builder;
  try {
    TokenList list = preprocess(source, options);
    fold_half(list);
    fold_printf(list, options);
    fold_strings(list);
    fold_vec_step(list);
    fold_names(list);
    for (Token& token : list.tokens) {
      token.span = place.value_or(token.span);
    }
    Iterator first = list.tokens.data();
    const Iterator last = first + list.tokens.size();
    try {
      grammar::x3::parse(first, last, grammar::x3::with<grammar::ReaderTag>(std::ref(builder))[rules::file]);
      return builder.take();
    } catch (const grammar::x3::expectation_failure<Iterator>& failure) {
      return std::unexpected(Diagnostics{explain(
          {.begin = list.tokens.data(), .at = failure.where(), .expected = failure.which(), .innermost_open = builder.innermost_open()})});
    }
  } catch (Refused& refused) {
    return std::unexpected(Diagnostics{std::move(refused.diagnostic)});
  }
}

}  // namespace

std::expected<syntax::TranslationUnit, Diagnostics> parse(const SourceFile& source, const Options& options) {
  return parse_text(source, options, std::nullopt);
}

std::expected<syntax::TranslationUnit, Diagnostics> parse_at(const SourceFile& source, const Options& options, SourceSpan span) {
  return parse_text(source, options, span);
}

}  // namespace lockstep::core
