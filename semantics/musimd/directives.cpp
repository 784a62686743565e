#include "semantics/musimd/directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "semantics/musimd/directive_words.hpp"

namespace lockstep::musimd {

namespace {

using Tokens = std::span<const Token>;

Result<RuleId> rule(std::string_view text) {
  const std::optional<RuleId> id = rule_named(text);
  if (!id) {
    return wrong(fmt::format("there is no rule '{}'", text));
  }
  return *id;
}

Result<PremiseName> premise(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) {
    return wrong(fmt::format("expected a premise such as EE.3, not '{}'", text));
  }
  const Result<RuleId> id = rule(text.substr(0, dot));
  const Result<int> count = number<int>(text.substr(dot + 1));
  if (!id) {
    return std::unexpected(id.error());
  }
  if (!count || premise_index(*id, *count) == premise_table.size()) {
    return wrong(fmt::format("there is no premise '{}'", text));
  }
  return PremiseName{*id, *count};
}

/// Applies `each` to all tokens; the first mistake ends it.
template <class F>
auto all_of(Tokens tokens, F each) -> Result<std::vector<typename decltype(each(std::string_view{}))::value_type>> {
  std::vector<typename decltype(each(std::string_view{}))::value_type> out;
  for (const Token& token : tokens) {
    auto value = each(token.text);
    if (!value) {
      return std::unexpected(value.error());
    }
    out.push_back(std::move(*value));
  }
  return out;
}

Result<std::vector<unsigned>> thread_list(std::string_view text) {
  std::vector<unsigned> threads;
  while (true) {
    const std::size_t comma = text.find(',');
    const Result<unsigned> one = number<unsigned>(text.substr(0, comma));
    if (!one) {
      return std::unexpected(one.error());
    }
    threads.push_back(*one);
    if (comma == std::string_view::npos) {
      return threads;
    }
    text.remove_prefix(comma + 1);
  }
}

std::optional<Mistake> set_printed(RunSettings& settings, std::string_view text) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<Erratum> erratum = erratum_named(text.substr(0, comma));
    if (!erratum) {
      return Mistake{fmt::format("'{}' is no erratum that can be executed", text.substr(0, comma))};
    }
    settings.printed.insert(*erratum);
    if (comma == std::string_view::npos) {
      return std::nullopt;
    }
    text.remove_prefix(comma + 1);
  }
}

template <class T>
std::optional<Mistake> assign(T& out, Result<T> value) {
  if (!value) {
    return value.error();
  }
  out = std::move(*value);
  return std::nullopt;
}

std::optional<Mistake> set(RunSettings& settings, std::string_view key, std::string_view value) {
  if (key == "threads") {
    return assign(settings.threads, number<unsigned>(value));
  }
  if (key == "active") {
    return assign(settings.active, thread_list(value));
  }
  if (key == "max-steps") {
    return assign(settings.max_steps, number<std::uint64_t>(value));
  }
  if (key == "as-printed") {
    return set_printed(settings, value);
  }
  if (key == "order") {
    settings.order.clear();
    settings.descending = value == "descending";
    return settings.descending || value == "ascending" ? std::nullopt : assign(settings.order, thread_list(value));
  }
  return Mistake{fmt::format("unknown key '{}'; there are threads, active, order, as-printed and max-steps", key)};
}

std::optional<Mistake> set_all(RunSettings& settings, Tokens tokens) {
  for (const Token& token : tokens) {
    const std::size_t equals = token.text.find('=');
    if (equals == std::string::npos) {
      return Mistake{fmt::format("expected KEY=VALUE, not '{}'", token.text)};
    }
    const std::string_view text = token.text;
    if (auto mistake = set(settings, text.substr(0, equals), text.substr(equals + 1))) {
      return mistake;
    }
  }
  return std::nullopt;
}

