#pragma once
// What the measurements say taken together: speedups over peers, and fractions of the machine's limits.

#include <optional>
#include <string>
#include <vector>

#include "bench/suite/suite.hpp"

namespace lockstep::bench {

/// Whom a target is compared with.
struct Reference {
  std::string name;                             ///< "best peer", "PoCL"
  bool (*is_member)(const Standing& standing);  ///< the fastest of these
};

/// The best of all peers; those with one problem in each lane; and single ones that the paper's tables name.
const std::vector<Reference>& references();

/// The fastest standing of a case that `choose` accepts and that has times, by medians; null if there is none.
const Standing* fastest(const CaseResult& result, const std::function<bool(const Standing&)>& choose);

/// A target's figures for one kernel, all sizes and types together. Of item-wise kernels, and where several packs were measured, the
/// target's best.
struct KernelSummary {
  KernelId kernel = KernelId::Gema;
  bool is_hot = false;
  unsigned threads = 1;
  std::string target;
  std::size_t cases = 0;
  std::vector<double> speedups;  ///< geometric means, one for each of references(); 0: none was there
  double least_speedup = 0;      ///< over the best peer
  std::string least_at;          ///< the task of that, and the peer
  double least_fraction = 0;     ///< of the limit
  double mean_fraction = 0;      ///< geometric
};

std::vector<KernelSummary> summaries(const SuiteResult& result);

}  // namespace lockstep::bench
