// What `lockstep run` says to people.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/observe/trace_table.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/musimd/print.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

constexpr unsigned most_threads = 16;
constexpr std::size_t most_variables = 32;
constexpr std::size_t most_ranges = 16;
constexpr std::size_t most_shown_values = 32;
constexpr std::size_t widest_name = 32;

std::string short_name(const std::string& name) { return name.size() <= widest_name ? name : name.substr(0, widest_name - 1) + "…"; }

std::string stored_text(const Cell& cell) { return cell.state == CellState::Poison ? "poison" : std::to_string(cell.number); }

void summarise_races(const RunReport& report) {
  if (report.races == nullptr) {
    fmt::print("races:   not looked for\n");
    return;
  }
  const RaceObserver& races = *report.races;
  fmt::print("races:   {}\n", races.count() == 0 ? "none" : std::to_string(races.count()));
  for (const Race& race : races.races()) {
    fmt::print("  step {}, {}: cell {} gets {} from thread {} and {} from thread {}\n", race.step, place_text(report, race.pc),
               race.address, stored_text(race.values[0]), race.threads[0], stored_text(race.values[1]), race.threads[1]);
  }
  if (races.count() > races.races().size()) {
    fmt::print("  … {} more\n", races.count() - races.races().size());
  }
}

void print_uninitialised(const RunReport& report) {
  const UninitialisedObserver& observer = report.uninitialised;
  if (observer.count() == 0) {
    return;
  }
  fmt::print("reads of uninitialised values: {}\n", observer.count());
  for (const UninitialisedRead& read : observer.reads()) {
    fmt::print("  step {}, {}, thread {}: {}, {}\n", read.step, place_text(report, read.pc), read.thread, read.what,
               read.fatal ? "undefined" : "so the shuffle gives poison");
  }
  if (observer.count() > observer.reads().size()) {
    fmt::print("  … {} more\n", observer.count() - observer.reads().size());
  }
}

void print_locals(const Machine& machine) {
  const std::vector<std::string>& variables = machine.program().variables;
  const unsigned threads = std::min(machine.threads(), most_threads);
  const std::size_t count = std::min(variables.size(), most_variables);
  if (count == 0) {
    return;
  }
  std::vector<std::size_t> widths;
  std::size_t name_width = 3;
  for (unsigned t = 0; t < threads; ++t) {
    widths.push_back(std::to_string(t).size());
    for (std::size_t v = 0; v < count; ++v) {
      widths.back() = std::max(widths.back(), short_text(machine.state().bank.read(static_cast<VarId>(v), t)).size());
    }
  }
  std::vector<std::string> names;
  for (std::size_t v = 0; v < count; ++v) {
    names.push_back(short_name(variables[v]));
    name_width = std::max(name_width, std::min(variables[v].size(), widest_name));
  }
  fmt::print("locals (* uninitialised, ? poison):\n  {:<{}}", "tid", name_width);
  for (unsigned t = 0; t < threads; ++t) {
    fmt::print("  {:>{}}", t, widths[t]);
  }
  fmt::print("{}\n", threads < machine.threads() ? fmt::format("  … {}", counted(machine.threads() - threads, "more thread")) : "");
  for (std::size_t v = 0; v < count; ++v) {
    fmt::print("  {:<{}}", names[v], name_width);
    for (unsigned t = 0; t < threads; ++t) {
      fmt::print("  {:>{}}", short_text(machine.state().bank.read(static_cast<VarId>(v), t)), widths[t]);
    }
    fmt::print("\n");
  }
  if (count < variables.size()) {
    fmt::print("  … {}\n", counted(variables.size() - count, "more variable"));
  }
}

/// The cells that hold something, as ranges of neighbours.
class SharedRanges {
 public:
  void add(std::int64_t address, const Cell& cell) {
    if (cells_ == 0 || address != last_ + 1) {
      finish();
      first_ = address;
      cells_ = 0;
      ++ranges_;
    }
    last_ = address;
    ++cells_;
    if (ranges_ <= most_ranges && cells_ <= most_shown_values) {
      values_ += " " + short_text(cell);
    }
  }
  void finish() {
    if (cells_ > 0 && ranges_ <= most_ranges) {
      const std::string place = first_ == last_ ? std::to_string(first_) : fmt::format("{}-{}", first_, last_);
      fmt::print("  {}:{}{}\n", place, values_, cells_ > most_shown_values ? fmt::format(" … {} more", cells_ - most_shown_values) : "");
    }
    values_.clear();
  }
  std::uint64_t ranges() const { return ranges_; }

 private:
  std::uint64_t ranges_ = 0;
  std::uint64_t cells_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::string values_;
};

void print_shared(const Machine& machine) {
  fmt::print("shared:\n");
  SharedRanges ranges;
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) { ranges.add(address, cell); });
  ranges.finish();
  if (ranges.ranges() == 0) {
    fmt::print("  nothing\n");
  } else if (ranges.ranges() > most_ranges) {
    fmt::print("  … {}\n", counted(ranges.ranges() - most_ranges, "more range"));
  }
}

/// Where a run stands that did not halt.
void print_position(const Machine& machine) {
  const Machine::State& s = machine.state();
  const bool inside = s.pc < machine.program().code.size();
  fmt::print("at:      pc {}{}\n", s.pc,
             inside ? ", " + short_name(print(machine.program(), machine.program().code[s.pc].instruction)) : "");
  const std::size_t entries = s.sync.size() - s.frame_base;
  fmt::print("stacks:  Π has {} {}, Λ has {}\n", entries, entries == 1 ? "entry" : "entries", s.context.size());
}

}  // namespace

SourceSpan span_of(const Program& program, const SourceFile& source, Label pc) {
  const auto end = static_cast<std::uint32_t>(source.text().size());
  return pc < program.code.size() ? program.code[pc].span : SourceSpan{end, end};
}

std::string place_text(const RunReport& report, Label pc) {
  const LineColumn place = report.source.place(span_of(report.machine.program(), report.source, pc).begin);
  return fmt::format("{}:{}:{}", report.source.name(), place.line, place.column);
}

std::string rules_text(const RuleCounts& counts) {
  std::string text;
  for (const RuleInfo& rule : rule_table) {
    if (const std::uint64_t count = counts[static_cast<std::size_t>(rule.id)]; count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rule.name, count);
    }
  }
  return text.empty() ? "none" : text;
}

void print_summary(const RunReport& report) {
  const Machine& machine = report.machine;
  fmt::print("{} after {}{}{}\n", report.status, counted(machine.steps(), "step"), report.reason.empty() ? "" : ": ", report.reason);
  fmt::print("threads: {}, active: {}\n", machine.threads(), ranges_text(machine.state().active));
  if (!std::holds_alternative<Halted>(report.ending)) {
    print_position(machine);
  }
  fmt::print("rules:   {}\n", rules_text(machine.rule_counts()));
  summarise_races(report);
  print_uninitialised(report);
  print_locals(machine);
  print_shared(machine);
}

}  // namespace lockstep::tools