Result<std::vector<ExpectedValue>> values(Tokens tokens) {
  std::vector<ExpectedValue> out;
  for (const Token& token : tokens) {
    if (token.quoted) {
      for (const char c : token.text) {
        out.push_back({ExpectedValue::Kind::Number, static_cast<unsigned char>(c)});
      }
    } else if (token.text == "*" || token.text == "?") {
      out.push_back({token.text == "*" ? ExpectedValue::Kind::Uninitialised : ExpectedValue::Kind::Poison, 0});
    } else {
      const auto value = number<std::int64_t>(token.text);
      if (!value) {
        return std::unexpected(value.error());
      }
      out.push_back({ExpectedValue::Kind::Number, *value});
    }
  }
  return out;
}

/// mem[A], mem[A..B] or mem[A..] (as many as there are values), `==`, values
Result<Expected> cells(std::string_view range, std::vector<ExpectedValue> wanted) {
  if (!range.ends_with(']')) {
    return wrong("expected mem[FIRST..LAST]");
  }
  range = range.substr(4, range.size() - 5);
  const std::size_t dots = range.find("..");
  const auto first = number<std::int64_t>(range.substr(0, dots));
  if (!first) {
    return std::unexpected(first.error());
  }
  if (dots != std::string_view::npos && range.size() > dots + 2) {
    const auto last = number<std::int64_t>(range.substr(dots + 2));
    if (!last) {
      return std::unexpected(last.error());
    }
    if (*last < *first || static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first) + 1 != wanted.size()) {
      return wrong(fmt::format("there are {} values for the cells {} to {}", wanted.size(), *first, *last));
    }
  } else if (dots == std::string_view::npos && wanted.size() != 1) {
    return wrong("mem[A] is one cell; write mem[A..B] for several");
  }
  return ExpectCells{*first, std::move(wanted)};
}

Result<Expected> expect(Tokens tokens) {
  if (tokens.size() < 3 || tokens[1].text != "==") {
    return wrong("expected mem[FIRST..LAST] == VALUE… or VARIABLE == VALUE…");
  }
  auto wanted = values(tokens.subspan(2));
  if (!wanted) {
    return std::unexpected(wanted.error());
  }
  if (tokens[0].text.starts_with("mem[")) {
    return cells(tokens[0].text, std::move(*wanted));
  }
  return ExpectVariable{tokens[0].text, std::move(*wanted)};
}

Result<Expected> taken(Tokens tokens) {
  ExpectTaken out{{""}};
  for (const Token& token : tokens) {
    if (token.text == "|") {
      out.visits.emplace_back();
    } else if (token.text == "T" || token.text == "F" || token.text == "-") {
      out.visits.back() += token.text;
    } else {
      return wrong(fmt::format("expected T, F, - or |, not '{}'", token.text));
    }
  }
  return out;
}

Result<Expected> undefined(Tokens tokens) {
  if (tokens.empty() || tokens.size() > 2) {
    return wrong("expected a premise, and perhaps thread=N");
  }
  const Result<PremiseName> name = premise(tokens[0].text);
  if (!name) {
    return std::unexpected(name.error());
  }
  ExpectUndefined out{*name, std::nullopt};
  if (tokens.size() == 2) {
    const std::string_view text = tokens[1].text;
    const auto thread = number<unsigned>(text.starts_with("thread=") ? text.substr(7) : "");
    if (!thread) {
      return wrong(fmt::format("expected thread=N, not '{}'", text));
    }
    out.thread = *thread;
  }
  return out;
}

Result<Expected> limit(Tokens tokens) {
  static constexpr std::string_view words[] = {"steps", "memory", "stacks"};
  const auto* found = tokens.size() == 1 ? std::find(std::begin(words), std::end(words), tokens[0].text) : std::end(words);
  if (found == std::end(words)) {
    return wrong("expected steps, memory or stacks");
  }
  return ExpectLimit{static_cast<ExpectLimit::What>(found - std::begin(words))};
}

template <class E, class T>
Result<Expected> made(Result<T> argument) {
  if (!argument) {
    return std::unexpected(argument.error());
  }
  return E{std::move(*argument)};
}

