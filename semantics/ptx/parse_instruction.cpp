#include "semantics/ptx/parse_instruction.hpp"

#include <fmt/format.h>

#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/parse_number.hpp"

namespace lockstep::ptx {
namespace {

/// An operand as it is written, before its row says what it has to be.
struct Written {
  Operand operand;
  SourceSpan span;
  bool behind_bar = false;
};

/// Lists of operands and of elements may be so long.
constexpr std::size_t most_operands = 4096;

void limit(const TokenStream& tokens, std::size_t size) {
  if (size == most_operands) {
    refuse(tokens.peek().span, fmt::format("a list of operands has at most {}", most_operands));
  }
}

Scalar read_scalar(TokenStream& tokens) {
  const Token first = tokens.peek();
  if (begins_constant(tokens)) {
    const Number number = constant_expression(tokens);
    return Immediate{number, tokens.span_from(first.span.begin)};
  }
  if (first.kind == Token::Kind::Name && first.text == "_") {
    tokens.take();
    return Sink{first.span};
  }
  const bool negated = tokens.take_if('!');
  Name name = read_name(tokens);
  name.negated = negated;
  name.place = tokens.span_from(first.span.begin);
  return name;
}

Vector read_vector(TokenStream& tokens) {
  Vector vector;
  const std::uint32_t begin = tokens.take().span.begin;
  do {
    limit(tokens, vector.elements.size());
    vector.elements.push_back(read_scalar(tokens));
  } while (tokens.take_if(','));
  tokens.expect('}');
  vector.place = tokens.span_from(begin);
  return vector;
}

Address read_address(TokenStream& tokens) {
  Address address;
  const std::uint32_t begin = tokens.take().span.begin;
  const Scalar base = read_scalar(tokens);
  if (const auto* name = std::get_if<Name>(&base); name != nullptr && !name->negated) {
    address.base = *name;
  } else if (const auto* number = std::get_if<Immediate>(&base)) {
    address.base = *number;
  } else {
    refuse(tokens.span_from(begin), "an address is a register, a variable or a number, plus an offset");
  }
  while (tokens.take_if(',')) {
    limit(tokens, address.more.size());
    if (tokens.peek().is('{')) {
      address.more.emplace_back(read_vector(tokens));
    } else {
      address.more.emplace_back(read_scalar(tokens));
    }
  }
  tokens.expect(']');
  address.place = tokens.span_from(begin);
  return address;
}

Operand read_operand(TokenStream& tokens) {
  if (tokens.peek().is('{')) {
    return read_vector(tokens);
  }
  if (tokens.peek().is('[')) {
    return read_address(tokens);
  }
  if (tokens.peek().is('-') && tokens.second().kind == Token::Kind::Name && tokens.second().text != "WARP_SZ") {
    const std::uint32_t begin = tokens.take().span.begin;
    Name name = read_name(tokens);
    name.minus = true;
    name.place = tokens.span_from(begin);
    return name;
  }
  return std::visit([](auto&& scalar) { return Operand(std::forward<decltype(scalar)>(scalar)); }, read_scalar(tokens));
}

std::vector<Written> read_operands(TokenStream& tokens) {
  std::vector<Written> list;
  if (tokens.peek().is(';')) {
    return list;
  }
  bool behind_bar = false;
  do {
    limit(tokens, list.size());
    const std::uint32_t begin = tokens.peek().span.begin;
    Operand operand = read_operand(tokens);
    list.push_back({std::move(operand), tokens.span_from(begin), behind_bar});
    behind_bar = tokens.peek().is('|');
  } while (tokens.take_if('|') || tokens.take_if(','));
  return list;
}

/// `(a, b)`; perhaps nothing between the parentheses.
std::vector<Scalar> read_list(TokenStream& tokens) {
  std::vector<Scalar> list;
  tokens.expect('(');
  while (!tokens.peek().is(')')) {
    limit(tokens, list.size());
    list.push_back(read_scalar(tokens));
    if (!tokens.take_if(',')) {
      break;
    }
  }
  tokens.expect(')');
  return list;
}

CallOperand read_call(TokenStream& tokens) {
  CallOperand call;
  const std::uint32_t begin = tokens.peek().span.begin;
  if (tokens.peek().is('(')) {
    call.results = read_list(tokens);
    tokens.expect(',');
  }
  call.callee = read_name(tokens);
  if (tokens.take_if(',')) {
    if (tokens.peek().is('(')) {
      call.arguments = read_list(tokens);
    } else {
      call.prototype = read_name(tokens);
    }
    if (!call.prototype && tokens.take_if(',')) {
      call.prototype = read_name(tokens);
    }
  }
  call.place = tokens.span_from(begin);
  return call;
}

bool implicit(const OperandShape& shape) { return shape.role == OperandRole::FlagIn || shape.role == OperandRole::FlagOut; }

/// How many operands the row has to have, and can have.
std::pair<std::size_t, std::size_t> operand_count(const FormInfo& row) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const OperandShape& shape : row.operands) {
    if (shape.role == OperandRole::Rest) {
      return {least, most_operands};
    }
    const bool written = !implicit(shape);
    least += written && !shape.optional ? 1 : 0;
    most += written ? 1 : 0;
  }
  return {least, most};
}

