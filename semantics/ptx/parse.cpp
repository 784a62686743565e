#include "semantics/ptx/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/parse_body.hpp"
#include "semantics/ptx/parse_declaration.hpp"
#include "semantics/ptx/parse_number.hpp"

namespace lockstep::ptx {
namespace {

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

/// The words that can begin something at the level of the module.
constexpr auto item_words =
    std::to_array<std::string_view>({"version", "target", "address_size", "visible", "extern", "weak", "common", "entry", "func", "global",
                                     "const", "shared", "local", "param", "reg", "file", "section", "pragma", "alias"});

/// Those of them that stand nowhere else.
constexpr auto first_words =
    std::to_array<std::string_view>({"version", "target", "address_size", "visible", "extern", "weak", "common", "entry", "func", "alias"});

/// Reads the items of a module.
class ModuleReader {
 public:
  explicit ModuleReader(const SourceFile& source) : tokens_(source.text()) {}

  std::expected<Module, Diagnostics> read() {
    while (tokens_.peek().kind != Token::Kind::End && errors_.size() <= max_errors) {
      const std::uint32_t begin = tokens_.peek().span.begin;
      const std::int64_t open = tokens_.open_braces();
      try {
        item();
      } catch (const Refused& refused) {
        errors_.push_back(refused.diagnostic);
        recover(begin, open);
      }
    }
    if (errors_.empty() && !has_version_) {
      errors_.push_back({.span = {0, 0}, .message = "a file of PTX begins with .version", .notes = {}});
    }
    if (!errors_.empty()) {
      return std::unexpected(limited(std::move(errors_)));
    }
    return std::move(module_);
  }

 private:
  void item() {
    if (tokens_.peek().kind != Token::Kind::Dot) {
      if (tokens_.take_if(';')) {
        return;
      }
      tokens_.refuse_next("a directive");
    }
    if (tokens_.take_dot_if("version")) {
      version();
    } else if (tokens_.take_dot_if("target")) {
      target();
    } else if (tokens_.take_dot_if("address_size")) {
      address_size();
    } else if (tokens_.peek().is_dot("file")) {
      file();
    } else if (tokens_.peek().is_dot("section")) {
      skip_section(tokens_);
    } else if (tokens_.peek().is_dot("pragma")) {
      module_.items.emplace_back(read_pragma(tokens_));
    } else if (tokens_.take_dot_if("alias")) {
      Alias alias;
      alias.name = read_name(tokens_);
      tokens_.expect(',');
      alias.aliasee = read_name(tokens_);
      tokens_.expect(';');
      module_.items.emplace_back(std::move(alias));
    } else {
      definition();
    }
  }

  void version() {
    const Token number = tokens_.expect(Token::Kind::Number, "a version");
    const std::size_t dot = number.text.find('.');
    const auto part = [&](std::string_view text) {
      std::uint32_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value > 999) {
        refuse(number.span, fmt::format("{} is no version of PTX", quoted(number.text)));
      }
      return value;
    };
    module_.major = part(number.text.substr(0, dot));
    module_.minor = part(dot == std::string_view::npos ? "0" : number.text.substr(dot + 1));
    has_version_ = true;
  }

  void target() {
    do {
      module_.target.emplace_back(tokens_.expect(Token::Kind::Name, "a target").text);
    } while (tokens_.take_if(','));
  }

  void address_size() {
    const SourceSpan where = tokens_.peek().span;
    module_.address_size_place = where;
    module_.address_size = static_cast<std::uint32_t>(count(tokens_, "an address size", 64));
    if (module_.address_size != 32 && module_.address_size != 64) {
      refuse(where, "addresses have 32 or 64 bits");
    }
  }

  void file() {
    File file;
    const std::uint32_t begin = tokens_.take().span.begin;
    file.number = count(tokens_, "a file's number", any_number);
    file.name = tokens_.expect(Token::Kind::String, "the file's name").text;
    while (tokens_.take_if(',')) {
      file.more.push_back(count(tokens_, "a file's time or size", any_number));
    }
    file.place = tokens_.span_from(begin);
    module_.items.emplace_back(std::move(file));
  }

