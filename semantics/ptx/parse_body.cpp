#include "semantics/ptx/parse_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/parse_number.hpp"

namespace lockstep::ptx {
namespace {

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

constexpr auto statement_words = std::to_array<std::string_view>(
    {"reg", "param", "local", "shared", "const", "global", "loc", "pragma", "section", "branchtargets", "callprototype", "calltargets"});

class BodyReader {
 public:
  BodyReader(TokenStream& tokens, DeclarationReader& declarations, InstructionReader& instructions, std::vector<Statement>& body)
      : tokens_(tokens), declarations_(declarations), instructions_(instructions), body_(body) {}

  void read(Diagnostics& errors) {
    const SourceSpan begin = tokens_.take().span;
    std::size_t depth = 1;
    while (depth > 0 && errors.size() <= max_errors) {
      if (tokens_.peek().kind == Token::Kind::End) {
        errors.push_back({.span = begin, .message = "this body has no '}'", .notes = {}});
        return;
      }
      const std::int64_t open = tokens_.open_braces();
      const Token first = tokens_.peek();
      try {
        if (tokens_.peek().is('{')) {
          body_.emplace_back(BlockBegin{tokens_.take().span});
          ++depth;
        } else if (tokens_.peek().is('}')) {
          const SourceSpan span = tokens_.take().span;
          if (--depth > 0) {
            body_.emplace_back(BlockEnd{span});
          }
        } else {
          statement();
        }
      } catch (const Refused& refused) {
        errors.push_back(refused.diagnostic);
        recover(first, open);
      }
    }
  }

 private:
  void statement() {
    const Token first = tokens_.peek();
    if (tokens_.take_if(';')) {
      return;
    }
    if (first.kind == Token::Kind::Name && tokens_.second().is(':')) {
      label();
    } else if (first.kind == Token::Kind::Name || first.is('@')) {
      body_.emplace_back(instructions_.read(tokens_));
    } else if (first.is_dot("loc")) {
      body_.emplace_back(loc());
    } else if (first.is_dot("pragma")) {
      body_.emplace_back(read_pragma(tokens_));
    } else if (first.is_dot("section")) {
      skip_section(tokens_);
    } else if (DeclarationReader::space_of(first)) {
      for (Variable& variable : declarations_.variables(tokens_, Linkage::None)) {
        body_.emplace_back(std::move(variable));
      }
    } else if (first.kind == Token::Kind::Dot) {
      refuse(first.span, fmt::format("there is no directive .{} here{}", shortened(first.text), suggestion(first.text, statement_words)));
    } else {
      tokens_.refuse_next("a statement");
    }
  }

  void label() {
    const Token name = tokens_.take();
    tokens_.take();
    if (tokens_.peek().is_dot("branchtargets") || tokens_.peek().is_dot("calltargets")) {
      TargetList list;
      list.name = name.text;
      list.calls = tokens_.take().text == "calltargets";
      do {
        list.targets.push_back(read_name(tokens_));
      } while (tokens_.take_if(','));
      tokens_.expect(';');
      list.place = tokens_.span_from(name.span.begin);
      body_.emplace_back(std::move(list));
    } else if (tokens_.take_dot_if("callprototype")) {
      Prototype prototype;
      prototype.name = name.text;
      prototype.signature.results = declarations_.parameters(tokens_);
      tokens_.expect(Token::Kind::Name, "'_'");
      prototype.signature.parameters = declarations_.parameters(tokens_);
      while (tokens_.peek().kind == Token::Kind::Dot) {
        if (tokens_.take_dot_if("noreturn")) {
          prototype.signature.noreturn = true;
        } else if (!performance_directive(tokens_)) {
          tokens_.refuse_next("';'");
        }
      }
      tokens_.expect(';');
      prototype.place = tokens_.span_from(name.span.begin);
      body_.emplace_back(std::move(prototype));
    } else {
      body_.emplace_back(Label{std::string(name.text), name.span});
    }
  }

