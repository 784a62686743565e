// Running programs as their directives say, and counting what they cover.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interpreter/machine/machine.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/musimd/directives.hpp"
#include "semantics/musimd/print.hpp"
#include "tools/command.hpp"
#include "tools/rules.hpp"
#include "tools/source_kind.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

std::string text(const LaneSet& set) {
  std::string out = "{";
  set.for_each([&](unsigned t) { out += fmt::format("{}{}", out.size() > 1 ? " " : "", t); });
  return out + "}";
}

std::string sync_text(const Machine::State& s, std::size_t begin, std::size_t end) {
  std::string out = "[";
  for (std::size_t k = end; k-- > begin;) {
    const auto& e = s.sync[k];
    out += fmt::format("{}(at {}, done {}, resume {}, todo {})", out.size() > 1 ? ", " : "", e.branch_pc, text(e.done), e.resume_at,
                       text(e.todo));
  }
  return out + "]";
}

std::string context_text(const Machine::State& s) {
  std::string out = "[";
  std::size_t end = s.frame_base;
  for (std::size_t k = s.context.size(); k-- > 0;) {
    out += fmt::format("{}({}, {})", out.size() > 1 ? ", " : "", text(s.context[k].mask), sync_text(s, s.context[k].sync_base, end));
    end = s.context[k].sync_base;
  }
  return out + "]";
}

/// Keeps the first step of each rule.
class FirstFirings : public Observer {
 public:
  explicit FirstFirings(std::array<Firing, rule_count>& out) : out_(out) {}

  void before_step(const Machine& machine) override { before_ = machine.state(); }

  void after_step(const Machine& machine, const StepEvent& event) override {
    CoverageObserver one;
    one.after_step(machine, event);
    for (std::size_t r = 0; r < rule_count; ++r) {
      if (one.coverage().fired[r] != 0 && out_[r].text.empty()) {
        out_[r].text = describe(machine, event);
      }
    }
  }

 private:
  std::string describe(const Machine& machine, const StepEvent& event) const {
    const Machine::State& s = machine.state();
    const Program& program = machine.program();
    std::string out = fmt::format("step {}, pc {}: {}\n", event.step + 1, event.pc, print(program, program.code[event.pc].instruction));
    changed(out, "Θ", text(before_.active), text(s.active));
    changed(out, "Π", sync_text(before_, before_.frame_base, before_.sync.size()), sync_text(s, s.frame_base, s.sync.size()));
    changed(out, "Λ", context_text(before_), context_text(s));
    if (event.written) {
      changed(out, program.variables[*event.written], lanes(machine, before_, *event.written), lanes(machine, s, *event.written));
    }
    if (event.access && event.access->write) {
      out += "  Σ:";
      event.active.for_each([&](unsigned t) {
        const std::int64_t address = event.access->addresses[t];
        out += fmt::format(" ({}) = {}", address, cell(s.shared.read(address)));
      });
      out += "\n";
    }
    changed(out, "pc", std::to_string(before_.pc), std::to_string(s.pc));
    return out;
  }

  static void changed(std::string& out, const std::string& what, const std::string& before, const std::string& after) {
    out += before == after ? fmt::format("  {} = {}\n", what, after) : fmt::format("  {} = {} → {}\n", what, before, after);
  }

  static std::string cell(const Cell& c) {
    return c.state == CellState::Number ? std::to_string(c.number) : c.state == CellState::Poison ? "?" : "*";
  }

  static std::string lanes(const Machine& machine, const Machine::State& s, VarId v) {
    std::string out;
    for (unsigned t = 0; t < machine.threads(); ++t) {
      out += fmt::format("{}{}", t == 0 ? "" : " ", cell(s.bank.read(v, t)));
    }
    return out;
  }

  std::array<Firing, rule_count>& out_;
  Machine::State before_;
};

bool run_one(const SourceFile& source, const std::shared_ptr<const Program>& program, const RunSettings& settings, FileCoverage& out) {
  const unsigned threads = settings.threads != 0 ? settings.threads : program->threads.value_or(default_threads);
  auto machine = Machine::make(
      program,
      {.threads = settings.threads, .active = settings.active, .order = thread_order(settings, threads), .printed = settings.printed});
  if (!machine) {
    complain(source.name() + ": " + machine.error());
    return false;
  }
  CoverageObserver observer;
  FirstFirings firings(out.firings);
  (*machine)->attach(observer);
  if (settings.printed.empty()) {
    (*machine)->attach(firings);
  }
  (*machine)->run(settings.max_steps);
  out.coverage.add(observer.coverage());
  return true;
}

bool expects_errors(const FileDirectives& directives) {
  return std::any_of(directives.text.begin(), directives.text.end(),
                     [](const TextExpectation& t) { return t.kind == TextExpectation::Kind::Malformed; });
}

}  // namespace

std::expected<std::vector<std::string>, std::string> program_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  const auto add = [&](const std::string& file) {
    if (std::find(files.begin(), files.end(), file) == files.end()) {
      files.push_back(file);
    }
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      return std::unexpected(path + ": there is no such file or folder");
    }
    if (!fs::is_directory(path, error)) {
      add(path);
      continue;
    }
    std::vector<std::string> below;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".mus" || entry.path().extension() == ".cl") {
        below.push_back(entry.path().lexically_normal().string());
      }
    }
    std::sort(below.begin(), below.end());
    std::for_each(below.begin(), below.end(), add);
  }
  return files;
}

