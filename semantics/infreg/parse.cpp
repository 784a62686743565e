#include "semantics/infreg/parse.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "semantics/base/grammar.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/infreg/parse_reader.hpp"
#include "semantics/infreg/words.hpp"

// The text is cut into lines; each line is parsed by the grammar below, whose actions call the Reader.

namespace lockstep::infreg {
namespace {

namespace rules {

using namespace grammar;

struct Scalars : x3::symbols<ScalarType> {
  Scalars() {
    for (const ScalarInfo& row : scalar_table) {
      add(std::string(text_of(row.type)), row.type);
    }
  }
};
struct Elements : x3::symbols<Element> {
  Elements() {
    for (const ScalarInfo& row : scalar_table) {
      add(std::string(text_of(row.type)), Element::of(row.type));
    }
    add("ptr", Element::pointer());
  }
};
struct Spaces : x3::symbols<AddressSpace> {
  Spaces() {
    for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local, AddressSpace::Constant}) {
      add(std::string(name_of(space)), space);
    }
  }
};
struct Coordinates : x3::symbols<Symbol> {
  Coordinates() { add("wg.ix", Symbol::group())("wi", Symbol::item())("ix", Symbol::element()); }
};
struct Comparisons : x3::symbols<Op> {
  Comparisons() {
    for (const OpInfo& row : op_table) {
      if (is_comparison(row.op)) {
        add(std::string(row.text), row.op);
      }
    }
  }
};
struct PointerComparisons : x3::symbols<Op> {
  PointerComparisons() {
    for (const OpInfo& row : op_table) {
      if (is_comparison(row.op)) {
        add("p" + std::string(mnemonic(row.op, ScalarType::Int)), row.op);
      }
    }
  }
};
struct Mnemonics : x3::symbols<Mnemonic> {
  explicit Mnemonics(int arity) {
    for (const std::string_view word : operation_words()) {
      if (const auto found = mnemonic_named(word); found && info(found->op).arity == arity) {
        add(std::string(word), *found);
      }
    }
  }
};
struct Atomics : x3::symbols<AtomicOp> {
  Atomics() {
    for (const AtomicInfo& row : atomic_table) {
      add(std::string(row.word), row.op);
    }
  }
};
struct Votes : x3::symbols<std::pair<Vote::Kind, bool>> {
  Votes() {
    for (const Vote::Kind kind : {Vote::Kind::Any, Vote::Kind::All, Vote::Kind::Popcount, Vote::Kind::Ballot}) {
      add(std::string(text_of(kind)) + ".group", {kind, false});
      add(std::string(text_of(kind)) + ".pack", {kind, true});
    }
  }
};
struct Accesses : x3::symbols<Access> {
  Accesses() {
    for (const Access access : {Access::Contiguous, Access::Strided, Access::Gather}) {
      add(std::string(text_of(access)), access);
    }
  }
};

const Scalars scalars;
const Elements elements;
const Spaces spaces;
const Coordinates coordinates;
const Comparisons comparisons;
const PointerComparisons pointer_comparisons;
const Mnemonics unary_words(1);
const Mnemonics binary_words(2);
const Mnemonics ternary_words(3);
const Atomics atomics;
const Votes votes;
const Accesses accesses;

const auto word_char = x3::char_("a-zA-Z0-9_.");
auto keyword(const char* word) { return x3::lexeme[x3::lit(word) >> !word_char]; }
template <class Symbols>
auto whole(const Symbols& symbols) {
  return x3::lexeme[symbols >> !word_char];
}
const auto name = x3::raw[x3::lexeme['%' >> +word_char]];
const auto digits = x3::raw[x3::lexeme[+x3::char_("0-9") >> !word_char]];
const auto nan_with_bits = "nan(" >> *word_char >> ')';
const auto number = x3::raw[x3::lexeme[nan_with_bits | (-x3::lit('-') >> +((x3::char_("eE") >> x3::char_("+-")) | word_char))]];

// ---- parts

const auto extent_of_pack = keyword("wg") >> must(digits, "the number of groups")[call<&Reader::extent_pack>] >> must(keyword("x"), "'x'");
const auto extent_of_item = keyword("wi") >> must(digits, "the number of items")[call<&Reader::extent_item>] >> must(keyword("x"), "'x'");
const auto layout = '[' >> -extent_of_pack >> -extent_of_item >> must(keyword("ix"), "'wg', 'wi' or 'ix' and a number") >>
                    must(digits, "the number of elements")[call<&Reader::extent_element>] >> must(']', "']'");
const auto type = must(whole(elements)[call<&Reader::element>], "a type") >> -layout;

const auto times = -(keyword("x") >> must(digits, "how often")[call<&Reader::list_times>]);
template <class Item>
auto list(const Item& item, const char* expected) {
  return must('[', "'[' and a list") >> x3::eps[call<&Reader::list_begin>] >>
         (x3::lit(']') | (must(item, expected) >> times >> *(',' >> must(item, expected) >> times) >> must(']', "',' or ']'")));
}
const auto numbers = list(number[call<&Reader::list_number>], "a number");
const auto table = list(digits[call<&Reader::list_lane>] | x3::raw[keyword("_")][call<&Reader::list_nowhere>], "a lane or '_'");

const auto factor =
    must(digits[call<&Reader::factor_number>] | whole(coordinates)[call<&Reader::factor_symbol>] | name[call<&Reader::factor_value>],
         "a number, wg.ix, wi, ix or a value");
const auto term = x3::raw[x3::eps[call<&Reader::term_begin>] >> factor >> *('*' >> factor)][call<&Reader::term_end>];
const auto minus = x3::lit('-')[call<&Reader::minus>];
const auto polynomial = -minus >> term >> *((x3::lit('+') | minus) >> term) >> x3::eps[call<&Reader::polynomial_end>];

const auto operand = must(name, "a value")[call<&Reader::operand>];
const auto comma_operand = must(',', "',' and a value") >> operand;
const auto end = must(x3::eoi, "the end of the line");
const auto opening = must('{', "'{'");
const auto closing = must('}', "'}'");

// ---- the head

const auto parameter_type = (keyword("ptr") >> must('<', "'<' and what it points to") >>
                             must(whole(scalars), "a type")[call<&Reader::parameter_pointer>] >> must('>', "'>'")) |
                            must(whole(scalars), "a type of numbers, or ptr<…>")[call<&Reader::parameter_number>];
const auto parameter = must(name, "a parameter")[call<&Reader::parameter_name>] >> must(':', "':' and a type") >> parameter_type >>
                       -keyword("const")[call<&Reader::parameter_const>] >>
                       -keyword("restrict")[call<&Reader::parameter_restrict>] >> x3::eps[call<&Reader::parameter_end>];
const auto parameters = must('(', "'(' and the parameters") >>
                        (x3::lit(')') | (parameter >> *(',' >> parameter) >> must(')', "',' or ')'")));
const auto kernel = keyword("kernel") >> x3::eps[call<&Reader::before_kernel>] >>
                    must(x3::raw[x3::lexeme['@' >> +word_char]], "'@' and the kernel's name")[call<&Reader::kernel_name>] >> parameters >>
                    must(keyword("wg_size"), "wg_size") >> must(digits, "the number of items of a group")[call<&Reader::wg_size>] >>
                    must(keyword("wg_pack"), "wg_pack") >> must(digits, "the number of groups of a pack")[call<&Reader::wg_pack>] >> opening
                    >> end >> x3::eps[call<&Reader::open_kernel>];

const auto object = whole(spaces)[call<&Reader::object_space>] >> x3::eps[call<&Reader::before_object>] >>
                    must(name, "the object's name")[call<&Reader::object_name>] >> must(':', "':' and a type") >>
                    must(whole(scalars), "a type of numbers")[call<&Reader::object_element>] >>
                    must('[', "'[' and the number of elements") >> must(digits, "the number of elements")[call<&Reader::object_count>] >>
                    must(']', "']'") >> -('=' >> numbers >> x3::eps[call<&Reader::object_values>]) >> end
                    >> x3::eps[call<&Reader::object_end>];

// ---- operations

const auto constant = keyword("constant") >>
                      must((keyword("null") >> end)[call<&Reader::null_pointer>] | (number >> x3::omit[end])[call<&Reader::constant>],
                           "a number or null");
const auto lanes = keyword("lanes") >> x3::eps[call<&Reader::lanes_begin>] >> numbers >> end >> x3::eps[call<&Reader::lanes>];
const auto poison = (keyword("poison") >> end)[call<&Reader::poison>];
const auto index = keyword("index") >> opening >> polynomial >> closing >> end >> x3::eps[call<&Reader::index>];
const auto comparison = polynomial >> must(comparisons, "a comparison: < <= > >= == !=")[call<&Reader::comparison>] >> polynomial
                        >> x3::eps[call<&Reader::comparison_end>];
const auto mask = keyword("mask") >> opening >> (x3::lit('}') | (comparison >> *(',' >> comparison) >> closing)) >> end
                  >> x3::eps[call<&Reader::mask>];
const auto num_groups = (keyword("num_groups") >> end)[call<&Reader::num_groups>];
const auto spread = keyword("spread") >> operand >> end >> x3::eps[call<&Reader::spread>];
const auto elementwise = ((whole(unary_words)[call<&Reader::elementwise_word>] >> operand) |
                          (whole(binary_words)[call<&Reader::elementwise_word>] >> operand >> comma_operand) |
                          (whole(ternary_words)[call<&Reader::elementwise_word>] >> operand >> comma_operand >> comma_operand)) >>
                         end >> x3::eps[call<&Reader::elementwise>];
const auto select = keyword("select") >> operand >> comma_operand >> comma_operand >> end >> x3::eps[call<&Reader::select>];
const auto convert = keyword("convert") >> operand >> end >> x3::eps[call<&Reader::convert>];
const auto bitcast = keyword("bitcast") >> operand >> end >> x3::eps[call<&Reader::bitcast>];
const auto result_lane = '(' >> (x3::raw[keyword("wi")][call<&Reader::to_items>] >> must(',', "', ix)'") >> must(keyword("ix"), "ix") |
                                 must(x3::raw[keyword("ix")], "(wi, ix) or (ix)")[call<&Reader::to_groups>]) >>
                         must(')', "')'");
const auto affine = result_lane >> must("<-", "'<-' and the source's lane") >> must('(', "'('") >> polynomial >> -(',' >> polynomial) >>
                    must(')', "',' or ')'") >> closing >> end >> x3::eps[call<&Reader::reorder_affine>];
const auto reorder = keyword("reorder") >> operand >> opening >>
                     (affine | (table >> closing >> end >> x3::eps[call<&Reader::reorder_table>]));
const auto shuffle = keyword("shuffle") >> operand >> comma_operand >> comma_operand >> end >> x3::eps[call<&Reader::shuffle>];
const auto vote = whole(votes)[call<&Reader::vote_word>] >> operand >> comma_operand >> end >> x3::eps[call<&Reader::vote>];

const auto address = keyword("address") >> (must(name, "a parameter or an object") >> x3::omit[end])[call<&Reader::address>];
const auto cell = must(whole(scalars), "a type of numbers")[call<&Reader::cell>];
const auto offset = keyword("offset") >> cell >> operand >> comma_operand >> end >> x3::eps[call<&Reader::offset>];
const auto distance = keyword("distance") >> cell >> operand >> comma_operand >> end >> x3::eps[call<&Reader::distance>];
const auto pointer_compare =
    whole(pointer_comparisons)[call<&Reader::comparison>] >> operand >> comma_operand >> end >> x3::eps[call<&Reader::pointer_compare>];
const auto place_lanes = keyword("lanes") >> must(name, "a value")[call<&Reader::place_lanes>];
const auto place = must(name, "a parameter, an object or a pointer")[call<&Reader::place_base>] >> must('[', "'[' and an index") >>
                   (place_lanes | (polynomial >> x3::eps[call<&Reader::place_index>] >> -(',' >> must(place_lanes, "lanes")))) >>
                   must(']', "']'") >> must(whole(accesses), "contiguous, strided or gather")[call<&Reader::access>];
const auto load = keyword("load") >> place >> -(',' >> operand) >> end >> x3::eps[call<&Reader::load>];
const auto atomic = whole(atomics)[call<&Reader::atomic_word>] >> place >> comma_operand >> -(',' >> operand) >> -(',' >> operand) >> end
                    >> x3::eps[call<&Reader::atomic>];
const auto store = keyword("store") >> place >> comma_operand >> -(',' >> operand) >> end >> x3::eps[call<&Reader::store>];

// ---- control

const auto branch = keyword("if") >> operand >> opening >> end >> x3::eps[call<&Reader::branch>];
const auto carried = must(name, "a name")[call<&Reader::argument>] >> must('=', "'=' and a value") >> operand;
const auto all_carried = -('(' >> carried >> *(',' >> carried) >> must(')', "',' or ')'"));
const auto counted = keyword("for") >> must(name, "the loop's variable")[call<&Reader::argument>] >> must('=', "'='") >> polynomial >>
                     must(keyword("to"), "to") >> polynomial >> must(keyword("step"), "step") >>
                     must(number, "a number")[call<&Reader::step>] >> all_carried >> opening >> end >> x3::eps[call<&Reader::counted_loop>];
const auto loop = keyword("loop") >> must(keyword("while"), "while") >> carried >> all_carried >> opening >> end
                  >> x3::eps[call<&Reader::loop>];

const auto control = branch | counted | loop;
const auto valued = constant | lanes | poison | index | mask | num_groups | spread | elementwise | select | convert | bitcast | reorder |
                    shuffle | vote | address | offset | distance | pointer_compare | load | atomic | control;
const auto result = must(name, "a value")[call<&Reader::result_name>] >> must(':', "':' and a type") >> type
                    >> x3::eps[call<&Reader::result_end>];
const auto results = &x3::lit('%') >> result >> *(',' >> result) >> must('=', "',' or '='");
const auto yield = keyword("yield") >> operand >> *(',' >> operand) >> end >> x3::eps[call<&Reader::yield>];
const auto operation = x3::eps[call<&Reader::before_operation>] >> ((results >> must(valued, "an operation")) | store | yield | control);

const auto close = '}' >> ((keyword("else") >> opening >> end)[call<&Reader::other>] | end[call<&Reader::close>]);
const auto whole_line = kernel | object | close | must(operation, "an operation");

}  // namespace rules

}  // namespace

std::expected<Kernel, Diagnostics> parse(std::shared_ptr<const SourceFile> source) {
  if (const auto problem = unreadable(*source)) {
    return std::unexpected(Diagnostics{*problem});
  }
  Reader reader(source->text());
  const auto explained = [&](const grammar::Expectation& failure) { return reader.explained(failure.where, failure.what); };
  while (reader.next_line()) {
    if (auto error = grammar::parse_line(rules::whole_line, reader, reader.line(), explained)) {
      reader.refuse_line(std::move(*error));
    }
  }
  auto kernel = reader.finish();
  if (kernel) {
    kernel->source = std::move(source);
  }
  return kernel;
}

}  // namespace lockstep::infreg