template <class E>
Result<Expected> count(Tokens tokens) {
  return tokens.size() == 1 ? made<E>(number<std::uint64_t>(tokens[0].text)) : wrong("expected one number");
}

template <class E>
Result<Expected> rules(Tokens tokens) {
  return tokens.empty() ? wrong("expected the names of rules") : made<E>(all_of(tokens, rule));
}

/// A directive about a run; nothing if `word` is none.
std::optional<Result<Expected>> run_expectation(std::string_view word, Tokens arguments) {
  if (word == "halts") {
    return arguments.empty() ? Result<Expected>(ExpectHalts{}) : wrong("'halts' stands alone");
  }
  if (word == "stuck") {
    return made<ExpectStuck>(all_of(arguments, premise));
  }
  if (word == "undefined") {
    return undefined(arguments);
  }
  if (word == "limit") {
    return limit(arguments);
  }
  if (word == "expect") {
    return expect(arguments);
  }
  if (word == "steps") {
    return count<ExpectSteps>(arguments);
  }
  if (word == "races") {
    return count<ExpectRaces>(arguments);
  }
  if (word == "covers") {
    return rules<ExpectCovers>(arguments);
  }
  if (word == "rule") {
    return rules<ExpectRules>(arguments);
  }
  if (word == "taken") {
    return taken(arguments);
  }
  return std::nullopt;
}