std::string_view name_of_shape(const Operand& operand) {
  constexpr std::array<std::string_view, std::variant_size_v<Operand>> names = {"nothing",  "a name",     "a number", "'_'",
                                                                                "a vector", "an address", "a call"};
  return names[operand.index()];
}

/// Why the operand is not what the row asks for there; empty if it is.
std::string misfit(const OperandShape& shape, const Operand& operand, bool behind_bar) {
  if (shape.behind_bar != behind_bar && shape.role != OperandRole::Rest) {
    return shape.behind_bar ? "expected '|' before the second result" : "there is no second result behind '|' here";
  }
  const auto expected = [&](std::string_view what) { return fmt::format("expected {} here, not {}", what, name_of_shape(operand)); };
  if (const auto* name = std::get_if<Name>(&operand); name != nullptr && name->minus && !shape.minus) {
    return "a minus stands in front of numbers, and of registers of vmad, only";
  }
  switch (shape.role) {
    case OperandRole::Address:
      return std::holds_alternative<Address>(operand) ? "" : expected("an address in brackets");
    case OperandRole::Label:
    case OperandRole::Targets:
      return std::holds_alternative<Name>(operand)
                 ? ""
                 : expected(shape.role == OperandRole::Label ? "a label" : "the name of a .branchtargets");
    case OperandRole::Number:
      return std::holds_alternative<Immediate>(operand) ? "" : expected("a number");
    case OperandRole::Written:
      return std::holds_alternative<Address>(operand) || std::holds_alternative<Immediate>(operand) ? expected("a register") : "";
    case OperandRole::Read:
    case OperandRole::Predicate:
      return std::holds_alternative<Address>(operand) || std::holds_alternative<Sink>(operand) ? expected("a value") : "";
    default:
      return "";
  }
}

/// What was found wrong with the operands of a row.
struct Misfit {
  SourceSpan span;
  std::string message;
};

