// The generated pages of docs/rules: one for each rule of the table, and an index.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "semantics/prove/theorems/outcomes.hpp"
#include "tools/pages.hpp"
#include "tools/rules.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

/// Where what only typed programs have is covered.
constexpr std::string_view kernel_tests = "[tests/unit/launch_rules_test.cpp](../../tests/unit/launch_rules_test.cpp)";

/// `E1, E2` as links.
std::string erratum_links(std::string_view errata) {
  std::string out;
  while (!errata.empty()) {
    const std::size_t comma = errata.find(", ");
    const std::string id(errata.substr(0, comma));
    std::string anchor = id;
    anchor[0] = 'e';
    out += fmt::format("{}[{}](../errata.md#{})", out.empty() ? "" : ", ", id, anchor);
    errata = comma == std::string_view::npos ? "" : errata.substr(comma + 2);
  }
  return out;
}

std::string_view kind_text(PremiseKind kind) {
  switch (kind) {
    case PremiseKind::Match:
      return "match";
    case PremiseKind::Guard:
      return "guard";
    case PremiseKind::Defined:
      return "defined";
  }
  return "";
}

std::string asked_text(const PremiseInfo& premise) {
  if (premise.erratum.empty()) {
    return "always";
  }
  if (only_typed(premise)) {
    return "only in typed programs";
  }
  return premise.erratum.front() == '!' ? fmt::format("not with `--as-printed {}`", premise.erratum.substr(1))
                                        : fmt::format("only with `--as-printed {}`", premise.erratum);
}

/// A cell of a table may not have a bar in it.
std::string table_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '|' ? "\\|" : std::string(1, c);
  }
  return out;
}

std::string link(const SourceLine& at) { return fmt::format("[{0}, line {1}](../../{0}#L{1})", at.path, at.line); }

std::string code_section(const RuleInfo& rule, const std::vector<SourceLine>& code) {
  std::string out = "\n## In the code\n\n";
  if (is_leaf(rule.id)) {
    out += rule.id == RuleId::MT ? "It has no code of its own. It is met where a state's domain says what a thread's number is:\n\n"
                                 : "It has no code of its own. Other rules ask its premise:\n\n";
  }
  for (const SourceLine& at : code) {
    out += fmt::format("- {}{}\n", link(at), at.text.empty() ? "" : fmt::format(": `{}`", at.text));
  }
  return out;
}

/// What becomes of a step, as the theorems `outcomes` say it.
std::string outcome_text(const RuleInfo& rule) {
  const prove::Outcome& row = prove::outcome(rule.id);
  const auto comes = [](const char* to, std::string_view list) {
    return list.empty() ? fmt::format("is never {}", to) : fmt::format("is {} by {}", to, list);
  };
  return fmt::format("In typed programs it {} poison, {} and {} ([what a step can come to](../proofs.md#what-a-step-can-come-to)).\n",
                     row.makes_poison ? "can make" : "makes no", comes("stuck", row.stuck_by), comes("undefined", row.undefined_by));
}

std::string theorem_section(const RuleInfo& rule, const std::vector<SourceLine>& theorems) {
  std::string out =
      "\n## Theorems\n\n" + outcome_text(rule) + "\nTheorems that speak of it; [proofs.md](../proofs.md) has their words:\n\n";
  for (const SourceLine& at : theorems) {
    out += fmt::format("- {}: {}\n", link(at), at.text);
  }
  return out;
}

/// Whether it fires in the file under the reference rules.
bool fires(const FileCoverage& file, RuleId rule) {
  const auto r = static_cast<std::size_t>(rule);
  return !file.firings[r].text.empty() || (file.coverage.typed && file.coverage.fired[r] != 0);
}

std::string test_section(const RuleInfo& rule, const std::vector<SourceLine>& tests, const std::vector<FileCoverage>& files) {
  std::string out = "\n## Tests\n\nCases that name it:\n\n";
  for (const SourceLine& at : tests) {
    out += fmt::format("- [{0}](../../{0}): {1}\n", at.path, at.text);
  }
  std::string list;
  for (const FileCoverage& file : files) {
    if (fires(file, rule.id)) {
      list += fmt::format("- [{0}](../../{0})\n", file.path);
    }
  }
  return out + (list.empty() ? "\nNo program among the examples and tests fires it.\n" : "\nPrograms that fire it:\n\n" + list);
}

std::string seen_section(RuleId rule, const std::vector<FileCoverage>& files) {
  const auto r = static_cast<std::size_t>(rule);
  const auto first = std::ranges::find_if(files, [&](const FileCoverage& file) { return !file.firings[r].text.empty(); });
  return first == files.end() ? "" : fmt::format("\n## Seen\n\nIn {}:\n\n```text\n{}```\n", first->path, first->firings[r].text);
}

