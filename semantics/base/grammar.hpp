#pragma once
// What our Spirit X3 grammars have in common. It brings Spirit along, so only the .cpp file of a grammar may include it
// (tests/layers/layers.txt).

#include <boost/spirit/home/x3.hpp>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "semantics/base/program_text.hpp"

namespace lockstep::grammar {

namespace x3 = boost::spirit::x3;

/// X3's expectation, with the description in the user's words at the place where it is needed.
template <class Subject>
struct Must : x3::unary_parser<Subject, Must<Subject>> {
  using base_type = x3::unary_parser<Subject, Must<Subject>>;
  static constexpr bool is_pass_through_unary = true;

  constexpr Must(const Subject& inner, const char* expected) : base_type(inner), expected_(expected) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
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

/// Under this tag the context holds a std::reference_wrapper to the object whose members are the grammar's actions.
struct ReaderTag;

/// The action that calls a member of the reader with the attribute, text being handed over as a string_view.
template <auto Member>
struct Call {
  template <class Context>
  void operator()(Context& context) const {
    auto& reader = x3::get<ReaderTag>(context).get();
    auto& attribute = x3::_attr(context);
    using Attribute = std::remove_cvref_t<decltype(attribute)>;
    if constexpr (std::is_invocable_v<decltype(Member), decltype(reader)>) {
      (reader.*Member)();
    } else if constexpr (std::is_same_v<Attribute, boost::iterator_range<const char*>>) {
      (reader.*Member)(std::string_view(attribute.begin(), static_cast<std::size_t>(attribute.size())));
    } else {
      (reader.*Member)(attribute);
    }
  }
};

template <auto Member>
constexpr Call<Member> call;

/// A token that a member of the reader takes off the text: bool (std::string_view& text, Value& result).
template <class Value, auto Member>
struct TakenBy : x3::parser<TakenBy<Value, Member>> {
  using attribute_type = Value;
  static constexpr bool has_attribute = true;

  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& attribute) const {
    x3::skip_over(first, last, context);
    std::string_view text(first, static_cast<std::size_t>(last - first));
    Value value;
    if (!(x3::get<ReaderTag>(context).get().*Member)(text, value)) {
      return false;
    }
    first = text.data();
    x3::traits::move_to(value, attribute);
    return true;
  }
};

/// What the grammar of a line expected, and where.
struct Expectation {
  const char* where;
  std::string what;
};

/// Reads a line, whose actions call `reader`; blanks are skipped. What is wrong, if anything: an error of an action, or
/// `explained(Expectation)` where the line does not follow the grammar.
template <class Parser, class Reader, class Explained>
std::optional<Diagnostic> parse_line(const Parser& parser, Reader& reader, std::string_view line, Explained explained) {
  const char* first = line.data();
  try {
    x3::phrase_parse(first, line.data() + line.size(), x3::with<ReaderTag>(std::ref(reader))[parser], x3::char_(" \t"));
    return std::nullopt;
  } catch (const x3::expectation_failure<const char*>& failure) {
    return explained(Expectation{failure.where(), failure.which()});
  } catch (Refused& error) {
    return std::move(error.diagnostic);
  }
}

}  // namespace lockstep::grammar
