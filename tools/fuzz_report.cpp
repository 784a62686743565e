// What a campaign has made and met, and what random kernels are made of.

#include "tools/fuzz_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "semantics/base/counted.hpp"
#include "semantics/core/print.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

std::uint64_t count_of(const Counts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

double rate(const FuzzTotals& totals) { return static_cast<double>(totals.kernels) / std::max(totals.processor_seconds, 1e-9); }

/// The counts whose names begin with "GROUP: ", the most frequent first: "if 12, for 9".
std::string list_of(const Counts& counts, const std::string& group) {
  const std::string prefix = group + ": ";
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (auto at = counts.lower_bound(prefix); at != counts.end() && at->first.starts_with(prefix); ++at) {
    found.emplace_back(at->second, at->first.substr(prefix.size()));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, name] : found) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  return text;
}

/// A heading and a list, broken into lines.
void print_list(const std::string& heading, const std::string& list) {
  constexpr std::size_t width = 118;
  if (list.empty()) {
    return;
  }
  std::string line = fmt::format("  {:<11} ", heading);
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(", ", begin), list.size());
    const std::string word = list.substr(begin, end - begin) + (end < list.size() ? "," : "");
    if (line.size() + word.size() > width) {
      fmt::print("{}\n", line);
      line = std::string(14, ' ');
    }
    line += word + " ";
    begin = end + 2;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
}

void print_endings(const FuzzTotals& totals) {
  const auto ended = [&](const char* how) { return count_of(totals.counts, std::string("ending: ") + how); };
  fmt::print("{} in {:.1f} s, {:.1f} a second and core: {} equal, {} undefined, {} whose groups race, {} refused, {} at a limit, {}\n",
             counted(totals.kernels, "kernel"), totals.seconds, rate(totals), ended("equal"), ended("undefined"), ended("races"),
             ended("refused"), ended("limit"), counted(ended("finding"), "finding"));
}

std::string_view subject_name(const FuzzPlan& plan) {
  switch (plan.subject) {
    case FuzzPlan::Subject::Backend:
      return "backend";
    case FuzzPlan::Subject::Pairs:
      return "pairs";
    case FuzzPlan::Subject::Target:
      break;
  }
  return plan.target->name;
}

}  // namespace

void print_totals(const FuzzPlan& plan, const FuzzTotals& totals) {
  print_endings(totals);
  fmt::print("what stood in them:\n");
  for (const char* group : {"type", "declaration", "statement", "operator", "index", "call"}) {
    print_list(group, list_of(totals.counts, group));
  }
  fmt::print("how they were run:\n");
  print_list("lanes", list_of(totals.counts, "lanes"));
  print_list("wg_size", list_of(totals.counts, "wg_size"));
  if (plan.subject == FuzzPlan::Subject::Backend) {
    return;
  }
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    fmt::print("what was changed in them, and what was said of the pairs:\n");
    print_list("change", list_of(totals.counts, "change"));
    print_list("verdict", list_of(totals.counts, "verdict"));
    print_list("run", list_of(totals.counts, "run"));
    return;
  }
  const bool is_lowered = !targets::reads_source(*plan.target);
  if (is_lowered) {
    print_list("wg_pack", list_of(totals.counts, "wg_pack"));
  }
  for (const targets::Option& option : plan.target->options) {
    print_list(option.name, list_of(totals.counts, option.name));
  }
  print_list("overlap", list_of(totals.counts, "overlap"));
  print_list("run by", list_of(totals.counts, "evidence"));
  if (!is_lowered) {
    return;
  }
  fmt::print("what became of them:\n");
  print_list("operations", list_of(totals.counts, "operations"));
  print_list("proofs", list_of(totals.counts, "proof"));
  print_list("InfReg-IR", list_of(totals.counts, "ir"));
  fmt::print("of {} of them that were watched, so many were changed by each pass, and so many loops treated so:\n",
             count_of(totals.counts, "watched"));
  print_list("passes", list_of(totals.counts, "pass"));
  print_list("loops", list_of(totals.counts, "loop"));
}

void print_json(const FuzzPlan& plan, const FuzzTotals& totals, const std::vector<Finding>& findings, std::string_view status) {
  std::string counts;
  for (const auto& [name, count] : totals.counts) {
    counts += fmt::format("{}{}:{}", counts.empty() ? "" : ",", json_string(name), count);
  }
  std::string list;
  for (const Finding& f : findings) {
    // A finding that could not be written is here as a whole.
    const std::string where =
        f.folder.empty() ? "\"source\":" + json_string(core::print(f.smallest.kernel.unit)) : "\"folder\":" + json_string(f.folder);
    list +=
        fmt::format("{}{{\"kernel\":{},\"kind\":{},\"sentence\":{},\"line\":{},{}}}", list.empty() ? "" : ",", f.smallest.number,
                    json_string(f.answer.kind), json_string(f.answer.sentence), f.line ? std::to_string(f.line->number) : "null", where);
  }
  fmt::print(
      "{{\"status\":\"{}\",\"target\":\"{}\",\"seed\":{},\"kernels\":{},\"seconds\":{:.3f},\"processor_seconds\":{:.3f},\"found\":{},"
      "\"findings\":[{}],\"counts\":{{{}}}}}\n",
      status, subject_name(plan), plan.seed, totals.kernels, totals.seconds, totals.processor_seconds, totals.findings.size(), list,
      counts);
}

void print_census(const FuzzPlan& plan, const FuzzCensus& census) {
  using Row = std::pair<std::string, FuzzCensus::Construct>;
  std::vector<Row> rows(census.constructs.begin(), census.constructs.end());
  const auto group_of = [](const Row& row) { return row.first.substr(0, row.first.find(':')); };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    const auto by_group = group_of(a) <=> group_of(b);
    return by_group == 0 ? a.second.occurrences > b.second.occurrences : by_group < 0;
  });
  fmt::print("{} of seed {}\n{:<44} {:>10} {:>11}\n", counted(census.kernels, "kernel"), plan.seed, "construct", "how often", "in kernels");
  for (const auto& [name, construct] : rows) {
    fmt::print("{:<44} {:>10} {:>9.1f} %\n", name, construct.occurrences,
               100 * static_cast<double>(construct.kernels) / static_cast<double>(census.kernels));
  }
}

void print_census_json(const FuzzPlan& plan, const FuzzCensus& census) {
  std::string list;
  for (const auto& [name, construct] : census.constructs) {
    list += fmt::format("{}{}:{{\"occurrences\":{},\"kernels\":{}}}", list.empty() ? "" : ",", json_string(name), construct.occurrences,
                        construct.kernels);
  }
  fmt::print("{{\"status\":\"counted\",\"seed\":{},\"kernels\":{},\"constructs\":{{{}}}}}\n", plan.seed, census.kernels, list);
}

}  // namespace lockstep::tools
