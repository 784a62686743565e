#pragma once
// What `lockstep fuzz` says.

#include <string_view>
#include <vector>

#include "differential/campaign/campaign.hpp"
#include "differential/campaign/case.hpp"
#include "differential/campaign/shrink.hpp"

namespace lockstep::tools {

/// A line for each construct; or one JSON object.
void print_census(const differential::FuzzPlan& plan, const differential::FuzzCensus& census);
void print_census_json(const differential::FuzzPlan& plan, const differential::FuzzCensus& census);

/// What has been made and met, for people.
void print_totals(const differential::FuzzPlan& plan, const differential::FuzzTotals& totals);

/// One JSON object; `status` is a word.
void print_json(const differential::FuzzPlan& plan, const differential::FuzzTotals& totals,
                const std::vector<differential::Finding>& findings, std::string_view status);

}  // namespace lockstep::tools