/// Puts the operands to the row's places, or says which one fits none.
std::optional<Misfit> place(const FormInfo& row, std::vector<Written>& list, SourceSpan where, std::vector<Operand>& places) {
  const auto [least, most] = operand_count(row);
  if (list.size() < least || list.size() > most) {
    return Misfit{where, fmt::format("'{}' has {}{} operand{} here, not {}", row.mnemonic, least,
                                     most == least           ? ""
                                     : most == most_operands ? " or more"
                                                             : fmt::format(" to {}", most),
                                     least == 1 && most == 1 ? "" : "s", list.size())};
  }
  std::size_t spare = list.size() - least;
  std::size_t next = 0;
  for (const OperandShape& shape : row.operands) {
    if (implicit(shape)) {
      continue;
    }
    if (shape.role == OperandRole::Rest) {
      for (; next < list.size(); ++next) {
        if (std::string message = misfit(shape, list[next].operand, false); !message.empty()) {
          return Misfit{list[next].span, std::move(message)};
        }
        places.push_back(std::move(list[next].operand));
      }
      break;
    }
    // What is behind a bar says so itself; of others the first ones that may be left out are there.
    const bool there = !shape.optional || (spare > 0 && (!shape.behind_bar || list[next].behind_bar));
    if (!there) {
      places.emplace_back(Absent{});
      continue;
    }
    spare -= shape.optional ? 1 : 0;
    Written& written = list[next++];
    if (std::string message = misfit(shape, written.operand, written.behind_bar); !message.empty()) {
      return Misfit{written.span, std::move(message)};
    }
    places.push_back(std::move(written.operand));
  }
  if (next < list.size()) {
    return Misfit{list[next].span, fmt::format("'{}' has no further operand here", row.mnemonic)};
  }
  return std::nullopt;
}

}  // namespace

Name read_name(TokenStream& tokens) {
  Name name;
  const Token word = tokens.expect(Token::Kind::Name, "an operand");
  name.text = word.text;
  if (tokens.peek().kind == Token::Kind::Dot && tokens.peek().span.begin == word.span.end) {
    name.text += fmt::format(".{}", tokens.take().text);
  }
  if (tokens.peek().is('[') && tokens.peek().span.begin == word.span.end) {
    tokens.take();
    name.element = count(tokens, "an element", std::uint64_t{1} << 48);
    tokens.expect(']');
  }
  name.offset = offset_behind_name(tokens);
  name.place = tokens.span_from(word.span.begin);
  return name;
}

const std::vector<DecodedForm>& InstructionReader::decoded(const Token& mnemonic, const std::vector<Token>& words) {
  std::string key(mnemonic.text);
  for (const Token& word : words) {
    (key += '.') += word.text;
  }
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(std::move(key), decode(mnemonic, words)).first->second;
}

Instruction InstructionReader::read(TokenStream& tokens) {
  Instruction instruction;
  const std::uint32_t begin = tokens.peek().span.begin;
  if (tokens.take_if('@')) {
    const std::uint32_t guard = tokens.peek().span.begin;
    const bool negated = tokens.take_if('!');
    const Token word = tokens.expect(Token::Kind::Name, "a predicate");
    instruction.guard = Guard{{.text = std::string(word.text), .negated = negated, .place = tokens.span_from(guard)}};
  }
  const Token mnemonic = tokens.expect(Token::Kind::Name, "an instruction");
  std::vector<Token> words;
  while (tokens.peek().kind == Token::Kind::Dot) {
    words.push_back(tokens.take());
  }
  const std::vector<DecodedForm>& candidates = decoded(mnemonic, words);
  instruction.mnemonic_place = tokens.span_from(mnemonic.span.begin);

  const DecodedForm* chosen = &candidates.front();
  if (chosen->row->kind == Kind::Call) {
    instruction.operands.emplace_back(read_call(tokens));
  } else {
    if (chosen->row->operands.empty() && candidates.size() == 1 && !tokens.peek().is(';')) {
      tokens.refuse_next("';'");
    }
    std::vector<Written> list = read_operands(tokens);
    std::optional<Misfit> wrong;
    for (const DecodedForm& candidate : candidates) {
      // Rows of equal words differ in how many operands they have.
      const auto [least, most] = operand_count(*candidate.row);
      if (list.size() >= least && list.size() <= most) {
        chosen = &candidate;
        break;
      }
    }
    wrong = place(*chosen->row, list, tokens.span_from(mnemonic.span.begin), instruction.operands);
    if (wrong) {
      refuse(wrong->span, std::move(wrong->message));
    }
  }
  tokens.expect(';');
  instruction.form = chosen->row->form;
  instruction.modifiers = chosen->modifiers;
  instruction.types = chosen->types;
  instruction.place = tokens.span_from(begin);
  return instruction;
}

}  // namespace lockstep::ptx
