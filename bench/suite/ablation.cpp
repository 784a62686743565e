#include "bench/suite/ablation.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "bench/suite/measure.hpp"

namespace lockstep::bench {

std::string way_of(const Standing& standing) { return standing.name.substr(standing.name.find(", ") + 2); }

std::vector<Ablation> ablations(const SuiteResult& result) {
  std::vector<Ablation> all;
  std::vector<std::vector<double>> ratios;  // of each of `all`
  std::map<std::pair<KernelId, bool>, std::size_t> measured;
  for (const CaseResult& one : result.cases) {
    if (one.study != Study::Reorderings || one.standings.empty() || one.standings.front().median == 0) {
      continue;
    }
    measured[{one.task.kernel, one.is_hot}] += 1;
    for (const Standing& standing : one.standings) {
      if (standing.side != Side::Ours || standing.median == 0 || &standing == &one.standings.front()) {
        continue;
      }
      const std::string way = way_of(standing);
      auto found = std::ranges::find_if(
          all, [&](const Ablation& line) { return line.kernel == one.task.kernel && line.is_hot == one.is_hot && line.way == way; });
      if (found == all.end()) {
        found = all.insert(all.end(), {one.task.kernel, one.is_hot, way});
        ratios.emplace_back();
      }
      const double ratio = standing.median / one.standings.front().median;
      ratios[static_cast<std::size_t>(found - all.begin())].push_back(ratio);
      if (found->most_at == 0 || ratio > found->most) {
        found->most = ratio;
        found->most_at = one.task.n;
      }
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].sizes = measured[{all[k].kernel, all[k].is_hot}];
    all[k].changed = ratios[k].size();
    ratios[k].resize(all[k].sizes, 1.0);
    all[k].mean = geometric_mean(ratios[k]);
  }
  std::ranges::stable_sort(all, {}, [](const Ablation& line) { return std::tuple(line.kernel, line.is_hot, line.way == without_all); });
  return all;
}

}  // namespace lockstep::bench