std::string page(const RuleInfo& rule, const std::vector<FileCoverage>& files, const RuleSources& sources) {
  const std::string origin = only_typed(rule) ? "A rule of the typed extension" : fmt::format("{} of the CREV paper", rule.figure);
  std::string out = fmt::format("{}# {}\n\n{}, for `{}`.\n\nWhere the premises hold: {}\n", page_mark("rules --markdown"), rule.name,
                                origin, rule.instruction, rule.statement);
  out += "\n| premise | says | kind | asked |\n|---|---|---|---|\n";
  for (const PremiseInfo& premise : premise_table) {
    if (premise.rule == rule.id) {
      out += fmt::format("| {}.{} | {} | {} | {} |\n", rule.name, premise.number, table_cell(premise.text), kind_text(premise.kind),
                         asked_text(premise));
    }
  }
  if (!only_typed(rule)) {
    out += rule.errata.empty() ? "\nAs printed.\n" : fmt::format("\nRepairs the printed rule: {}.\n", erratum_links(rule.errata));
  }
  return out + code_section(rule, sources.code) + theorem_section(rule, sources.theorems) + test_section(rule, sources.tests, files) +
         seen_section(rule.id, files);
}

/// The rules and premises that kernels add, which become typed programs.
std::string typed_index() {
  std::string out =
      "\n## The typed extension\n\nKernels become typed programs ([typed-mus.md](../typed-mus.md)), which have the rules above with typed "
      "operands and places, and four more.\nTheir data rules stand in "
      "[semantics/typed/rules.hpp](../../semantics/typed/rules.hpp), and so do the four.\n\n"
      "| rule | for | does |\n|---|---|---|\n";
  for (const RuleInfo& rule : rule_table) {
    if (only_typed(rule)) {
      out += fmt::format("| [{0}]({0}.md) | `{1}` | {2} |\n", rule.name, rule.instruction, table_cell(rule.statement));
    }
  }
  out += "\nThese premises are asked of typed programs only:\n\n| premise | says | kind |\n|---|---|---|\n";
  for (const PremiseInfo& premise : premise_table) {
    if (only_typed(premise)) {
      out += fmt::format("| [{0}]({0}.md).{1} | {2} | {3} |\n", name(premise.rule), premise.number, table_cell(premise.text),
                         kind_text(premise.kind));
    }
  }
  return out + fmt::format("\nEach of them is seen to fire, to hold and to fail in {}.\n", kernel_tests);
}

std::string index() {
  std::string out = fmt::format("{}# The rules\n\n", page_mark("rules --markdown"));
  out +=
      "The rules of μ-SIMD as they are run. A *match* premise says that the rule is for this instruction at all; where a *guard* fails, "
      "the\n"
      "rule does not apply; where a *defined* premise fails, and all before it hold, the program is undefined. Where no rule applies, it "
      "is\n"
      "stuck.\n\n| rule | figure | for | does | repairs |\n|---|---|---|---|---|\n";
  for (const RuleInfo& rule : rule_table) {
    if (!only_typed(rule)) {
      out += fmt::format("| [{0}]({0}.md) | {1} | `{2}` | {3} | {4} |\n", rule.name, rule.figure, rule.instruction,
                         table_cell(rule.statement), erratum_links(rule.errata));
    }
  }
  out += typed_index();
  return out +
         "\n## Coverage\n\n`lockstep rules --coverage PATH…` runs programs and counts how often each rule fires and each premise is seen "
         "true and false.\n"
         "Each candidate's premises are counted, up to the first that fails. Match premises hold for the rules of the instruction at pc, "
         "and fail for\n"
         "all others. MM, MT and MV are counted at the operands that are looked up: a cell, tid, a variable. TL fires with IT. The "
         "premises MM.2, MV.2\n"
         "and BP.2 are asked of all operands; they count as true where there is a cell, a variable or a division. Where the threads of a "
         "shuffle choose\n"
         "differently between SV and SI.shfl, the premise is seen true and false in one step.\n\n"
         "Untyped programs run as their directives say, kernels and typed programs as comments `//@ run OPTIONS` in them do "
         "([file-tests.md](../file-tests.md));\n"
         "those without one are left out. What counts are the rules and premises that such programs have: where only untyped ones run, "
         "none of the typed\n"
         "extension, and where only kernels and typed ones do, none that printed rules alone ask. Of typed programs, BP.3 counts as true "
         "where there is a\n"
         "division, an index or a conversion that may not fit. `examples` covers everything that untyped programs have, and with "
         "`tests/coverage` also\n"
         "what only typed ones have.\n";
}

}  // namespace

std::expected<void, std::string> write_rule_pages(const std::string& folder, const std::vector<FileCoverage>& files) {
  const auto sources = rule_sources();
  if (!sources) {
    return std::unexpected(sources.error());
  }
  std::vector<Page> pages = {{"index", index()}};
  for (const RuleInfo& rule : rule_table) {
    pages.push_back({std::string(rule.name), page(rule, files, (*sources)[static_cast<std::size_t>(rule.id)])});
  }
  return write_pages(folder, pages);
}

}  // namespace lockstep::tools