  void definition() {
    Linkage linkage = Linkage::None;
    for (bool more = true; more;) {
      const Token word = tokens_.peek();
      constexpr auto linkages = std::to_array<std::pair<std::string_view, Linkage>>(
          {{"visible", Linkage::Visible}, {"extern", Linkage::Extern}, {"weak", Linkage::Weak}, {"common", Linkage::Common}});
      const auto* found = std::ranges::find(linkages, word.text, &std::pair<std::string_view, Linkage>::first);
      more = word.kind == Token::Kind::Dot && found != linkages.end();
      if (more) {
        tokens_.take();
        linkage = found->second;
      }
    }
    if (tokens_.peek().is_dot("entry") || tokens_.peek().is_dot("func")) {
      function(linkage);
    } else if (DeclarationReader::space_of(tokens_.peek())) {
      for (Variable& variable : declarations_.variables(tokens_, linkage)) {
        module_.items.emplace_back(std::move(variable));
      }
    } else if (tokens_.peek().kind == Token::Kind::Dot) {
      const Token word = tokens_.peek();
      refuse(word.span, fmt::format("there is no directive .{} here{}", shortened(word.text), suggestion(word.text, item_words)));
    } else {
      tokens_.refuse_next("a function or a variable");
    }
  }

  void function(Linkage linkage) {
    Function function;
    function.linkage = linkage;
    function.entry = tokens_.take().text == "entry";
    function.attributes = DeclarationReader::attributes(tokens_);
    if (!function.entry) {
      function.signature.results = declarations_.parameters(tokens_);
    }
    const Token name = tokens_.expect(Token::Kind::Name, "a name");
    function.name = name.text;
    function.place = name.span;
    function.signature.parameters = declarations_.parameters(tokens_);
    head_directives(function);
    if (!tokens_.take_if(';')) {
      if (!tokens_.peek().is('{')) {
        tokens_.refuse_next("'{' or ';'");
      }
      function.has_body = true;
      read_body(tokens_, declarations_, instructions_, function.body, errors_);
    }
    module_.items.emplace_back(std::move(function));
  }

  /// What may stand between a function's parameters and its body.
  void head_directives(Function& function) {
    for (;;) {
      if (tokens_.take_dot_if("noreturn")) {
        function.signature.noreturn = true;
      } else if (tokens_.peek().is_dot("pragma")) {
        function.body.emplace_back(read_pragma(tokens_));
      } else if (tokens_.peek().is_dot("attribute")) {
        auto more = DeclarationReader::attributes(tokens_);
        function.attributes.insert(function.attributes.end(), more.begin(), more.end());
      } else if (auto directive = performance_directive(tokens_)) {
        function.directives.push_back(std::move(*directive));
      } else {
        return;
      }
    }
  }

  /// Behind the item that began at `begin` and is wrong: its `;`, its body, or in front of what looks like another one. `open` braces
  /// were open at its begin.
  void recover(std::uint32_t begin, std::int64_t open) {
    if (tokens_.peek().span.begin == begin) {
      tokens_.take();
    }
    while (tokens_.peek().kind != Token::Kind::End) {
      if (tokens_.peek().kind == Token::Kind::Dot && tokens_.at_line_start() &&
          std::ranges::find(first_words, tokens_.peek().text) != first_words.end()) {
        return;
      }
      const Token taken = tokens_.take();
      const bool at_end = tokens_.open_braces() <= open;
      if (at_end && (taken.is(';') || (taken.is('}') && !tokens_.peek().is(';')))) {
        return;
      }
    }
  }

  TokenStream tokens_;
  DeclarationReader declarations_;
  InstructionReader instructions_;
  Module module_;
  Diagnostics errors_;
  bool has_version_ = false;
};

}  // namespace

std::expected<Module, Diagnostics> parse(const SourceFile& source) {
  if (auto problem = unreadable(source)) {
    return std::unexpected(Diagnostics{std::move(*problem)});
  }
  return ModuleReader(source).read();
}

}  // namespace lockstep::ptx
