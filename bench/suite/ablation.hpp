#pragma once
// What each way to reorder lanes brings (Fig. 9 of the borG paper): the study's times over those with all of them.

#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/suite.hpp"

namespace lockstep::bench {

/// A kernel without one of the ways, or without all of them.
struct Ablation {
  KernelId kernel = KernelId::Ldus;
  bool is_hot = false;
  std::string way;          ///< "without columns", or without_all
  std::size_t sizes = 0;    ///< that were measured
  std::size_t changed = 0;  ///< sizes whose code is another one without it; the others' times count as the same
  double mean = 1;          ///< so many times the time with everything, in the geometric mean over all sizes
  double most = 1;          ///< likewise, at the size where it is most
  unsigned most_at = 0;     ///< that size; 0: nothing changed
};

/// By kernels, data and ways, in the order in which they were measured; without ways that change nothing.
std::vector<Ablation> ablations(const SuiteResult& result);

/// The way of the contestants without all of them.
inline constexpr std::string_view without_all = "none of them";

/// What a contestant of the study is without: "without columns"; "everything".
std::string way_of(const Standing& standing);

}  // namespace lockstep::bench