bool run_files(const std::vector<std::string>& files, std::vector<FileCoverage>& out) {
  std::size_t silent = 0;
  for (const std::string& path : files) {
    const auto text = read_source(path);
    if (!text) {
      say(text.error().text);
      return false;
    }
    const std::shared_ptr<const SourceFile>& source = *text;
    if (const auto problem = not_for_objects(*source)) {
      complain(*problem);
      return false;
    }
    if (is_ptx_text(*source)) {
      say(fmt::format("lockstep: error: {}: is PTX, whose instructions are no rules of μ-SIMD\n", path));
      return false;
    }
    if (const SourceKind kind = kind_of(*source); kind != SourceKind::Untyped) {
      FileCoverage covered{path, {}, {}};
      const auto has_runs = cover_kernels(source, kind, covered.coverage);
      if (!has_runs) {
        say(has_runs.error());
        return false;
      }
      silent += *has_runs ? 0U : 1U;
      if (*has_runs) {
        out.push_back(std::move(covered));
      }
      continue;
    }
    const auto directives = read_directives(*source);
    if (!directives) {
      fmt::print(stderr, "{}", render(*source, directives.error()));
      return false;
    }
    if (expects_errors(*directives)) {
      continue;
    }
    const auto program = parse_program(*source);
    if (!program) {
      say(program.error().text);
      return false;
    }
    out.push_back({path, {}, {}});
    for (const RunTest& run : directives->runs) {
      if (!run_one(*source, *program, run.settings, out.back())) {
        return false;
      }
    }
  }
  if (silent != 0) {
    say(fmt::format("lockstep: note: {} left out: nothing in them says how they run (//@ run OPTIONS)\n",
                    counted(silent, "file") + " of kernels or typed programs " + (silent == 1 ? "is" : "are")));
  }
  return true;
}

std::vector<std::string> uncovered(const Coverage& coverage) {
  std::vector<std::string> out;
  for (const RuleInfo& rule : rule_table) {
    if (coverage.fired[static_cast<std::size_t>(rule.id)] == 0 && coverage.concerns(rule)) {
      out.push_back(fmt::format("{} never fires", rule.name));
    }
  }
  for (std::size_t p = 0; p < premise_table.size(); ++p) {
    const PremiseInfo& premise = premise_table[p];
    if (!coverage.concerns(premise)) {
      continue;
    }
    if (coverage.held[p] == 0) {
      out.push_back(fmt::format("{}.{} is never true", name(premise.rule), premise.number));
    }
    if (coverage.failed[p] == 0) {
      out.push_back(fmt::format("{}.{} is never false", name(premise.rule), premise.number));
    }
  }
  return out;
}

std::string coverage_table(const Coverage& coverage, std::size_t files) {
  const auto cell = [](std::uint64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
  std::string out = fmt::format("{:<10}{:>10}{:>10}{:>10}\n", "", "fired", "true", "false");
  std::size_t rules = 0;
  std::size_t premises = 0;
  for (const RuleInfo& rule : rule_table) {
    if (!coverage.concerns(rule)) {
      continue;
    }
    ++rules;
    out += fmt::format("{:<10}{:>10}\n", rule.name, cell(coverage.fired[static_cast<std::size_t>(rule.id)]));
    for (std::size_t p = 0; p < premise_table.size(); ++p) {
      if (const PremiseInfo& premise = premise_table[p]; premise.rule == rule.id && coverage.concerns(premise)) {
        ++premises;
        out += fmt::format("  {:<18}{:>10}{:>10}  {}\n", fmt::format("{}.{}", rule.name, premise.number), cell(coverage.held[p]),
                           cell(coverage.failed[p]), premise.text);
      }
    }
  }
  const std::vector<std::string> missing = uncovered(coverage);
  out += fmt::format("\n{} files, {} rules, {} premises: ", files, rules, premises);
  if (missing.empty()) {
    return out + "every rule fired, every premise was seen true and false\n";
  }
  return out + fmt::format("{} missing\n  {}\n", missing.size(), fmt::join(missing, "\n  "));
}

std::string coverage_json(const Coverage& coverage, std::size_t files) {
  nlohmann::ordered_json out = {{"files", files}, {"rules", nlohmann::ordered_json::object()}, {"uncovered", uncovered(coverage)}};
  for (const RuleInfo& rule : rule_table) {
    if (!coverage.concerns(rule)) {
      continue;
    }
    nlohmann::ordered_json premises = nlohmann::ordered_json::array();
    for (std::size_t p = 0; p < premise_table.size(); ++p) {
      if (premise_table[p].rule == rule.id && coverage.concerns(premise_table[p])) {
        premises.push_back({{"number", premise_table[p].number}, {"true", coverage.held[p]}, {"false", coverage.failed[p]}});
      }
    }
    out["rules"][std::string(rule.name)] = {{"fired", coverage.fired[static_cast<std::size_t>(rule.id)]}, {"premises", premises}};
  }
  return out.dump(2) + "\n";
}

}  // namespace lockstep::tools