/// The text's comment, if it is a line of directives: from the first `;@` on. Nothing if an ordinary comment comes first.
std::size_t directives_in(std::string_view line) {
  const std::size_t comment = std::min({line.find(';'), line.find('#'), line.find("//")});
  return comment != std::string_view::npos && line.substr(comment).starts_with(";@") ? comment : std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(const SourceFile& source) : source_(source) {}

  std::expected<FileDirectives, Diagnostics> read() {
    for (std::uint32_t line = 1; line <= source_.line_count(); ++line) {
      read_line(line);
    }
    if (trace_) {
      mistake("expected ';@ end trace'");
    }
    const bool malformed = std::any_of(file_.text.begin(), file_.text.end(),
                                       [](const TextExpectation& t) { return t.kind == TextExpectation::Kind::Malformed; });
    if (!malformed && file_.runs.empty()) {
      file_.runs.push_back({machine_, {}, {}});
    }
    if (!errors_.empty()) {
      return std::unexpected(std::move(errors_));
    }
    return std::move(file_);
  }

 private:
  void read_line(std::uint32_t number) {
    const std::string_view line = source_.line_text(number);
    const std::size_t start = directives_in(line);
    const auto offset = static_cast<std::uint32_t>(line.data() - source_.text().data());
    if (start == std::string_view::npos) {
      if (trace_) {
        span_ = {offset, offset + static_cast<std::uint32_t>(line.size())};
        trace_line(line, *trace_);
      }
      return;
    }
    const bool behind_text = line.find_first_not_of(" \t") != start;
    line_ = behind_text ? std::optional(number) : std::nullopt;
    for (std::size_t begin = start; begin < line.size();) {
      const std::size_t end = std::min(line.find(";@", begin + 2), line.size());
      const std::string_view text = line.substr(begin + 2, end - begin - 2);
      span_ = {offset + static_cast<std::uint32_t>(begin), offset + static_cast<std::uint32_t>(end)};
      directive(text.substr(0, std::min(text.find(";;"), text.size())), number);
      begin = end;
    }
  }

  void trace_line(std::string_view line, ExpectTrace& trace) {
    if (!line.starts_with(";")) {
      mistake("a line of a trace begins with ';'");
      return;
    }
    line.remove_prefix(line.starts_with("; ") ? 2 : 1);
    trace.lines.emplace_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
  }

  void directive(std::string_view text, std::uint32_t line) {
    const Result<std::vector<Token>> tokens = split(text);
    if (!tokens) {
      mistake(tokens.error().message);
      return;
    }
    if (tokens->empty()) {
      mistake("expected a directive behind ';@'");
      return;
    }
    const std::string& word = tokens->front().text;
    const Tokens arguments = Tokens(*tokens).subspan(1);
    if (word == "begin" || word == "end") {
      begin_or_end(word == "begin", arguments, line);
    } else if (word == "machine" || word == "run") {
      settings(word == "machine", arguments);
    } else if (word == "malformed" || word == "illformed" || word == "wellformed") {
      text_expectation(word, arguments);
    } else if (auto expectation = run_expectation(word, arguments)) {
      add(std::move(*expectation));
    } else {
      mistake(fmt::format("unknown directive '{}'", word));
    }
  }

  void add(Result<Expected> expected) {
    if (!expected) {
      mistake(expected.error().message);
      return;
    }
    if (!line_ && (std::holds_alternative<ExpectRules>(*expected) || std::holds_alternative<ExpectTaken>(*expected))) {
      mistake("stands behind an instruction, on its line");
      return;
    }
    current_run().expectations.push_back({std::move(*expected), span_, line_});
  }

  RunTest& current_run() {
    if (file_.runs.empty()) {
      file_.runs.push_back({machine_, {}, span_});
    }
    return file_.runs.back();
  }

  void settings(bool machine, Tokens arguments) {
    if (machine && !file_.runs.empty()) {
      mistake("'machine' stands before all runs and their expectations");
      return;
    }
    RunSettings changed = machine_;
    if (const auto wrong_key = set_all(changed, arguments)) {
      mistake(wrong_key->message);
    } else if (machine) {
      machine_ = std::move(changed);
    } else {
      file_.runs.push_back({std::move(changed), {}, span_});
    }
  }

  void text_expectation(std::string_view word, Tokens arguments) {
    using Kind = TextExpectation::Kind;
    const Kind kind = word == "malformed" ? Kind::Malformed : word == "illformed" ? Kind::Illformed : Kind::Wellformed;
    TextExpectation out{kind, "", line_, std::nullopt, span_};
    if (!arguments.empty() && arguments[0].text.starts_with("col=") && kind != Kind::Wellformed) {
      const auto column = number<std::uint32_t>(std::string_view(arguments[0].text).substr(4));
      if (!column) {
        mistake(column.error().message);
        return;
      }
      out.column = *column;
      arguments = arguments.subspan(1);
    }
    const bool wants_message = kind != Kind::Wellformed;
    if (arguments.size() != (wants_message ? 1 : 0) || (wants_message && !arguments[0].quoted)) {
      mistake(wants_message ? "expected the beginning of the message in quotes, before it perhaps col=N" : "'wellformed' stands alone");
      return;
    }
    if (wants_message) {
      out.message = arguments[0].text;
    }
    file_.text.push_back(std::move(out));
  }

  void begin_or_end(bool begin, Tokens arguments, std::uint32_t line) {
    if (arguments.size() != 1 || arguments[0].text != "trace" || begin == trace_.has_value()) {
      mistake(trace_ ? "expected ';@ end trace'" : "expected ';@ begin trace'");
    } else if (begin) {
      trace_.emplace();
      trace_->first_line = line + 1;
    } else {
      trace_->end_line = line;
      current_run().expectations.push_back({std::move(*trace_), span_, std::nullopt});
      trace_.reset();
    }
  }

  void mistake(std::string message) { errors_.push_back({Severity::Error, span_, std::move(message), {}}); }

  const SourceFile& source_;
  FileDirectives file_;
  RunSettings machine_;
  Diagnostics errors_;
  SourceSpan span_;
  std::optional<std::uint32_t> line_;
  std::optional<ExpectTrace> trace_;
};

}  // namespace

std::vector<unsigned> thread_order(const RunSettings& settings, unsigned threads) {
  if (!settings.descending) {
    return settings.order;
  }
  std::vector<unsigned> order(threads);
  for (unsigned t = 0; t < threads; ++t) {
    order[t] = threads - 1 - t;
  }
  return order;
}

std::expected<FileDirectives, Diagnostics> read_directives(const SourceFile& source) { return Reader(source).read(); }

}  // namespace lockstep::musimd
