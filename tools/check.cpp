#include "semantics/musimd/check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/command.hpp"

namespace lockstep::tools {

namespace {

/// The N of a message that begins with "condition N: ".
std::optional<int> condition_of(std::string_view message) {
  constexpr std::string_view prefix = "condition ";
  const bool numbered = message.starts_with(prefix) && message.size() > prefix.size() + 1 && message[prefix.size() + 1] == ':';
  return numbered ? std::optional(message[prefix.size()] - '0') : std::nullopt;
}

nlohmann::ordered_json to_json(const SourceFile& source, const Diagnostics& diagnostics) {
  static constexpr const char* severities[] = {"error", "warning", "note"};
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    const LineColumn place = source.place(d.span.begin);
    nlohmann::ordered_json finding = {{"severity", severities[static_cast<int>(d.severity)]}};
    if (const auto condition = condition_of(d.message)) {
      finding["condition"] = *condition;
    }
    finding["line"] = place.line;
    finding["column"] = place.column;
    finding["message"] = d.message;
    if (!d.notes.empty()) {
      finding["notes"] = to_json(source, d.notes);
    }
    list.push_back(std::move(finding));
  }
  return list;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("check", "say whether a program is well-formed, and why not");
  command->footer(
      "Example: lockstep check examples/musimd/fig6.mus\n"
      "docs/wellformed.md says what the conditions are and why each is needed.\n"
      "Exit status: 0 well-formed, 1 ill-formed, 2 the file cannot be read or parsed, 3 undecided.");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a .mus program; - is standard input")->required();
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "the findings as one JSON object on standard output");
  command->callback([file, json, &status] {
    std::unique_ptr<SourceFile> source;
    const auto program = read_program(*file, source);
    if (program == nullptr) {
      status = bad_input;
      return;
    }
    const Diagnostics diagnostics = musimd::check(*program);
    const bool undecided = musimd::undecided(diagnostics);
    const bool good = musimd::well_formed(diagnostics);
    const char* verdict = good ? "well-formed" : undecided ? "undecided" : "ill-formed";
    if (*json) {
      fmt::print("{}\n", nlohmann::ordered_json{{"status", verdict}, {"findings", to_json(*source, diagnostics)}}.dump());
    } else {
      say(render(*source, diagnostics));
      fmt::print("{}: {}\n", source->name(), verdict);
    }
    status = good ? fine : undecided ? limit : no;
  });
}

}  // namespace lockstep::tools