  Loc loc() {
    Loc loc;
    const std::uint32_t begin = tokens_.take().span.begin;
    loc.file = count(tokens_, "a file's number", any_number);
    loc.line = count(tokens_, "a line", any_number);
    loc.column = count(tokens_, "a column", any_number);
    while (tokens_.take_if(',')) {
      const Token word = tokens_.expect(Token::Kind::Name, "'function_name' or 'inlined_at'");
      if (!loc.inlined_at) {
        loc.inlined_at = Loc::Inlined{};
      }
      if (word.text == "function_name") {
        const Name name = read_name(tokens_);
        loc.inlined_at->function = name.text;
        loc.inlined_at->function_offset = name.offset;
      } else if (word.text == "inlined_at") {
        loc.inlined_at->file = count(tokens_, "a file's number", any_number);
        loc.inlined_at->line = count(tokens_, "a line", any_number);
        loc.inlined_at->column = count(tokens_, "a column", any_number);
      } else {
        refuse(word.span, "expected 'function_name' or 'inlined_at'");
      }
    }
    while (tokens_.peek().kind == Token::Kind::Name && !tokens_.at_line_start() && !tokens_.second().is(':')) {
      std::string flag(tokens_.take().text);
      if (tokens_.peek().kind == Token::Kind::Number && !tokens_.at_line_start()) {
        flag += fmt::format(" {}", tokens_.take().text);
      }
      loc.flags.push_back(std::move(flag));
    }
    loc.place = tokens_.span_from(begin);
    return loc;
  }

  /// Behind the `;` of the statement that is wrong, or in front of the `}` that ends its block: `open` braces are open there. What has no
  /// `;` ends with its line.
  void recover(const Token& first, std::int64_t open) {
    if (first.is_dot("loc") || (first.kind == Token::Kind::Sign && !first.is('@'))) {
      if (!tokens_.at_line_start() || tokens_.peek().span.begin == first.span.begin) {
        tokens_.skip_line();
      }
      return;
    }
    // Where only the `;` is missing, the next statement is where the reader stands.
    const Token& next = tokens_.peek();
    const bool begins_statement = tokens_.at_line_start() && (next.kind == Token::Kind::Name || next.is('@'));
    if (begins_statement && next.span.begin != stuck_at_ && tokens_.open_braces() == open) {
      stuck_at_ = next.span.begin;
      return;
    }
    while (tokens_.peek().kind != Token::Kind::End && !(tokens_.peek().is('}') && tokens_.open_braces() <= open)) {
      if (tokens_.take().is(';')) {
        return;
      }
    }
  }

  TokenStream& tokens_;
  DeclarationReader& declarations_;
  InstructionReader& instructions_;
  std::vector<Statement>& body_;
  std::optional<std::uint32_t> stuck_at_;  ///< where recovery has left the reader once, so that it does not stay there
};

}  // namespace

void read_body(TokenStream& tokens, DeclarationReader& declarations, InstructionReader& instructions, std::vector<Statement>& body,
               Diagnostics& errors) {
  BodyReader(tokens, declarations, instructions, body).read(errors);
}

Pragma read_pragma(TokenStream& tokens) {
  Pragma pragma;
  const std::uint32_t begin = tokens.take().span.begin;
  do {
    pragma.texts.emplace_back(tokens.expect(Token::Kind::String, "a pragma's text").text);
  } while (tokens.take_if(','));
  tokens.expect(';');
  pragma.place = tokens.span_from(begin);
  return pragma;
}

void skip_section(TokenStream& tokens) {
  const SourceSpan begin = tokens.take().span;
  const auto behind_name = [&] { return tokens.peek().kind == Token::Kind::Dot || tokens.peek().kind == Token::Kind::Name; };
  while (behind_name() && !tokens.at_line_start()) {
    tokens.take();
  }
  if (tokens.take_if('{')) {
    while (!tokens.peek().is('}')) {
      if (tokens.peek().kind == Token::Kind::End || tokens.peek().kind == Token::Kind::Bad) {
        refuse(begin, "this section has no '}'");
      }
      tokens.take();
    }
    tokens.take();
    return;
  }
  // The bytes of the older form are lines of their own.
  tokens.skip_line();
  while (tokens.peek().is_dot("byte") || tokens.peek().is_dot("2byte") || tokens.peek().is_dot("4byte") || tokens.peek().is_dot("8byte") ||
         tokens.peek().is_dot("quad") || (tokens.peek().kind == Token::Kind::Name && tokens.second().is(':'))) {
    tokens.skip_line();
  }
}

}  // namespace lockstep::ptx
