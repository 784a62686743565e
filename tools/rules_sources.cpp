// Where code, theorems and tests speak of a rule. Lines are looked up whenever pages are made, and stand nowhere else.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "semantics/prove/theorem.hpp"
#include "tools/rules.hpp"
#include "tools/words.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

using AllSources = std::array<RuleSources, rule_count>;

RuleSources& of(AllSources& all, RuleId rule) { return all[static_cast<std::size_t>(rule)]; }

/// The rules' files, and those where domains answer what the thread's number is.
constexpr const char* code_files[] = {
    "semantics/musimd/rules/branch.hpp", "semantics/musimd/rules/control.hpp", "semantics/musimd/rules/data.hpp",
    "semantics/musimd/step.hpp",         "semantics/typed/rules.hpp",          "interpreter/machine/concrete.cpp",
    "interpreter/launch/registers.cpp",  "semantics/prove/symbolic.cpp",       "semantics/prove/typed_domain.cpp"};

std::expected<std::vector<std::string>, std::string> lines_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return std::unexpected(path + ": cannot be read; pages are made in the project's folder");
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// "SI_sync"
std::string identifier(const RuleInfo& rule) {
  std::string id(rule.name);
  std::ranges::replace(id, '.', '_');
  return id;
}

/// Whether the text names the rule, or a premise of it: `RuleId::BD`, "BD", BD.3.
bool names(std::string_view text, const RuleInfo& rule) {
  if (has_word(text, "RuleId::" + identifier(rule)) || text.find(fmt::format("\"{}\"", rule.name)) != std::string_view::npos) {
    return true;
  }
  return std::ranges::any_of(premise_table, [&](const PremiseInfo& premise) {
    return premise.rule == rule.id && has_word(text, fmt::format("{}.{}", rule.name, premise.number));
  });
}

// ---- code --------------------------------------------------------------------------------------------------------------

/// A struct with `id = RuleId::BD`, or one that is made for the rule: `Assigning<RuleId::CT>`. TL is in what all its rules conclude.
void add_structs(AllSources& all, const std::string& path, const std::vector<std::string>& lines) {
  std::size_t last_struct = 0;
  std::string last_name;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    if (line.starts_with("struct ")) {
      last_struct = k + 1;
      last_name = line.substr(7, line.find(' ', 7) - 7);
    }
    if (line.find("this is TL") != std::string::npos) {
      of(all, RuleId::TL).code.push_back({path, k + 1, {}});
    }
    for (const RuleInfo& rule : rule_table) {
      if (line.ends_with(fmt::format(" id = RuleId::{};", identifier(rule)))) {
        of(all, rule.id).code.push_back({path, last_struct, last_name});
      }
      const std::size_t made = line.find(fmt::format("<RuleId::{}>", identifier(rule)));
      if (made != std::string::npos) {
        const auto begins = std::find_if_not(line.rend() - static_cast<std::ptrdiff_t>(made), line.rend(), continues_name).base();
        const std::string name(begins, line.begin() + static_cast<std::ptrdiff_t>(made));
        const auto at = std::ranges::find(lines, "struct " + name + " {");
        of(all, rule.id).code.push_back({path, static_cast<std::size_t>(at - lines.begin()) + 1, name});
      }
    }
  }
}

/// Where premises of MM and MV are asked, and where MT is: a comment says so.
void add_leaves(AllSources& all, const std::string& path, const std::vector<std::string>& lines) {
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (const RuleId rule : {RuleId::MM, RuleId::MV}) {
      if (lines[k].find(fmt::format("(RuleId::{}, ", name(rule))) != std::string::npos) {
        of(all, rule).code.push_back({path, k + 1, {}});
      }
    }
    if (lines[k].ends_with("// MT")) {
      of(all, RuleId::MT).code.push_back({path, k + 1, {}});
    }
  }
}

// ---- theorems ------------------------------------------------------------------------------------------------------------

/// Its name; those of operations and conversions, one for each type, are one.
std::string shown_name(const std::string& name) {
  for (const std::string_view of_types : {".operations.", ".conversions."}) {
    if (const std::size_t at = name.find(of_types); at != std::string::npos) {
      return fmt::format("`{}TYPE`", name.substr(0, at + of_types.size()));
    }
  }
  return fmt::format("`{}`", name);
}

