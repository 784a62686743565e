#include "bench/suite/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::bench {

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = {
      {"best peer", [](const Standing& s) { return s.side == Side::Peer && !s.is_apart; }},
      {"lanes", [](const Standing& s) { return s.side == Side::Peer && s.name.ends_with(" lanes"); }},
      {"ISPC", [](const Standing& s) { return s.name == "ISPC"; }},
      {"PoCL", [](const Standing& s) { return s.name == "PoCL"; }},
      {"libxsmm", [](const Standing& s) { return s.name.starts_with("libxsmm"); }},
      {"Eigen", [](const Standing& s) { return s.name == "Eigen"; }},
      {"OpenBLAS", [](const Standing& s) { return s.name == "OpenBLAS"; }},
  };
  return all;
}

const Standing* fastest(const CaseResult& result, const std::function<bool(const Standing&)>& choose) {
  const Standing* best = nullptr;
  for (const Standing& standing : result.standings) {
    if (standing.median > 0 && choose(standing) && (best == nullptr || standing.median < best->median)) {
      best = &standing;
    }
  }
  return best;
}

namespace {

/// The cases of one line.
KernelSummary summary_of(const std::vector<const CaseResult*>& cases, const std::string& target) {
  KernelSummary out;
  std::vector<std::vector<double>> speedups(references().size());
  std::vector<double> fractions;
  for (const CaseResult* result : cases) {
    const Standing* const ours = fastest(*result, [&](const Standing& s) { return s.side == Side::Ours && s.name == target; });
    if (ours == nullptr) {
      continue;
    }
    out.cases += 1;
    fractions.push_back(ours->fraction);
    for (std::size_t k = 0; k < references().size(); ++k) {
      const Standing* const other = fastest(*result, references()[k].is_member);
      if (other == nullptr) {
        continue;
      }
      speedups[k].push_back(other->median / ours->median);
      if (k == 0 && (out.least_at.empty() || speedups[k].back() < out.least_speedup)) {
        out.least_speedup = speedups[k].back();
        out.least_at = fmt::format("{}: {}", title(result->task), other->name);
      }
    }
  }
  std::ranges::transform(speedups, std::back_inserter(out.speedups), geometric_mean);
  out.mean_fraction = geometric_mean(fractions);
  out.least_fraction = fractions.empty() ? 0 : *std::ranges::min_element(fractions);
  out.target = target;
  return out;
}

}  // namespace

std::vector<KernelSummary> summaries(const SuiteResult& result) {
  using Key = std::tuple<bool, unsigned, KernelId>;
  std::map<Key, std::vector<const CaseResult*>> lines;
  for (const CaseResult& one : result.cases) {
    if (one.study == Study::None) {
      lines[{one.is_hot, one.threads, one.task.kernel}].push_back(&one);
    }
  }
  std::vector<KernelSummary> out;
  for (const std::string& target : result.options.targets) {
    for (const auto& [key, cases] : lines) {
      KernelSummary summary = summary_of(cases, target);
      std::tie(summary.is_hot, summary.threads, summary.kernel) = key;
      if (summary.cases > 0) {
        out.push_back(std::move(summary));
      }
    }
  }
  return out;
}

}  // namespace lockstep::bench
