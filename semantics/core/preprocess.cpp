#include "semantics/core/preprocess.hpp"

#include <array>
#include <optional>
#include <utility>

#include "semantics/base/nearest.hpp"
#include "semantics/core/inclusions.hpp"
#include "semantics/core/preprocess_condition.hpp"
#include "semantics/core/preprocess_files.hpp"
#include "semantics/core/preprocess_lex.hpp"
#include "semantics/core/preprocess_macros.hpp"

namespace lockstep::core {
namespace {

constexpr std::array<std::string_view, 13> directives = {"define", "undef", "ifdef",  "ifndef",  "if",      "elif", "else",
                                                         "endif",  "error", "pragma", "include", "warning", "line"};

/// One #if … #endif that is open.
struct Group {
  Token directive;         ///< its #if, #ifdef or #ifndef
  bool is_read = false;    ///< the text here counts
  bool was_read = false;   ///< this or an earlier part was chosen
  bool is_inside = false;  ///< the text around the group counts
  bool has_else = false;
};

/// A file that is being read.
struct Reading {
  const TextPart& part;
  Lexer lexer;
  std::size_t groups = 0;                                  ///< that were open when it began
  std::optional<Token> first_of_next_line = std::nullopt;  ///< read, but not handed out yet
};

class Preprocessor {
 public:
  explicit Preprocessor(TextParts& parts)
      : parts_(parts), macros_([this] { return read(); }, [this](const Token& token) { return position(token); }, result_.spelled) {
    enter(parts.main());
  }

  /// The macros that stand there before the text begins.
  void define_all(const Options& options);
  TokenList run(const Options& options);

 private:
  using Line = std::vector<Token>;

  void define(const std::string& name, const std::string& value, bool is_ours);
  std::string position(const Token& token) const;
  void enter(const TextPart& part) { files_.push_back({part, Lexer(part.source.text(), result_.spelled, part.base), groups_.size()}); }
  Token read();
  Line rest_of_line();
  void directive(const Token& hash);
  bool conditional(const Token& name, const Line& line);
  void open_group(const Token& name, const Line& line);
  bool condition(const Token& name, const Line& line);
  Token macro_name(const Token& name, const Line& line) const;
  [[noreturn]] void error(const Token& name, const Line& line) const;
  void pragma(const Line& line);
  void unroll(const Line& line);
  void include(const Token& name, const Line& line);
  AskedFile asked_file(const Token& name, const Line& line);
  bool has_group() const { return groups_.size() > files_.back().groups; }
  [[noreturn]] void refuse_open_group() const;
  bool is_reading() const { return groups_.empty() || groups_.back().is_read; }

