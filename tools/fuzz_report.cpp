// What a campaign has made and met.

#include <fmt/format.h>

#include <algorithm>

#include "semantics/core/print.hpp"
#include "tools/fuzz.hpp"

namespace lockstep::tools {

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
  std::string line = fmt::format("  {:<12}", heading);
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

std::string_view target_name(const FuzzPlan& plan) {
  switch (plan.target) {
    case FuzzPlan::Target::Backend:
      return "backend";
    case FuzzPlan::Target::Avx512:
      return "avx512";
    case FuzzPlan::Target::Llvm:
      return "llvm";
    case FuzzPlan::Target::Pairs:
      return "pairs";
    case FuzzPlan::Target::Infreg:
      break;
  }
  return "infreg";
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
  if (plan.target == FuzzPlan::Target::Backend) {
    return;
  }
  if (plan.target == FuzzPlan::Target::Pairs) {
    fmt::print("what was changed in them, and what was said of the pairs:\n");
    print_list("change", list_of(totals.counts, "change"));
    print_list("verdict", list_of(totals.counts, "verdict"));
    print_list("run", list_of(totals.counts, "run"));
    return;
  }
  print_list("wg_pack", list_of(totals.counts, "wg_pack"));
  print_list(plan.target == FuzzPlan::Target::Avx512 ? "C++ level" : "LLVM's level", list_of(totals.counts, "level"));
  print_list("most chunks", list_of(totals.counts, "most_chunks"));
  print_list("layout", list_of(totals.counts, "layout"));
  print_list("buffers", list_of(totals.counts, "buffers"));
  print_list("run by", list_of(totals.counts, "evidence"));
  fmt::print("what became of them:\n");
  print_list("operations", list_of(totals.counts, "operations"));
  print_list("proofs", list_of(totals.counts, "proof"));
  print_list("InfReg-IR", list_of(totals.counts, "ir"));
  fmt::print("of {} of them that were watched, so many were changed by each pass, and so many loops treated so:\n",
             count_of(totals.counts, "watched"));
  print_list("passes", list_of(totals.counts, "pass"));
  print_list("loops", list_of(totals.counts, "loop"));
}

std::string text_of(const PartingLine& line) {
  const std::string what =
      line.is_last ? fmt::format("which is the last to write {}", line.differs) : fmt::format("where '{}' differs", line.differs);
  return fmt::format("kernel.cl:{}, {}", line.number, what);
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
      status, target_name(plan), plan.seed, totals.kernels, totals.seconds, totals.processor_seconds, totals.findings.size(), list, counts);
}

}  // namespace lockstep::tools
