#pragma once
// Results as texts: tables for people, JSON for programs, pictures.

#include <string>
#include <utility>
#include <vector>

#include "bench/suite/suite.hpp"
#include "bench/suite/table.hpp"

namespace lockstep::bench {

/// One measurement: ns for a problem, least and median, how many times as fast as the best peer (in a study: as the first contestant), and
/// the fraction of the roofline.
std::string case_table(const CaseResult& result);

/// What all measurements say together: the bars; Table 2 of the borG paper and more, geometric means of the speedups over all sizes and
/// types; the ablation. A table about which nothing was measured has no rows.
std::vector<Table> summary_tables(const SuiteResult& result);

/// The ablation alone.
Table ablations_table(const SuiteResult& result);

/// For terminals: the processor, the summary's tables, the machine's limits, and who took part.
std::string summary_text(const SuiteResult& result);

/// The same as a page of Markdown.
std::string summary_page(const SuiteResult& result);

/// Everything. Times are in seconds.
std::string to_json(const SuiteResult& result);

/// File names and SVG texts: fig6 to fig10 after the paper, as far as there are measurements for them.
std::vector<std::pair<std::string, std::string>> figures(const SuiteResult& result);

}  // namespace lockstep::bench