  TextParts& parts_;
  TokenList result_;
  Macros macros_;
  std::vector<Group> groups_;
  std::vector<Reading> files_;  // each includes the next one
};

void Preprocessor::define(const std::string& name, const std::string& value, bool is_ours) {
  std::string& text = result_.spelled.emplace_back(name + " " + value);
  Lexer lexer(text, result_.spelled);
  Line line;
  try {
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
      token.span = {};
      line.push_back(token);
    }
    macros_.define(line, {});
  } catch (Refused& refused) {
    if (!is_ours) {
      const std::size_t end = name.find('(');
      const bool is_twice = macros_.is_defined(name.substr(0, end));
      refused.diagnostic.message = "-D " + shortened(name + "=" + value) + ": " +
                                   (is_twice ? quoted(name) + " is defined already, with another text" : refused.diagnostic.message);
    }
    throw;
  }
}

std::string Preprocessor::position(const Token& token) const {
  const Origin origin = parts_.origin(token.span.begin);
  return token.text == "__LINE__" ? std::to_string(origin.line) : "\"" + origin.file + "\"";
}

Token Preprocessor::read() {
  for (;;) {
    Reading& file = files_.back();
    const Token token = file.first_of_next_line ? *std::exchange(file.first_of_next_line, std::nullopt) : file.lexer.next();
    if (token.kind != TokenKind::End || files_.size() == 1) {
      return token;
    }
    if (has_group()) {
      refuse_open_group();
    }
    files_.pop_back();
  }
}

/// The tokens up to the end of the line; what begins the next line stays for later.
Preprocessor::Line Preprocessor::rest_of_line() {
  Reading& file = files_.back();
  Line line;
  for (Token token = file.lexer.next();; token = file.lexer.next()) {
    if (token.starts_line) {
      file.first_of_next_line = token;
      return line;
    }
    line.push_back(token);
  }
}

Token Preprocessor::macro_name(const Token& name, const Line& line) const {
  if (line.empty()) {
    refuse(name, "#" + std::string(name.text) + " needs the name of a macro");
  }
  if (line[0].kind != TokenKind::Identifier) {
    refuse(line[0], "a macro's name must be an identifier, not " + quoted(line[0].text));
  }
  if (line.size() > 1) {
    refuse(line[1], "expected the end of the line after the macro's name");
  }
  return line[0];
}

bool Preprocessor::condition(const Token& name, const Line& line) {
  if (name.text == "ifdef" || name.text == "ifndef") {
    return macros_.is_defined(macro_name(name, line).text) == (name.text == "ifdef");
  }
  Line answered;
  for (std::size_t i = 0; i < line.size(); ++i) {
    Token token = line[i];
    if (token.text == "defined") {
      const bool parenthesis = i + 1 < line.size() && line[i + 1].word == "("_w;
      const std::size_t at = i + (parenthesis ? 2 : 1);
      if (at >= line.size() || line[at].kind != TokenKind::Identifier) {
        refuse(token, "'defined' needs the name of a macro");
      }
      if (parenthesis && (at + 1 >= line.size() || line[at + 1].word != ")"_w)) {
        refuse(line[at], "expected ')' after the name of the macro");
      }
      token.kind = TokenKind::Number;
      token.text = macros_.is_defined(line[at].text) ? "1" : "0";
      i = at + (parenthesis ? 1 : 0);
    }
    answered.push_back(token);
  }
  if (answered.empty()) {
    refuse(name, "#" + std::string(name.text) + " needs a condition");
  }
  return is_condition_true(macros_.expand(std::move(answered)), name);
}

void Preprocessor::open_group(const Token& name, const Line& line) {
  if (groups_.size() == 1000) {
    refuse(name, "#if is nested too deeply: at most 1000 levels are allowed");
  }
  Group group{.directive = name, .is_inside = is_reading()};
  group.is_read = group.is_inside && condition(name, line);
  group.was_read = group.is_read;
  groups_.push_back(group);
}

bool Preprocessor::conditional(const Token& name, const Line& line) {
  const std::string_view word = name.text;
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    open_group(name, line);
    return true;
  }
  if (word != "elif" && word != "else" && word != "endif") {
    return false;
  }
  if (!has_group()) {
    refuse(name, "there is no #if that this #" + std::string(word) + " could belong to");
  }
  Group& group = groups_.back();
  if (word != "elif" && group.is_inside && !line.empty()) {
    refuse(line[0], "expected the end of the line after #" + std::string(word));
  }
  if (word == "endif") {
    groups_.pop_back();
    return true;
  }
  if (group.has_else) {
    refuse(name, "#" + std::string(word) + " after #else", {{Severity::Note, group.directive.span, "the group begins here", {}}});
  }
  group.has_else = word == "else";
  group.is_read = group.is_inside && !group.was_read && (word == "else" || condition(name, line));
  group.was_read = group.was_read || group.is_read;
  return true;
}

void Preprocessor::error(const Token& name, const Line& line) const {
  if (line.empty()) {
    refuse(name, "#error");
  }
  const SourceSpan said{line.front().span.begin, line.back().span.end};
  refuse(said, "#error " + printable(parts_.text(said)));
}

/// The file that an #include names, which macros may do as well.
AskedFile Preprocessor::asked_file(const Token& name, const Line& line) {
  const bool is_spelled = !line.empty() && line[0].kind != TokenKind::Identifier;
  const Line said = is_spelled || line.empty() ? line : macros_.expand(line);
  const auto is_quoted = [](const Token& token) { return token.kind == TokenKind::String; };
  if (said.empty() || !(is_quoted(said[0]) || said[0].word == "<"_w)) {
    refuse(said.empty() ? name : said[0], "#include needs the name of a file: \"file.h\", or <file.h>");
  }
  if (is_quoted(said[0])) {
    if (said.size() > 1) {
      refuse(said[1], "expected the end of the line after the name of the file");
    }
    return {std::string(said[0].text.substr(1, said[0].text.size() - 2)), false, join(name.span, said[0].span)};
  }
  std::string file;
  for (std::size_t i = 1; i < said.size(); ++i) {
    if (said[i].word == ">"_w) {
      if (i + 1 < said.size()) {
        refuse(said[i + 1], "expected the end of the line after the name of the file");
      }
      const SourceSpan between{said[0].span.end, said[i].span.begin};
      return {is_spelled ? std::string(parts_.text(between)) : file, true, join(name.span, said[i].span)};
    }
    file += (i > 1 && said[i].after_space ? " " : "") + std::string(said[i].text);
  }
  refuse(said[0], "the name of the file has no '>' in this line");
}

void Preprocessor::include(const Token& name, const Line& line) {
  std::vector<std::string> open;
  for (const Reading& file : files_) {
    open.push_back(file.part.source.name());
  }
  if (const TextPart* part = parts_.include(asked_file(name, line), files_.back().part, open)) {
    enter(*part);
  }
}