/// Those that one line states are one entry.
void add_theorems(AllSources& all) {
  for (const prove::Theorem& theorem : prove::theorems(false)) {
    const std::string file = theorem.where.file_name();
    const std::string path = file.substr(std::min(file.rfind("semantics/prove/"), file.size()));
    for (const RuleId rule : theorem.rules ? theorem.rules() : prove::Rules{}) {
      std::vector<SourceLine>& lines = of(all, rule).theorems;
      const auto same_line = [&](const SourceLine& each) { return each.path == path && each.line == theorem.where.line(); };
      const auto known = std::ranges::find_if(lines, same_line);
      if (known == lines.end()) {
        lines.push_back({path, theorem.where.line(), shown_name(theorem.name)});
      } else if (known->text.find(shown_name(theorem.name)) == std::string::npos) {
        known->text += ", " + shown_name(theorem.name);
      }
    }
  }
}

// ---- tests ---------------------------------------------------------------------------------------------------------------

struct TestProgram {
  const char* name;
  const char* folder;
};
constexpr TestProgram test_programs[] = {
    {"unit_tests", "tests/unit"}, {"proof_tests", "tests/proofs"}, {"property_tests", "tests/properties"}};

/// A case goes on to the next one.
void add_cases(AllSources& all, const TestProgram& program, const std::string& path, const std::vector<std::string>& lines) {
  constexpr std::string_view begins = "TEST_CASE(\"";
  const auto is_begin = [&](const std::string& line) { return line.starts_with(begins); };
  auto at = std::find_if(lines.begin(), lines.end(), is_begin);
  while (at != lines.end()) {
    const auto end = std::find_if(at + 1, lines.end(), is_begin);
    std::string text;
    std::for_each(at, end, [&](const std::string& line) { text += line + "\n"; });
    const std::string title = at->substr(begins.size(), at->find('"', begins.size()) - begins.size());
    for (const RuleInfo& rule : rule_table) {
      if (names(text, rule)) {
        of(all, rule.id).tests.push_back({path, 0, fmt::format("`{}`, \"{}\"", program.name, title)});
      }
    }
    at = end;
  }
}

std::expected<void, std::string> add_tests(AllSources& all) {
  namespace fs = std::filesystem;
  for (const TestProgram& program : test_programs) {
    std::error_code error;
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(program.folder, error)) {
      if (entry.path().string().ends_with("_test.cpp")) {
        files.push_back(entry.path().string());
      }
    }
    std::ranges::sort(files);
    for (const std::string& path : files) {
      const auto lines = lines_of(path);
      if (!lines) {
        return std::unexpected(lines.error());
      }
      add_cases(all, program, path, *lines);
    }
  }
  return {};
}

std::expected<void, std::string> complete(const AllSources& all) {
  for (const RuleInfo& rule : rule_table) {
    const RuleSources& sources = all[static_cast<std::size_t>(rule.id)];
    const char* missing = sources.code.empty() ? "code" : sources.theorems.empty() ? "theorem" : sources.tests.empty() ? "test" : nullptr;
    if (missing != nullptr) {
      return std::unexpected(fmt::format("the sources have no {} for rule {}", missing, rule.name));
    }
  }
  return {};
}

}  // namespace

bool is_leaf(RuleId rule) { return rule == RuleId::MM || rule == RuleId::MT || rule == RuleId::MV; }

std::expected<std::array<RuleSources, rule_count>, std::string> rule_sources() {
  AllSources all;
  for (const char* path : code_files) {
    const auto lines = lines_of(path);
    if (!lines) {
      return std::unexpected(lines.error());
    }
    add_structs(all, path, *lines);
    add_leaves(all, path, *lines);
  }
  add_theorems(all);
  if (const auto added = add_tests(all); !added) {
    return std::unexpected(added.error());
  }
  if (const auto done = complete(all); !done) {
    return std::unexpected(done.error());
  }
  return all;
}

}  // namespace lockstep::tools
