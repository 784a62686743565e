#include "semantics/musimd/check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/command.hpp"

namespace lockstep::tools {

namespace {

nlohmann::ordered_json to_json(const SourceFile& source, const Diagnostics& diagnostics) {
  static constexpr const char* severities[] = {"error", "warning", "note"};
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    const LineColumn place = source.place(d.span.begin);
    list.push_back({{"severity", severities[static_cast<int>(d.severity)]},
                    {"line", place.line},
                    {"column", place.column},
                    {"message", d.message},
                    {"notes", to_json(source, d.notes)}});
  }
  return list;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("check", "say whether a program is well-formed, and why not");
  command->footer(
      "Example: lockstep check examples/musimd/fig6.mus\n"
      "docs/wellformed.md says what the conditions are and why each is needed.\n"
      "Exit status: 0 well-formed, 1 ill-formed, 2 the file cannot be read or parsed.");
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
    const bool good = musimd::well_formed(diagnostics);
    if (*json) {
      fmt::print(
          "{}\n",
          nlohmann::ordered_json{{"status", good ? "well-formed" : "ill-formed"}, {"findings", to_json(*source, diagnostics)}}.dump());
    } else {
      fmt::print(stderr, "{}", render(*source, diagnostics));
      fmt::print("{}: {}\n", source->name(), good ? "well-formed" : "ill-formed");
    }
    status = good ? fine : no;
  });
}

}  // namespace lockstep::tools
