#include "semantics/ptx/parse_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/parse_number.hpp"

namespace lockstep::ptx {
namespace {

constexpr std::uint64_t most_values = std::uint64_t{1} << 22;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;
constexpr std::size_t most_dimensions = 32;
constexpr std::uint64_t most_bits = std::numeric_limits<std::uint32_t>::max();

constexpr auto spaces = std::to_array<std::pair<std::string_view, Space>>({{"reg", Space::Reg},
                                                                           {"const", Space::Const},
                                                                           {"global", Space::Global},
                                                                           {"local", Space::Local},
                                                                           {"param", Space::Param},
                                                                           {"shared", Space::Shared}});

std::uint32_t alignment(TokenStream& tokens) {
  const SourceSpan where = tokens.peek().span;
  const std::uint64_t align = count(tokens, "an alignment", std::uint64_t{1} << 31);
  if (align == 0 || (align & (align - 1)) != 0) {
    refuse(where, "an alignment is a power of two");
  }
  return static_cast<std::uint32_t>(align);
}

/// `.ptr .global .align 4` behind a parameter's type.
Variable::Pointer pointer(TokenStream& tokens) {
  Variable::Pointer pointer;
  if (const auto space = DeclarationReader::space_of(tokens.peek())) {
    pointer.space = *space;
    tokens.take();
  }
  if (tokens.take_dot_if("align")) {
    pointer.align = alignment(tokens);
  }
  return pointer;
}

}  // namespace

std::optional<Space> DeclarationReader::space_of(const Token& token) {
  if (token.kind != Token::Kind::Dot) {
    return std::nullopt;
  }
  const auto* found = std::ranges::find(spaces, token.text, &std::pair<std::string_view, Space>::first);
  return found == spaces.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> DeclarationReader::attributes(TokenStream& tokens) {
  std::vector<std::string> list;
  while (tokens.take_dot_if("attribute")) {
    tokens.expect('(');
    do {
      std::string text(tokens.expect(Token::Kind::Dot, "an attribute").text);
      if (tokens.take_if('(')) {
        text += '(';
        for (bool first = true; first || tokens.take_if(','); first = false) {
          text += fmt::format("{}{}", first ? "" : ",", count(tokens, "an attribute's number", std::numeric_limits<std::uint64_t>::max()));
        }
        tokens.expect(')');
        text += ')';
      }
      list.push_back(std::move(text));
    } while (tokens.take_if(','));
    tokens.expect(')');
  }
  return list;
}

Variable DeclarationReader::head(TokenStream& tokens, Linkage linkage) {
  Variable variable;
  variable.linkage = linkage;
  const auto space = space_of(tokens.peek());
  if (!space) {
    tokens.refuse_next("a state space");
  }
  variable.space = *space;
  tokens.take();
  if (tokens.take_if('[')) {
    variable.bank = static_cast<std::uint32_t>(count(tokens, "a bank", 10));
    tokens.expect(']');
  }
  bool has_type = false;
  while (tokens.peek().kind == Token::Kind::Dot) {
    const Token word = tokens.peek();
    if (word.text == "attribute") {
      auto more = attributes(tokens);
      variable.attributes.insert(variable.attributes.end(), more.begin(), more.end());
    } else if (word.text == "align") {
      tokens.take();
      variable.align = alignment(tokens);
    } else if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
      tokens.take();
      variable.vector = static_cast<std::uint32_t>(word.text[1] - '0');
    } else if (word.text == "ptr" && has_type) {
      tokens.take();
      variable.pointer = pointer(tokens);
    } else if (const auto type = type_named(word.text); type && !has_type) {
      tokens.take();
      variable.type = *type;
      has_type = true;
    } else {
      refuse(word.span, fmt::format("there is no type .{}{}", shortened(word.text), has_type ? " behind the type" : ""));
    }
  }
  if (!has_type) {
    tokens.refuse_next("a type");
  }
  return variable;
}

void DeclarationReader::dimensions(TokenStream& tokens, Variable& variable) {
  std::uint64_t elements = 1;
  while (tokens.peek().is('[')) {
    const SourceSpan where = tokens.take().span;
    if (variable.dimensions.size() == most_dimensions) {
      refuse(where, fmt::format("an array has at most {} dimensions", most_dimensions));
    }
    std::uint64_t size = 0;
    if (!tokens.peek().is(']')) {
      size = count(tokens, "an array's size", most_elements);
      if (size != 0 && elements > most_elements / size) {
        refuse(tokens.span_from(where.begin), "this array is too large");
      }
      elements *= std::max<std::uint64_t>(size, 1);
    } else if (!variable.dimensions.empty()) {
      refuse(where, "only an array's first dimension may be left out");
    }
    tokens.expect(']');
    variable.dimensions.push_back(size);
  }
}

void DeclarationReader::declarator(TokenStream& tokens, Variable& variable) {
  const Token name = tokens.expect(Token::Kind::Name, "a name");
  variable.name = name.text;
  variable.place = name.span;
  if (tokens.take_if('<')) {
    variable.range = static_cast<std::uint32_t>(count(tokens, "a range", most_bits, true));
    tokens.expect('>');
  }
  dimensions(tokens, variable);
}

std::vector<Variable> DeclarationReader::variables(TokenStream& tokens, Linkage linkage) {
  std::vector<Variable> list;
  const Variable common = head(tokens, linkage);
  do {
    Variable& variable = list.emplace_back(common);
    declarator(tokens, variable);
    if (tokens.take_if('=')) {
      variable.initialiser = initialiser(tokens, variable);
    }
  } while (tokens.take_if(','));
  tokens.expect(';');
  return list;
}

std::vector<Variable> DeclarationReader::parameters(TokenStream& tokens) {
  std::vector<Variable> list;
  if (!tokens.take_if('(')) {
    return list;
  }
  while (!tokens.peek().is(')')) {
    Variable& variable = list.emplace_back(head(tokens, Linkage::None));
    if (tokens.peek().kind == Token::Kind::Name) {
      declarator(tokens, variable);
    } else {
      variable.place = tokens.peek().span;
      dimensions(tokens, variable);
    }
    if (!tokens.take_if(',')) {
      break;
    }
  }
  tokens.expect(')');
  return list;
}

InitialValue DeclarationReader::value(TokenStream& tokens) {
  SymbolValue symbol;
  const std::uint32_t begin = tokens.peek().span.begin;
  const auto named = [&] {
    symbol.generic = tokens.peek().text == "generic" && tokens.second().is('(');
    if (symbol.generic) {
      tokens.take();
      tokens.expect('(');
    }
    symbol.name = tokens.expect(Token::Kind::Name, "a symbol").text;
    symbol.offset = offset_behind_name(tokens);
    if (symbol.generic) {
      tokens.expect(')');
      symbol.offset += offset_behind_name(tokens);
    }
    symbol.place = tokens.span_from(begin);
  };
  if (tokens.peek().kind == Token::Kind::Name && tokens.peek().text != "WARP_SZ") {
    named();
    return symbol;
  }
  // `0xff(symbol)` is one byte of an address, `0xff(4660)` of a number.
  if (tokens.peek().kind == Token::Kind::Number && tokens.second().is('(')) {
    const SourceSpan where = tokens.peek().span;
    const std::uint64_t mask = read_number(tokens.take()).bits;
    const auto shift = static_cast<std::uint64_t>(mask == 0 ? 0 : std::countr_zero(mask));
    if (mask >> shift != 0xFF || shift % 8 != 0) {
      refuse(where, "a mask is 0xff, or that by a whole number of bytes further up");
    }
    tokens.expect('(');
    if (tokens.peek().kind == Token::Kind::Name && tokens.peek().text != "WARP_SZ") {
      named();
      symbol.mask = mask;
      tokens.expect(')');
      symbol.place = tokens.span_from(begin);
      return symbol;
    }
    const Number number = constant_expression(tokens);
    tokens.expect(')');
    return Number{Number::Kind::Unsigned, (number.bits & mask) >> shift};
  }
  return constant_expression(tokens);
}

void DeclarationReader::values(TokenStream& tokens, const std::vector<std::uint64_t>& dimensions, std::size_t level, std::uint64_t begin,
                               Initialiser& to) {
  // The elements of one step at this level.
  std::uint64_t step = 1;
  for (std::size_t i = level + 1; i < dimensions.size(); ++i) {
    step *= std::max<std::uint64_t>(dimensions[i], 1);
  }
  const SourceSpan where = tokens.take().span;
  std::uint64_t element = begin;
  while (!tokens.peek().is('}')) {
    if (tokens.peek().is('{')) {
      if (level + 1 >= dimensions.size()) {
        refuse(tokens.peek().span, "these braces are deeper than the array has dimensions");
      }
      // Behind single values a nested brace begins at the next row.
      const std::uint64_t rest = (element - begin) % step;
      element += rest == 0 ? 0 : step - rest;
      values(tokens, dimensions, level + 1, element, to);
      element += step;
    } else {
      if (++values_read_ > most_values) {
        refuse(tokens.peek().span, fmt::format("initialisers have at most {} values together", most_values));
      }
      const SourceSpan place = tokens.peek().span;
      const bool bounded = level > 0 || dimensions[level] != 0;
      if (bounded && element - begin >= step * std::max<std::uint64_t>(dimensions[level], 1)) {
        refuse(place, "there are more values than elements");
      }
      to.items.push_back({element++, value(tokens)});
    }
    if (!tokens.take_if(',')) {
      break;
    }
  }
  if (!tokens.peek().is('}')) {
    tokens.refuse_next("'}'");
  }
  tokens.take();
  const bool bounded = level > 0 || dimensions[level] != 0;
  if (bounded && element - begin > step * std::max<std::uint64_t>(dimensions[level], 1)) {
    refuse(where, "there are more values than elements");
  }
}

Initialiser DeclarationReader::initialiser(TokenStream& tokens, const Variable& variable) {
  Initialiser list;
  if (!tokens.peek().is('{')) {
    list.items.push_back({0, value(tokens)});
    return list;
  }
  // A vector is initialised as an array of its elements.
  std::vector<std::uint64_t> sizes = variable.dimensions;
  if (variable.vector > 1) {
    sizes.push_back(variable.vector);
  }
  if (sizes.empty()) {
    sizes.push_back(1);
  }
  values(tokens, sizes, 0, 0, list);
  return list;
}

std::optional<PerformanceDirective> performance_directive(TokenStream& tokens) {
  struct Row {
    std::string_view word;
    int least;  ///< of its numbers
    int most;
  };
  constexpr auto rows = std::to_array<Row>({{"maxntid", 1, 3},
                                            {"reqntid", 1, 3},
                                            {"minnctapersm", 1, 1},
                                            {"maxnctapersm", 1, 1},
                                            {"maxnreg", 1, 1},
                                            {"explicitcluster", 0, 0},
                                            {"reqnctapercluster", 1, 3},
                                            {"maxclusterrank", 1, 1},
                                            {"blocksareclusters", 0, 0},
                                            {"abi_preserve", 1, 1},
                                            {"abi_preserve_control", 1, 1}});
  if (tokens.peek().kind != Token::Kind::Dot) {
    return std::nullopt;
  }
  const auto* row = std::ranges::find(rows, tokens.peek().text, &Row::word);
  if (row == rows.end()) {
    return std::nullopt;
  }
  PerformanceDirective directive;
  const Token word = tokens.take();
  directive.word = word.text;
  for (int i = 0; i < row->most; ++i) {
    if (i >= row->least && (i == 0 || !tokens.peek().is(','))) {
      break;
    }
    if (i > 0) {
      tokens.expect(',');
    }
    directive.numbers.push_back(count(tokens, "a number of ." + directive.word, most_bits));
  }
  directive.place = tokens.span_from(word.span.begin);
  return directive;
}

}  // namespace lockstep::ptx
