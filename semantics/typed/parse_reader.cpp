#include "semantics/typed/parse_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "semantics/typed/parse_mistakes.hpp"

namespace lockstep::typed {
namespace {

using Text = std::string_view;

/// The name behind "&" or "@".
Text behind_sign(Text word) { return word.substr(word.find_first_not_of(" \t", 1)); }

}  // namespace

bool begins_with_directive(Text line, Text directive) {
  return line.starts_with(directive) && (line.size() == directive.size() || !is_word_char(line[directive.size()]));
}

// ---- expressions -------------------------------------------------------------------------------------------------------

bool Reader::literal(Text& text, TypedLiteral& result) {
  std::optional<TypedLiteral> literal = read_literal(text);
  if (!literal) {
    return false;
  }
  literal_span_ = span(text.substr(0, literal->length));
  if (!literal->problem.empty()) {
    refuse(literal_span_, literal->problem);
  }
  text.remove_prefix(literal->length);
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
  const Text behind = line().substr(static_cast<std::size_t>(word.data() + word.size() - line().data()));
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

void Reader::limit(Text digits) { within_ = {.limit = number(digits)}; }

void Reader::indexed_register(Text word) { within_.of = builder_.find_register(named_token(word, "register")); }

void Reader::indexed_object(Text word) {
  within_.of = builder_.find_object(named_token(behind_sign(word), "object"));
  within_.of_object = true;
}

void Reader::index_number(Text digits) {
  const std::uint64_t value = number(digits);
  if (value == 0 || value > max_elements) {
    refuse(span(digits), "the first index has the number 1");
  }
  within_.number = static_cast<std::uint32_t>(value);
}

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
  lines_.pass_label(word);
  const Text name = word.substr(0, word.find_first_of(" \t:"));
  builder_.label(named_token(name, "label"));
}

// ---- directives --------------------------------------------------------------------------------------------------------

void Reader::typed() {
  if (typed_) {
    refuse(span(line()), "'.typed' stands twice", first_one(*typed_));
  }
  typed_ = span(line());
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
  builder_.object(space, kind_.type.scalar, declarator_, span(line()));
}

void Reader::constant_object() {
  object(AddressSpace::Constant);
  values_.state = ContinuedDirective::State::Open;
}

void Reader::close_values() {
  if (std::exchange(values_.state, ContinuedDirective::State::None) == ContinuedDirective::State::Open) {
    try {
      builder_.object_end();
    } catch (Refused& error) {
      errors_.push_back(std::move(error.diagnostic));
    }
  }
}

// ---- lines -------------------------------------------------------------------------------------------------------------

Diagnostic Reader::explained(const char* where, const std::string& what) const {
  const Explanation found = explain(
      {.text = line(), .statement = lines_.statement_begin(), .where = static_cast<std::size_t>(where - line().data()), .expected = what});
  Diagnostic error{Severity::Error, span(line().substr(found.begin, found.end - found.begin)), found.message, {}};
  const SourceSpan opened = expression_.innermost_open();
  if ((what == "')'" || what == "',' or ')'") && opened.end != 0) {
    error.notes.push_back({Severity::Note, opened, "what it would close begins here", {}});
  }
  return error;
}

void Reader::begin_line() {
  operands_.clear();
  index_.reset();
  place_.reset();
  space_.reset();
  result_.reset();
  kind_ = {};
  active_ = false;
  at_element_ = false;
}

bool Reader::next_line() {
  while (errors_.size() <= max_errors && lines_.next()) {
    continues_ = values_.continued_by(line());
    if (!continues_) {
      close_values();
    }
    values_.goes_on = false;
    if (!continues_ || values_.state != ContinuedDirective::State::Refused) {
      begin_line();
      return true;
    }
    values_.refuse(line());
  }
  return false;
}

void Reader::refuse_line(Diagnostic error) {
  const Text wrong = line();
  if (!error.message.empty()) {
    errors_.push_back(std::move(error));
  }
  expression_.clear();
  if (continues_ || begins_with_directive(wrong, ".constant")) {
    values_.refuse(wrong);
  }
  if (begins_with_directive(wrong, ".kernel") || begins_with_directive(wrong, ".function")) {
    builder_.function_lost(span(wrong));
  } else if (wrong.front() == '.' || continues_) {
    builder_.declaration_lost();
  } else {
    builder_.plain(Stop{}, span(wrong));  // keeps the numbers of the instructions behind it
  }
}

std::expected<Program, Diagnostics> Reader::finish() {
  if (values_.goes_on) {
    const SourceSpan end = lines_.end();
    errors_.push_back({Severity::Error, end, "expected more values after '..'", {}});
  }
  close_values();
  Program program = builder_.finish(lines_.at_end(), errors_);
  if (!errors_.empty()) {
    return std::unexpected(limited(std::move(errors_)));
  }
  return program;
}

}  // namespace lockstep::typed
