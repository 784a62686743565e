#include "tools/rules.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/command.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

struct RulesOptions {
  std::vector<std::string> arguments;  ///< names of rules, or paths with --coverage and --markdown
  bool coverage = false;
  std::string markdown;
  bool json = false;
};

std::string_view kind_word(PremiseKind kind) {
  static constexpr std::string_view words[] = {"match", "guard", "defined"};
  return words[static_cast<std::size_t>(kind)];
}

std::string asked_note(std::string_view erratum) {
  if (erratum.empty()) {
    return "";
  }
  if (erratum == "typed") {
    return " (only in typed programs)";
  }
  return erratum.front() == '!' ? fmt::format(" (not as printed, {})", erratum.substr(1)) : fmt::format(" (only as printed, {})", erratum);
}

std::string rule_text(const RuleInfo& rule) {
  std::string out = fmt::format("{}  {}, {}{}\n", rule.name, only_typed(rule) ? "typed extension" : rule.figure, rule.instruction,
                                rule.errata.empty() ? "" : fmt::format("  [{}]", rule.errata));
  for (const PremiseInfo& premise : premise_table) {
    if (premise.rule == rule.id) {
      out += fmt::format("    {}.{:<3}{:<9}{}{}\n", rule.name, premise.number, kind_word(premise.kind), premise.text,
                         only_typed(rule) ? "" : asked_note(premise.erratum));
    }
  }
  return out + fmt::format("    => {}\n", rule.statement);
}

nlohmann::ordered_json rule_json(const RuleInfo& rule) {
  nlohmann::ordered_json premises = nlohmann::ordered_json::array();
  for (const PremiseInfo& premise : premise_table) {
    if (premise.rule == rule.id) {
      premises.push_back(
          {{"number", premise.number}, {"kind", kind_word(premise.kind)}, {"text", premise.text}, {"erratum", premise.erratum}});
    }
  }
  return {{"rule", rule.name},           {"figure", rule.figure}, {"instruction", rule.instruction},
          {"statement", rule.statement}, {"errata", rule.errata}, {"premises", premises}};
}

Status list(const RulesOptions& options) {
  std::vector<RuleInfo> chosen(options.arguments.empty() ? rule_table.begin() : rule_table.end(), rule_table.end());
  for (const std::string& argument : options.arguments) {
    const std::optional<RuleId> id = rule_named(argument);
    if (!id) {
      complain(fmt::format("there is no rule '{}'; `lockstep rules` lists them", argument));
      return bad_input;
    }
    chosen.push_back(info(*id));
  }
  if (options.json) {
    nlohmann::ordered_json out = {{"rules", nlohmann::ordered_json::array()}};
    for (const RuleInfo& rule : chosen) {
      out["rules"].push_back(rule_json(rule));
    }
    fmt::print("{}\n", out.dump(2));
    return fine;
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    fmt::print("{}{}", k == 0 ? "" : "\n", rule_text(chosen[k]));
  }
  return fine;
}

Status over_programs(const RulesOptions& options) {
  const auto files = program_files(options.arguments);
  if (!files) {
    complain(files.error());
    return bad_input;
  }
  if (files->empty()) {
    complain("name some .mus or .cl files, or folders with some");
    return bad_input;
  }
  std::vector<FileCoverage> covered;
  if (!run_files(*files, covered)) {
    return bad_input;
  }
  if (!options.markdown.empty()) {
    if (const auto written = write_rule_pages(options.markdown, covered); !written) {
      complain(written.error());
      return bad_input;
    }
  }
  if (!options.coverage) {
    return fine;
  }
  if (covered.empty()) {
    complain("none of these files says how it runs");
    return bad_input;
  }
  Coverage total;
  for (const FileCoverage& file : covered) {
    total.add(file.coverage);
  }
  fmt::print("{}", options.json ? coverage_json(total, covered.size()) : coverage_table(total, covered.size()));
  return total.complete() ? fine : no;
}

}  // namespace

void add_rules(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("rules", "list the rules and their premises, or measure what programs cover");
  command->footer(
      "Examples: lockstep rules BD SI.sync\n"
      "          lockstep rules --coverage examples\n"
      "          lockstep rules --markdown docs/rules examples/musimd/fig6.mus examples tests/coverage\n"
      "          lockstep rules --coverage my_kernel.cl\n"
      "Untyped programs run as the `;@ machine` and `;@ run` comments in them say, kernels and typed programs as `//@ run OPTIONS` does,\n"
      "OPTIONS being those of `lockstep run`. What counts are the rules and premises that such programs have.\n"
      "Exit status: 0 fine, 1 something is not covered, 2 bad usage, or a program cannot be read, parsed or run.");
  auto options = std::make_shared<RulesOptions>();
  command->add_option("RULE|PATH", options->arguments, "rules to show; with --coverage and --markdown, programs and folders");
  command->add_flag("--coverage", options->coverage, "run programs: which rules fire, which premises are seen true and false");
  command
      ->add_option("--markdown", options->markdown,
                   "run programs, write a page for each rule into a folder; in the project's folder, whose sources it links to")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "one JSON object instead of a table");
  command->callback(
      [options, &status] { status = options->coverage || !options->markdown.empty() ? over_programs(*options) : list(*options); });
}

}  // namespace lockstep::tools
