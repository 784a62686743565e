#pragma once
// Results as texts: tables for people, JSON for programs, pictures.

#include <string>
#include <utility>
#include <vector>

#include "bench/suite/suite.hpp"

namespace lockstep::bench {

/// The processor, its limits, and who is there.
std::string machine_table(const SuiteResult& result);

/// One measurement: ns for a problem, least and median, how many times the time of the best peer, and the fraction of the roofline.
std::string case_table(const CaseResult& result);

/// Table 2 of the borG paper and more: geometric means of the speedups over all sizes and types; empty if nothing was compared.
std::string summary_table(const SuiteResult& result);

/// Everything. Times are in seconds.
std::string to_json(const SuiteResult& result);

/// File names and SVG texts: fig6 to fig10 after the paper, as far as there are measurements for them.
std::vector<std::pair<std::string, std::string>> figures(const SuiteResult& result);

}  // namespace lockstep::bench