void Preprocessor::pragma(const Line& line) {
  if (line.size() == 1 && line[0].text == "once") {
    parts_.only_once(files_.back().part);
  }
  if (!line.empty() && (line[0].text == "unroll" || line[0].text == "nounroll")) {
    unroll(line);
    return;
  }
  const bool is_contract = line.size() > 1 && (line[0].text == "OPENCL" || line[0].text == "STDC") && line[1].text == "FP_CONTRACT";
  if (!is_contract) {
    return;
  }
  Token token = line.back();
  if (line.size() != 3 || (token.text != "ON" && token.text != "OFF" && token.text != "DEFAULT")) {
    refuse(line[1], "FP_CONTRACT needs ON, OFF or DEFAULT behind it");
  }
  token.kind = TokenKind::Pragma;
  token.word = {};
  token.span = join(line.front().span, token.span);
  result_.tokens.push_back(token);
}

void Preprocessor::unroll(const Line& line) {
  std::vector<Token> count = macros_.expand({line.begin() + 1, line.end()});
  while (count.size() > 2 && count.front().word == "("_w && count.back().word == ")"_w) {
    count = {count.begin() + 1, count.end() - 1};
  }
  Token token = count.size() == 1 ? count[0] : line[0];
  token.kind = TokenKind::Unroll;
  token.word = {};
  token.span = join(line.front().span, line.back().span);
  result_.tokens.push_back(token);
}

void Preprocessor::directive(const Token& hash) {
  Line line = rest_of_line();
  if (line.empty()) {
    return;
  }
  Token name = line.front();
  name.span = join(hash.span, name.span);
  line.erase(line.begin());
  const bool is_marker = name.kind == TokenKind::Number;  // of lines (semantics/base/line_origins.hpp)
  if (is_marker || conditional(name, line) || !is_reading()) {
    return;
  }
  if (name.text == "define") {
    macros_.define(line, name.span);
  } else if (name.text == "undef") {
    macros_.undefine(macro_name(name, line).text);
  } else if (name.text == "error") {
    error(name, line);
  } else if (name.text == "pragma") {
    pragma(line);
  } else if (name.text == "include") {
    include(name, line);
  } else if (name.text == "line") {
    refuse(name, "there is no #line: messages speak of the file as it is");
  } else if (name.text != "warning") {
    refuse(name, "unknown directive " + quoted("#" + std::string(name.text)) + suggestion(name.text, directives));
  }
}

void Preprocessor::define_all(const Options& options) {
  // OpenCL C 3.0, 6.2.1 and 6.13, and the extensions that are there.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> ours = {{{"__OPENCL_VERSION__", "300"},
                                                                                   {"__OPENCL_C_VERSION__", "300"},
                                                                                   {"CL_VERSION_1_0", "100"},
                                                                                   {"CL_VERSION_1_1", "110"},
                                                                                   {"CL_VERSION_1_2", "120"},
                                                                                   {"CL_VERSION_2_0", "200"},
                                                                                   {"CL_VERSION_3_0", "300"},
                                                                                   {"__ENDIAN_LITTLE__", "1"},
                                                                                   {"__opencl_c_fp64", "1"},
                                                                                   {"__opencl_c_int64", "1"},
                                                                                   {"cl_khr_fp64", "1"},
                                                                                   {"__LOCKSTEP__", "1"}}};
  for (const auto& [name, value] : ours) {
    define(std::string(name), std::string(value), true);
  }
  for (const auto& [name, value] : options.defines) {
    define(name, value, false);
  }
}

TokenList Preprocessor::run(const Options& options) {
  define_all(options);
  for (;;) {
    const Token token = is_reading() ? macros_.next() : read();
    if (token.starts_line && token.word == "#"_w) {
      directive(token);
    } else if (is_reading() || token.kind == TokenKind::End) {
      if (result_.tokens.size() == max_tokens) {
        refuse(token.span, "the program is too long: at most " + std::to_string(max_tokens) + " tokens can be read");
      }
      result_.tokens.push_back(token);
      if (token.kind == TokenKind::End) {
        break;
      }
    }
  }
  if (has_group()) {
    refuse_open_group();
  }
  return std::move(result_);
}

void Preprocessor::refuse_open_group() const {
  refuse(groups_.back().directive.span, "this #" + std::string(groups_.back().directive.text) + " is not closed: #endif is missing");
}

}  // namespace

TokenList preprocess(const SourceFile& source, const Options& options) {
  TextParts parts(source);
  return Preprocessor(parts).run(options);
}

Inclusion include_files(std::shared_ptr<const SourceFile> source, const Options& options, const std::vector<std::string>& directories) {
  if (source->text().find("include") == std::string::npos || unreadable(*source)) {
    return {std::move(source), {}};
  }
  TextParts parts(*source, directories);
  try {
    Preprocessor(parts).run(options);
  } catch (Refused& refused) {
    return parts.put_together(std::move(refused.diagnostic));
  }
  return parts.put_together(std::nullopt);
}

std::optional<std::string> wrong_define(const Options& options) {
  const SourceFile nothing("-D", "");
  TextParts parts(nothing);
  try {
    Preprocessor(parts).define_all(options);
  } catch (const Refused& refused) {
    return refused.diagnostic.message;
  }
  return std::nullopt;
}

}  // namespace lockstep::core
